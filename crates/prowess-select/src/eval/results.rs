use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::Attempt;
use crate::error::{Error, ErrorKind};

/// A file of results: a line of JSON for each attempt, only ever appended to. What a kill cut off is left where it is,
/// and its attempt is made again.
#[derive(Debug)]
pub struct Results {
    path: PathBuf,
    file: File,
    experiment: String,
    done: Vec<Attempt>,
    skipped: usize,
}

impl Results {
    /// Opens or creates the file, and reads what it holds of this experiment.
    ///
    /// # Errors
    /// The system refused.
    pub fn open(path: &Path, experiment: &str) -> Result<Self, Error> {
        let failed = |error: std::io::Error| io(path, &error);
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        file.read_to_end(&mut bytes).map_err(failed)?;
        if bytes.last().is_some_and(|last| *last != b'\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        let mut results = Self {
            path: path.to_path_buf(),
            file,
            experiment: experiment.to_owned(),
            done: Vec::new(),
            skipped: 0,
        };
        let text = String::from_utf8_lossy(&bytes);
        text.lines().filter(|line| !line.trim().is_empty()).for_each(|line| results.take(line));
        Ok(results)
    }

    fn take(&mut self, line: &str) {
        let value = serde_json::from_str(line).unwrap_or_default();
        match Attempt::from_json(&value) {
            // Those that errored are made again.
            Some((experiment, attempt)) if experiment == self.experiment => {
                if attempt.errored.is_none() {
                    self.done.push(attempt);
                }
            }
            _ => self.skipped += 1,
        }
    }

    /// The attempts that need not be made again.
    #[must_use]
    pub fn done(&self) -> &[Attempt] {
        &self.done
    }

    /// How many lines are of another experiment, or unreadable.
    #[must_use]
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// Appends an attempt, whole.
    ///
    /// # Errors
    /// The system refused.
    pub fn append(&mut self, attempt: &Attempt) -> Result<(), Error> {
        let line = format!("{}\n", attempt.to_json(&self.experiment));
        self.file.write_all(line.as_bytes()).map_err(|error| io(&self.path, &error))
    }
}

fn io(path: &Path, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("can't use the results file `{}`: {error}", path.display()))
}
