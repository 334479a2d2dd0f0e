//! The frontmatter of a `SKILL.md`, read leniently: what can be read is read, and every repair is said.
//!
//! A file is split at its fences, read as YAML, and where YAML fails, cut into its top-level entries, which are read
//! one by one. The only file that does not load is one without a description.
//!
//! ```
//! use std::path::Path;
//! use prowess::diagnostic::Code;
//!
//! let file = b"---\nname: pdf-forms\ndescription: Use when: a PDF has a form\n---\n# Steps\n";
//! let parsed = prowess::parse::parse(file, Path::new("skills/pdf-forms/SKILL.md"));
//! assert_eq!(parsed.frontmatter.description, "Use when: a PDF has a form");
//! assert_eq!(parsed.diagnostics[0].code, Code::YamlRepaired);
//! assert_eq!(prowess::parse::body(file, parsed.body), "# Steps\n");
//! ```

mod bytes;
mod entries;
mod fences;
mod fields;
pub(crate) mod hidden;
mod lines;
mod names;
mod recover;
mod repair;
mod report;
#[cfg(test)]
mod tests;
mod yaml;

use std::ops::Range;
use std::path::Path;

use self::bytes::{Decoded, Encoding, WINDOW, each_char};
use self::entries::Reading;
use self::fences::Split;
use self::fields::Fields;
use self::report::Finding;
#[cfg(feature = "lint")]
pub(crate) use self::report::shorten;
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{composed, slice};
use crate::value::Value;

/// How much frontmatter reaches the YAML parser, in bytes of decoded text.
const MAX_FRONTMATTER: usize = 64 * 1024;
/// How much of a file most frontmatter takes, in bytes.
const HEAD: usize = 1024;
/// The name of a skill without a name, in a path without a directory.
const UNNAMED: &str = "unnamed";
/// The longest file that may be a link in the form of text, in bytes.
const MAX_LINK: usize = 4096;

/// The frontmatter of one `SKILL.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frontmatter {
    /// The name that counts, in NFC: the declared one, or the directory's where that is missing or unsafe.
    pub name: String,
    /// The description, trimmed; empty exactly if the file is invalid.
    pub description: String,
    /// The licence, as text.
    pub license: Option<String>,
    /// What the skill needs, as text.
    pub compatibility: Option<String>,
    /// The author's own data; [`Value::Null`] if there is none.
    pub metadata: Value,
    /// The tools that the skill names, from a list or from text with commas or blanks between them; what stands in
    /// parentheses is never split.
    pub allowed_tools: Vec<String>,
    /// Whether only the user may activate the skill; false by default.
    pub disable_model_invocation: bool,
    /// Whether the user may activate the skill; true by default.
    pub user_invocable: bool,
    /// What arguments to give, as text for the user.
    pub argument_hint: Option<String>,
    /// More about when to use the skill.
    pub when_to_use: Option<String>,
    /// Every top-level entry as YAML has it, or as it was recovered, in source order; of equal keys the last.
    pub entries: Vec<(String, Value)>,
}

/// What [`parse`] makes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parsed {
    /// The frontmatter, as far as there is one.
    pub frontmatter: Frontmatter,
    /// Why the file does not load, if it does not.
    pub invalid: Option<Code>,
    /// The raw bytes of the frontmatter without its fences; empty at 0 if there is none.
    pub yaml: Range<usize>,
    /// The raw offset at which the body begins: behind the closing fence's line, or behind its third dash if text is
    /// glued to it.
    pub body: usize,
    /// What was found wrong, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the frontmatter of a `SKILL.md` from its bytes, or from as many of them as [`needs_more`] asks for.
