//! The npm package: built, packed, installed in a clean project, and asked everything there; and its benchmark.

mod conformance;
mod project;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::step::{self, Failure, emptied, failed, workspace};
use project::{copy, fetch, node, npm, place};

const CRATE: &str = "crates/prowess-node";
/// The oldest Node that the package's tools run on.
const OLDEST: [u32; 2] = [20, 17];
/// What the package holds beside what is built.
const FILES: [&str; 5] = [
    "crates/prowess-node/package.json",
    "crates/prowess-node/README.md",
    "crates/prowess-node/types.d.ts",
    "LICENSE-APACHE",
    "LICENSE-MIT",
];

/// Tests the package as others get it. Without Node, npm or a registry it says that it skips all of it.
pub(crate) fn test() -> Result<(), Failure> {
    match tools() {
        Ok(()) => try_package(&package(&place("tarball"), &[])?),
        Err(why) => {
            println!("skipped: the npm package: {why}");
            Ok(())
        }
    }
}

/// Measures a load beside the same work done with other packages.
pub(crate) fn bench() -> Result<(), Failure> {
    let tarball = package(&place("tarball"), &["--release"])?;
    step::run(npm("tools").args(["install", "--no-save"]).arg(tarball))?;
    copy("crates/prowess-node/bench", &place("tools"))?;
    step::run(node("tools").arg("load.mjs"))
}

/// Builds the package for this machine, with a profile as napi takes it, and packs it: the path of the tarball.
pub(crate) fn package(into: &Path, profile: &[&str]) -> Result<PathBuf, Failure> {
    tools().map_err(Failure::new)?;
    let package = emptied(&place("package"))?;
    let build = ["build", "--platform", "--cwd", CRATE, "--output-dir"];
    let program = place("tools").join("node_modules/@napi-rs/cli/dist/cli.js");
    step::run(Command::new("node").arg(program).args(build).arg(&package).args(profile))?;
    compare_types()?;
    FILES.iter().try_for_each(|file| copy(file, &package))?;
    fs::create_dir_all(into).map_err(|error| failed(into, &error))?;
    step::run(npm("package").args(["pack", "--silent", "--pack-destination"]).arg(into))?;
    let tarball = into.join(concat!("prowess-", env!("CARGO_PKG_VERSION"), ".tgz"));
    if tarball.exists() {
        return Ok(tarball);
    }
    Err(Failure::new(format!("no {}: is the version in {CRATE}/package.json another?", tarball.display())))
}

/// Installs a tarball in a clean project, and runs all tests of it there.
pub(crate) fn try_package(tarball: &Path) -> Result<(), Failure> {
    let project = emptied(&place("project"))?;
    fetch("examples/node", "project").map_err(Failure::new)?;
    step::run(npm("project").args(["install", "--no-save"]).arg(tarball))?;
    copy("crates/prowess-node/test", &project.join("test"))?;
    step::run(node("project").arg("node_modules/typescript/bin/tsc"))?;
    let is_test = |file: &PathBuf| file.to_string_lossy().ends_with(".test.mjs");
    let tests = step::files(&project.join("test"))?.into_iter().filter(is_test);
    step::run(node("project").arg("--test").args(tests))?;
    conformance::check(&project.join("node_modules/prowess"))
}

/// Whether the types that were committed are those of the sources.
fn compare_types() -> Result<(), Failure> {
    let (made, kept) = (place("package").join("index.d.ts"), workspace().join(CRATE).join("index.d.ts"));
    let read = |path: &Path| fs::read(path).map_err(|error| failed(path, &error));
    if read(&made)? == read(&kept)? {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{} is not what the sources say: copy {} over it",
        kept.display(),
        made.display()
    )))
}

/// Installs what builds the package, once.
fn tools() -> Result<(), String> {
    let version = Command::new("node").arg("--version").output();
    let version = version.map_err(|error| format!("`node` did not start: {error}"))?.stdout;
    let version = String::from_utf8_lossy(&version).trim().to_owned();
    let numbers: Vec<u32> =
        version.trim_start_matches('v').split('.').filter_map(|number| number.parse().ok()).collect();
    if numbers.as_slice() < OLDEST.as_slice() {
        let [major, minor] = OLDEST;
        return Err(format!("node is {version}; it takes {major}.{minor} or later"));
    }
    fetch(CRATE, "tools")
}
