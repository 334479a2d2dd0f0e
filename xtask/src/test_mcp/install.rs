//! Installing the clients below `target`, once for each version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::step::{self, Failure, quietly};
use crate::venv::Venv;

/// A Node that runs the packages, and where these are.
pub(super) struct Node {
    place: PathBuf,
    program: PathBuf,
}

impl Node {
    pub(super) fn command(&self) -> Command {
        Command::new(&self.program)
    }

    /// A command of one of the packages.
    pub(super) fn package(&self, name: &str) -> Command {
        let mut command = self.command();
        command.arg(self.place.join("node_modules/.bin").join(name));
        command
    }

    /// Copies a script to where it finds the packages.
    pub(super) fn beside_packages(&self, script: &Path) -> Result<PathBuf, Failure> {
        let copy = self.place.join(script.file_name().unwrap_or_default());
        fs::copy(script, &copy)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", copy.display())))?;
        Ok(copy)
    }
}

/// Installs the Python SDK, and gives the Python that has it; or says in a line why it can't be had.
pub(super) fn python() -> Result<Venv, String> {
    let install = || {
        let venv = Venv::at("target/test-mcp/python")?;
        venv.install(&["--requirement", "xtask/src/test_mcp/requirements.txt"])?;
        Ok(venv)
    };
    install().map_err(|failure: Failure| failure.message)
}

/// Installs the packages of npm and the Node that they need, once for each version; or says in a line why they can't be
/// had.
pub(super) fn node() -> Result<Node, String> {
    let place = step::workspace().join("target/test-mcp/node");
    let (packages, installed) = (include_str!("package.json"), place.join("installed"));
    if fs::read_to_string(&installed).ok().as_deref() != Some(packages) {
        let failed = |path: &Path, error| format!("cannot write {}: {error}", path.display());
        fs::create_dir_all(&place).map_err(|error| failed(&place, error))?;
        fs::write(place.join("package.json"), packages).map_err(|error| failed(&place, error))?;
        quietly(Command::new("npm").args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&place))?;
        fs::write(&installed, packages).map_err(|error| failed(&installed, error))?;
    }
    // Where npm does not let packages install programs, the system's has to do.
    let program = place.join("node_modules/.bin/node");
    let runs = quietly(Command::new(&program).arg("--version")).is_ok();
    Ok(Node { place, program: if runs { program } else { "node".into() } })
}
