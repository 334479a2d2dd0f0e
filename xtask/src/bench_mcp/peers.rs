//! The servers that are compared.

use std::path::Path;
use std::process::Command;

use crate::step::{self, Failure, cargo, workspace};
use crate::venv::Venv;

/// The well-kept server of skills on PyPI that has the Skills extension.
const FASTMCP: &str = "4.2.3";

/// A server, ready to run.
pub(super) struct Peer {
    pub(super) name: String,
    /// What it does for an answer.
    pub(super) about: &'static str,
    /// Serves the skills that lie directly in a directory.
    pub(super) command: Box<dyn Fn(&Path) -> Command>,
}

/// This project's server.
pub(super) fn prowess() -> Result<Peer, Failure> {
    let program = step::release_server()?;
    Ok(Peer {
        name: "Prowess".to_owned(),
        about: "looks at the disk before each answer, so that what was edited is served, and keeps no text in memory",
        command: Box::new(move |skills| {
            let mut command = Command::new(&program);
            command.args(["--quiet", "--root"]).arg(format!("bench={}", skills.display()));
            command
        }),
    })
}

/// The catalogue that comes with the official SDK, in the smallest server around it.
pub(super) fn rmcp() -> Result<Peer, Failure> {
    let target = workspace().join("target/bench-mcp/rmcp");
    let manifest = ["build", "--release", "--manifest-path", "xtask/src/bench_mcp/rmcp/Cargo.toml"];
    step::run(cargo(&manifest).arg("--target-dir").arg(&target))?;
    let program = target.join("release/rmcp-peer");
    Ok(Peer {
        name: "rmcp 3.11 `skills-fs`".to_owned(),
        about: "reads every file when it starts, and keeps them all in memory; it looks again when its host says so",
        command: Box::new(move |skills| {
            let mut command = Command::new(&program);
            command.arg(skills);
            command
        }),
    })
}

/// The provider of skills that comes with fastmcp, in the smallest server around it.
pub(super) fn fastmcp() -> Result<Peer, Failure> {
    let venv = Venv::at("target/bench-mcp/python")?;
    venv.install(&[&format!("fastmcp=={FASTMCP}")])?;
    Ok(Peer {
        name: format!("fastmcp {FASTMCP}"),
        about: "reads every file when it starts, and keeps them all in memory",
        command: Box::new(move |skills| {
            let mut command = venv.python(&["xtask/src/bench_mcp/fastmcp_peer.py"]);
            command.arg(skills).env("FASTMCP_LOG_LEVEL", "ERROR");
            command
        }),
    })
}
