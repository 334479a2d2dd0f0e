//! Downloading and unpacking a package, without installing or running anything of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Collection, Registry};
use crate::step::{self, emptied, quietly};

/// Returns the directory of a collection's unpacked package, fetching it the first time.
///
/// # Errors
///
/// Says in one line why there is no such directory: a program is missing, or the registry was not reached.
pub(super) fn fetch(collection: &Collection) -> Result<PathBuf, String> {
    let cache = step::workspace().join("target/collections");
    let directory = cache.join(format!("{}-{}", collection.scope, collection.version));
    if directory.exists() {
        return Ok(directory);
    }
    let partial = cache.join(format!("{}.partial", collection.scope));
    let files = partial.join("files");
    emptied(&partial)
        .and_then(|_| emptied(&files))
        .map_err(|failure| format!("cannot create {}", failure.message))?;
    download(collection, &partial)?;
    unpack(collection, &partial, &files)?;
    fs::rename(&files, &directory)
        .map_err(|error| format!("cannot create {}: {error}", directory.display()))?;
    Ok(directory)
}

fn download(collection: &Collection, into: &Path) -> Result<(), String> {
    let Collection { package, version, .. } = collection;
    match collection.registry {
        Registry::Npm => quietly(
            Command::new("npm")
                .args(["pack", "--ignore-scripts", "--pack-destination"])
                .arg(into)
                .arg(format!("{package}@{version}")),
        ),
        Registry::PyPi => quietly(
            Command::new("python3")
                .args(["-m", "pip", "download", "--no-deps", "--only-binary", ":all:"])
                .args(["--ignore-requires-python", "--dest"])
                .arg(into)
                .arg(format!("{package}=={version}")),
        ),
    }
}

fn unpack(collection: &Collection, from: &Path, into: &Path) -> Result<(), String> {
    let entries = fs::read_dir(from).map_err(|error| format!("cannot list {}: {error}", from.display()))?;
    let archive = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.is_file())
        .ok_or("nothing was downloaded")?;
    match collection.registry {
        Registry::Npm => quietly(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(into)),
        Registry::PyPi => {
            quietly(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(archive).arg(into))
        }
    }
}
