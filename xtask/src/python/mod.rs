//! `cargo xtask test-python`: the Python package as its users get it, its types, and the recipes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::step::{self, Failure, workspace};
use crate::venv::Venv;

/// The package's directory in the workspace.
const PACKAGE: &str = "crates/prowess-python";
/// Where what is made of it lies.
const PLACE: &str = "target/python";

/// Builds the wheel, installs it, and runs every test of it. Skips all of it aloud where there is no Python.
pub(crate) fn test() -> Result<(), Failure> {
    let Some(tools) = tools() else {
        return Ok(());
    };
    let wheel = wheel(&tools, &workspace().join(PLACE).join("wheel"), &[])?;
    let venv = Venv::at("target/python/test")?;
    venv.install(&["--requirement", "crates/prowess-python/tests/requirements.txt"])?;
    venv.install(&["--force-reinstall", "--no-deps", &wheel])?;
    let cache = workspace().join(PLACE).join("cache");
    let run = |arguments: &[&str]| {
        let mut python = venv.python(arguments);
        python.current_dir(workspace().join(PACKAGE)).env("PYTHONPYCACHEPREFIX", &cache);
        step::run(&mut python)
    };
    run(&["-m", "pytest", "-q", "-p", "no:cacheprovider"])?;
    run(&["-m", "mypy", "--cache-dir", &cache.join("mypy").to_string_lossy()])?;
    run(&["-m", "mypy.stubtest", "prowess"])
}

/// A Python with maturin; none, and that is said, where there is no Python or no network.
pub(crate) fn tools() -> Option<Venv> {
    Venv::with_maturin().map_err(|why| println!("skipped: the Python package: {why}")).ok()
}

/// Builds the wheel into an empty directory, and says where it is.
pub(crate) fn wheel(tools: &Venv, into: &Path, options: &[&str]) -> Result<String, Failure> {
    make(tools, "build", into, options)?;
    only_file(into)
}

/// Runs maturin on the package; what it makes lies in `into` alone.
pub(crate) fn make(tools: &Venv, verb: &str, into: &Path, options: &[&str]) -> Result<(), Failure> {
    if into.exists() {
        fs::remove_dir_all(into)
            .map_err(|error| Failure::new(format!("cannot empty {}: {error}", into.display())))?;
    }
    let mut maturin = tools.python(&["-m", "maturin", verb]);
    maturin.args(["--manifest-path", "crates/prowess-python/Cargo.toml", "--out"]).arg(into).args(options);
    step::run(&mut maturin)
}

pub(crate) fn only_file(directory: &Path) -> Result<String, Failure> {
    let files = fs::read_dir(directory).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<PathBuf>, _>>()
    });
    match files.as_deref() {
        Ok([file]) => Ok(file.to_string_lossy().into_owned()),
        other => Err(Failure::new(format!("not one file in {}: {other:?}", directory.display()))),
    }
}
