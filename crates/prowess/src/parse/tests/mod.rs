mod fences;
mod fields;
mod properties;
mod values;

use std::path::Path;

use super::{Parsed, parse, repaired};
use crate::diagnostic::{Code, Severity};

/// Parses a file of the skill in directory `d`.
pub(super) fn parsed(file: &[u8]) -> Parsed {
    parse(file, Path::new("skills/d/SKILL.md"))
}

/// The codes of all warnings and errors.
pub(super) fn loud(parsed: &Parsed) -> Vec<Code> {
    let loud = parsed.diagnostics.iter().filter(|found| found.severity > Severity::Info);
    loud.map(|found| found.code).collect()
}

/// The codes of all information.
pub(super) fn quiet(parsed: &Parsed) -> Vec<Code> {
    let quiet = parsed.diagnostics.iter().filter(|found| found.severity == Severity::Info);
    quiet.map(|found| found.code).collect()
}

/// Applies all repairs and asserts what must hold of the outcome.
#[track_caller]
pub(super) fn check_repairs(file: &[u8]) -> Parsed {
    let before = parsed(file);
    let fixed = repaired(file, &before.diagnostics);
    let after = parsed(&fixed);
    let text = String::from_utf8_lossy(&fixed);
    assert_eq!(after.frontmatter.description, before.frontmatter.description, "{text}");
    assert_eq!(after.frontmatter.name, before.frontmatter.name, "{text}");
    assert!(!loud(&after).contains(&Code::YamlRepaired), "{text}\n{:?}", after.diagnostics);
    after
}
