//! What was found wrong with a skill, as a value: code, severity, place, message, help.

use std::fmt;
use std::path::PathBuf;

/// How much a [`Diagnostic`] matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Info,
    /// The skill loads, but not quite as its author meant.
    Warning,
    /// The skill does not load.
    Error,
}

impl Severity {
    /// The word that stands for this severity in text and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $severity:ident;)+) => {
        /// The kind of a [`Diagnostic`]. A code names the fault and is never reused.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $variant,)+ }

        impl Code {
            /// Every code there is, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The code as it is printed, in kebab-case.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The severity that diagnostics of this code have unless they say otherwise.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)+ }
            }
        }
    };
}

codes! {
    /// No usable description: missing, empty or null. The one hard rejection.
    MissingDescription = "missing-description", Error;
    /// No frontmatter at all.
    MissingFrontmatter = "missing-frontmatter", Error;
    /// A link that a checkout turned into a one-line text file.
    LinkAsText = "link-as-text", Error;
    /// Something named `SKILL.md` that is no regular file.
    NotAFile = "not-a-file", Error;
    /// A file or directory that could not be read.
    Unreadable = "unreadable", Error;
    /// The frontmatter was no plain YAML and was repaired.
    YamlRepaired = "yaml-repaired", Warning;
    /// The frontmatter's closing fence is missing.
    UnclosedFrontmatter = "unclosed-frontmatter", Warning;
    /// Something stands before the opening fence, or the fence is missing.
    FrontmatterPreamble = "frontmatter-preamble", Warning;
    /// A key stands twice; the last one wins.
    DuplicateKey = "duplicate-key", Warning;
    /// Bytes that are not UTF-8.
    NotUtf8 = "not-utf8", Warning;
    /// The description is no string; its source text serves.
    DescriptionNotText = "description-not-text", Warning;
    /// The description is over 1,024 characters.
    DescriptionTooLong = "description-too-long", Warning;
    /// No name; the directory's name serves.
    NameMissing = "name-missing", Warning;
    /// The name differs from the directory's.
    NameMismatch = "name-mismatch", Warning;
    /// The name breaks the naming rule.
    NameInvalid = "name-invalid", Warning;
    /// The name holds a separator, a control or a bidi character; the directory's name serves.
    NameUnsafe = "name-unsafe", Warning;
    /// The name is over 64 characters.
    NameTooLong = "name-too-long", Warning;
    /// The file is named `SKILL.md` in another case.
    FilenameCase = "filename-case", Warning;
    /// Characters that no reader sees.
    HiddenUnicode = "hidden-unicode", Warning;
    /// Another skill of higher rank has the same name.
    Shadowed = "shadowed", Warning;
    /// A link that leads nowhere.
    BrokenLink = "broken-link", Warning;
    /// A limit of the scan was hit; there may be more below that place.
    ScanLimit = "scan-limit", Warning;
    /// A skill lies in a directory that only looks like a root.
    LookalikeRoot = "lookalike-root", Warning;
    /// The host's policy does not trust the skill.
    Untrusted = "untrusted", Warning;
    /// The frontmatter is over 64 KiB; the rest of it was not parsed.
    FrontmatterTooLong = "frontmatter-too-long", Warning;
    /// One entry takes an outsized share of the catalog.
    CatalogShare = "catalog-share", Warning;
    /// Two descriptions are so alike that a model can't tell them apart.
    Overlap = "overlap", Warning;
    /// The body names a path outside of the skill's directory.
    PathOutsideSkill = "path-outside-skill", Warning;
    /// The body names a file that is not there.
    MissingResource = "missing-resource", Warning;
    /// The body holds a comment that a model reads and a reader of the rendered page does not see.
    HiddenComment = "hidden-comment", Warning;
    /// A link in the skill's directory leads out of it.
    LinkOutsideSkill = "link-outside-skill", Warning;
    /// An identical copy of a skill that has loaded.
    Duplicate = "duplicate", Info;
    /// A ` #` comment cuts the value short, as YAML has it.
    ValueCutByComment = "value-cut-by-comment", Info;
    /// A key that neither the specification nor this runtime knows.
    UnknownKey = "unknown-key", Info;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A place in a file: a range of its raw bytes, and where that range begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
    /// Line of the first byte, from 1.
    pub line: usize,
    /// Column of the first byte in characters, from 1.
    pub column: usize,
}

impl Span {
    /// The span of a range of a file's bytes.
    #[must_use]
    pub fn of(file: &[u8], range: std::ops::Range<usize>) -> Self {
        let before = file.get(..range.start).unwrap_or(file);
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let on_line = before.get(line_start..).unwrap_or_default();
        let column = String::from_utf8_lossy(on_line).chars().count() + 1;
        Self { start: range.start, end: range.end, line, column }
    }
}

/// A correction: the raw bytes `start..end`, whole lines, become `text`. Both have the last line end, or neither.
///
/// An empty range inserts: `text` then brings its own line end. [`repaired`](crate::parse::repaired) applies
/// corrections in the file's encoding and with its line ends.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Repair {
    /// Offset of the first byte that is replaced.
    pub start: usize,
    /// Offset after the last byte that is replaced.
    pub end: usize,
    /// What takes their place, in UTF-8 and with LF between lines.
    pub text: String,
}

/// One finding about one file or directory.
///
/// ```
/// use prowess::diagnostic::{Code, Diagnostic};
///
/// let diagnostic = Diagnostic::new(Code::MissingDescription, "skills/pdf/SKILL.md", "no description")
///     .help("add a `description:` line");
/// assert_eq!(diagnostic.to_string(), "skills/pdf/SKILL.md: error[missing-description]: no description");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What kind of finding this is.
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// The file or directory it is about.
    pub path: PathBuf,
    /// The place in the file, where there is one.
    pub span: Option<Span>,
    /// What is wrong: a lower-case fragment without a full stop.
    pub message: String,
    /// A few words to stand under the place.
    pub label: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// Other paths that have to do with it.
    pub related: Vec<PathBuf>,
    /// The correction, where the runtime knows it.
    pub repair: Option<Repair>,
}

impl Diagnostic {
    /// A diagnostic of the code's own severity, without a place.
    #[must_use]
    pub fn new(code: Code, path: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            path: path.into(),
            span: None,
            message: message.into(),
            label: None,
            help: None,
            related: Vec::new(),
            repair: None,
        }
    }

    /// Sets the severity.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Sets the place.
    #[must_use]
    pub fn span(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Sets the words under the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Sets what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a path that has to do with it.
    #[must_use]
    pub fn related(mut self, path: impl Into<PathBuf>) -> Self {
        self.related.push(path.into());
        self
    }

    /// Sets the correction.
    #[must_use]
    pub fn repair(mut self, repair: Repair) -> Self {
        self.repair = Some(repair);
        self
    }
}

/// `path:line:column: severity[code]: message`. Text from files stands in it as it is: a face that writes to a
/// terminal escapes it first.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(span) = &self.span {
            write!(f, ":{}:{}", span.line, span.column)?;
        }
        write!(f, ": {}[{}]: {}", self.severity, self.code, self.message)
    }
}
