//! Pythons of our own, below `target`.

use std::path::PathBuf;
use std::process::Command;

use crate::step::{self, Failure};

/// What makes wheels.
const MATURIN: &str = "maturin==1.16.0";

/// A Python with packages of its own.
#[derive(Debug)]
pub(crate) struct Venv(PathBuf);

impl Venv {
    /// The environment at a path in the workspace, made if it is not there.
    pub(crate) fn at(path: &str) -> Result<Venv, Failure> {
        let venv = Venv(step::workspace().join(path));
        if !venv.program("python").exists() {
            step::run(Command::new(interpreter()).args(["-m", "venv"]).arg(&venv.0))?;
        }
        Ok(venv)
    }

    /// The same, without anything that was installed before.
    pub(crate) fn clean(path: &str) -> Result<Venv, Failure> {
        let venv = Venv(step::workspace().join(path));
        step::run(Command::new(interpreter()).args(["-m", "venv", "--clear"]).arg(&venv.0))?;
        Ok(venv)
    }

    /// A Python with maturin, for what is made of the Python package.
    ///
    /// # Errors
    /// Why there is none, in a line.
    pub(crate) fn with_maturin() -> Result<Venv, String> {
        suits()?;
        let venv = Venv::at("target/python/tools").map_err(|failure| failure.message)?;
        venv.install(&[MATURIN]).map_err(|failure| failure.message)?;
        Ok(venv)
    }

    /// Installs packages, as pip is given them.
    pub(crate) fn install(&self, packages: &[&str]) -> Result<(), Failure> {
        let options = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        step::run(self.python(&options).args(packages))
    }

    /// This Python, with arguments, in the workspace.
    pub(crate) fn python(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.program("python"));
        command.args(arguments).current_dir(step::workspace());
        command
    }

    /// A program of the environment.
    fn program(&self, name: &str) -> PathBuf {
        let directory = if cfg!(windows) { "Scripts" } else { "bin" };
        self.0.join(directory).join(name).with_extension(std::env::consts::EXE_EXTENSION)
    }
}

/// What Pythons are made of.
fn interpreter() -> String {
    std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

fn suits() -> Result<(), String> {
    let program = interpreter();
    let question = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))";
    match Command::new(&program).args(["-c", question]).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(_) => Err(format!("`{program}` is older than 3.10, or lacks the module venv")),
        Err(error) => Err(format!("`{program}` did not start: {error}")),
    }
}
