//! `cargo xtask test-python`: the Python package as its users get it, its types, and the recipes.

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
    let requirements = "crates/prowess-python/tests/requirements.txt";
    let venv = installed(&tools, &[], "target/python/test", requirements)?;
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

/// Compares loading with packages that others published. With `PYTHON` older than 3.12, one of them is missing.
pub(crate) fn bench() -> Result<(), Failure> {
    let Some(tools) = tools() else {
        return Ok(());
    };
    let requirements = "crates/prowess-python/bench/requirements.txt";
    let venv = installed(&tools, &["--release"], "target/python/bench", requirements)?;
    step::run(&mut venv.python(&["crates/prowess-python/bench/load.py"]))
}

/// Builds the wheel and the source distribution that are published.
pub(crate) fn packages(into: &Path) -> Result<[PathBuf; 2], Failure> {
    let tools = Venv::with_maturin().map_err(Failure::new)?;
    maturin(&tools, &["sdist"], into)?;
    let sources = into.join(concat!("prowess-", env!("CARGO_PKG_VERSION"), ".tar.gz"));
    Ok([wheel(&tools, &["--profile", "dist"], into)?, sources])
}

/// Installs a package where nothing else is, and runs the lines of its README. Of a source distribution, that builds it.
pub(crate) fn try_package(package: &Path) -> Result<(), Failure> {
    let venv = Venv::clean("target/python/tried")?;
    venv.install(&[&package.to_string_lossy()])?;
    step::run(&mut venv.python(&["crates/prowess-python/tests/readme.py"]))
}

/// A Python with maturin; none, and that is said, where there is no Python or no network.
fn tools() -> Option<Venv> {
    Venv::with_maturin().map_err(|why| println!("skipped: the Python package: {why}")).ok()
}

/// Builds a wheel for this machine, where no other is, and says where it is.
fn wheel(tools: &Venv, options: &[&str], into: &Path) -> Result<PathBuf, Failure> {
    maturin(tools, &[&["build"], options].concat(), into)?;
    let mut wheels = step::files(into)?.into_iter().filter(|file| file.extension() == Some("whl".as_ref()));
    wheels.next().ok_or_else(|| Failure::new(format!("maturin made no wheel in {}", into.display())))
}

fn maturin(tools: &Venv, arguments: &[&str], into: &Path) -> Result<(), Failure> {
    let mut maturin = tools.python(&["-m", "maturin"]);
    maturin.args(arguments).args(["--manifest-path", "crates/prowess-python/Cargo.toml", "--out"]).arg(into);
    step::run(&mut maturin)
}

/// A Python with what a file of requirements names, and with a wheel that is built with these options.
fn installed(tools: &Venv, options: &[&str], path: &str, requirements: &str) -> Result<Venv, Failure> {
    let wheel = wheel(tools, options, &step::emptied(&workspace().join(PLACE).join("wheel"))?)?;
    let venv = Venv::at(path)?;
    venv.install(&["--requirement", requirements])?;
    venv.install(&["--force-reinstall", "--no-deps", &wheel.to_string_lossy()])?;
    Ok(venv)
}
