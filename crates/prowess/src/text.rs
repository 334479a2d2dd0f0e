//! Text from files, made fit for one line, for XML, or for a terminal.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::slice::SliceIndex;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Line breaks and control characters, with the blanks around them, as one blank; what XML can't hold as U+FFFD.
pub(crate) fn one_line(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.trim_matches(' ').to_owned();
    }
    let blank = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let mut line = String::with_capacity(text.len());
    for part in text.split(blank).map(|part| part.trim_matches(' ')).filter(|part| !part.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(part.chars().map(|c| if matches!(c, '\u{fffe}' | '\u{ffff}') { '\u{fffd}' } else { c }));
    }
    line
}

/// The text in NFC.
pub(crate) fn composed(text: &str) -> String {
    if text.is_ascii() { text.to_owned() } else { text.nfc().collect() }
}

/// Escapes a value for XML text.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A part of a text, and nothing where there is no such part: a wrong place is found by tests, and breaks no host.
pub(crate) fn slice(text: &str, range: impl SliceIndex<str, Output = str>) -> &str {
    let part = text.get(range);
    debug_assert!(part.is_some(), "a place that is not in the text");
    part.unwrap_or_default()
}

/// Text that is safe on a terminal: what moves the cursor, reverses text or can't be seen goes as an escape. Line breaks
/// and tabs stay, and so do joiners, which some scripts need.
///
/// ```
/// assert_eq!(prowess::text::visible("a\u{1b}[31m\u{202e}b"), "a\\u{1b}[31m\\u{202e}b");
/// ```
#[must_use]
pub fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        if is_invisible(c) {
            // Writing to a string does not fail.
            let _ = write!(visible, "{}", c.escape_unicode());
        } else {
            visible.push(c);
        }
    }
    visible
}

/// A number with commas between its thousands.
#[must_use]
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|g| std::str::from_utf8(g).ok()).collect();
    groups.join(",")
}

/// Words that say nothing about a task.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "before", "by", "can", "do",
    "does", "for", "from", "how", "i", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our",
    "out", "please", "skill", "so", "that", "the", "their", "them", "then", "this", "to", "up", "us", "use",
    "user", "want", "wants", "we", "what", "when", "which", "with", "you", "your",
];

/// The words of a text that say something: in lower case, without English stop words, without a plural `s`.
///
/// ```
/// assert_eq!(prowess::text::words("Use when the user has PDF forms.").into_iter().collect::<Vec<_>>(), ["form", "has", "pdf"]);
/// ```
#[must_use]
pub fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let all = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let telling = all.filter(|word| !STOP_WORDS.contains(word));
    telling
        .map(|word| word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word).to_owned())
        .collect()
}

fn is_invisible(c: char) -> bool {
    use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator};
    !matches!(c, '\n' | '\t' | '\u{200c}' | '\u{200d}')
        && matches!(c.general_category(), Control | Format | LineSeparator | ParagraphSeparator)
}
