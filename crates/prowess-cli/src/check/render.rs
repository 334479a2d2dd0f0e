//! Diagnostics with their source line and a caret, in the manner of rustc; a correction as a diff.

use std::fs;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet};
use prowess::diagnostic::{Diagnostic, Repair, Severity, Span};
use prowess::parse;
use prowess::text::visible;

use super::{Report, relative};
use crate::failure::Failure;
use crate::output::{BOLD, CYAN, GREEN, Output, RED, safe};

/// How wide lines are where there is no terminal.
const WIDTH: usize = 120;

/// What line numbers and an ellipsis take of it.
const MARGIN: usize = 8;

pub(super) fn human(report: &Report, output: &mut Output) -> Result<(), Failure> {
    let width = output.width().unwrap_or(WIDTH);
    // The bright colours that come by default can't be read on a light background.
    let renderer = Renderer::styled().help(CYAN.bold()).addition(GREEN).removal(RED).term_width(width);
    for of_one_file in report.diagnostics.chunk_by(|one, other| one.path == other.path) {
        let has_place = of_one_file.iter().any(|diagnostic| diagnostic.span.is_some());
        // The file is read anew: it may have gone or changed since, and then goes without its lines.
        let file = if has_place { fs::read(&of_one_file[0].path).unwrap_or_default() } else { Vec::new() };
        for diagnostic in of_one_file {
            output.line(renderer.render(&groups(diagnostic, &file, width)))?;
            output.line("")?;
        }
    }
    output.styled(BOLD, summary(report))?;
    let repairable = report.repairable().len();
    if repairable > 0 {
        let what = if repairable == 1 { "1 file".to_owned() } else { format!("{repairable} files") };
        output.line(format!("{what} can be repaired: `prowess check --fix`"))?;
    }
    Ok(())
}

fn summary(report: &Report) -> String {
    let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    format!(
        "checked {} SKILL.md: {}, {}, {}",
        report.files,
        counted(report.count(Severity::Error), "error"),
        counted(report.count(Severity::Warning), "warning"),
        counted(report.count(Severity::Info), "note"),
    )
}

fn groups<'a>(diagnostic: &'a Diagnostic, file: &[u8], width: usize) -> Vec<Group<'a>> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let path = safe(&relative(&diagnostic.path));
    let title = level.primary_title(safe(&diagnostic.message)).id(diagnostic.code.as_str());
    let mut main = match diagnostic.span.and_then(|span| Excerpt::of(file, span.start..span.end)) {
        Some(excerpt) => title.element(excerpt.within(width).annotated(&path, diagnostic.label.as_deref())),
        None => title.element(origin(&path, diagnostic.span)),
    };
    for related in &diagnostic.related {
        main = main.element(Level::NOTE.message(format!("see {}", safe(&relative(related)))));
    }
    let repair = diagnostic.repair.as_ref().and_then(|repair| correction(file, &path, repair));
    match (&diagnostic.help, repair) {
        (_, Some(repair)) => vec![main, repair],
        (Some(help), None) => vec![main.element(Level::HELP.message(visible(help)))],
        (None, None) => vec![main],
    }
}

fn origin(path: &str, span: Option<Span>) -> Origin<'static> {
    let origin = Origin::path(path.to_owned());
    match span {
        Some(span) => origin.line(span.line).char_column(span.column),
        None => origin,
    }
}

fn correction(file: &[u8], path: &str, repair: &Repair) -> Option<Group<'static>> {
    let excerpt = Excerpt::of(file, repair.start..repair.end)?;
    let patch = Patch::new(excerpt.span.clone(), visible(&repair.text));
    let snippet = Snippet::source(excerpt.text).path(path.to_owned()).line_start(excerpt.line).patch(patch);
    Some(Level::HELP.secondary_title("write it so").element(snippet))
}

/// Whole lines of a file, safe to print, and a range in them.
struct Excerpt {
    text: String,
    line: usize,
    span: Range<usize>,
}

impl Excerpt {
    /// The lines of a range of raw bytes, decoded; the file may have become shorter since.
    fn of(file: &[u8], raw: Range<usize>) -> Option<Self> {
        let text = parse::body(file, 0);
        let decoded = |end: usize| {
            Some(parse::body(file.get(..end)?, 0).len()).filter(|end| text.is_char_boundary(*end))
        };
        let range = decoded(raw.start)?..decoded(raw.end)?;
        let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
        let (head, marked) = (visible(&text[start..range.start]), visible(text.get(range.clone())?));
        let span = head.len()..head.len() + marked.len();
        let line = text[..start].matches('\n').count() + 1;
        Some(Self { text: format!("{head}{marked}{}", visible(&text[range.end..end])), line, span })
    }

    /// The first line, cut so that line number and text fit the width.
    fn within(mut self, width: usize) -> Self {
        let room = width.saturating_sub(MARGIN);
        let line = self.text.lines().next().unwrap_or_default();
        let cut = line.char_indices().nth(room).map(|(at, _)| at);
        let end = cut.unwrap_or(line.len());
        self.text = format!("{}{}", &line[..end], if cut.is_some() { "…" } else { "" });
        self.span = self.span.start.min(end)..self.span.end.min(end);
        self
    }

    fn annotated(
        self,
        path: &str,
        label: Option<&str>,
    ) -> Snippet<'static, annotate_snippets::Annotation<'static>> {
        let mark = AnnotationKind::Primary.span(self.span);
        let mark = match label {
            Some(label) => mark.label(safe(label)),
            None => mark,
        };
        Snippet::source(self.text).path(path.to_owned()).line_start(self.line).annotation(mark)
    }
}
