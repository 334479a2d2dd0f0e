//! What one line is: blank, a comment, or the beginning of an entry (R4).

use crate::text::slice;

/// The keys that hold text.
const TEXT_KEYS: [&str; 6] =
    ["name", "description", "license", "compatibility", "argument-hint", "when_to_use"];
/// The other keys that the specification or this runtime gives a meaning.
const OTHER_KEYS: [&str; 4] = ["metadata", "allowed-tools", "disable-model-invocation", "user-invocable"];

/// The known key that `key` is, in any case.
pub(super) fn known_key(key: &str) -> Option<&'static str> {
    let mut keys = TEXT_KEYS.iter().chain(&OTHER_KEYS);
    keys.find(|known| known.eq_ignore_ascii_case(key)).copied()
}

pub(super) fn is_text_key(key: &str) -> bool {
    TEXT_KEYS.iter().any(|known| known.eq_ignore_ascii_case(key))
}

/// Whether YAML sees nothing on a line.
pub(super) fn is_blank(line: &str) -> bool {
    indent(line) == line.len()
}

pub(super) fn is_comment(line: &str) -> bool {
    slice(line, indent(line)..).starts_with('#')
}

/// How many blanks and tabs a line begins with.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// A line that begins an entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct KeyLine<'a> {
    pub(super) column: usize,
    pub(super) key: &'a str,
    /// Where the key with its quotes ends.
    pub(super) key_end: usize,
    /// Where the value begins, behind the colon.
    pub(super) value: usize,
}

/// Reads a line as the beginning of an entry, at whatever column.
pub(super) fn key_line(line: &str) -> Option<KeyLine<'_>> {
    let column = indent(line);
    let quote = slice(line, column..).chars().next().filter(|char| matches!(char, '"' | '\''));
    let start = column + usize::from(quote.is_some());
    let named = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.' | '-');
    let tail = slice(line, start..).trim_start_matches(named);
    let key = slice(line, start..line.len() - tail.len());
    let tail = quote.map_or(Some(tail), |quote| tail.strip_prefix(quote))?;
    let key_end = line.len() - tail.len();
    let value = if known_key(key).is_some() {
        let value = tail.trim_start_matches([' ', '\t']).strip_prefix([':', '：'])?;
        (!value.starts_with("//")).then_some(value)
    } else {
        let value = tail.strip_prefix(':').filter(|_| key.starts_with(char::is_lowercase))?;
        (value.is_empty() || value.starts_with([' ', '\t'])).then_some(value)
    };
    Some(KeyLine { column, key, key_end, value: line.len() - value?.len() })
}
