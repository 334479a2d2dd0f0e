//! Corrected lines, and what was wrong with the old ones.

use super::bytes::Encoding;
use crate::diagnostic::Repair;

/// An entry as `key: "text"`; `key` is what stands before the colon, its indent included.
pub(super) fn quoted_entry(key: &str, text: &str) -> String {
    format!("{}: {}", key.trim_end(), quoted(text))
}

/// `text` as a YAML scalar of one line that no YAML reader takes for anything but text.
fn quoted(text: &str) -> String {
    if text.contains(['"', '\\']) && !text.contains('\'') && text.chars().all(is_printable) {
        return format!("'{text}'");
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            char if is_printable(char) => out.push(char),
            char => out.push_str(&format!("\\u{:04X}", u32::from(char))),
        }
    }
    out.push('"');
    out
}

/// Whether YAML 1.1 and 1.2 both let `char` stand for itself within a line; all that don't have up to four hex digits.
fn is_printable(char: char) -> bool {
    matches!(char, ' '..='~' | '\u{A0}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
        && !matches!(char, '\u{2028}' | '\u{2029}' | '\u{FEFF}')
}

/// What is wrong with a value that YAML can't read, in one phrase.
pub(super) fn fault_of(first: &str, rest: &[&str]) -> String {
    let first = first.trim();
    let mut lines = std::iter::once(first).chain(rest.iter().map(|line| line.trim()));
    let what = match first.chars().next() {
        Some('"' | '\'') => "quotes that don't enclose the whole value, or a wrong escape in them",
        Some('|' | '>') if first.contains(' ') => "text on the line of a block indicator",
        Some('|' | '>') => "a block whose lines are not indented alike",
        Some('`') => "an unquoted value that begins with a backtick",
        Some(char @ ('*' | '&' | '!' | '@' | '%' | '[' | '{')) => {
            return format!("an unquoted value that begins with `{char}`");
        }
        Some('-') if first.starts_with("- ") => "an unquoted value that begins with `- `",
        _ if lines.any(|line| line.contains(": ") || line.ends_with(':')) => "a colon in an unquoted value",
        _ if rest.iter().any(|line| line.starts_with(|char: char| !char.is_whitespace())) => {
            "continuation lines that are not indented"
        }
        _ => "text that YAML can't read",
    };
    what.to_owned()
}

/// Applies corrections to the raw bytes of the file that they were made for.
pub(super) fn apply(bytes: &[u8], mut repairs: Vec<&Repair>) -> Vec<u8> {
    let (encoding, _) = Encoding::detect(bytes);
    repairs.sort_by_key(|repair| (repair.start, repair.end));
    let crlf = first_line_has_crlf(bytes, encoding);
    let mut out = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for repair in repairs {
        let splits_unit = encoding != Encoding::Utf8 && !repair.start.is_multiple_of(2);
        if splits_unit || repair.start < done || repair.end < repair.start || repair.end > bytes.len() {
            continue;
        }
        out.extend(bytes.get(done..repair.start).unwrap_or_default());
        let line_end = if crlf { "\r\n" } else { "\n" };
        out.extend(encoding.encode(&repair.text.replace('\n', line_end)));
        done = repair.end;
    }
    out.extend(bytes.get(done..).unwrap_or_default());
    out
}

fn first_line_has_crlf(bytes: &[u8], encoding: Encoding) -> bool {
    let (crlf, lf) = (encoding.encode("\r\n"), encoding.encode("\n"));
    let first = bytes.chunks_exact(lf.len()).position(|chunk| *chunk == lf);
    let line = first.and_then(|index| bytes.get(..(index + 1) * lf.len()));
    line.is_some_and(|line| line.ends_with(&crlf))
}
