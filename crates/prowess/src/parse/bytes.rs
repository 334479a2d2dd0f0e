//! Bytes to text (R0), and the way back from a place in the text to the raw bytes.

use std::ops::Range;

use super::report::Finding;
use crate::diagnostic::{Code, Span};
use crate::text::slice;

/// How much of a file is looked at for its frontmatter, in raw bytes.
pub(super) const WINDOW: usize = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
}

impl Encoding {
    /// The encoding that the byte order mark names, and the mark's length.
    pub(super) fn detect(bytes: &[u8]) -> (Self, usize) {
        match bytes {
            [0xFF, 0xFE, ..] => (Self::Utf16Le, 2),
            [0xFE, 0xFF, ..] => (Self::Utf16Be, 2),
            [0xEF, 0xBB, 0xBF, ..] => (Self::Utf8, 3),
            _ => (Self::Utf8, 0),
        }
    }

    pub(super) fn encode(self, text: &str) -> Vec<u8> {
        match self {
            Self::Utf8 => text.as_bytes().to_vec(),
            Self::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }
    }
}

/// Hands every character of `bytes` from offset `start` to `take`, with its raw place; none stands for bytes that are
/// no character.
pub(super) fn each_char(
    bytes: &[u8],
    start: usize,
    encoding: Encoding,
    mut take: impl FnMut(Option<char>, Range<usize>),
) {
    let read = match encoding {
        Encoding::Utf8 => return each_utf8(bytes, start, take),
        Encoding::Utf16Le => u16::from_le_bytes,
        Encoding::Utf16Be => u16::from_be_bytes,
    };
    let (units, _) = bytes.get(start..).unwrap_or_default().as_chunks();
    let units = units.iter().copied().map(read);
    let mut at = start;
    for decoded in char::decode_utf16(units) {
        let end = at + decoded.as_ref().map_or(2, |char| 2 * char.len_utf16());
        take(decoded.ok(), at..end);
        at = end;
    }
    if at < bytes.len() {
        take(None, at..bytes.len());
    }
}

fn each_utf8(bytes: &[u8], start: usize, mut take: impl FnMut(Option<char>, Range<usize>)) {
    let mut at = start;
    for chunk in bytes.get(start..).unwrap_or_default().utf8_chunks() {
        for char in chunk.valid().chars() {
            take(Some(char), at..at + char.len_utf8());
            at += char.len_utf8();
        }
        if !chunk.invalid().is_empty() {
            take(None, at..at + chunk.invalid().len());
            at += chunk.invalid().len();
        }
    }
}

/// The beginning of a file as text: a byte order mark and control characters dropped, LF between lines.
///
/// Places in it are byte offsets into `text`; every method turns them into offsets of the raw bytes.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) text: String,
    encoding: Encoding,
    /// Raw offsets of bytes that stand for no character.
    invalid: Vec<usize>,
    /// Raw offsets of control characters.
    dropped: Vec<usize>,
    /// Raw offsets of carriage returns without a line feed.
    lone_cr: Vec<usize>,
    /// Where text and raw bytes part: text offset and raw offset, ascending.
    shifts: Vec<(usize, usize)>,
    /// Where lines begin: text offset and raw offset. The last one has no line end.
    lines: Vec<(usize, usize)>,
    raw_end: usize,
}

