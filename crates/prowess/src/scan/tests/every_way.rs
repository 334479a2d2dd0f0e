//! A disk gives one answer, whatever lists it and in whatever order it is walked.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use prowess_testkit::conformance::cases;
use prowess_testkit::{Node, Tree};

use crate::scan::{Order, Walk, enter, walk};
use crate::source::{Disk, Scan, ScanOptions, Source};

/// Scans with the system's own walk and with the portable one, depth-first and breadth-first.
#[track_caller]
pub(super) fn scan(root: &Path, options: &ScanOptions) -> Scan {
    let scan = Disk.scan(root, options);
    assert_eq!(format!("{scan:?}"), format!("{:?}", walk(&Disk, root, options)), "the portable walk");
    // A walk that was cancelled is cut where it was.
    if let Ok(Some(real)) = enter(&Disk, root)
        && !options.cancel.is_set()
    {
        let other = Walk::new(&Disk, options, root, &real, Order::BreadthFirst).run().unwrap_or_default();
        assert_eq!(format!("{scan:?}"), format!("{other:?}"), "breadth-first");
    }
    scan
}

#[test]
fn every_conformance_case() {
    for case in cases() {
        let tree = case.lay();
        for place in ["", "project/.agents/skills"] {
            for options in [ScanOptions::default(), ScanOptions::default().max_depth(2).max_directories(3)] {
                scan(&tree.at(place), &options.home(tree.at("home")));
            }
        }
    }
}

#[test]
fn more_entries_than_one_call_gives() {
    let long = "n".repeat(240);
    let crowd = (0..900).map(|file| (format!("root/crowd/{long}-{file}"), Node::from("")));
    let tree = crowd.fold(Tree::new(), |tree, (path, node)| tree.with(path, node));
    let tree = (0..300).fold(tree, |tree, skill| tree.skill(format!("root/crowd/{long}-{skill}-s")));
    assert_eq!(scan(&tree.at("root"), &ScanOptions::default()).files.len(), 300);
}

#[cfg(target_os = "linux")]
#[test]
fn deeper_than_a_path_may_be_long() {
    let tree = Tree::new().skill("root/a");
    let mut directory = rustix::fs::open(tree.at("root"), rustix::fs::OFlags::PATH, 0.into()).unwrap();
    for _ in 0..60 {
        let name = "d".repeat(100);
        rustix::fs::mkdirat(&directory, &name, 0o700.into()).unwrap();
        directory = rustix::fs::openat(&directory, &name, rustix::fs::OFlags::PATH, 0.into()).unwrap();
    }
    let scan = scan(&tree.at("root"), &ScanOptions::default().max_depth(100));
    assert_eq!(scan.files.len(), 1);
    assert_eq!(scan.diagnostics.len(), 1, "{:?}", scan.diagnostics);
}

#[cfg(target_os = "linux")]
#[test]
fn a_skipped_folder_at_the_end_of_the_longest_path() {
    use rustix::fs::{OFlags, mkdirat, open, openat};
    let tree = Tree::new().skill("root/a");
    let mut directory = open(tree.at("root"), OFlags::PATH, 0.into()).unwrap();
    let mut left = 4_085 - tree.at("root").as_os_str().len();
    while left > 1 {
        let name = "d".repeat((left - 1).min(100));
        left -= name.len() + 1;
        mkdirat(&directory, &name, 0o700.into()).unwrap();
        directory = openat(&directory, &name, OFlags::PATH, 0.into()).unwrap();
    }
    mkdirat(&directory, "build", 0o700.into()).unwrap();
    openat(&directory, "build/SKILL.md", OFlags::CREATE, 0o600.into()).unwrap();
    let scan = scan(&tree.at("root"), &ScanOptions::default().max_depth(100));
    assert_eq!((scan.files.len(), scan.diagnostics.len()), (1, 0), "{:?}", scan.diagnostics);
}

