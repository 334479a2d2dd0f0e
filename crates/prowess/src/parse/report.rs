//! Findings and their corrections, from places in the text to places in the raw file.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use super::bytes::Decoded;
use super::yaml;
use crate::diagnostic::{Code, Diagnostic, Repair};
use crate::text::slice;

/// How much of a corrected line a help shows, in characters.
const SHOWN: usize = 160;

/// Something that is wrong. Places are byte offsets into the decoded text.
#[derive(Debug)]
pub(super) struct Finding {
    code: Code,
    at: Range<usize>,
    message: String,
    help: String,
    fix: Option<Fix>,
}

/// New text for whole lines, with or without the last line end; an empty range inserts.
#[derive(Debug)]
struct Fix {
    at: Range<usize>,
    text: String,
}

impl Finding {
    pub(super) fn new(
        code: Code,
        at: &Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { code, at: at.clone(), message: message.into(), help: help.into(), fix: None }
    }

    /// Corrects the lines `at` to `text`, or inserts it there if `at` is empty.
    pub(super) fn fix(mut self, at: Range<usize>, text: impl Into<String>) -> Self {
        self.fix = Some(Fix { at, text: text.into() });
        self
    }
}

/// Takes the corrections within `yaml` back if they don't make YAML of it, or if `text` ends before it does.
pub(super) fn keep_sound_fixes(findings: &mut [Finding], text: &str, yaml: Range<usize>) {
    let mut fixes = fixes_within(findings, &yaml);
    fixes.retain(|fix| !fix.at.is_empty());
    let makes_yaml = || yaml::read(&fixed(text, &yaml, &fixes), 0, &BTreeSet::new()).is_some();
    let is_sound = fixes.is_empty() || (text.len() == yaml.end && makes_yaml());
    if !is_sound {
        for finding in findings {
            finding.fix.take_if(|fix| !fix.at.is_empty() && fix.is_within(&yaml));
        }
    }
}

/// Lets `finding` correct all of `at`: it takes over the corrections of other findings within.
pub(super) fn rewrite(findings: &mut Vec<Finding>, finding: Finding, text: &str, at: Range<usize>) {
    let new = fixed(text, &at, &fixes_within(findings, &at));
    for finding in &mut *findings {
        finding.fix.take_if(|fix| fix.is_within(&at));
    }
    findings.push(finding.fix(at, new));
}

/// The findings in the order of the file.
pub(super) fn diagnostics(mut findings: Vec<Finding>, text: &Decoded, path: &Path) -> Vec<Diagnostic> {
    findings.sort_by_key(|finding| finding.at.start);
    let diagnostics = findings.into_iter().map(|finding| {
        let mut found = Diagnostic::new(finding.code, path, finding.message);
        found.repair = finding.fix.map(|fix| fix.repair(text));
        found.span(text.span(&finding.at)).help(finding.help)
    });
    diagnostics.collect()
}

impl Fix {
    fn is_within(&self, range: &Range<usize>) -> bool {
        self.at.start >= range.start && self.at.end <= range.end
    }

    fn repair(self, text: &Decoded) -> Repair {
        // A character that was dropped at the beginning of a line belongs to that line.
        let line_start = |offset: usize| {
            let line = text.line_of(offset);
            (text.line_start(line) == offset).then(|| text.raw_line_start(line))
        };
        let start = line_start(self.at.start).unwrap_or_else(|| text.raw(self.at.start));
        let end = match line_start(self.at.end).filter(|_| self.text.ends_with('\n')) {
            _ if self.at.is_empty() => start,
            Some(next_line) => next_line,
            None => text.raw(self.at.end),
        };
        Repair { start, end, text: self.text }
    }
}

/// The corrections within `range`, in the order of the file.
fn fixes_within<'a>(findings: &'a [Finding], range: &Range<usize>) -> Vec<&'a Fix> {
    let fixes = findings.iter().filter_map(|finding| finding.fix.as_ref());
    let mut fixes: Vec<&Fix> = fixes.filter(|fix| fix.is_within(range)).collect();
    fixes.sort_by_key(|fix| (fix.at.start, fix.at.end));
    fixes
}

/// The text of `range` with `fixes` applied.
fn fixed(text: &str, range: &Range<usize>, fixes: &[&Fix]) -> String {
    let mut out = String::new();
    let mut done = range.start;
    for fix in fixes {
        out.push_str(slice(text, done..fix.at.start));
        out.push_str(&fix.text);
        done = fix.at.end;
    }
    out + slice(text, done..range.end)
}

/// `text`, cut after so many characters that a line of talk can take.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", slice(text, ..end)),
        None => text.to_owned(),
    }
}