///
/// `path` is only a label; the name of its parent is the directory's name. Only the first MiB is looked at, and only
/// the first 64 KiB of frontmatter are read as YAML. Never fails: a file that can't load says why in
/// [`Parsed::invalid`].
///
/// ```
/// use std::path::Path;
/// use prowess::diagnostic::Code;
///
/// let parsed = prowess::parse::parse(b"---\nname: notes\n---\n", Path::new("skills/notes/SKILL.md"));
/// assert_eq!(parsed.invalid, Some(Code::MissingDescription));
/// ```
#[must_use]
pub fn parse(bytes: &[u8], path: &Path) -> Parsed {
    let (text, split, reach) = split(bytes);
    let directory = path.parent().and_then(Path::file_name);
    let directory = directory.map(|name| composed(&name.to_string_lossy()));
    match split {
        Some(split) => parse_frontmatter(&text, path, directory.as_deref(), split),
        None => without_frontmatter(&text, path, directory.as_deref(), reach),
    }
}

/// Whether more of the file must be read before [`parse`] can answer.
///
/// A loader reads a small prefix, and goes on while this is true and the file has more. Once it is false, parsing the
/// prefix gives what parsing the whole file gives.
///
/// ```
/// use prowess::parse::needs_more;
///
/// assert!(needs_more(b"---\nname: notes\ndescription: Sorts"));
/// assert!(!needs_more(b"---\nname: notes\ndescription: Sorts notes\n---\n# Ste"));
/// ```
#[must_use]
pub fn needs_more(prefix: &[u8]) -> bool {
    if prefix.len() >= WINDOW {
        return false;
    }
    let text = Decoded::new(prefix);
    let (_, reach) = fences::split(&text);
    text.ends_within_line(reach)
}

/// The text from the raw offset `start` to the end of the file.
///
/// It is decoded by the file's byte order mark, or as UTF-8, with U+FFFD for what stands for no character. CR and CRLF
/// become LF, and the mark is dropped; nothing else changes. An offset behind the end gives an empty text.
#[must_use]
pub fn body(bytes: &[u8], start: usize) -> String {
    let (encoding, mark) = Encoding::detect(bytes);
    let mut out = String::new();
    let mut after_cr = false;
    each_char(bytes, start.max(mark).min(bytes.len()), encoding, |char, _| {
        match char.unwrap_or(char::REPLACEMENT_CHARACTER) {
            '\n' if after_cr => {}
            '\r' => out.push('\n'),
            char => out.push(char),
        }
        after_cr = char == Some('\r');
    });
    out
}

/// The bytes of a file with the repairs of its diagnostics applied.
///
/// New text takes the file's encoding, and CRLF for its line ends if the first line has it. A repair that lies outside
/// of the file or overlaps another one is left out.
///
/// ```
/// use std::path::Path;
/// use prowess::parse::{parse, repaired};
///
/// let file = b"---\nname: notes\ndescription: *Sorts* notes\n---\n";
/// let fixed = repaired(file, &parse(file, Path::new("notes/SKILL.md")).diagnostics);
/// assert_eq!(fixed, b"---\nname: notes\ndescription: \"*Sorts* notes\"\n---\n");
/// ```
#[must_use]
pub fn repaired(bytes: &[u8], diagnostics: &[Diagnostic]) -> Vec<u8> {
    let repairs = diagnostics.iter().filter_map(|diagnostic| diagnostic.repair.as_ref());
    repair::apply(bytes, repairs.collect())
}

/// Decodes and splits as much of a file as it takes: to decode a whole body, too, would cost more than all the rest.
fn split(bytes: &[u8]) -> (Decoded, Option<Split>, usize) {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let mut text = Decoded::new(head);
    let (mut split, mut reach) = fences::split(&text);
    if head.len() < bytes.len() && text.ends_within_line(reach) {
        text = Decoded::new(bytes);
        (split, reach) = fences::split(&text);
    }
    (text, split, reach)
}

