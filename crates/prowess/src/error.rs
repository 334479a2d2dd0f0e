//! What a host, a caller or the system must fix, as opposed to a [`Diagnostic`](crate::diagnostic::Diagnostic),
//! which a skill's author can fix.

use std::error::Error as StdError;
use std::fmt;
use std::path::{Path, PathBuf};

/// The kind of an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No skill has that name, id or path, or none any more; [`Error::candidates`] has the nearest names.
    UnknownSkill,
    /// Several skills of one rank bear the name; [`Error::candidates`] has their ids.
    AmbiguousName,
    /// Only the user may activate the skill.
    UserOnly,
    /// Only the model may activate the skill.
    ModelOnly,
    /// The host denied it.
    Denied,
    /// The host's policy does not trust the skill.
    Untrusted,
    /// The body is larger than the limit.
    BodyTooLarge,
    /// The path leads out of the skill's directory.
    NotConfined,
    /// The skill has no such file; [`Error::candidates`] has what is there.
    UnknownResource,
    /// The system refused a read.
    Io,
    /// The call itself is wrong: a missing or ill-typed argument.
    Usage,
}

impl ErrorKind {
    /// The code of this kind in JSON, in kebab-case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnknownSkill => "unknown-skill",
            Self::AmbiguousName => "ambiguous-name",
            Self::UserOnly => "user-only",
            Self::ModelOnly => "model-only",
            Self::Denied => "denied",
            Self::Untrusted => "untrusted",
            Self::BodyTooLarge => "body-too-large",
            Self::NotConfined => "not-confined",
            Self::UnknownResource => "unknown-resource",
            Self::Io => "io",
            Self::Usage => "usage",
        }
    }
}

/// The error of this crate: a kind, a message, and a path or candidates where there are some.
///
/// ```
/// use prowess::error::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::UnknownSkill, "no skill is named `pfd`").with_candidates(["pdf"]);
/// assert_eq!(error.to_string(), "no skill is named `pfd`; did you mean `pdf`?");
/// assert_eq!(error.kind().as_str(), "unknown-skill");
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    path: Option<PathBuf>,
    candidates: Vec<String>,
    source: Option<std::io::Error>,
}

impl Error {
    /// An error with a lower-case message without a full stop.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), path: None, candidates: Vec::new(), source: None }
    }

    /// An error of the system at `path`.
    #[must_use]
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        let path = path.into();
        let mut error = Self::new(ErrorKind::Io, format!("can't read `{}`", path.display()));
        error.path = Some(path);
        error.source = Some(source);
        error
    }

    /// Adds the path it is about.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Adds what could have been meant, best first.
    #[must_use]
    pub fn with_candidates(mut self, candidates: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.candidates = candidates.into_iter().map(Into::into).collect();
        self
    }

    /// What kind of error this is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message without candidates and cause.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The path it is about, if it is about one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What could have been meant, best first: names, ids or resource paths, by the kind.
    #[must_use]
    pub fn candidates(&self) -> &[String] {
        &self.candidates
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(source) = &self.source {
            write!(f, ": {source}")?;
        }
        if self.candidates.is_empty() {
            return Ok(());
        }
        let quoted: Vec<String> = self.candidates.iter().map(|name| format!("`{name}`")).collect();
        let quoted = quoted.join(", ");
        match self.kind {
            ErrorKind::UnknownSkill => write!(f, "; did you mean {quoted}?"),
            ErrorKind::UnknownResource => write!(f, "; there is {quoted}"),
            _ => write!(f, "; say which: {quoted}"),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
