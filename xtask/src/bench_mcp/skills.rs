//! Skills by the thousand, each with a text of about 5 kB and one more file.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

/// The file beside each `SKILL.md`.
pub(super) const RESOURCE: &str = "references/notes.md";
/// How many lines a text has.
const LINES: usize = 65;

/// The name of a skill by its number.
pub(super) fn name(number: usize) -> String {
    format!("case-{number:05}")
}

/// What the description, the text and the other file of a skill say, and those of no other.
pub(super) fn mark(number: usize) -> String {
    format!("case number {number:05}")
}

/// Lays so many skills in a directory.
pub(super) fn lay(directory: &Path, count: usize) -> io::Result<()> {
    for number in 0..count {
        let skill = directory.join(name(number));
        fs::create_dir_all(skill.join("references"))?;
        fs::write(skill.join("SKILL.md"), text(number, "as it is"))?;
        fs::write(skill.join(RESOURCE), format!("Notes on {}.\n", mark(number)).repeat(20))?;
    }
    Ok(())
}

/// A `SKILL.md`. `state` stands in its text.
pub(super) fn text(number: usize, state: &str) -> String {
    let (name, mark) = (name(number), mark(number));
    let mut text = format!(
        "---\nname: {name}\ndescription: Handles {mark}, {state}. Use when a request is about this case, its \
         parts or the report on it.\nlicense: MIT\n---\n# {mark}, {state}\n\n"
    );
    for line in 0..LINES {
        writeln!(text, "{line}. Read the part of the case that the request is about, then go on.").ok();
    }
    text
}
