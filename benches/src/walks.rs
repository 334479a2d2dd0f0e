//! The walks: Prowess' own, those that a Rust program would take from a library, and the floor.

#[cfg(target_os = "linux")]
mod floor;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use prowess::source::{Disk, SKIP, ScanOptions, Source};

use crate::measure::{self, median};
use crate::table;
use crate::trees::{self, Tree};

const RUNS: usize = 10;
/// How many levels below the root are searched.
const DEPTH: usize = 6;

/// A walk that is ready to go; it gives the number of skills that it finds.
type Ready = Box<dyn FnMut() -> usize>;
type Walk = (&'static str, fn(&Path, &'static [&'static str]) -> Ready);

const WALKS: &[Walk] = &[
    ("Prowess", prowess),
    ("std `read_dir`", read_dir),
    ("`walkdir`", walkdir),
    ("`ignore`, one thread", ignore),
    ("`jwalk`, serial", jwalk),
    #[cfg(target_os = "linux")]
    ("by link count: sees no links, no `skill.md`", floor::by_link_count),
    #[cfg(target_os = "linux")]
    ("floor: open each by its path, list, close", floor::by_path),
    #[cfg(target_os = "linux")]
    ("floor: open each within the one above, list, close", floor::within),
];

/// Prints the table of the walks over the large tree: A with the skip list, B without.
pub(crate) fn report() -> Result<(), String> {
    let tree = trees::large().map_err(|error| format!("no tree: {error}"))?;
    let (a, b) = (costs(&tree, SKIP)?, costs(&tree, &[])?);
    println!("## The walk\n");
    println!(
        "{} skills; A with the skip list, B without; CPU milliseconds, median of {RUNS}; system calls of one walk.",
        tree.skills
    );
    println!("File system: {}.\n", file_system(&tree.root));
    let calls: Vec<Option<i64>> = (0..WALKS.len()).map(|walk| system_calls(walk, &tree.root)).collect();
    let with_calls = calls.iter().all(Option::is_some);
    let row = |at: usize| {
        let counted = calls[at].filter(|_| with_calls).map(table::grouped);
        let cells =
            [Some(WALKS[at].0.to_owned()), Some(table::time(a[at])), counted, Some(table::time(b[at]))];
        cells.into_iter().flatten().collect()
    };
    let head = ["walk", "A", "system calls", "B"];
    let head: Vec<&str> = head.into_iter().filter(|title| with_calls || *title != "system calls").collect();
    table::print(&head, &(0..WALKS.len()).map(row).collect::<Vec<_>>());
    if !with_calls {
        println!("`strace` is not there, or may not trace: no system calls.\n");
    }
    Ok(())
}

/// The median of each walk's processor time. The walks take turns, so that a busy moment hits them all.
fn costs(tree: &Tree, skip: &'static [&'static str]) -> Result<Vec<f64>, String> {
    let mut ready: Vec<Ready> = WALKS.iter().map(|(_, prepare)| prepare(&tree.root, skip)).collect();
    let mut times = vec![Vec::new(); WALKS.len()];
    for _ in 0..RUNS {
        for (at, walk) in ready.iter_mut().enumerate() {
            let (found, cost) = measure::run(walk);
            if found != tree.skills {
                return Err(format!("{} finds {found} skills, not {}", WALKS[at].0, tree.skills));
            }
            times[at].push(cost.cpu);
        }
    }
    Ok(times.into_iter().map(median).collect())
}

/// What a process that walks calls more than one that only gets ready to.
fn system_calls(walk: usize, root: &Path) -> Option<i64> {
    let (this, walk) = (std::env::current_exe().ok()?, walk.to_string());
    let count = |what| measure::system_calls(&this, &["once", what, &walk, root.to_str()?]);
    Some(count("walk")? - count("prepare")?)
}

/// Gets one walk ready, and takes it if asked to: what the count of system calls runs.
pub(crate) fn once(what: &str, walk: &str, root: &str) {
    let prepare = walk.parse().ok().and_then(|at: usize| WALKS.get(at)).expect("the number of a walk").1;
    let mut ready = prepare(root.as_ref(), SKIP);
    if what == "walk" {
        println!("{}", ready());
    }
}

fn file_system(root: &Path) -> String {
    #[cfg(target_os = "linux")]
    return floor::file_system(root);
    #[cfg(not(target_os = "linux"))]
    return format!("unknown ({}); the floor is only measured on Linux", root.display());
}

fn is_skill_file(name: &OsStr) -> bool {
    name == "SKILL.md"
}

fn is_skipped(name: &OsStr, skip: &[&str]) -> bool {
    skip.iter().any(|skip| name == *skip)
}

fn prowess(root: &Path, skip: &'static [&'static str]) -> Ready {
    let root = root.to_path_buf();
    let options =
        ScanOptions::default().max_depth(DEPTH).max_directories(usize::MAX).skip(skip.iter().copied());
    Box::new(move || Disk.scan(&root, &options).files.len())
}

