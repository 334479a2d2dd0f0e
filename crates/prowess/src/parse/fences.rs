//! Where the frontmatter begins and ends (R1, R2).

use std::ops::Range;

use super::bytes::Decoded;
use super::lines::{is_blank, key_line};
use super::report::Finding;
use crate::diagnostic::Code;
use crate::text::slice;

/// How many lines of text may stand before an opening fence.
const PREAMBLE_LINES: usize = 40;

/// The frontmatter's place.
#[derive(Debug)]
pub(super) struct Split {
    /// The lines between the fences.
    pub(super) yaml: Range<usize>,
    /// Where the body begins in the raw bytes.
    pub(super) body: usize,
    /// What is wrong with the fences.
    pub(super) findings: Vec<Finding>,
}

/// What stands before the opening fence; of several things the last of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Preamble {
    BlankLines,
    Comment,
    CodeFence,
    Text,
}

/// The frontmatter, if there is one, and the last line that had to be looked at to know.
pub(super) fn split(text: &Decoded) -> (Option<Split>, usize) {
    let (first, preamble) = skip_preamble(text);
    if is_fence(text.line(first)) {
        let (split, reach) = fenced(text, first, preamble);
        (Some(split), reach)
    } else if begins_with_field(text.line(first)) {
        let (end, closed) = run_end(text, first);
        let (help, line) = ("add a line `---` before the first key", text.line_range(first));
        let finding = Finding::new(Code::FrontmatterPreamble, &line, "the opening fence is missing", help);
        let opening = finding.fix(line.start..line.start, "---\n");
        let reach = if closed { end } else { text.line_count() - 1 };
        (Some(Split::new(text, first..end, closed, Some(opening))), reach)
    } else {
        fence_behind_text(text, first)
    }
}

impl Split {
    fn new(text: &Decoded, yaml: Range<usize>, closed: bool, opening: Option<Finding>) -> Self {
        let fence = text.line_range(yaml.end);
        let line = slice(&text.text, fence.clone());
        let flaw = |what, help| Finding::new(Code::UnclosedFrontmatter, &fence, what, help);
        let mut body = text.raw_line_start(yaml.end + 1);
        let closing = if !closed {
            body = text.raw_line_start(yaml.end);
            let is_line_start = fence.start == 0 || slice(&text.text, ..fence.start).ends_with('\n');
            let (at, new) = (fence.start..fence.start, if is_line_start { "---\n" } else { "\n---\n" });
            let help = "add a line `---` behind the last key";
            let finding = Finding::new(Code::UnclosedFrontmatter, &at, "the closing fence is missing", help);
            Some(finding.fix(at, new))
        } else if line.starts_with([' ', '\t']) {
            let finding = flaw("the closing fence is indented", "write `---` at the line's start");
            Some(finding.fix(fence.clone(), "---"))
        } else if line.starts_with("---") && line.contains(|c| !matches!(c, '-' | ' ' | '\t')) {
            body = text.raw(fence.start + 3);
            let finding = flaw("text stands behind the closing fence", "end the line after the third dash");
            Some(finding.fix(fence.clone(), format!("---\n{}", slice(line, 3..).trim_start())))
        } else {
            None
        };
        Self { yaml, body, findings: opening.into_iter().chain(closing).collect() }
    }
}

/// The first line that is no blank line, no HTML comment and not the one code fence, and what was passed over.
fn skip_preamble(text: &Decoded) -> (usize, Option<Preamble>) {
    let mut preamble = None;
    let mut index = 0;
    while index + 1 < text.line_count() {
        let line = text.line(index).trim();
        let passed = if line.is_empty() {
            Preamble::BlankLines
        } else if line.starts_with("<!--")
            && let Some(end) = comment_end(text, index)
        {
            index = end;
            Preamble::Comment
        } else if is_code_fence(line) && preamble != Some(Preamble::CodeFence) {
            Preamble::CodeFence
        } else {
            break;
        };
        preamble = preamble.max(Some(passed));
        index += 1;
    }
    (index, preamble)
}