impl Decoded {
    /// Decodes the first [`WINDOW`] bytes.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let bytes = bytes.get(..WINDOW).unwrap_or(bytes);
        let (encoding, start) = Encoding::detect(bytes);
        let mut decoded = Self {
            text: String::with_capacity(bytes.len()),
            encoding,
            invalid: Vec::new(),
            dropped: Vec::new(),
            lone_cr: Vec::new(),
            shifts: vec![(0, start)],
            lines: vec![(0, start)],
            raw_end: bytes.len(),
        };
        let plain = if encoding == Encoding::Utf8 {
            plain_prefix(bytes.get(start..).unwrap_or_default())
        } else {
            ""
        };
        decoded.text.push_str(plain);
        decoded.lines.extend(plain.match_indices('\n').map(|(at, _)| (at + 1, start + at + 1)));
        let mut after_cr = false;
        let take = |char, raw| after_cr = decoded.push(char, &raw, after_cr);
        each_char(bytes, start + plain.len(), encoding, take);
        decoded.align(bytes.len());
        decoded
    }

    /// Takes one character; whether it is a carriage return that a line feed may complete.
    fn push(&mut self, char: Option<char>, raw: &Range<usize>, after_cr: bool) -> bool {
        if char.is_none() {
            self.invalid.push(raw.start);
        }
        match char.unwrap_or(char::REPLACEMENT_CHARACTER) {
            '\n' if after_cr => {
                self.lone_cr.pop();
                if let Some(line) = self.lines.last_mut() {
                    line.1 = raw.end;
                }
            }
            line_end @ ('\n' | '\r') => {
                self.align(raw.start);
                self.text.push('\n');
                self.lines.push((self.text.len(), raw.end));
                if line_end == '\r' {
                    self.lone_cr.push(raw.start);
                    return true;
                }
            }
            char if is_dropped(char) => self.dropped.push(raw.start),
            char => {
                self.align(raw.start);
                self.text.push(char);
            }
        }
        false
    }

    fn align(&mut self, raw: usize) {
        let at = self.text.len();
        if self.raw(at) != raw {
            self.shifts.push((at, raw));
        }
    }

    /// The raw offset of a place in the text.
    pub(super) fn raw(&self, at: usize) -> usize {
        let last = self.shifts.last().is_some_and(|shift| shift.0 <= at);
        let next = if last { self.shifts.len() } else { self.shifts.partition_point(|shift| shift.0 <= at) };
        let (text, raw) = self.shift_before(next);
        raw + (at - text)
    }

    /// The last place before the shift number `next` where text and raw bytes part; there is one from the beginning.
    fn shift_before(&self, next: usize) -> (usize, usize) {
        self.shifts.get(next.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// The place in the text of a raw offset, or of what follows a dropped one.
    pub(super) fn text_offset(&self, raw: usize) -> usize {
        let next = self.shifts.partition_point(|shift| shift.1 <= raw);
        let (text, start) = self.shift_before(next);
        let limit = self.shifts.get(next).map_or(self.text.len(), |shift| shift.0);
        self.text.floor_char_boundary((text + raw.saturating_sub(start)).min(limit))
    }

    /// The number of lines, the last one without a line end among them.
    pub(super) fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// A line without its line end; empty behind the last one.
    pub(super) fn line(&self, index: usize) -> &str {
        slice(&self.text, self.line_range(index))
    }

    /// The place of a line without its line end.
    pub(super) fn line_range(&self, index: usize) -> Range<usize> {
        let end = self.lines.get(index + 1).map_or(self.text.len(), |line| line.0 - 1);
        self.line_start(index)..end
    }

    /// Where a line begins in the text.
    pub(super) fn line_start(&self, index: usize) -> usize {
        self.lines.get(index).map_or(self.text.len(), |line| line.0)
    }

    /// Where a line begins in the raw bytes, dropped characters included.
    pub(super) fn raw_line_start(&self, index: usize) -> usize {
        self.lines.get(index).map_or(self.raw_end, |line| line.1)
    }

    /// The line that holds a place in the text, from 0.
    pub(super) fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|line| line.0 <= at) - 1
    }

    /// Whether the end of the text is no end of a line that more bytes could not change.
    pub(super) fn ends_within_line(&self, index: usize) -> bool {
        let last = self.lines.len() - 1;
        let cr_at_end = self.lone_cr.last().is_some_and(|cr| self.raw_line_start(last) > *cr);
        index >= last || (index + 1 == last && cr_at_end && self.raw_line_start(last) == self.raw_end)
    }

    /// A range of the text as a place in the raw file.
    pub(super) fn span(&self, range: &Range<usize>) -> Span {
        let line = self.line_of(range.start);
        Span {
            start: self.raw(range.start),
            end: self.raw(range.end),
            line: line + 1,
            column: slice(&self.text, self.line_start(line)..range.start).chars().count() + 1,
        }
    }

    /// What is wrong with the encoding of the bytes before the raw offset `end`.
    pub(super) fn encoding_finding(&self, end: usize) -> Option<Finding> {
        let finding =
            |at, message: String| Finding::new(Code::NotUtf8, &(at..at), message, "save the file as UTF-8");
        if self.encoding != Encoding::Utf8 {
            return Some(finding(0, "the file is UTF-16".to_owned()));
        }
        let first = self.invalid.first().filter(|first| **first < end)?;
        let count = self.invalid.partition_point(|offset| *offset < end);
        let places = if count == 1 { "one place".to_owned() } else { format!("{count} places") };
        let message = format!("bytes that are no UTF-8 in {places}; U+FFFD stands for them");
        Some(finding(self.text_offset(*first), message))
    }

    /// Whether the bytes before the raw offset `end` are no text.
    pub(super) fn is_binary(&self, end: usize) -> bool {
        self.encoding == Encoding::Utf8 && self.dropped.first().is_some_and(|at| *at < end)
    }

    /// What of the text before `end` was dropped or read as line ends.
    pub(super) fn character_findings(&self, end: usize) -> Vec<Finding> {
        let help = "save the file with LF or CRLF and without control characters";
        let kinds = [
            (&self.dropped, "the frontmatter holds control characters; they were dropped"),
            (&self.lone_cr, "the frontmatter holds carriage returns without a line feed; each ends a line"),
        ];
        let found = kinds.into_iter().filter_map(|(offsets, message)| {
            let first = offsets.first().filter(|first| **first < self.raw(end))?;
            let at = self.text_offset(*first);
            Some(Finding::new(Code::YamlRepaired, &(at..at), message, help))
        });
        found.collect()
    }
}

/// The beginning of the bytes that needs no care: whole characters that stand for themselves.
fn plain_prefix(bytes: &[u8]) -> &str {
    let valid = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid()),
    };
    // Most text is ASCII, and found to be so much faster than it is taken apart.
    let ascii = valid.bytes().position(|byte| !matches!(byte, b' '..=b'~' | b'\n' | b'\t'));
    let is_end =
        |at: usize| slice(valid, at..).find(|char| char != '\n' && is_dropped(char)).map(|end| at + end);
    slice(valid, ..ascii.and_then(is_end).unwrap_or(valid.len()))
}

/// Whether a YAML reader would stop at `char`.
fn is_dropped(char: char) -> bool {
    (char.is_control() && !matches!(char, '\t' | '\u{85}')) || matches!(char, '\u{FFFE}' | '\u{FFFF}')
}
