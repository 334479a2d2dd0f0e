//! The value of an entry that YAML can't read, from its lines (R6).

use super::lines::{indent, is_comment, key_line, known_key};
use crate::text::slice;

/// A recovered value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Recovered {
    pub(super) text: String,
    /// A known key that was glued to the end of the value, and its value.
    pub(super) glued: Option<(String, String)>,
}

/// Reads a value from what follows the colon on the key's line, and from the lines below it.
///
/// `column` is the key's column: a comment that stands no deeper ends the value.
pub(super) fn read(first: &str, rest: &[&str], column: usize) -> Recovered {
    let first = first.trim();
    if let Some(style) = block_style(first) {
        return Recovered { text: block(style, rest), glued: None };
    }
    let first = drop_indicator(first);
    let is_open = opening_quote(first).is_some_and(|quote| quotes(first, quote).len() == 1);
    let ends = |line: &&str| !is_open && is_comment(line) && indent(line) <= column;
    let rest: Vec<&str> = rest.iter().copied().take_while(|line| !ends(line)).collect();
    let is_wrapped = is_wrapped(first) && rest.iter().any(|line| !line.trim().is_empty());
    let first = if is_wrapped { unquote(first) } else { first.to_owned() };
    let joined = fold(std::iter::once(first.as_str()).chain(rest).map(str::trim));
    let end = find_glued(&joined).unwrap_or(joined.len());
    let (text, glued) = (slice(&joined, ..end).trim_end(), slice(&joined, end..));
    Recovered {
        text: if is_wrapped { text.to_owned() } else { unquote_line(text) },
        glued: key_line(glued)
            .map(|key| (key.key.to_owned(), unquote_line(slice(glued, key.value..).trim()))),
    }
}

/// The block indicator, if the key's line holds nothing else.
fn block_style(first: &str) -> Option<char> {
    let style = first.chars().next().filter(|char| matches!(char, '|' | '>'))?;
    let indicators = slice(first, 1..).trim_start_matches(|char: char| matches!(char, '+' | '-' | '0'..='9'));
    let comment = indicators.trim_start().is_empty()
        || (indicators.starts_with([' ', '\t']) && indicators.trim_start().starts_with('#'));
    (comment && first.len() - indicators.len() <= 3).then_some(style)
}

/// Drops a block indicator that text follows.
fn drop_indicator(first: &str) -> &str {
    let Some(rest) = first.strip_prefix(['|', '>']) else {
        return first;
    };
    let text = rest.trim_start_matches(['+', '-']);
    if text.starts_with([' ', '\t']) { text.trim_start() } else { first }
}

/// A block scalar whose indent is that of its first line. A dedented comment ends it.
fn block(style: char, lines: &[&str]) -> String {
    let first = lines.iter().find(|line| !line.trim().is_empty());
    let depth = first.map_or(0, |line| indent(line));
    let own = lines.iter().take_while(|line| !(is_comment(line) && indent(line) < depth));
    let lines = own.map(|line| slice(line, indent(line).min(depth)..).trim_end());
    match style {
        '|' => lines.collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned(),
        _ => fold(lines),
    }
}

/// Joins lines with one blank; an empty line is a line break, and so are the ends of deeper lines.
fn fold<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    let mut breaks = 0;
    let mut deeper_before = false;
    for line in lines {
        if line.is_empty() {
            breaks += 1;
            continue;
        }
        let deeper = line.starts_with([' ', '\t']);
        if !out.is_empty() {
            match breaks + usize::from(deeper || deeper_before) {
                0 => out.push(' '),
                count => out.extend(std::iter::repeat_n('\n', count)),
            }
        }
        out.push_str(line);
        breaks = 0;
        deeper_before = deeper;
    }
    out
}

/// Where a known key begins that is glued to the value behind punctuation.
fn find_glued(joined: &str) -> Option<usize> {
    joined.match_indices(':').find_map(|(colon, _)| {
        let before = slice(joined, ..colon)
            .trim_end_matches(|char: char| char.is_ascii_alphabetic() || "-_".contains(char));
        let mut ahead = before.chars().rev();
        let closes = ahead.next().is_some_and(|char| ".!?;)\"'。！？".contains(char))
            && ahead.next().is_some_and(|char| !char.is_whitespace());
        let blank = slice(joined, colon + 1..).starts_with([' ', '\n']);
        (closes && blank && known_key(slice(joined, before.len()..colon)).is_some()).then_some(before.len())
    })
}

fn opening_quote(text: &str) -> Option<char> {
    text.chars().next().filter(|char| matches!(char, '"' | '\''))
}

