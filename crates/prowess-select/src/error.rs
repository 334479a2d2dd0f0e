//! What keeps a model from answering.

use std::error::Error as StdError;
use std::fmt;

/// The kind of an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The endpoint was not reached, or the connection broke off.
    Network,
    /// The endpoint answered, and the answer is an error, no answer at all, or nothing that can be used.
    Model,
    /// The model came to no end: it made the same calls again and again, or more of them than it may.
    Endless,
    /// The request did not fit the model's window.
    TooLong,
    /// The endpoint does not understand the request: it may not know tools, or schemas.
    Unsupported,
    /// The configuration is wrong: a key, a model's name, an endpoint's address, a trigger file.
    Usage,
    /// A file could not be read or written.
    Io,
    /// The caller wanted no more.
    Cancelled,
}

impl ErrorKind {
    /// The code of this kind in JSON, in kebab-case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Model | Self::Endless | Self::TooLong | Self::Unsupported => "model",
            Self::Usage => "usage",
            Self::Io => "io",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The error of this crate: a kind, a message, and what to do about it.
///
/// ```
/// use prowess_select::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::Usage, "there is no key for `openai`").with_help("set OPENAI_API_KEY");
/// assert_eq!(error.to_string(), "there is no key for `openai`; set OPENAI_API_KEY");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    help: Option<String>,
}

impl Error {
    /// An error with a lower-case message without a full stop.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), help: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// What kind of error this is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message without the help.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    pub(crate) fn model(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Model, message)
    }

    pub(crate) fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, "interrupted")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl StdError for Error {}
