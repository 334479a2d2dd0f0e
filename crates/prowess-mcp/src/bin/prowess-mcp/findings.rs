//! What is wrong with skills, in lines for a client's log.

use prowess::diagnostic::{Code, Severity};
use prowess::{Library, Origin};
use prowess_args::Global;

/// How many lines are printed of one kind.
const LINES: usize = 20;

/// Everything that was found wrong and is at least so bad as the options want to hear of, and how many of it are not shown.
pub(crate) fn of_load(library: &Library, options: &Global) -> Vec<String> {
    let least = match (options.quiet, options.verbose) {
        (true, _) => Severity::Error,
        (_, true) => Severity::Info,
        _ => Severity::Warning,
    };
    let mut found = library.diagnostics_for(Origin::User);
    // Skills that are not trusted are counted in a line of their own.
    found.retain(|found| found.severity >= least && found.code != Code::Untrusted);
    found.sort_by_key(|found| std::cmp::Reverse(found.severity));
    cut(found.iter().map(ToString::to_string), "`prowess check` prints all")
}

/// The skills that the Skills extension can't express.
pub(crate) fn left_out(skills: &[(String, String)]) -> Vec<String> {
    let lines = skills.iter().map(|(id, why)| format!("skill `{id}` is not in `skills/list`: {why}"));
    cut(lines, "the tool `why_skill` names more")
}

fn cut(lines: impl ExactSizeIterator<Item = String>, help: &str) -> Vec<String> {
    let more = lines.len().saturating_sub(LINES);
    let lines = lines.take(LINES).map(|line| line.replace('\n', " "));
    lines.chain((more > 0).then(|| format!("and {more} more: {help}"))).collect()
}
