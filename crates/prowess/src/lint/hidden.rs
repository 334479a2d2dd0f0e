//! Text in a body that a model reads, and that who reads the page rendered does not see.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::body::{Body, Finding};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::parse::{hidden, shorten};
use crate::text::one_line;

/// A comment of fewer words is a marker: an author, a date, a directive, `toc`.
const MARKER: usize = 4;
/// What comments begin with that are for people or for tools, in lower case.
const KNOWN: [&str; 18] = [
    "(c)",
    "all-contributors",
    "auto-",
    "automatically ",
    "copyright",
    "do not edit",
    "don't edit",
    "end doctoc",
    "fixme",
    "generated",
    "licence",
    "license",
    "spdx-",
    "start doctoc",
    "this file is generated",
    "toc",
    "todo",
    "©",
];

/// The comments of a body that say something.
pub(super) fn comments<'a>(body: &'a Body<'_>) -> impl Iterator<Item = Finding> + 'a {
    let mut comments = html_comments(&body.text);
    comments.extend(definitions(&body.text));
    comments.into_iter().filter(|(_, text)| words(text) >= MARKER).map(|(range, text)| {
        let begin = text.trim_start_matches(['-', '=', '*', '#']).trim_start().to_lowercase();
        let is_known = KNOWN.iter().any(|known| begin.starts_with(known));
        let severity = if is_known { Severity::Info } else { Severity::Warning };
        let message = format!("a comment that a model reads and a rendered page hides: `{}`", shorten(&text));
        let diagnostic = Diagnostic::new(Code::HiddenComment, body.location, message)
            .severity(severity)
            .help("say it where everybody sees it, or delete it");
        (diagnostic, range)
    })
}

/// What no reader sees, whatever shows the body.
pub(super) fn characters(body: &Body<'_>) -> Option<Finding> {
    let found = hidden::find(&body.text)?;
    let message = format!("hidden characters in the body: {}", found.what);
    let diagnostic = Diagnostic::new(Code::HiddenUnicode, body.location, message)
        .help("remove them, unless you know why they are there");
    Some((diagnostic, found.at..found.at))
}

/// HTML comments, each with its text in one line. One reaches to the next `-->`, or to the end, whatever is in between.
fn html_comments(body: &str) -> Vec<(Range<usize>, String)> {
    let mut comments = Vec::new();
    let mut done = 0;
    for (event, range) in Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter() {
        if !matches!(event, Event::Html(_) | Event::InlineHtml(_)) {
            continue;
        }
        let mut from = range.start.max(done);
        while let Some(start) =
            body.get(from..range.end).and_then(|html| html.find("<!--")).map(|at| from + at)
        {
            // `<!-->` is a whole one.
            let close = body.get(start + 2..).and_then(|rest| rest.find("-->")).map(|at| start + 2 + at);
            let text = body.get(start + 4..close.unwrap_or(body.len())).unwrap_or_default();
            done = close.map_or(body.len(), |close| close + 3);
            comments.push((start..done, one_line(text)));
            from = done;
        }
    }
    comments
}

/// Link definitions that lead nowhere: `[//]: # (text)`, and `[text]: #`.
fn definitions(body: &str) -> Vec<(Range<usize>, String)> {
    let parser = Parser::new_ext(body, Options::ENABLE_TABLES);
    let nowhere = parser.reference_definitions().iter().filter(|(_, to)| matches!(&*to.dest, "" | "#"));
    let text = |label: &str, title: Option<&str>| one_line(&format!("{label} {}", title.unwrap_or_default()));
    nowhere.map(|(label, to)| (to.span.clone(), text(label, to.title.as_deref()))).collect()
}

/// How many words of letters a text has. Scripts that put no blanks between words count a word for every two letters.
fn words(text: &str) -> usize {
    let is_letter = |c: &char| c.general_category() == GeneralCategory::OtherLetter;
    let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let words = words.filter(|word| !word.is_empty() && word.chars().all(char::is_alphabetic));
    words.map(|word| word.chars().filter(is_letter).count().div_ceil(2).max(1)).sum()
}
