//! What the files say: each version differs from every other, in length too, and says where it ends.

use std::fmt::Write;

/// The name of a skill by its slot.
pub(super) fn name(slot: usize) -> String {
    format!("soak-{slot:03}")
}

/// The slot of a name, if there can be a skill of that name.
pub(super) fn slot(name: &str) -> Option<usize> {
    let slot = name.strip_prefix("soak-")?.parse().ok()?;
    (slot < super::world::SLOTS && self::name(slot) == name).then_some(slot)
}

/// A `SKILL.md`.
pub(super) fn skill(slot: usize, version: u64) -> String {
    let name = name(slot);
    format!("---\nname: {name}\ndescription: Version {version} of a text.\n---\n{}", body(version))
}

/// The text below the frontmatter, and all of any other file.
pub(super) fn body(version: u64) -> String {
    let mut text = format!("Version {version} begins.\n");
    for line in 0..20 + version % 60 {
        // A string can be written to.
        let _ = writeln!(text, "{line}. A line that a model would read, as it is in version {version}.");
    }
    text + &format!("Version {version} ends.\n")
}

/// Which version a text or a description is of.
pub(super) fn version(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once("Version ")?;
    rest.split(' ').next()?.parse().ok()
}
