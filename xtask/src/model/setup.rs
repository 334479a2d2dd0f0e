//! A real model on loopback: fetched once, served while the tests run.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::step;

/// The models, the better one first. Its weights stand in packages of an unknown publisher, which may vanish.
pub(super) const KINDS: [&str; 2] = ["qwen", "smollm2"];

/// A server that runs. It ends when it is dropped.
pub(super) struct Server {
    child: Child,
    /// Where it listens.
    pub(super) address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // The end of its input is its sign to end.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Starts the first model that can be had.
///
/// # Errors
///
/// Why none can.
pub(super) fn start(kinds: &[&'static str]) -> Result<(&'static str, Server), String> {
    let place = step::workspace().join("target/model");
    fs::create_dir_all(&place).map_err(|error| format!("cannot create {}: {error}", place.display()))?;
    let python = environment(&place)?;
    let mut why = String::new();
    for kind in kinds {
        match fetch(&python, kind, &place).and_then(|model| serve(&python, &model)) {
            Ok(server) => return Ok((kind, server)),
            Err(error) => {
                println!("{kind}: {error}");
                why = error;
            }
        }
    }
    Err(why)
}

fn scripts() -> PathBuf {
    step::workspace().join("xtask/model")
}

/// A Python with the server in it.
fn environment(place: &Path) -> Result<PathBuf, String> {
    let venv = place.join("venv");
    let python = venv.join("bin/python");
    if !python.exists() {
        answer(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    answer(
        Command::new(&python)
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                "--only-binary",
                ":all:",
                "--require-hashes",
                "-r",
            ])
            .arg(scripts().join("server.txt")),
    )?;
    Ok(python)
}

fn fetch(python: &Path, kind: &str, place: &Path) -> Result<PathBuf, String> {
    println!("fetching {kind}, unless it is there");
    answer(Command::new(python).arg(scripts().join("fetch.py")).arg(kind).arg(place)).map(PathBuf::from)
}

fn serve(python: &Path, model: &Path) -> Result<Server, String> {
    let port = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    let port = port.map_err(|error| format!("no port on loopback: {error}"))?.port();
    let log = fs::File::create(step::workspace().join("target/model/server.log"));
    let log = log.map_err(|error| format!("cannot write the server's log: {error}"))?;
    let mut child = Command::new(python)
        .arg(scripts().join("serve.py"))
        .arg(model)
        .arg(port.to_string())
        .arg(scripts().join("fence.jinja"))
        // Threads that wait busily take the other processor away from the programs that ask.
        .env("OMP_WAIT_POLICY", "PASSIVE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .map_err(|error| format!("the server did not start: {error}"))?;
    let output = child.stdout.take().map(BufReader::new);
    let mut lines = output.into_iter().flat_map(BufRead::lines).map_while(Result::ok);
    let server = Server { child, address: format!("127.0.0.1:{port}") };
    match lines.find(|line| line.starts_with("READY")) {
        Some(_) => Ok(server),
        None => Err("the server ended before it was ready; target/model/server.log says why".to_owned()),
    }
}

/// Runs a command for the last line that it prints.
fn answer(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().display().to_string();
    let output = command
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| format!("`{program}` did not start: {error}"))?;
    let last =
        |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().lines().last().unwrap_or_default().to_owned();
    if output.status.success() {
        Ok(last(&output.stdout))
    } else {
        Err(format!("`{program}` failed: {}", last(&output.stderr)))
    }
}
