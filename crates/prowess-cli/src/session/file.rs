//! A session in a file: one process at a time, and written whole or not at all.

use std::path::Path;

use prowess::ledger::{Snapshot, Texts};
use prowess::{Ledger, Library};
use serde_json::Value;

use crate::failure::Failure;
use crate::locked::LockedFile;
use crate::output::Output;

/// Where the conversation stands in the file, beside the ledger.
const CONVERSATION: &str = "conversation";

/// A session file that this process holds the lock of.
pub(crate) struct SessionFile {
    file: LockedFile,
    /// What `run` keeps beside the ledger; nothing for the other commands.
    conversation: Option<Value>,
}

impl SessionFile {
    /// Waits for other processes to finish with the file.
    pub(crate) fn lock(path: &Path) -> Result<Self, Failure> {
        let file = LockedFile::lock(path, "session")?;
        let saved = file.read()?.unwrap_or_default();
        let saved: Value = serde_json::from_str(&saved).unwrap_or_default();
        let conversation = saved.get(CONVERSATION).cloned();
        Ok(Self { file, conversation })
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
        match self.file.read()? {
            Some(text) => Snapshot::from_json(&text).map_err(|error| self.file.damaged(error.message())),
            None => Ok(Ledger::new().snapshot(Texts::Included)),
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
        let written = self.file.prepare(&text)?;
        print(output)?;
        output.flush()?;
        self.file.replace(written)
    }
}
