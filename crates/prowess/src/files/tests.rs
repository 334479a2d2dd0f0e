use std::sync::Arc;

use prowess_testkit::{Node, Tree};

use crate::activate::digest;
use crate::source::Memory;
use crate::trust::{Rule, Trust};
use crate::{ErrorKind, Library, LoadOptions, Origin, Policy, Roots};

const SKILL: &str = "---\nname: pdf\ndescription: Fills forms.\n---\n";

fn library(memory: Memory) -> Library {
    let roots = Roots::new().with("user", "/skills").unwrap();
    Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)))
}

#[track_caller]
fn check(path: &str, max: u64, expected: Result<&[u8], ErrorKind>) {
    let memory = Memory::new()
        .with("/skills/pdf/skill.md", SKILL)
        .with("/skills/pdf/a/b.bin", [0_u8, 255, 13, 10].as_slice())
        .with("/skills/secret.txt", "secret");
    let library = library(memory);
    let pdf = library.find("pdf", Origin::User).unwrap();
    let read = library.file(pdf, path, max);
    assert_eq!(read.as_deref().map_err(|error| error.kind()), expected, "{path}");
    let fingerprint = library.fingerprint(pdf, path, max);
    let found = fingerprint.map(|found| (found.digest, found.size)).map_err(|error| error.kind());
    assert_eq!(found, expected.map(|bytes| (digest(bytes), bytes.len() as u64)), "{path}");
}

#[test]
fn files_are_read_raw_and_whole_or_not_at_all() {
    check("SKILL.md", 1024, Ok(SKILL.as_bytes()));
    check("SKILL.md", 10, Err(ErrorKind::BodyTooLarge));
    check("skill.md", 1024, Err(ErrorKind::UnknownResource));
    check("a/b.bin", 4, Ok(&[0, 255, 13, 10]));
    check("a/b.bin", 3, Err(ErrorKind::BodyTooLarge));
    check("a/b", 1024, Err(ErrorKind::UnknownResource));
    check("./a/b.bin", 1024, Err(ErrorKind::UnknownResource));
    check("../secret.txt", 1024, Err(ErrorKind::NotConfined));
    check("/skills/secret.txt", 1024, Err(ErrorKind::NotConfined));
    check("a", 1024, Err(ErrorKind::UnknownResource));
    check("", 1024, Err(ErrorKind::UnknownResource));
}

#[test]
fn nothing_is_told_of_files_outside_of_the_skill() {
    let outside = Tree::of([("secret.txt", Node::from("secret"))]);
    let secret = outside.at("secret.txt");
    let tree = Tree::new()
        .skill("skills/pdf")
        .with("skills/pdf/a.txt", Node::from("one"))
        .with("skills/pdf/link", Node::Link(secret.clone()))
        .with("skills/pdf/above", Node::Link("..".into()))
        .with("skills/secret.txt", Node::from("secret"));
    let roots = Roots::new().with("user", tree.at("skills")).unwrap();
    let load = |trust| Library::load(&roots, &LoadOptions::new().policy(Policy::new().trust(trust)));
    let library = load(Trust::new());
    let pdf = library.find("pdf", Origin::User).unwrap();
    let within = tree.at("skills/pdf/a.txt");
    for path in ["a.txt", "./a.txt", within.to_str().unwrap()] {
        assert!(library.stamp(pdf, path).is_some(), "{path}");
    }
    let secret = secret.to_str().unwrap();
    for path in [secret, "link", "above/secret.txt", "../secret.txt", "x/../a.txt", "..", "above"] {
        assert_eq!(library.stamp(pdf, path).map(|stamp| stamp.size), None, "{path}");
    }
    let library = load(Trust::new().rule(Rule::Deny));
    assert_eq!(library.stamp(library.find("pdf", Origin::User).unwrap(), "SKILL.md"), None);
}

#[test]
fn a_stamp_tells_an_edited_file() {
    let tree = Tree::new().skill("skills/pdf").with("skills/pdf/a.txt", Node::from("one"));
    let roots = Roots::new().with("user", tree.at("skills")).unwrap();
    let library = Library::load(&roots, &LoadOptions::new());
    let pdf = library.find("pdf", Origin::User).unwrap();
    let before = library.stamp(pdf, "a.txt").unwrap();
    assert_eq!(library.stamp(pdf, "a.txt"), Some(before));
    tree.remove("skills/pdf/a.txt");
    assert_eq!(library.stamp(pdf, "a.txt"), None);
    let tree = tree.with("skills/pdf/a.txt", Node::from("longer"));
    assert_ne!(library.stamp(pdf, "a.txt"), Some(before));
    assert!(library.stamp(pdf, "SKILL.md").is_some());
    drop(tree);
}
