use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use prowess_testkit::{Node, Tree};

use super::fs::stamp;
use super::{ByteRange, Disk, Memory, Source};
use crate::error::{Error, ErrorKind};

const ALL: ByteRange = ByteRange { offset: 0, length: u64::MAX };

fn link(target: &str) -> Node {
    Node::Link(target.into())
}

fn skill() -> Tree {
    let text = |text: &str| Node::from(text);
    Tree::of([
        ("s/references/out.md", text("out")),
        ("s/references/GUIDE.md", text("guide")),
        ("s/scripts/a.py", text("0123456789")),
        ("s/scripts/a.sh", text("echo")),
        ("s/LICENSE", text("MIT")),
        ("s/inside.md", link("references/out.md")),
        ("s/outside.md", link("../secret.md")),
        ("s/absolute.md", link("/etc/hosts")),
        ("s/folder", link("references")),
        ("s/above", link("..")),
        ("s/gone.md", link("nowhere")),
        ("s/pipe", Node::Fifo),
        ("s/zeros", link("/dev/zero")),
        ("secret.md", text("secret")),
    ])
    .skill("s")
}

fn shown(result: Result<super::Part, Error>) -> String {
    match result {
        Ok(part) => format!("{}={}", part.path, String::from_utf8_lossy(&part.bytes)),
        Err(error) => error.kind().as_str().to_string(),
    }
}

#[test]
fn resources_stay_inside() {
    let tree = skill();
    let cases = [
        ("references/out.md", "references/out.md=out"),
        ("./references//./out.md", "references/out.md=out"),
        ("references/out", "references/out.md=out"),
        ("LICENSE", "LICENSE=MIT"),
        ("inside.md", "inside.md=out"),
        ("inside", "inside.md=out"),
        ("folder/GUIDE.md", "folder/GUIDE.md=guide"),
        ("folder/GUIDE", "folder/GUIDE.md=guide"),
        ("scripts/a", "unknown-resource"),
        ("references", "unknown-resource"),
        ("nothing.md", "unknown-resource"),
        ("LICENSE/x", "unknown-resource"),
        ("gone.md", "unknown-resource"),
        ("pipe", "unknown-resource"),
        ("", "unknown-resource"),
        (".", "unknown-resource"),
        ("../secret.md", "not-confined"),
        ("references/../../secret.md", "not-confined"),
        ("references/../LICENSE", "not-confined"),
        ("..\\secret.md", "not-confined"),
        ("\\secret.md", "not-confined"),
        ("/etc/hosts", "not-confined"),
        ("a\0b", "not-confined"),
        ("outside.md", "not-confined"),
        ("outside", "not-confined"),
        ("absolute.md", "not-confined"),
        ("above/secret.md", "not-confined"),
        ("above/secret", "not-confined"),
        ("zeros", "not-confined"),
    ];
    for (path, expected) in cases {
        assert_eq!(shown(Disk.read_resource(&tree.at("s"), path, ALL)), expected, "{path:?}");
    }
    let long = "x".repeat(5_000);
    assert_eq!(shown(Disk.read_resource(&tree.at("s"), &long, ALL)), "unknown-resource");
    assert_eq!(shown(Disk.read_resource(&tree.at("none"), "x", ALL)), "io");
}

#[track_caller]
fn check_candidates(source: &dyn Source, directory: &Path, path: &str, expected: &[&str]) {
    let error = source.read_resource(directory, path, ALL).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownResource);
    let candidates: Vec<&str> = error.candidates().iter().map(String::as_str).take(expected.len()).collect();
    assert_eq!(candidates, expected, "{path}");
}

#[test]
fn an_unknown_resource_names_what_is_there() {
    let tree = skill();
    check_candidates(&Disk, &tree.at("s"), "scripts/a", &["scripts/a.py", "scripts/a.sh"]);
    check_candidates(&Disk, &tree.at("s"), "references", &["references/out.md", "references/GUIDE.md"]);
    check_candidates(
        &Disk,
        &tree.at("s"),
        "references/guide.md",
        &["references/GUIDE.md", "references/out.md"],
    );
    check_candidates(&Disk, &tree.at("s"), "LICENCE", &["LICENSE"]);
    let many: Memory = (0..50).map(|n| (format!("s/{n}.txt"), "x")).collect();
    let error = many.read_resource(Path::new("s"), "none", ALL).unwrap_err();
    assert_eq!(error.candidates().len(), 20);
}

#[test]
fn ranges_are_cut_to_the_file() {
    let tree = skill();
    let memory = Memory::new().with("s/scripts/a.py", "0123456789");
    for (offset, length, expected) in [
        (0, 4, "0123"),
        (8, 4, "89"),
        (3, 0, ""),
        (10, 1, ""),
        (u64::MAX, u64::MAX, ""),
        (1, u64::MAX, "123456789"),
    ] {
        let range = ByteRange { offset, length };
        let part = Disk.read_resource(&tree.at("s"), "scripts/a.py", range).unwrap();
        assert_eq!((String::from_utf8_lossy(&part.bytes).as_ref(), part.size), (expected, 10));
        assert_eq!(part, memory.read_resource(Path::new("s"), "scripts/a.py", range).unwrap());
    }
}

