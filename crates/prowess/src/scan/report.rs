//! What a scan says of what it does not search.

use std::io;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::source::ScanOptions;

/// How many links that can't be followed are said one by one.
pub(super) const MAX_BROKEN_LINKS: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Limit {
    Depth,
    Directories,
    Link,
    BrokenLinks,
    Cancel,
}

/// A directory that was not searched.
#[derive(Debug)]
pub(super) struct Cut {
    pub(super) path: PathBuf,
    /// The real path, if a link below the root leads there.
    pub(super) real: Option<PathBuf>,
}

impl Limit {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Depth => "max-depth",
            Self::Directories => "max-directories",
            Self::Link => "link",
            Self::BrokenLinks => "broken-links",
            Self::Cancel => "cancel",
        }
    }

    pub(super) fn diagnostic(self, path: &Path, count: usize, options: &ScanOptions) -> Diagnostic {
        let depth = options.max_depth;
        let (one, more) = match self {
            Self::BrokenLinks | Self::Cancel => ("place", "places"),
            _ => ("directory", "directories"),
        };
        let what = match count {
            1 => "not searched".to_string(),
            2 => format!("not searched, like 1 more {one}"),
            _ => format!("not searched, like {} more {more}", count - 1),
        };
        let (why, help) = match self {
            Self::Depth => (
                format!("{} levels below the root, the limit is {depth}", depth + 1),
                "move the skills up, or raise the depth limit",
            ),
            Self::Directories => (
                format!("the limit is {} directories without a `SKILL.md`", options.max_directories),
                "keep other files out of the root, or raise the limit on directories",
            ),
            Self::Link => (
                "a link is followed to a skill or to a folder of skills, no deeper and not upwards"
                    .to_string(),
                "link to the skill's own directory, or make the target a root",
            ),
            Self::BrokenLinks => (
                format!("links that can't be followed, of which {MAX_BROKEN_LINKS} are said one by one"),
                "delete the links that lead nowhere",
            ),
            Self::Cancel => ("the scan was cancelled".to_string(), "scan again"),
        };
        Diagnostic::new(Code::ScanLimit, path, format!("{what}: {why}")).help(help)
    }
}

pub(super) fn not_a_directory(path: &Path, what: &str) -> Box<Diagnostic> {
    let message = format!("a root that is a {what}, not a directory");
    let help = "give the directory that holds the skills";
    Box::new(Diagnostic::new(Code::Unreadable, path, message).help(help))
}

pub(super) fn unreadable_root(path: &Path, error: &io::Error) -> Box<Diagnostic> {
    let help = "make a directory of it that can be read, or leave it out of the roots";
    // It may be meant for others: the system's own, say.
    Box::new(unreadable(path, error).help(help).severity(Severity::Warning))
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> Box<Diagnostic> {
    let help = "make it readable, or move it out of the root";
    Box::new(Diagnostic::new(Code::Unreadable, path, format!("can't be read: {error}")).help(help))
}

pub(super) fn broken_link(path: &Path) -> Box<Diagnostic> {
    let help = "point the link at an existing skill, or delete it";
    Box::new(Diagnostic::new(Code::BrokenLink, path, "a link that leads nowhere").help(help))
}
