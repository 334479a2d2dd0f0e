//! Directories that are replaced by links between a load and what follows.

use std::fs;
use std::os::unix::fs::symlink;

use prowess::activate::Status;
use prowess::source::ByteRange;
use prowess::{ErrorKind, Ledger, Library, Origin};
use prowess_testkit::{Node, Tree};

use crate::load;

fn tree() -> Tree {
    Tree::of([
        ("skills/group/kit/references/guide.md", Node::from("guide")),
        ("skills/group/kit/notes.md", Node::from("notes")),
        ("other/kit/SKILL.md", "---\nname: kit\ndescription: Another.\n---\nOTHER\n".into()),
        ("other/kit/notes.md", Node::from("OTHER")),
        ("other/references/guide.md", Node::from("OTHER")),
        ("keys/notes.md", Node::from("OTHER")),
    ])
    .skill("skills/group/kit")
}

/// Puts a link in the place of a directory.
fn swap(tree: &Tree, directory: &str, target: &str) {
    fs::rename(tree.at(directory), tree.at("aside")).expect("a directory");
    symlink(tree.at(target), tree.at(directory)).expect("a link");
}

/// Nothing of what the link leads to is delivered, listed or read.
#[track_caller]
fn check_refused(library: &Library, ledger: &mut Ledger) {
    let delivery = library.activate("kit", Origin::Model).deliver(ledger, "1");
    assert_eq!(delivery.status(), Status::Denied);
    assert!(!delivery.text().contains("OTHER"), "{}", delivery.text());
    let read = library.request_resource("kit", "notes.md", ByteRange::FIRST, Origin::Model);
    let read = read.deliver(ledger, "2");
    assert!(read.error().is_some() && !read.text().contains("OTHER"), "{}", read.text());
    let skill = library.find("kit", Origin::User).expect("it was loaded");
    assert_eq!(library.resources(skill, 10).total, 0);
    assert!(library.file(skill, "SKILL.md", 1_000).is_err());
    assert!(library.file(skill, "notes.md", 1_000).is_err());
}

#[test]
fn a_skill_that_became_a_link_is_refused_until_it_is_loaded_again() {
    for (directory, target) in
        [("skills/group/kit", "other/kit"), ("skills/group", "other"), ("skills/group/kit", "keys")]
    {
        let tree = tree();
        let library = load(&tree.at("skills"));
        swap(&tree, directory, target);
        check_refused(&library, &mut Ledger::new());
        let again = library.reload().library;
        let delivery = again.activate("kit", Origin::Model).deliver(&mut Ledger::new(), "1");
        assert_eq!(delivery.text().contains("OTHER"), target != "keys", "{}", delivery.text());
    }
}

#[test]
fn a_body_that_became_a_link_is_refused() {
    let tree = tree();
    let library = load(&tree.at("skills"));
    tree.remove("skills/group/kit/SKILL.md");
    symlink(tree.at("other/kit/SKILL.md"), tree.at("skills/group/kit/SKILL.md")).expect("a link");
    let delivery = library.activate("kit", Origin::Model).deliver(&mut Ledger::new(), "1");
    assert_eq!(delivery.error().map(prowess::Error::kind), Some(ErrorKind::NotConfined));
}

#[test]
fn a_folder_that_became_a_link_is_not_read_or_listed() {
    let tree = tree();
    let library = load(&tree.at("skills"));
    swap(&tree, "skills/group/kit/references", "other/references");
    let skill = library.find("kit", Origin::User).expect("a skill");
    let read = library.resource(skill, "references/guide.md", ByteRange::FIRST);
    assert_eq!(read.map_err(|error| error.kind()), Err(ErrorKind::NotConfined));
    let listed = library.resources(skill, 10);
    assert_eq!(listed.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["notes.md"]);
    assert_eq!(listed.outside, ["references"]);
    let delivery = library.activate("kit", Origin::Model).deliver(&mut Ledger::new(), "1");
    assert_eq!(delivery.status(), Status::New);
}

#[test]
fn a_skill_that_is_saved_anew_is_delivered() {
    let tree = tree();
    let library = load(&tree.at("skills"));
    let new = "---\nname: kit\ndescription: Saved.\n---\nSaved.\n";
    fs::write(tree.at("skills/group/kit/new"), new).expect("a file");
    fs::rename(tree.at("skills/group/kit/new"), tree.at("skills/group/kit/SKILL.md")).expect("a file");
    let delivery = library.activate("kit", Origin::Model).deliver(&mut Ledger::new(), "1");
    assert!(delivery.text().contains("Saved."), "{}", delivery.text());
}
