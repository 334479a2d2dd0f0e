//! `cargo xtask test-mcp`: the MCP server, by clients that others wrote.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::step::{self, Failure, cargo, workspace};

/// The official client library in Python.
const PYTHON_SDK: &str = "mcp==2.3.0";
/// The official conformance tool, and the Node it needs.
const CONFORMANCE: [&str; 2] = ["@modelcontextprotocol/conformance@0.2.0-alpha.12", "node@22"];
const REVISIONS: [&str; 2] = ["2026-07-28", "2025-11-25"];
/// The tool's scenarios that need nothing but skills, in both revisions.
const SCENARIOS: [&str; 7] = [
    "sep-2640-skills-enumeration",
    "sep-2640-skills-manifest",
    "sep-2640-skills-directory",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
];
/// Those of one revision.
const OF_ONE: [(&str, &str); 6] = [
    ("server-initialize", "2025-11-25"),
    ("server-session-lifecycle", "2025-11-25"),
    ("ping", "2025-11-25"),
    ("caching", "2026-07-28"),
    ("http-header-validation", "2026-07-28"),
    ("sep-2164-resource-not-found", "2026-07-28"),
];

pub(crate) fn run() -> Result<(), Failure> {
    step::run(&mut cargo(&["build", "--package", "prowess-cli", "--features", step::FEATURES]))?;
    let place = workspace().join("target/test-mcp");
    let project = project(&place).map_err(|error| Failure::new(format!("no project to serve: {error}")))?;
    let python = python(&place)?;
    let program = step::program("debug");
    let client = workspace().join("xtask/src/test_mcp/client.py");
    step::run(Command::new(&python).arg(&client).arg(&program).arg(&project))?;
    let server = Server::start(&program, &project)?;
    step::run(Command::new(&python).arg(&client).arg(&server.url).arg(&project))?;
    conformance(&place, &server.url)
}

/// A project with one skill that has a folder.
fn project(place: &Path) -> std::io::Result<PathBuf> {
    let project = place.join("project");
    let skill = project.join(".agents/skills/forms");
    fs::create_dir_all(project.join(".git"))?;
    fs::create_dir_all(skill.join("references"))?;
    fs::write(skill.join("references/fields.md"), "Fields\n")?;
    fs::write(
        skill.join("SKILL.md"),
        "---\nname: forms\ndescription: Fills in forms.\n---\nFill them in.\n",
    )?;
    Ok(project)
}

/// A Python that has the SDK.
fn python(place: &Path) -> Result<PathBuf, Failure> {
    let environment = place.join("python");
    let python = environment.join("bin/python");
    if !python.exists() {
        step::run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    }
    step::run(Command::new(&python).args(["-m", "pip", "install", "--quiet", PYTHON_SDK]))?;
    Ok(python)
}

fn conformance(place: &Path, url: &str) -> Result<(), Failure> {
    let npm = |arguments: &[&str]| {
        let mut npm = Command::new("npm");
        npm.arg("--prefix").arg(place).args(arguments);
        npm
    };
    step::run(npm(&["install", "--no-save", "--silent"]).args(CONFORMANCE))?;
    let programs = place.join("node_modules/.bin");
    let scenarios = SCENARIOS.iter().flat_map(|scenario| REVISIONS.map(|revision| (*scenario, revision)));
    for (scenario, revision) in scenarios.chain(OF_ONE) {
        let mut tool = Command::new(node(&programs));
        tool.arg(programs.join("conformance")).args(["server", "--url", url, "--scenario", scenario]);
        step::run(tool.args(["--spec-version", revision, "--force"]).stdout(Stdio::null()))?;
    }
    Ok(())
}

/// The Node that was installed, or the system's where npm does not let packages install programs.
fn node(programs: &Path) -> PathBuf {
    let installed = programs.join("node");
    let runs = Command::new(&installed).arg("--version").output().is_ok_and(|output| output.status.success());
    if runs { installed } else { "node".into() }
}

/// A server over HTTP that ends with this.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(program: &Path, project: &Path) -> Result<Self, Failure> {
        let failed = |error| Failure::new(format!("the server did not start: {error}"));
        let mut command = Command::new(program);
        command.args(["mcp", "--http", "127.0.0.1:0", "--project"]).arg(project).arg("--home").arg(project);
        let mut process = command.stderr(Stdio::piped()).spawn().map_err(failed)?;
        let mut url = String::new();
        if let Some(stderr) = process.stderr.take() {
            BufReader::new(stderr).read_line(&mut url).map_err(failed)?;
        }
        Ok(Self { process, url: url.trim().to_owned() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