/// Where the quotes stand that may open or close: escaped ones and apostrophes within a word are not among them.
fn quotes(text: &str, quote: char) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        let in_quotes = !found.is_empty();
        match byte {
            b'\\' if quote == '"' && in_quotes => at += 1,
            b'\'' if quote == '\'' && in_quotes && bytes.get(at + 1) == Some(&b'\'') => at += 1,
            byte if byte == quote as u8 && !(quote == '\'' && is_apostrophe(text, at)) => found.push(at),
            _ => {}
        }
        at += 1;
    }
    found
}

fn is_apostrophe(text: &str, at: usize) -> bool {
    let before = slice(text, ..at).chars().next_back();
    let after = slice(text, at + 1..).chars().next();
    before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)
}

/// Whether one pair of quotes is around all of `first`.
fn is_wrapped(first: &str) -> bool {
    let Some(quote) = opening_quote(first) else {
        return false;
    };
    let quotes = quotes(first, quote);
    quotes.len().is_multiple_of(2)
        && quotes.last() == Some(&(first.len() - 1))
        && !is_word_list(first, &quotes)
}

/// Takes the quotes off a value that is on one line now.
fn unquote_line(text: &str) -> String {
    let Some(quote) = opening_quote(text) else {
        return drop_lone_quote(text).to_owned();
    };
    let quotes = quotes(text, quote);
    match quotes.as_slice() {
        // `"C:\logs\"`: the backslash was meant as one, and the quote closes.
        [_] if quote == '"' && text.ends_with("\\\"") => unquote(text),
        [_] => slice(text, 1..).replace("\\\"", "\""),
        [.., last] if last + 1 == text.len() && is_word_list(text, &quotes) => text.to_owned(),
        [.., last] if last + 1 == text.len() => unquote(text),
        [_, last] if is_comment_behind_blank(slice(text, last + 1..)) => unquote(slice(text, ..=*last)),
        _ => slice(text, quotes.len() % 2..).to_owned(),
    }
}

fn is_comment_behind_blank(rest: &str) -> bool {
    rest.starts_with([' ', '\t']) && is_comment(rest)
}

/// A quote that closes what nothing opened.
fn drop_lone_quote(text: &str) -> &str {
    let Some(quote) = text.chars().next_back().filter(|char| matches!(char, '"' | '\'')) else {
        return text;
    };
    match quotes(text, quote).as_slice() {
        [_] => slice(text, ..text.len() - 1).trim_end(),
        _ => text,
    }
}

/// Whether `"a", "b" and "c"` is what stands there: words in quotes with something between them.
fn is_word_list(text: &str, quotes: &[usize]) -> bool {
    let is_edge = |char: Option<char>| char.is_some_and(|char| !char.is_alphanumeric());
    let pairs = quotes.iter().zip(quotes.iter().skip(1));
    let mut between = pairs.map(|(open, close)| slice(text, open + 1..*close)).enumerate();
    quotes.len() > 2
        && quotes.len().is_multiple_of(2)
        && between.all(|(index, part)| match index % 2 {
            0 => !part.is_empty() && part.trim() == part,
            _ => is_edge(part.chars().next()) && is_edge(part.chars().next_back()),
        })
}

/// The text between the first and the last character, its escapes decoded. Unknown ones are kept, and so are those for
/// control characters: next to an unknown one, `\b` is part of a pattern or a path.
fn unquote(text: &str) -> String {
    let inner = slice(text, 1..text.len() - 1);
    if text.starts_with('\'') {
        return inner.replace("''", "'");
    }
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(slice(rest, ..at));
        let (char, len) = escape(slice(rest, at..)).unwrap_or(('\\', 1));
        out.push(char);
        rest = slice(rest, at + len..);
    }
    out + rest
}

/// The character that the escape at the beginning of `text` stands for, and the escape's length.
fn escape(text: &str) -> Option<(char, usize)> {
    let hex = |at: usize, digits: usize| {
        let code =
            text.get(at..at + digits).filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        u32::from_str_radix(code, 16).ok()
    };
    let (code, len) = match text.chars().nth(1)? {
        char @ (' ' | '"' | '/' | '\\') => (u32::from(char), 2),
        'n' => (u32::from('\n'), 2),
        't' => (u32::from('\t'), 2),
        'x' => (hex(2, 2)?, 4),
        'U' => (hex(2, 8)?, 10),
        'u' => match hex(2, 4)? {
            high @ 0xD800..0xDC00 if slice(text, 6..).starts_with("\\u") => {
                (0x1_0000 + ((high - 0xD800) << 10) + hex(8, 4)?.checked_sub(0xDC00)?, 12)
            }
            code => (code, 6),
        },
        _ => return None,
    };
    Some((char::from_u32(code)?, len))
}