fn read_dir(root: &Path, skip: &'static [&'static str]) -> Ready {
    fn search(directory: &Path, depth: usize, skip: &[&str]) -> usize {
        let mut below: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if is_skill_file(&name) {
                return 1;
            }
            if depth < DEPTH && entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_skipped(&name, skip)
            {
                below.push(entry.path());
            }
        }
        below.iter().map(|directory| search(directory, depth + 1, skip)).sum()
    }
    let root = root.to_path_buf();
    Box::new(move || search(&root, 0, skip))
}

fn walkdir(root: &Path, skip: &'static [&'static str]) -> Ready {
    let root = root.to_path_buf();
    Box::new(move || {
        // Sorted, `SKILL.md` comes before the folders of its skill.
        let walk = walkdir::WalkDir::new(&root).max_depth(DEPTH + 1).sort_by_file_name();
        let mut entries = walk.into_iter();
        let mut found = 0;
        while let Some(entry) = entries.next() {
            let Ok(entry) = entry else { continue };
            if entry.file_type().is_dir() && (entry.depth() > DEPTH || is_skipped(entry.file_name(), skip)) {
                entries.skip_current_dir();
            } else if is_skill_file(entry.file_name()) {
                found += 1;
                entries.skip_current_dir();
            }
        }
        found
    })
}

fn ignore(root: &Path, skip: &'static [&'static str]) -> Ready {
    let root = root.to_path_buf();
    Box::new(move || {
        let mut builder = ignore::WalkBuilder::new(&root);
        builder.standard_filters(false).threads(1).max_depth(Some(DEPTH + 1));
        builder.sort_by_file_name(std::cmp::Ord::cmp);
        let last_skill = std::sync::Mutex::new(PathBuf::new());
        builder.filter_entry(move |entry| {
            let mut last = last_skill.lock().expect("one thread");
            if is_skill_file(entry.file_name()) {
                *last = entry.path().parent().unwrap_or(entry.path()).to_path_buf();
                return true;
            }
            let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
            let is_below = entry.path().parent() == Some(last.as_path());
            !(is_directory && (is_below || entry.depth() > DEPTH || is_skipped(entry.file_name(), skip)))
        });
        builder.build().flatten().filter(|entry| is_skill_file(entry.file_name())).count()
    })
}

fn jwalk(root: &Path, skip: &'static [&'static str]) -> Ready {
    let root = root.to_path_buf();
    Box::new(move || {
        let walk = jwalk::WalkDir::new(&root).parallelism(jwalk::Parallelism::Serial).skip_hidden(false);
        let walk = walk.max_depth(DEPTH + 1).process_read_dir(move |depth, _, (), children| {
            let is_skill = |child: &Result<jwalk::DirEntry<((), ())>, _>| {
                child.as_ref().is_ok_and(|child| is_skill_file(&child.file_name))
            };
            let leaf = children.iter().any(is_skill) || depth.is_some_and(|depth| depth >= DEPTH);
            for child in children.iter_mut().flatten() {
                if leaf || is_skipped(&child.file_name, skip) {
                    child.read_children_path = None;
                }
            }
        });
        walk.into_iter().flatten().filter(|entry| is_skill_file(&entry.file_name)).count()
    })
}
