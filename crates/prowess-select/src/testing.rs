//! What the tests of several modules need.

use std::sync::Arc;

use prowess::source::Memory;
use prowess::{Library, LoadOptions, Roots};

/// A library of skills with these names and descriptions, in memory.
pub(crate) fn library(skills: &[(&str, &str)]) -> Library {
    let memory = skills.iter().fold(Memory::new(), |memory, (name, description)| {
        memory.with(
            format!("/skills/{name}/SKILL.md"),
            format!("---\nname: {name}\ndescription: {description}\n---\nThe body of {name}.\n"),
        )
    });
    let roots = Roots::new().with("user", "/skills").unwrap();
    Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)))
}
