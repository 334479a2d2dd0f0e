use std::sync::Arc;

use prowess::scope::Places;
use prowess::skill::Skill;
use prowess::source::Memory;
use prowess::{Library, LoadOptions, Roots};

use super::{Addresses, address, uri};

/// Two skills called `pdf` of one rank, one that lost its name in its own scope, and one with a name of two scripts.
fn library() -> Library {
    let skill = |name: &str| format!("---\nname: {name}\ndescription: Does {name}.\n---\n");
    let memory = Memory::new()
        .with("/one/pdf/SKILL.md", skill("pdf"))
        .with("/two/pdf/SKILL.md", skill("pdf") + "other")
        .with("/one/a/forms/SKILL.md", skill("forms"))
        .with("/one/b/forms/SKILL.md", skill("forms") + "other")
        .with("/one/résumé/SKILL.md", skill("résumé"));
    let roots = Roots::new().with("one", "/one").and_then(|roots| roots.with_shared_rank("two", "/two"));
    Library::load(&roots.unwrap(), &LoadOptions::new().source(Arc::new(memory)))
}

#[test]
fn every_skill_has_an_address_that_ends_in_its_name() {
    let library = library();
    let addresses = Addresses::new(&library);
    let expected = ["copy.one/b/forms/forms", "forms", "résumé", "scope.one/pdf", "scope.two/pdf"];
    assert_eq!(addresses.sorted(), expected);
    for address in expected {
        let skill: &Skill = addresses.find(address).unwrap();
        assert_eq!(address.rsplit('/').next(), Some(skill.name()));
        assert_eq!(super::address(&library, skill), address);
        let place = addresses.place(&uri(address, "a b/c.md")).unwrap();
        assert_eq!((place.skill.id(), place.path.as_str()), (skill.id(), "a b/c.md"));
    }
}

#[test]
fn a_directory_may_hold_what_ids_and_uris_give_a_meaning() {
    let skill = |more: &str| format!("---\nname: pdf\ndescription: Does it.\n---\n{more}");
    let directories = ["pdf", "@older/pdf", "@z/pdf", "a@b/pdf"];
    let memory = directories.iter().fold(Memory::new(), |memory, directory| {
        memory.with(format!("/one/{directory}/SKILL.md"), skill(directory))
    });
    // The skills of a root beside its project are told from each other by ways that lead up.
    let places = Places::new("/project", "/home").enterprise("/none");
    let roots = Roots::within(&places).with("project", "/one").unwrap();
    let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
    let addresses = Addresses::new(&library);
    assert_eq!(addresses.sorted().len(), directories.len(), "{:?}", addresses.sorted());
    for skill in library.all() {
        let uri = uri(&address(&library, skill), "SKILL.md");
        let place = addresses.place(&uri).map(|place| (place.skill.id().to_owned(), place.path));
        assert_eq!(place, Some((skill.id().to_owned(), "SKILL.md".to_owned())), "{uri}");
    }
}

#[track_caller]
fn check(uri: &str, expected: Option<(&str, &str)>) {
    let library = library();
    let place = Addresses::new(&library).place(uri);
    let found = place.as_ref().map(|place| (address(&library, &place.skill), place.path.as_str()));
    assert_eq!(found, expected.map(|(address, path)| (address.to_owned(), path)), "{uri}");
}

#[test]
fn a_uri_means_a_file_of_a_skill_or_nothing() {
    check("skill://forms/SKILL.md", Some(("forms", "SKILL.md")));
    check("skill://forms", Some(("forms", "")));
    check("skill://forms/", Some(("forms", "")));
    check("skill://f%6Frms/a%20b", Some(("forms", "a b")));
    check("skill://r%C3%A9sum%C3%A9/SKILL.md", Some(("résumé", "SKILL.md")));
    check("skill://résumé/SKILL.md", Some(("résumé", "SKILL.md")));
    check("skill://scope.two/pdf/SKILL.md", Some(("scope.two/pdf", "SKILL.md")));
    check("skill://pdf/SKILL.md", None);
    check("skill://nope/SKILL.md", None);
    check("skill://", None);
    check("skill:///forms", None);
    check("file:///etc/passwd", None);
    check("/etc/passwd", None);
    check("", None);
    check("skill://../../etc/passwd", None);
    check("skill://forms/../pdf/SKILL.md", None);
    check("skill://forms/./SKILL.md", None);
    check("skill://forms//SKILL.md", None);
    check("skill://forms/%2e%2e/%2e%2e/etc/passwd", None);
    check("skill://forms/..%2f..%2fetc%2fpasswd", None);
    check("skill://forms/%252e%252e/x", Some(("forms", "%2e%2e/x")));
    check("skill://forms/a%5cb", None);
    check("skill://forms/a%00b", None);
    check("skill://forms/a\0b", None);
    check("skill://forms/%ff", None);
    check("skill://forms/SKILL.md?x", None);
    check("skill://forms/SKILL.md#x", None);
}
