//! One job: find every `SKILL.md` below the roots, and account for each.

use crate::parse::{Finding, Skill, finding, parse};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Each file that was seen is a skill, shadowed, or an error among the findings.
#[derive(Default)]
pub struct Library {
    pub skills: Vec<Skill>,
    pub shadowed: Vec<Skill>,
    pub findings: Vec<Finding>,
}

/// Loads the roots in order, highest rank first. A bad file never spoils its neighbours.
pub fn load(roots: &[PathBuf]) -> Library {
    let mut library = Library::default();
    for root in roots {
        for location in find(root) {
            let (skill, findings) = match read(&location) {
                Ok(text) => parse(&text, location),
                Err(why) => (None, vec![finding("error", "unreadable", &location, &why.to_string())]),
            };
            library.findings.extend(findings);
            skill.into_iter().for_each(|skill| place(&mut library, skill));
        }
    }
    library.skills.sort_by(|a, b| a.name.cmp(&b.name));
    library
}

// EXERCISE 1 (checks 1 and 2): two skills may bear one name.
// The roots come highest first, so the skill that has the name already wins, and the later one is shadowed: keep it
// in `library.shadowed`, and push one finding, a "warning" with the code "shadowed", about the loser's location. Its
// message names the winner's location, so that both paths are in it. As it stands, the last one wins, without a word.
fn place(library: &mut Library, skill: Skill) {
    library.skills.retain(|other| other.name != skill.name);
    library.skills.push(skill);
}

/// A directory with a `SKILL.md` is a leaf: what lies below it is its own.
fn find(directory: &Path) -> Vec<PathBuf> {
    let skill = directory.join("SKILL.md");
    if skill.is_file() {
        return vec![skill];
    }
    children(directory).iter().filter(|path| path.is_dir()).flat_map(|path| find(path)).collect()
}

/// Sorted, whatever the disk's order is, and without links, so that nothing is a cycle. No directory: none.
pub fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| !path.is_symlink()).collect();
    paths.sort();
    paths
}

/// A file's text, with every platform's line ends as `\n`.
pub fn read(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).replace("\r\n", "\n"))
}
