//! The body of a skill, for looking at.

use std::ops::Range;
use std::path::Path;

use crate::activate::MAX_HEAD;
use crate::diagnostic::{Diagnostic, Span};
use crate::library::Library;
use crate::parse;
use crate::skill::Skill;

/// What is wrong, and where in the text.
pub(super) type Finding = (Diagnostic, Range<usize>);

/// A body whose places can be found again in its file.
pub(super) struct Body<'a> {
    pub(super) location: &'a Path,
    /// Each byte that is no UTF-8 as `?`.
    pub(super) text: String,
    file: Vec<u8>,
    /// Where the text begins in the file; none where their offsets part, as in UTF-16.
    start: Option<usize>,
}

impl<'a> Body<'a> {
    /// Reads it, as far as it may be activated; none if it can't be read.
    pub(super) fn read(library: &Library, skill: &'a Skill) -> Option<Self> {
        let file = library.read_skill_file(skill, library.max_body().saturating_add(MAX_HEAD)).ok()?.bytes;
        let start = parse::parse(&file, skill.location()).body;
        let (text, start) = match file.as_slice() {
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => (parse::body(&file, start), None),
            bytes => (same_length(bytes.get(start..)?), Some(start)),
        };
        Some(Self { location: skill.location(), text, file, start })
    }

    /// What was found in the text, by its place in the file.
    pub(super) fn placed(&self, mut found: Vec<Finding>) -> Vec<Diagnostic> {
        found.sort_by_key(|(_, range)| range.start);
        let mut last = Span { start: 0, end: 0, line: 1, column: 1 };
        let place = |(diagnostic, range): Finding| {
            let Some(text) = self.start else { return diagnostic };
            let (start, end) = (text + range.start, text + range.end);
            let rest = self.file.get(last.start..).unwrap_or_default();
            let way = Span::of(rest, start - last.start..end - last.start);
            let column = if way.line == 1 { last.column + way.column - 1 } else { way.column };
            last = Span { start, end, line: last.line + way.line - 1, column };
            diagnostic.span(last)
        };
        found.into_iter().map(place).collect()
    }
}

fn same_length(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}