#[cfg(target_os = "linux")]
#[test]
fn deeper_than_there_are_descriptors() {
    let tree = Tree::new().skill(format!("root{}", "/d".repeat(30)));
    let limited = ["-c", r#"ulimit -n 20 && exec "$0" "$@""#];
    let this = std::env::current_exe().unwrap();
    let mut scan = std::process::Command::new("sh");
    scan.args(limited).arg(this).args(["--exact", "scan::tests::every_way::a_deep_scan", "--ignored"]);
    let scan = scan.env(DEEP, tree.at("root")).output().unwrap();
    assert!(scan.status.success(), "{}", String::from_utf8_lossy(&scan.stdout));
}

const DEEP: &str = "PROWESS_SCANS";

#[test]
#[ignore = "a process of its own, which another test starts"]
#[expect(clippy::disallowed_methods, reason = "its environment tells it what to scan")]
fn a_deep_scan() {
    if let Some(root) = std::env::var_os(DEEP) {
        let scan = scan(Path::new(&root), &ScanOptions::default().max_depth(30));
        assert_eq!((scan.files.len(), scan.diagnostics.len()), (1, 0), "{:?}", scan.diagnostics);
    }
}

/// What is laid at a path of names; links lead along names, too.
#[derive(Debug, Clone)]
enum Thing {
    File,
    Directory,
    Link(Vec<&'static OsStr>),
}

fn names(at_most: usize) -> impl Strategy<Value = Vec<&'static OsStr>> {
    let mut names =
        ["a", "b", "build", "c", "SKILL.md", "skill.md", "Skill.MD", "x.txt", "ä"].map(OsStr::new).to_vec();
    #[cfg(target_os = "linux")]
    names.push(std::os::unix::ffi::OsStrExt::from_bytes(b"not-\xff-text"));
    prop::collection::vec(prop::sample::select(names), 1..at_most)
}

fn things() -> impl Strategy<Value = Vec<(Vec<&'static OsStr>, Thing)>> {
    let up = prop::sample::select(vec!["", ".", "..", "../..", "../../.."]).prop_map(OsStr::new);
    let link = (up, names(4)).prop_map(|(up, names)| Thing::Link([vec![up], names].concat()));
    let upwards =
        prop::sample::select(vec!["..", ".", "../.."]).prop_map(|up| Thing::Link(vec![OsStr::new(up)]));
    let thing = prop_oneof![4 => Just(Thing::File), 2 => Just(Thing::Directory), 3 => link, 1 => upwards];
    prop::collection::vec((names(5), thing), 0..24)
}

/// Lays what has room: a path may be taken by another thing. Links come last, so that nothing is laid through one.
fn lay(root: &Path, mut things: Vec<(Vec<&'static OsStr>, Thing)>) {
    fs::create_dir_all(root).unwrap();
    things.sort_by_key(|(_, thing)| matches!(thing, Thing::Link(_)));
    for (path, thing) in things {
        let place = root.join(path.iter().collect::<PathBuf>());
        let parent = place.parent().unwrap();
        if Disk.real_path(parent).is_some_and(|real| real != parent) {
            continue;
        }
        let _ = fs::create_dir_all(parent).and_then(|()| match thing {
            Thing::File => fs::write(&place, "x"),
            Thing::Directory => fs::create_dir_all(&place),
            #[cfg(unix)]
            Thing::Link(target) => std::os::unix::fs::symlink(
                target.iter().filter(|name| !name.is_empty()).collect::<PathBuf>(),
                &place,
            ),
            #[cfg(not(unix))]
            Thing::Link(_) => Ok(()),
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_trees(things in things(), depth in 0usize..5, directories in 0usize..9) {
        let tree = Tree::new();
        let root = tree.at("x/y/root");
        lay(&root, things);
        let options = ScanOptions::default().max_depth(depth).home(tree.at("x/y"));
        scan(&root, &options);
        scan(&root, &options.clone().max_directories(directories));
        scan(&root, &ScanOptions { root_is_skill: true, ..options });
    }
}
