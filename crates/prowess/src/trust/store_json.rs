//! A trust store as JSON.

use std::path::Path;

use serde_json::{Value, json};

use super::{Identity, Trust, TrustStore};
use crate::diagnostic::{Code, Diagnostic};
use crate::error::{Error, ErrorKind};
use crate::source::read_text;

/// The version this crate writes, and the newest it reads.
const VERSION: u64 = 1;

impl Trust {
    /// Rules [as people write them](Self::with_label), over what a file has allowed, now and at each
    /// [reload](crate::Library::reload). Without a rule the file is not read.
    ///
    /// # Errors
    /// `Usage` if the file is not given by an absolute path, as without a home; those of
    /// [`with_label`](Self::with_label) and [`TrustStore::read`].
    pub fn read(labels: &[impl AsRef<str>], file: &Path) -> Result<Self, Error> {
        let trust = labels.iter().try_fold(Self::new(), |trust, label| trust.with_label(label.as_ref()))?;
        if labels.is_empty() {
            return Ok(trust);
        }
        if !file.is_absolute() {
            let file = file.display();
            return Err(usage(format!(
                "the trust store `{file}` is no absolute path; give the home that it is in"
            )));
        }
        Ok(Self { store: TrustStore::read(file)?, file: Some(file.to_path_buf()), ..trust })
    }

    /// Reads the file again, if there is one. Of one that can't be read nothing is allowed any more.
    pub(crate) fn reread(&mut self) -> Option<Diagnostic> {
        let file = self.file.as_deref()?;
        let read = TrustStore::read(file);
        let diagnostic = read.as_ref().err().map(|error| {
            Diagnostic::new(Code::Untrusted, file, format!("nothing is allowed any more: {error}"))
                .help("mend the file, or remove it and allow the skills anew")
        });
        self.store = read.unwrap_or_default();
        diagnostic
    }
}

impl TrustStore {
    /// The store as JSON, for people to read as well.
    ///
    /// ```
    /// use prowess::trust::TrustStore;
    ///
    /// let store = TrustStore::default();
    /// assert_eq!(TrustStore::from_json(&store.to_json())?, store);
    /// # Ok::<(), prowess::Error>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        let allowed = self.entries().map(
            |(identity, id)| json!({"repository": identity.repository, "id": id, "digest": identity.digest}),
        );
        format!("{:#}\n", json!({"prowess_trust": VERSION, "allowed": allowed.collect::<Vec<_>>()}))
    }

    /// Reads a file of what [`to_json`](Self::to_json) wrote; one that is not there allows nothing.
    ///
    /// # Errors
    /// `Io` if it can't be read; those of [`from_json`](Self::from_json).
    pub fn read(file: &Path) -> Result<Self, Error> {
        let wrong = |error: Error| {
            let message = format!("`{}`: {}", file.display(), error.message());
            Error::new(error.kind(), message).with_path(file)
        };
        read_text(file)?.map_or_else(|| Ok(Self::default()), |text| Self::from_json(&text).map_err(wrong))
    }

    /// Reads what [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    /// `Usage` if it is no trust store, or of a newer version. A store that can't be read whole allows nothing.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| usage(format!("the trust store is no JSON: {error}")))?;
        match value.get("prowess_trust").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(version) => {
                return Err(usage(format!(
                    "the trust store is of version {version}; this program reads up to version {VERSION}"
                )));
            }
            None => return Err(usage("this is no trust store: `prowess_trust` is missing")),
        }
        let allowed = value.get("allowed").and_then(Value::as_array);
        let entries =
            allowed.ok_or_else(|| usage("the trust store has no list `allowed`"))?.iter().map(|entry| {
                let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
                let identity = Identity { repository: text("repository")?, digest: text("digest")? };
                Some((identity, text("id")?))
            });
        let complete = entries.collect::<Option<_>>();
        complete
            .map(Self)
            .ok_or_else(|| usage("an entry of the trust store lacks `repository`, `id` or `digest`"))
    }
}

fn usage(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Usage, message)
}