/// The line on which the HTML comment of line `start` ends, if nothing follows it there.
fn comment_end(text: &Decoded, start: usize) -> Option<usize> {
    let end = (start..text.line_count()).find(|index| text.line(*index).contains("-->"))?;
    text.line(end).trim_end().ends_with("-->").then_some(end)
}

/// The first fence behind prose that one of the two required keys follows.
fn fence_behind_text(text: &Decoded, first: usize) -> (Option<Split>, usize) {
    let open_comment = text.line(first).trim_start().starts_with("<!--");
    let mut reach = if open_comment { text.line_count() } else { first };
    let limit = PREAMBLE_LINES.min(text.line_count());
    for fence in (first..limit).filter(|index| is_fence(text.line(*index))) {
        let next = next_line(text, fence + 1);
        reach = reach.max(next);
        if begins_with_field(text.line(next)) {
            let (split, closed) = fenced(text, fence, Some(Preamble::Text));
            return (Some(split), reach.max(closed));
        }
    }
    (None, reach.max(limit))
}

/// The frontmatter behind the fence on line `fence`, and the last line looked at.
fn fenced(text: &Decoded, fence: usize, preamble: Option<Preamble>) -> (Split, usize) {
    let opening = opening_flaw(text, fence, preamble);
    let start = fence + 1;
    if let Some(end) = (start..text.line_count()).find(|index| is_end(text.line(*index))) {
        return (Split::new(text, start..end, true, opening), end);
    }
    let indented = (start..text.line_count()).find(|index| is_fence(text.line(*index)));
    let (end, closed) = indented.map_or_else(|| run_end(text, start), |end| (end, true));
    (Split::new(text, start..end, closed, opening), text.line_count() - 1)
}

fn opening_flaw(text: &Decoded, fence: usize, preamble: Option<Preamble>) -> Option<Finding> {
    let line = text.line_range(fence);
    let (what, fixed_from) = match preamble {
        None if text.line(fence).starts_with('-') => return None,
        None => ("the opening fence is indented", Some(line.start)),
        Some(Preamble::BlankLines) => ("blank lines stand before the opening fence", Some(0)),
        Some(Preamble::Comment) => ("a comment stands before the opening fence", None),
        Some(Preamble::CodeFence) => ("a code fence stands before the opening fence", None),
        Some(Preamble::Text) => ("text stands before the opening fence", None),
    };
    let help = "begin the file with the line `---`";
    let finding = Finding::new(Code::FrontmatterPreamble, &line, what, help);
    Some(match fixed_from {
        Some(start) => finding.fix(start..line.end, "---"),
        None => finding,
    })
}

/// Where a run of key lines from line `start` ends, and whether a closing fence ends it.
fn run_end(text: &Decoded, start: usize) -> (usize, bool) {
    let mut column = None;
    let mut index = start;
    while index < text.line_count() {
        let next = next_line(text, index);
        let line = text.line(next);
        let key = key_line(line).map(|key| key.column);
        if is_end(line) {
            return (next, true);
        }
        let goes_on = line.starts_with([' ', '\t']) || key.is_some_and(|key| key <= column.unwrap_or(key));
        let breaks = column.is_some() && (is_heading(line) || is_code_fence(line));
        if breaks || (next > index && !goes_on) {
            return (index, false);
        }
        column = column.or(key);
        index = next + 1;
    }
    (text.line_count(), false)
}

/// The first line from `index` on that is not blank.
fn next_line(text: &Decoded, index: usize) -> usize {
    let mut lines = index..text.line_count();
    lines.find(|index| !is_blank(text.line(*index))).unwrap_or(text.line_count())
}

/// Whether a line at the margin ends the frontmatter, whatever follows its third dash.
fn is_end(line: &str) -> bool {
    line.starts_with("---") || line.trim_end() == "..."
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
