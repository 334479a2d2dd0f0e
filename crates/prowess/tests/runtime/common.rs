use std::sync::Arc;

use prowess::activate::{Delivery, Status};
use prowess::source::Memory;
use prowess::{Ledger, Library, LoadOptions, Origin, Policy, Roots};
use prowess_testkit::{Node, Tree};

/// A `SKILL.md` of a name and a description.
pub(crate) fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nStep one.\n")
}

pub(crate) fn link(target: &str) -> Node {
    Node::Link(target.into())
}

/// Files in memory, with the roots `project` over `user` over `plugin-a` and `plugin-b`, which share a rank.
pub(crate) fn memory<P: AsRef<str>, T: AsRef<[u8]>>(files: impl IntoIterator<Item = (P, T)>) -> Library {
    memory_with(files, Policy::new())
}

pub(crate) fn memory_with<P: AsRef<str>, T: AsRef<[u8]>>(
    files: impl IntoIterator<Item = (P, T)>,
    policy: Policy,
) -> Library {
    let memory: Memory =
        files.into_iter().map(|(path, text)| (format!("/{}", path.as_ref()), text)).collect();
    let roots = Roots::new()
        .with("project", "/project")
        .and_then(|roots| roots.with("user", "/user"))
        .and_then(|roots| roots.with("plugin-a", "/plugin-a"))
        .and_then(|roots| roots.with_shared_rank("plugin-b", "/plugin-b"))
        .unwrap();
    Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)).policy(policy))
}

/// The default roots of `project` and `home` in a tree.
pub(crate) fn disk(tree: &Tree) -> Library {
    disk_with(tree, &LoadOptions::new())
}

pub(crate) fn disk_with(tree: &Tree, options: &LoadOptions) -> Library {
    Library::load(&Roots::agents(tree.at("project"), tree.at("home")), options)
}

/// Delivers a skill's body to a session of its own.
pub(crate) fn activate(library: &Library, name: &str, origin: Origin) -> Delivery {
    library.activate(name, origin).deliver(&mut Ledger::new(), "here")
}

/// The text that the model gets for a body.
#[track_caller]
pub(crate) fn body(library: &Library, name: &str) -> String {
    let delivery = activate(library, name, Origin::User);
    assert_eq!(delivery.status(), Status::New, "{}", delivery.text());
    delivery.into_text()
}

pub(crate) fn ids(library: &Library) -> Vec<&str> {
    library.skills().iter().map(|skill| skill.id()).collect()
}

pub(crate) fn shadowed_ids(library: &Library) -> Vec<&str> {
    library.shadowed().iter().map(|shadowed| shadowed.skill.id()).collect()
}

pub(crate) fn codes(library: &Library) -> Vec<&str> {
    library.diagnostics().iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

/// Every `SKILL.md` that was seen is in exactly one state, and every id is one skill's.
#[track_caller]
pub(crate) fn check_states(library: &Library) {
    let states = library.skills().len()
        + library.shadowed().len()
        + library.duplicates().len()
        + library.invalid().len();
    assert_eq!(states, library.scan().skill_files);
    let shadowed = library.shadowed().iter().map(|shadowed| &shadowed.skill);
    let all: Vec<_> = library.skills().iter().chain(shadowed).collect();
    for skill in &all {
        assert_eq!(library.find_exact(skill.id()).map(|found| found.location()), Some(skill.location()));
        let called = library.find(library.call_name(skill), Origin::Model).unwrap();
        assert_eq!(called.location(), skill.location());
    }
    let mut locations: Vec<_> = all.iter().map(|skill| skill.location()).collect();
    locations.extend(library.duplicates().iter().map(|copy| copy.location.as_path()));
    locations.extend(library.invalid().iter().map(|invalid| invalid.location.as_path()));
    locations.sort();
    locations.dedup();
    assert_eq!(locations.len(), states);
}
