//! A session in a file: one process at a time, and written whole or not at all.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use prowess::ledger::{Snapshot, Texts};
use prowess::{Ledger, Library};
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::output::Output;

/// Where the conversation stands in the file, beside the ledger.
const CONVERSATION: &str = "conversation";

/// A session file that this process holds the lock of.
pub(crate) struct SessionFile {
    path: PathBuf,
    /// What `run` keeps beside the ledger; nothing for the other commands.
    conversation: Option<Value>,
    _lock: File,
}

impl SessionFile {
    /// Waits for other processes to finish with the file. The lock lies beside it, as `FILE.lock`; where the file is a
    /// link, beside what it leads to.
    pub(crate) fn lock(path: &Path) -> Result<Self, Failure> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if path.is_dir() {
            return Err(refused(&path, &io::ErrorKind::IsADirectory.into()));
        }
        let mut beside = OsString::from(&path);
        beside.push(".lock");
        let lock = File::create(&beside).map_err(|error| refused(Path::new(&beside), &error))?;
        lock.lock().map_err(|error| refused(&path, &error))?;
        let saved = std::fs::read(&path).unwrap_or_default();
        let saved: Value = serde_json::from_slice(&saved).unwrap_or_default();
        let conversation = saved.get(CONVERSATION).cloned();
        Ok(Self { path, conversation, _lock: lock })
    }

    /// The conversation that `run` left.
    #[cfg(feature = "select")]
    pub(crate) fn conversation(&self) -> Option<&Value> {
        self.conversation.as_ref()
    }

    /// Sets the conversation that the next saving keeps.
    #[cfg(feature = "select")]
    pub(crate) fn set_conversation(&mut self, conversation: Value) {
        self.conversation = Some(conversation);
    }

    /// The session as it was saved; a new one if there is no file yet.
    pub(crate) fn read(&self) -> Result<Snapshot, Failure> {
        let damaged = |what: &str| Failure::usage(format!("`{}`: {what}", self.path.display()));
        match std::fs::read(&self.path) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes).map_err(|_| damaged("the session is no UTF-8"))?;
                Snapshot::from_json(&text).map_err(|error| damaged(error.message()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Ledger::new().snapshot(Texts::Included))
            }
            Err(error) => Err(refused(&self.path, &error)),
        }
    }

    /// Takes the session up where it was left: what it held then is taken to be there still.
    pub(crate) fn resume(&self, library: &Library, output: &mut Output) -> Result<Ledger, Failure> {
        let snapshot = self.read()?;
        let held = snapshot.held();
        let (ledger, report) = Ledger::restore(snapshot, library, held.iter().map(String::as_str));
        super::tell(&report, output);
        Ok(ledger)
    }

    /// Prints, then saves. Either fails, and the session is as it was: it must not hold a text that nobody has got.
    pub(crate) fn save_after(
        &self,
        ledger: &Ledger,
        output: &mut Output,
        print: impl FnOnce(&mut Output) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut text = ledger.snapshot(Texts::Included).to_json();
        if let (Some(conversation), Ok(Value::Object(mut saved))) =
            (&self.conversation, serde_json::from_str(&text))
        {
            saved.insert(CONVERSATION.to_owned(), conversation.clone());
            text = Value::Object(saved).to_string();
        }
        let written = self.beside(text.as_bytes()).map_err(|error| refused(&self.path, &error))?;
        print(output)?;
        output.flush()?;
        written.persist(&self.path).map_err(|error| refused(&self.path, &error.error))?;
        Ok(())
    }

    fn beside(&self, bytes: &[u8]) -> io::Result<NamedTempFile> {
        let directory = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let mut beside = NamedTempFile::new_in(directory.unwrap_or(Path::new(".")))?;
        beside.write_all(bytes)?;
        beside.as_file().sync_all()?;
        Ok(beside)
    }
}

fn refused(path: &Path, error: &io::Error) -> Failure {
    Failure::io(format!("the session `{}`: {error}", path.display()))
}