fn parse_frontmatter(text: &Decoded, path: &Path, directory: Option<&str>, split: Split) -> Parsed {
    let (start, end) = (text.line_start(split.yaml.start), text.line_start(split.yaml.end));
    let cut = start + parsed_length(slice(&text.text, start..end));
    let source = slice(&text.text, ..cut);
    let mut findings = split.findings;
    findings.extend(text.encoding_finding(split.body));
    if cut < end {
        let message = format!("the frontmatter has {} bytes; only {} are read", end - start, cut - start);
        let help = format!("keep the frontmatter under {MAX_FRONTMATTER} bytes: move text into the body");
        findings.push(Finding::new(Code::FrontmatterTooLong, &(cut..cut), message, help));
    }
    let mut reading = entries::entries(source, start);
    findings.append(&mut reading.findings);
    let mut fields = Fields { text: source, start, reading: &reading, findings };
    let frontmatter = fields.read(directory);
    let mut findings = fields.findings;
    report::keep_sound_fixes(&mut findings, source, start..end);
    let last_line = text.line_range(split.yaml.end.saturating_sub(1));
    let mut characters = text.character_findings(last_line.end);
    if let Some(last) = characters.pop() {
        findings.append(&mut characters);
        // With the closing fence and its line end, or whoever knows no lone CR would not find that.
        let through_fence = 0..text.text_offset(split.body).max(last_line.end);
        report::rewrite(&mut findings, last, &text.text, through_fence);
    }
    Parsed {
        invalid: frontmatter.description.is_empty().then_some(Code::MissingDescription),
        frontmatter,
        yaml: text.raw_line_start(split.yaml.start)..text.raw_line_start(split.yaml.end),
        body: split.body,
        diagnostics: report::diagnostics(findings, text, path),
    }
}

/// How much of a frontmatter is parsed: whole lines within the limit, and of a description that is cut, its beginning.
fn parsed_length(yaml: &str) -> usize {
    if yaml.len() <= MAX_FRONTMATTER {
        return yaml.len();
    }
    let limit = yaml.floor_char_boundary(MAX_FRONTMATTER);
    let line = slice(yaml, ..limit).rfind('\n').map_or(0, |end| end + 1);
    let key = lines::key_line(slice(yaml, line..limit)).and_then(|key| lines::known_key(key.key));
    if key == Some("description") { limit } else { line }
}

/// The answer for a file that has no frontmatter; `reach` is the last line that was looked at.
fn without_frontmatter(text: &Decoded, path: &Path, directory: Option<&str>, reach: usize) -> Parsed {
    let (code, missing) = if is_link(&text.text) {
        let target = text.text.trim_end();
        let message = format!("the file is no skill but the text of a link to `{target}`");
        let help = "check the link out as a link, or copy its target here";
        (Code::LinkAsText, Finding::new(Code::LinkAsText, &(0..target.len()), message, help))
    } else {
        let help = "begin the file with a line `---`, then `name:` and `description:`, then a line `---`";
        let code = Code::MissingFrontmatter;
        (code, Finding::new(code, &(0..0), "no frontmatter", help))
    };
    let mut findings = vec![missing];
    let end = text.raw_line_start(reach + 1);
    if text.is_binary(end) {
        let message = "the file is no text: it holds control characters";
        findings.push(Finding::new(Code::NotUtf8, &(0..0), message, "save the file as UTF-8"));
    } else {
        findings.extend(text.encoding_finding(end));
    }
    let reading = Reading::default();
    Parsed {
        frontmatter: Fields { text: "", start: 0, reading: &reading, findings: Vec::new() }.read(directory),
        invalid: Some(code),
        yaml: 0..0,
        body: 0,
        diagnostics: report::diagnostics(findings, text, path),
    }
}

/// Whether the text is one relative path to a Markdown file.
fn is_link(text: &str) -> bool {
    let path = text.trim_end_matches('\n');
    let stem = path.len().checked_sub(3).and_then(|at| path.split_at_checked(at));
    let is_markdown = stem.is_some_and(|(_, extension)| extension.eq_ignore_ascii_case(".md"));
    let is_path = path.starts_with('.') || path.starts_with('/') || !path.contains(char::is_whitespace);
    is_markdown && is_path && path.len() < MAX_LINK && !path.contains(['\n', '[', ']', '<', '>', '`'])
}
