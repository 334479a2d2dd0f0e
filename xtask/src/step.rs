//! Running other programs, so that a person sees what was run and can repeat it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Why a command of ours ends early, and with which exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure { code: 1, message: message.into() }
    }
}

/// The workspace's directory.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("")
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}

/// A directory, made, and without anything in it.
pub(crate) fn emptied(directory: &Path) -> Result<PathBuf, Failure> {
    let removed = if directory.exists() { fs::remove_dir_all(directory) } else { Ok(()) };
    removed.and_then(|()| fs::create_dir_all(directory)).map_err(|error| failed(directory, &error))?;
    Ok(directory.to_path_buf())
}

/// The files in a directory, sorted.
pub(crate) fn files(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(directory).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| failed(directory, &error))?;
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    files.sort();
    Ok(files)
}

/// What the system refused, and where.
pub(crate) fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("{}: {error}", path.display()))
}

/// The cargo that runs us, in the workspace's directory.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(workspace());
    command
}

/// A program of this workspace, built beside this one.
pub(crate) fn built(program: &str) -> Result<PathBuf, Failure> {
    let this = std::env::current_exe().map_err(|error| Failure::new(format!("where is xtask? {error}")))?;
    Ok(this.with_file_name(format!("{program}{}", std::env::consts::EXE_SUFFIX)))
}

/// A program of this workspace, where cargo puts it when it builds that profile.
pub(crate) fn program(name: &str, profile: &str) -> PathBuf {
    target().join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Installs a tool of cargo's below `target`, once for each version, and says where it is.
pub(crate) fn tool(name: &str, version: &str) -> Result<PathBuf, Failure> {
    run(&mut cargo(&["install", name, "--version", version, "--locked", "--root", "target/tools"]))?;
    Ok(workspace().join("target/tools/bin").join(name))
}

/// Builds the MCP server as users do, and says where it is.
pub(crate) fn release_server() -> Result<PathBuf, Failure> {
    run(&mut cargo(&["build", "--release", "--package", "prowess-mcp"]))?;
    Ok(program("prowess-mcp", "release"))
}

/// Prints a command, runs it, and fails with its exit code if it fails.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let line = shown(command);
    println!("$ {line}");
    let status =
        command.status().map_err(|error| Failure::new(format!("`{line}` did not start: {error}")))?;
    if status.success() {
        return Ok(());
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Err(Failure { code, message: format!("`{line}` failed: {status}") })
}

/// Runs a command and keeps only the line that says why it failed.
pub(crate) fn quietly(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().display().to_string();
    let output = command.output().map_err(|error| format!("`{program}` did not start: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let why = said
        .lines()
        .find(|line| line.to_ascii_lowercase().contains("error"))
        .or(said.lines().last())
        .unwrap_or_default();
    Err(format!("`{program}` failed: {why}"))
}

fn shown(command: &Command) -> String {
    let settings =
        command.get_envs().filter_map(|(name, value)| Some(format!("{}={:?}", name.display(), value?)));
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default();
    let arguments = command.get_args().map(|argument| argument.display().to_string());
    settings.chain([program.display().to_string()]).chain(arguments).collect::<Vec<_>>().join(" ")
}
