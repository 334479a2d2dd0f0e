//! The lab's fixtures, carried inside the program.

use std::path::PathBuf;

macro_rules! fixtures {
    ($($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../lab/fixtures/", $path)))),+]
    };
}

/// Path below the fixtures, and text.
const FILES: &[(&str, &str)] = fixtures![
    "home/.agents/skills/commit-message/SKILL.md",
    "home/.agents/skills/sql-review/SKILL.md",
    "project/.agents/skills/changelog/SKILL.md",
    "project/.agents/skills/changelog/references/versioning.md",
    "project/.agents/skills/commit-message/SKILL.md",
    "project/.agents/skills/commit-message/assets/template.txt",
    "project/.agents/skills/commit-message/references/areas.md",
    "project/.agents/skills/commit-message/references/examples.md",
    "project/.agents/skills/commit-message/scripts/staged-summary.sh",
    "project/.agents/skills/drafts/README.md",
    "project/.agents/skills/pdf-forms/SKILL.md",
    "project/.agents/skills/pdf-forms/references/appearance.md",
    "project/.agents/skills/pdf-forms/scripts/fill.py",
    "project/.agents/skills/pdf-forms/scripts/list_fields.py",
];

/// The project's root of skills.
pub(super) const PROJECT: &str = "/lab/project/.agents/skills";
/// The home's root of skills.
pub(super) const HOME: &str = "/lab/home/.agents/skills";

pub(super) fn files() -> Vec<(PathBuf, String)> {
    FILES.iter().map(|(path, text)| (PathBuf::from("/lab").join(path), (*text).to_owned())).collect()
}
