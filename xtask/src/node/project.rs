//! Directories below `target/node`, and npm in them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::step::{self, Failure, failed, workspace};

/// A directory below the target directory.
pub(super) fn place(name: &str) -> PathBuf {
    workspace().join("target/node").join(name)
}

/// Node, in a directory below the target directory.
pub(super) fn node(name: &str) -> Command {
    let mut node = Command::new("node");
    node.current_dir(place(name));
    node
}

/// npm, in a directory below the target directory. No package's scripts run.
pub(super) fn npm(name: &str) -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(place(name)).env("npm_config_ignore_scripts", "true");
    npm
}

/// Installs the packages that a directory of ours has locked, and copies its files beside them. What has been installed
/// stays while the lock file does.
///
/// # Errors
///
/// Says in one line why they can't be had.
pub(super) fn fetch(source: &str, name: &str) -> Result<(), String> {
    let place = place(name);
    let lock = |directory: &Path| fs::read(directory.join("package-lock.json")).ok();
    let is_there = place.join("node_modules").exists() && lock(&place) == lock(&workspace().join(source));
    files(source).and_then(|files| copy(&files, &place)).map_err(|failure| failure.message)?;
    if is_there { Ok(()) } else { step::quietly(npm(name).arg("ci")) }
}

/// The files that lie directly in a directory of the workspace, relative to the workspace.
pub(super) fn files(directory: &str) -> Result<Vec<String>, Failure> {
    let entries =
        fs::read_dir(workspace().join(directory)).map_err(|error| failed(Path::new(directory), &error))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file());
    let names = paths.filter_map(|path| path.file_name()?.to_str().map(str::to_owned));
    let mut files: Vec<String> = names.map(|name| format!("{directory}/{name}")).collect();
    files.sort();
    Ok(files)
}

/// Copies files of the workspace into a directory.
pub(super) fn copy(files: &[String], into: &Path) -> Result<(), Failure> {
    fs::create_dir_all(into).map_err(|error| failed(into, &error))?;
    files.iter().try_for_each(|file| {
        let name = Path::new(file).file_name().unwrap_or_default();
        fs::copy(workspace().join(file), into.join(name))
            .map(drop)
            .map_err(|error| failed(Path::new(file), &error))
    })
}
