//! `cargo xtask dist`: what is published, built on this machine, with its checksums, and installed to see that it works.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest as _, Sha256};

use crate::step::{self, Failure, cargo, emptied, workspace};
use crate::{node, python};

/// Where it all goes. Cargo itself writes to `target/dist`, after its profile.
const PLACE: &str = "target/packages";
/// The programs that are published.
const PROGRAMS: [&str; 2] = ["prowess", "prowess-mcp"];
/// What lies beside a program.
const BESIDE: [&str; 4] = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Makes all packages, sums them up, and tries each.
pub(crate) fn run() -> Result<(), Failure> {
    let place = emptied(&workspace().join(PLACE))?;
    let programs = programs(&place)?;
    let python = python::packages(&place)?;
    let npm = node::package(&place, &["--profile", "dist"])?;
    checksums(&place)?;
    try_programs(&programs)?;
    python.iter().try_for_each(|package| python::try_package(package))?;
    node::try_package(&npm)?;
    println!("all of it is in {}", place.display());
    Ok(())
}

/// Builds the programs, and packs them with what belongs to them: the archive.
fn programs(place: &Path) -> Result<PathBuf, Failure> {
    let packages = ["--package", "prowess-cli", "--package", "prowess-mcp"];
    step::run(cargo(&["build", "--profile", "dist"]).args(packages))?;
    let name = format!("prowess-{}-{}", env!("CARGO_PKG_VERSION"), host()?);
    let directory = emptied(&place.join(&name))?;
    for program in PROGRAMS {
        let program = step::program(program, "dist");
        copy(&program, &directory.join(program.file_name().unwrap_or_default()))?;
    }
    for file in BESIDE {
        copy(&workspace().join(file), &directory.join(file))?;
    }
    let archive = place.join(format!("{name}.tar.gz"));
    step::run(Command::new("tar").arg("-C").arg(place).arg("-czf").arg(&archive).arg(&name))?;
    fs::remove_dir_all(&directory).map_err(|error| step::failed(&directory, &error))?;
    Ok(archive)
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::copy(from, to).map_err(|error| step::failed(from, &error))?;
    Ok(())
}

/// The target triple of this machine.
fn host() -> Result<String, Failure> {
    let output = Command::new("rustc").arg("-vV").output();
    let output = output.map_err(|error| Failure::new(format!("`rustc` did not start: {error}")))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::new("`rustc -vV` names no host"))
}

/// Writes `SHA256SUMS`, which `sha256sum --check` reads.
fn checksums(place: &Path) -> Result<(), Failure> {
    let mut sums = String::new();
    for file in step::files(place)? {
        let bytes = fs::read(&file).map_err(|error| step::failed(&file, &error))?;
        let hex: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        sums.push_str(&format!("{hex}  {name}\n"));
    }
    print!("{sums}");
    let file = place.join("SHA256SUMS");
    fs::write(&file, sums).map_err(|error| step::failed(&file, &error))
}

/// Unpacks the programs elsewhere, and runs the demo, which checks itself.
fn try_programs(archive: &Path) -> Result<(), Failure> {
    let place = emptied(&workspace().join("target/tried"))?;
    let unpack = ["--strip-components", "1", "-xzf"];
    step::run(Command::new("tar").arg("-C").arg(&place).args(unpack).arg(archive))?;
    step::run(Command::new(place.join("prowess")).arg("demo"))?;
    step::run(Command::new(place.join("prowess-mcp")).arg("--version"))
}
