//! Where the frontmatter begins and ends (R1, R2).

use std::ops::Range;

use super::bytes::Decoded;
use super::entries::{KeyLine, is_blank, key_line};

/// How many lines a file without an opening fence may take to its next fence.
const BARE_LINES: usize = 60;
/// How many lines of text may stand before an opening fence.
const PREAMBLE_LINES: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    Fence,
    Indented,
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Preamble {
    Nothing,
    BlankLines,
    Comment,
    CodeFence,
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    Fence,
    /// Text stands behind the dashes; it belongs to the body.
    Glued,
    Indented,
    Missing,
}

/// The frontmatter's lines.
#[derive(Debug)]
pub(super) struct Split {
    pub(super) opening: Opening,
    pub(super) preamble: Preamble,
    /// The lines between the fences. The opening fence is the line before, the closing one the line after.
    pub(super) yaml: Range<usize>,
    pub(super) closing: Closing,
}

impl Split {
    /// The first line that is the frontmatter's, its fence included.
    pub(super) fn first_line(&self) -> usize {
        match self.opening {
            Opening::Missing => self.yaml.start,
            _ => self.yaml.start - 1,
        }
    }

    /// The first line that is wholly the body's.
    pub(super) fn body_line(&self) -> usize {
        match self.closing {
            Closing::Missing => self.yaml.end,
            _ => self.yaml.end + 1,
        }
    }

    /// Where the body begins in the raw bytes.
    pub(super) fn body(&self, text: &Decoded) -> usize {
        match self.closing {
            Closing::Glued => text.raw(text.line_start(self.yaml.end) + 3),
            _ => text.raw_line_start(self.body_line()),
        }
    }
}

/// The frontmatter, if there is one, and the last line that had to be looked at to know.
pub(super) fn split(text: &Decoded) -> (Option<Split>, usize) {
    let (first, preamble) = skip_preamble(text);
    if let Some(opening) = opening_fence(text.line(first)) {
        let (yaml_end, closing, reach) = close(text, first + 1);
        let yaml = first + 1..yaml_end;
        return (Some(Split { opening, preamble, yaml, closing }), reach);
    }
    if begins_with_field(text.line(first)) {
        let (end, fenced) = run_end(text, first, Some(first + BARE_LINES));
        let closing = if fenced { Closing::Fence } else { Closing::Missing };
        let reach = if fenced { end } else { text.line_count() - 1 };
        return (Some(Split { opening: Opening::Missing, preamble, yaml: first..end, closing }), reach);
    }
    fence_behind_text(text, first)
}

/// The first line that is no blank line, no HTML comment and not the one code fence, and what was passed over.
fn skip_preamble(text: &Decoded) -> (usize, Preamble) {
    let mut preamble = Preamble::Nothing;
    let mut index = 0;
    while index + 1 < text.line_count() {
        let line = text.line(index).trim();
        if line.is_empty() {
            if preamble == Preamble::Nothing {
                preamble = Preamble::BlankLines;
            }
        } else if line.starts_with("<!--") {
            let Some(end) = comment_end(text, index) else {
                break;
            };
            if preamble != Preamble::CodeFence {
                preamble = Preamble::Comment;
            }
            index = end;
        } else if preamble != Preamble::CodeFence && is_code_fence(line) {
            preamble = Preamble::CodeFence;
        } else {
            break;
        }
        index += 1;
    }
    (index, preamble)
}

/// The line on which the HTML comment of line `start` ends, if nothing follows it there.
fn comment_end(text: &Decoded, start: usize) -> Option<usize> {
    let end = (start..text.line_count()).find(|index| text.line(*index).contains("-->"))?;
    text.line(end).trim_end().ends_with("-->").then_some(end)
}

fn fence_behind_text(text: &Decoded, first: usize) -> (Option<Split>, usize) {
    let open_comment = text.line(first).trim_start().starts_with("<!--");
    let mut reach = if open_comment { text.line_count() } else { first };
    for index in first..PREAMBLE_LINES.min(text.line_count()) {
        reach = reach.max(index);
        let Some(opening) = opening_fence(text.line(index)) else {
            continue;
        };
        let next = next_line(text, index + 1);
        reach = reach.max(next);
        if begins_with_field(text.line(next)) {
            let (yaml_end, closing, closed) = close(text, index + 1);
            let yaml = index + 1..yaml_end;
            return (Some(Split { opening, preamble: Preamble::Text, yaml, closing }), reach.max(closed));
        }
    }
    (None, reach.max(PREAMBLE_LINES.min(text.line_count())))
}

/// The end of a frontmatter that begins on line `start`, how it ends, and the last line looked at.
fn close(text: &Decoded, start: usize) -> (usize, Closing, usize) {
    let lines = start..text.line_count();
    for index in lines.clone() {
        let line = text.line(index);
        if line.starts_with("---") {
            let closing = if is_fence(line) { Closing::Fence } else { Closing::Glued };
            return (index, closing, index);
        }
        if line.trim_end() == "..." {
            return (index, Closing::Fence, index);
        }
    }
    let last = text.line_count() - 1;
    if let Some(index) = lines.clone().find(|index| is_fence(text.line(*index))) {
        return (index, Closing::Indented, last);
    }
    (run_end(text, start, None).0, Closing::Missing, last)
}

/// Where a run of key lines from line `start` ends, and whether it ends at a fence before line `fence_limit`.
fn run_end(text: &Decoded, start: usize, fence_limit: Option<usize>) -> (usize, bool) {
    let mut column = None;
    let mut index = start;
    while index < text.line_count() {
        let line = text.line(index);
        if fence_limit.is_some_and(|limit| index < limit) && line.starts_with("---") && is_fence(line) {
            return (index, true);
        }
        if column.is_none() {
            column = key_line(line).map(|key| key.column);
        } else if is_heading(line) || is_code_fence(line) {
            return (index, false);
        }
        let next = next_line(text, index);
        if next > index {
            if next >= text.line_count() || !goes_on(text.line(next), column) {
                let fence = fence_limit.is_some_and(|limit| next < limit) && is_fence(text.line(next));
                return if fence { (next, true) } else { (index, false) };
            }
            index = next;
        } else {
            index += 1;
        }
    }
    (text.line_count(), false)
}

/// Whether a line behind a blank one still belongs to the frontmatter.
fn goes_on(line: &str, column: Option<usize>) -> bool {
    let key = |key: KeyLine<'_>| column.is_none_or(|column| key.column <= column);
    line.starts_with([' ', '\t']) || key_line(line).is_some_and(key)
}

/// The first line from `index` on that is not blank.
fn next_line(text: &Decoded, index: usize) -> usize {
    let mut lines = index..text.line_count();
    lines.find(|index| !is_blank(text.line(*index))).unwrap_or(text.line_count())
}

fn opening_fence(line: &str) -> Option<Opening> {
    match is_fence(line) {
        true if line.starts_with('-') => Some(Opening::Fence),
        true => Some(Opening::Indented),
        false => None,
    }
}

/// Three or more dashes with optional blanks around.
fn is_fence(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && line.bytes().all(|byte| byte == b'-')
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && text.starts_with([' ', '\t'])
}

fn is_code_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

fn begins_with_field(line: &str) -> bool {
    key_line(line).is_some_and(|key| key.column == 0 && matches!(key.key, "name" | "description"))
}
