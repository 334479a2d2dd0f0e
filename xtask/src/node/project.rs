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
    copy(source, &place).map_err(|failure| failure.message)?;
    if is_there { Ok(()) } else { step::quietly(npm(name).arg("ci")) }
}

/// Copies the files that lie directly in a directory of the workspace, or one file, into a directory.
pub(super) fn copy(source: &str, into: &Path) -> Result<(), Failure> {
    fs::create_dir_all(into).map_err(|error| failed(into, &error))?;
    let source = workspace().join(source);
    let files = if source.is_dir() { step::files(&source)? } else { vec![source] };
    files.iter().filter(|file| file.is_file()).try_for_each(|file| {
        let name = file.file_name().unwrap_or_default();
        fs::copy(file, into.join(name)).map(drop).map_err(|error| failed(file, &error))
    })
}