#[test]
fn prefixes_are_read_of_regular_files_only() {
    let tree = skill();
    let prefix = Disk.read_prefix(&tree.at("s/scripts/a.py"), 4).unwrap();
    assert_eq!((prefix.bytes.as_slice(), prefix.size), (&b"0123"[..], 10));
    assert_eq!(Disk.read_prefix(&tree.at("s/inside.md"), usize::MAX).unwrap().bytes, b"out");
    for path in ["s/pipe", "s/zeros", "s/scripts", "s/gone.md", "s/none"] {
        assert_eq!(Disk.read_prefix(&tree.at(path), 4).unwrap_err().kind(), ErrorKind::Io, "{path}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_ends_before_its_size_has_the_size_that_was_read() {
    let file = Path::new("/sys/kernel/mm/transparent_hugepage/enabled");
    match Disk.read_prefix(file, usize::MAX) {
        Ok(prefix) => assert_eq!(prefix.size, prefix.bytes.len() as u64),
        Err(error) => println!("not tested: {error}"),
    }
}

#[test]
fn resources_are_listed_sorted_and_counted() {
    let tree = skill()
        .with("s/node_modules/lib/x.js", "x".into())
        .with("s/.git/HEAD", "x".into())
        .with("s/dist/x.js", "x".into())
        .with("s/examples/toy/SKILL.md", "x".into())
        .with("s/skill.md", "x".into());
    let resources = Disk.resources(&tree.at("s"), 100);
    let listed: Vec<String> =
        resources.files.iter().map(|file| format!("{} {}", file.path, file.size)).collect();
    let expected = [
        "LICENSE 3",
        "dist/x.js 1",
        "examples/toy/SKILL.md 1",
        "inside.md 3",
        "references/GUIDE.md 5",
        "references/out.md 3",
        "scripts/a.py 10",
        "scripts/a.sh 4",
        "skill.md 1",
    ];
    assert_eq!(listed, expected);
    assert_eq!(resources.total, expected.len());
    let capped = Disk.resources(&tree.at("s"), 2);
    assert_eq!((capped.files.as_slice(), capped.total), (&resources.files[..2], expected.len()));
    assert_eq!(Disk.resources(&tree.at("none"), 2), super::Resources::default());
}

#[test]
fn a_listing_that_is_cut_says_so() {
    let many = |count: usize| {
        let files = (0..count).map(|number| (format!("/s/a/{number:06}"), ""));
        files.collect::<Memory>().with("/s/z/last.md", "").resources(Path::new("/s"), 1)
    };
    // The folders are entries, too.
    let (whole, cut) = (many(99_997), many(200_002));
    assert_eq!((whole.total, whole.is_cut), (99_998, false));
    assert_eq!((cut.total, cut.is_cut), (99_998, true));
    assert_eq!(whole.files[0], cut.files[0]);
}

#[test]
fn a_memory_resolves_dots() {
    let memory = Memory::new().with("/a/./b/../SKILL.md", "x").with("a/file", "1").with("a/file/below", "2");
    assert_eq!(memory.real_path(Path::new("/a/c/..")).as_deref(), Some(Path::new("/a")));
    assert_eq!(memory.real_path(Path::new("/b")), None);
    assert_eq!(memory.read_prefix(Path::new("/a/SKILL.md"), 9).unwrap().bytes, b"x");
    assert_eq!(memory.resources(Path::new("a"), 9).total, 1);
}

proptest! {
    #[test]
    fn no_path_leads_out(path in r"(\.\.|\.|/|\\|a|above|references|secret\.md|\x00|~|C:){0,6}") {
        let tree = Tree::of([("s/above", link("..")), ("s/references/a", "in".into()), ("secret.md", "secret".into())]);
        if let Ok(part) = Disk.read_resource(&tree.at("s"), &path, ALL) {
            prop_assert_eq!(part.bytes, b"in");
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a stamp is made of what the system says")]
fn a_stamp_settles_when_one_more_edit_would_have_another_time() {
    let tree = Tree::new().skill("s");
    let metadata = fs::metadata(tree.at("s/SKILL.md")).unwrap();
    let touched = stamp(&metadata, SystemTime::UNIX_EPOCH).unwrap().changed;
    for (seconds, settled) in [(0, false), (2, false), (4, true)] {
        let looked = touched + Duration::from_secs(seconds);
        assert_eq!(stamp(&metadata, looked).unwrap().settled, settled, "{seconds} s after");
    }
    assert!(
        !stamp(&metadata, touched - Duration::from_secs(60)).unwrap().settled,
        "a clock that was set back"
    );
}
