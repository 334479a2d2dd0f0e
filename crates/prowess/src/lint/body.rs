//! The body of a skill, for looking at.

use std::ops::Range;
use std::path::Path;

use crate::diagnostic::{Diagnostic, Span};
use crate::library::Library;
use crate::parse;
use crate::skill::Skill;

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
        let file = library.read_skill_file(skill, library.max_body()).ok()?.bytes;
        let start = parse::parse(&file, skill.location()).body;
        let (text, start) = match file.as_slice() {
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => (parse::body(&file, start), None),
            bytes => (same_length(bytes.get(start..)?), Some(start)),
        };
        Some(Self { location: skill.location(), text, file, start })
    }

    /// The diagnostic with its place in the file.
    pub(super) fn at(&self, diagnostic: Diagnostic, range: Range<usize>) -> Diagnostic {
        match self.start {
            Some(start) => diagnostic.span(Span::of(&self.file, start + range.start..start + range.end)),
            None => diagnostic,
        }
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
