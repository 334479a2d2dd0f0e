//! What the fuzz targets share.

use std::sync::Arc;

use prowess::source::Memory;
use prowess::{Library, LoadOptions, Roots};

/// A library in memory: the files below the root `/s`, each with its text.
pub fn library<'a>(files: impl IntoIterator<Item = (String, &'a str)>) -> Library {
    let files = files.into_iter().map(|(path, text)| (format!("/s/{path}"), text));
    let memory: Memory = files.collect();
    let roots = Roots::new().with("user", "/s").expect("a scope");
    Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)))
}

/// Three skills with bodies of their own, one of them for the user alone.
pub fn three_skills() -> Library {
    let files = [
        ("pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\nFill in the form.\n"),
        ("pdf/notes.md", "Notes.\n"),
        ("long/SKILL.md", concat!("---\nname: long\ndescription: Writes.\n---\n", include_str!("lib.rs"))),
        (
            "ship/SKILL.md",
            "---\nname: ship\ndescription: Ships.\ndisable-model-invocation: true\n---\nShip it.\n",
        ),
    ];
    library(files.map(|(path, text)| (path.to_owned(), text)))
}
