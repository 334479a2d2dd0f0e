//! A file that one process at a time works with, and that is written whole or not at all.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::Failure;

/// A file that this process holds the lock of.
pub(crate) struct LockedFile {
    path: PathBuf,
    /// What it is, for messages.
    what: &'static str,
    _lock: File,
}

impl LockedFile {
    /// Waits for other processes to finish with the file. The lock lies beside it, as `FILE.lock`; where the file is a
    /// link, beside what it leads to.
    pub(crate) fn lock(path: &Path, what: &'static str) -> Result<Self, Failure> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let refused = |path: &Path, error: &io::Error| refused(what, path, error);
        if path.is_dir() {
            return Err(refused(&path, &io::ErrorKind::IsADirectory.into()));
        }
        let mut beside = OsString::from(&path);
        beside.push(".lock");
        let lock = File::create(&beside).map_err(|error| refused(Path::new(&beside), &error))?;
        lock.lock().map_err(|error| refused(&path, &error))?;
        Ok(Self { path, what, _lock: lock })
    }

    /// Its text; none if there is no file yet.
    pub(crate) fn read(&self) -> Result<Option<String>, Failure> {
        let damaged = |_| self.damaged(&format!("the {} is no UTF-8", self.what));
        match std::fs::read(&self.path) {
            Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(damaged),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(refused(self.what, &self.path, &error)),
        }
    }

    /// Says what is wrong with the text.
    pub(crate) fn damaged(&self, what: &str) -> Failure {
        Failure::usage(format!("`{}`: {what}", self.path.display()))
    }

    /// Writes a text beside the file.
    pub(crate) fn prepare(&self, text: &str) -> Result<NamedTempFile, Failure> {
        let directory = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let write = || {
            let mut beside = NamedTempFile::new_in(directory.unwrap_or(Path::new(".")))?;
            beside.write_all(text.as_bytes())?;
            beside.as_file().sync_all()?;
            Ok(beside)
        };
        write().map_err(|error| refused(self.what, &self.path, &error))
    }

    /// Puts what was prepared in the file's place.
    pub(crate) fn replace(&self, prepared: NamedTempFile) -> Result<(), Failure> {
        let kept = prepared.persist(&self.path);
        kept.map(drop).map_err(|error| refused(self.what, &self.path, &error.error))
    }
}

fn refused(what: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::io(format!("the {what} `{}`: {error}", path.display()))
}
