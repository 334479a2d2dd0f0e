//! Corrected lines, and what was wrong with the old ones.

use std::fmt::Write as _;

use super::bytes::Encoding;
use super::entries::{is_blank, is_comment};
use crate::diagnostic::Repair;

/// An entry as `key: "text"`; `key` is what stands before the colon, its indent included.
pub(super) fn quoted_entry(key: &str, text: &str) -> String {
    format!("{}: {}", key.trim_end(), quoted(text))
}

/// `text` as a YAML scalar of one line that no YAML reader takes for anything but text.
pub(super) fn quoted(text: &str) -> String {
    let single = text.contains(['"', '\\']) && !text.contains('\'') && text.chars().all(is_printable);
    if single {
        return format!("'{text}'");
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            char if is_printable(char) => out.push(char),
            char if char <= '\u{FF}' => push_escape(&mut out, 'x', 2, char),
            char if char <= '\u{FFFF}' => push_escape(&mut out, 'u', 4, char),
            char => push_escape(&mut out, 'U', 8, char),
        }
    }
    out.push('"');
    out
}

fn push_escape(out: &mut String, kind: char, digits: usize, char: char) {
    // Writing to a string can't fail.
    let _ = write!(out, "\\{kind}{:0digits$X}", u32::from(char));
}

/// Whether YAML 1.1 and 1.2 both let `char` stand for itself within a line.
fn is_printable(char: char) -> bool {
    matches!(char, ' '..='~' | '\u{A0}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
        && !matches!(char, '\u{2028}' | '\u{2029}' | '\u{FEFF}')
}

/// Turns every line into a comment; blank lines and comments stay.
pub(super) fn comment_out(text: &str) -> String {
    let lines =
        text.trim_end_matches('\n').split('\n').map(|line| match is_blank(line) || is_comment(line) {
            true => line.to_owned(),
            false => format!("# {line}"),
        });
    lines.collect::<Vec<_>>().join("\n")
}

/// What is wrong with a value that YAML can't read, in one phrase.
pub(super) fn fault_of(first: &str, rest: &[&str]) -> &'static str {
    let first = first.trim();
    let lines = || std::iter::once(first).chain(rest.iter().map(|line| line.trim()));
    let unindented = rest.iter().any(|line| line.starts_with(|char: char| !char.is_whitespace()));
    match first.chars().next() {
        Some('*') => "an unquoted value that begins with `*`",
        Some('&') => "an unquoted value that begins with `&`",
        Some('!') => "an unquoted value that begins with `!`",
        Some('@') => "an unquoted value that begins with `@`",
        Some('`') => "an unquoted value that begins with a backtick",
        Some('%') => "an unquoted value that begins with `%`",
        Some('[') => "an unquoted value that begins with `[`",
        Some('{') => "an unquoted value that begins with `{`",
        Some('"' | '\'') => "quotes that don't enclose the whole value, or a wrong escape in them",
        Some('|' | '>') if first.contains(' ') => "text on the line of a block indicator",
        Some('|' | '>') => "a block whose lines are not indented alike",
        Some('-') if first.starts_with("- ") => "an unquoted value that begins with `- `",
        _ if lines().any(|line| line.contains(": ") || line.ends_with(':')) => "a colon in an unquoted value",
        _ if unindented => "continuation lines that are not indented",
        _ => "text that YAML can't read",
    }
}

/// Applies corrections to the raw bytes of the file that they were made for.
///
/// The new text takes the file's encoding, and CRLF for line ends if the file's first line has it. Corrections that
/// overlap an earlier one, or lie outside of the file, are left out.
pub(super) fn apply(bytes: &[u8], repairs: &[&Repair]) -> Vec<u8> {
    let (encoding, _) = Encoding::detect(bytes);
    let mut repairs = repairs.to_vec();
    repairs.sort_by_key(|repair| (repair.start, repair.end));
    let crlf = has_crlf(bytes, encoding);
    let mut out = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for repair in repairs {
        let splits_unit = encoding != Encoding::Utf8 && !repair.start.is_multiple_of(2);
        if splits_unit || repair.start < done || repair.end < repair.start || repair.end > bytes.len() {
            continue;
        }
        out.extend_from_slice(&bytes[done..repair.start]);
        let text = if crlf { repair.text.replace('\n', "\r\n") } else { repair.text.clone() };
        out.extend(encoding.encode(&text));
        done = repair.end;
    }
    out.extend_from_slice(&bytes[done..]);
    out
}

fn has_crlf(bytes: &[u8], encoding: Encoding) -> bool {
    let line_end = encoding.encode("\r\n");
    let unit = line_end.len() / 2;
    let lf = &line_end[unit..];
    let first = bytes.chunks_exact(unit).position(|chunk| chunk == lf).map(|index| index * unit);
    first.is_some_and(|at| at >= unit && bytes[at - unit..at] == line_end[..unit])
}
