//! Workflow commands that GitHub shows beside the changed lines.

use prowess::diagnostic::{Diagnostic, Severity};
use prowess::text::visible;

use super::{Report, relative};
use crate::failure::Failure;
use crate::output::Output;

pub(super) fn annotations(report: &Report, output: &mut Output) -> Result<(), Failure> {
    report.diagnostics.iter().try_for_each(|diagnostic| Ok(output.line(annotation(diagnostic))?))
}

fn annotation(diagnostic: &Diagnostic) -> String {
    let kind = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let path = relative(&diagnostic.path);
    let place =
        diagnostic.span.map_or_else(String::new, |span| format!(",line={},col={}", span.line, span.column));
    let help = diagnostic.help.as_ref().map_or_else(String::new, |help| format!("\nhelp: {help}"));
    format!(
        "::{kind} file={}{place},title={}::{}",
        property(&path),
        diagnostic.code,
        data(&format!("{}{help}", diagnostic.message))
    )
}

fn data(text: &str) -> String {
    visible(text).replace('%', "%25").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
