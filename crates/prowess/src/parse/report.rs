//! The findings of one parse, and the corrections that go with them.

use std::ops::Range;
use std::path::Path;

use super::bytes::Decoded;
use super::yaml::{Aliases, read};
use crate::diagnostic::{Code, Diagnostic, Repair};

/// How much of a corrected line a help shows, in characters.
const SHOWN: usize = 160;

/// New text for a range of the decoded text; an empty range inserts.
struct Edit {
    finding: usize,
    at: Range<usize>,
    text: String,
}

/// Collects findings. Places are byte offsets into the decoded text.
pub(super) struct Report<'a> {
    path: &'a Path,
    text: &'a Decoded,
    findings: Vec<Diagnostic>,
    edits: Vec<Edit>,
    /// The finding whose correction writes the whole frontmatter anew, and the lines that it writes.
    rewrite: Option<(usize, Range<usize>)>,
}

impl<'a> Report<'a> {
    pub(super) fn new(path: &'a Path, text: &'a Decoded) -> Self {
        Self { path, text, findings: Vec::new(), edits: Vec::new(), rewrite: None }
    }

    /// Adds a finding; its number serves for [`Report::edit`].
    pub(super) fn add(
        &mut self,
        code: Code,
        at: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> usize {
        let finding = Diagnostic::new(code, self.path, message).span(self.text.span(&at)).help(help);
        self.findings.push(finding);
        self.findings.len() - 1
    }

    /// Corrects what a finding is about: `at` is whole lines without the last line end, or empty to insert lines.
    pub(super) fn edit(&mut self, finding: usize, at: Range<usize>, text: String) {
        self.edits.push(Edit { finding, at, text });
    }

    /// Lets one finding correct all of `lines`, with every other correction inside of them.
    pub(super) fn rewrite(&mut self, finding: usize, lines: Range<usize>) {
        self.rewrite = Some((finding, lines));
    }

    /// The findings in the order of the file.
    ///
    /// `yaml` is what was read of the frontmatter, `None` if that is only a part: then nothing is corrected. Corrections
    /// that would not make YAML of it are left out.
    pub(super) fn finish(mut self, yaml: Option<Range<usize>>) -> Vec<Diagnostic> {
        self.edits.sort_by_key(|edit| (edit.at.start, edit.at.end));
        match yaml {
            None => {
                self.edits.clear();
                self.rewrite = None;
            }
            Some(yaml) if !self.makes_yaml(&yaml) => {
                self.edits.retain(|edit| edit.at.is_empty() || !is_within(edit, &yaml));
                self.rewrite = None;
            }
            Some(_) => {}
        }
        if let Some((finding, at)) = self.rewrite.take() {
            let text = self.edited(&at, self.edits.iter().filter(|edit| is_within(edit, &at)));
            self.edits.retain(|edit| !is_within(edit, &at));
            self.edits.push(Edit { finding, at, text });
        }
        for edit in std::mem::take(&mut self.edits) {
            let finding = edit.finding;
            self.findings[finding].repair = Some(self.repair(edit));
        }
        self.findings.sort_by_key(|finding| finding.span.map(|span| span.start));
        self.findings
    }

    fn repair(&self, edit: Edit) -> Repair {
        let line = self.text.line_of(edit.at.start);
        let start = match self.text.line_start(line) == edit.at.start {
            true => self.text.raw_line_start(line),
            false => self.text.raw(edit.at.start),
        };
        let end = if edit.at.is_empty() { start } else { self.text.raw(edit.at.end) };
        Repair { start, end, text: edit.text }
    }

    /// Whether the corrections of whole lines leave YAML with a mapping as its root.
    fn makes_yaml(&self, yaml: &Range<usize>) -> bool {
        let edits = || self.edits.iter().filter(|edit| !edit.at.is_empty() && is_within(edit, yaml));
        edits().next().is_none()
            || read(&self.edited(yaml, edits()), Aliases::Refuse)
                .is_some_and(|document| document.pairs.is_some())
    }

    /// The text of `range` with `edits` applied.
    fn edited<'e>(&self, range: &Range<usize>, edits: impl Iterator<Item = &'e Edit>) -> String {
        let mut out = String::new();
        let mut done = range.start;
        for edit in edits {
            out.push_str(&self.text.text[done..edit.at.start]);
            out.push_str(&edit.text);
            done = edit.at.end;
        }
        out + &self.text.text[done..range.end]
    }
}

fn is_within(edit: &Edit, range: &Range<usize>) -> bool {
    edit.at.start >= range.start && edit.at.end <= range.end
}

/// `text`, cut after so many characters that a line of talk can take.
pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
