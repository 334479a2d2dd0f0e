//! The trees that are measured: made once below `target/bench`, the same on every machine.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// How old a tree is when it is measured.
const AGE: Duration = Duration::from_secs(5);

/// A tree of skills on disk, where most programs look for skills in a project.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) name: String,
    pub(crate) project: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) skills: usize,
}

/// Raised when a generator changes, so that a tree of an older one is made anew.
const VERSION: u32 = 2;

/// A repository of 100 areas with 10 packages each, with their sources, tests and installed packages: about 61,000
/// directories and 218,000 files, among them 1,000 skills, on three levels.
pub(crate) fn large() -> io::Result<Tree> {
    let tree = Tree::new("large", 1_000);
    tree.make(|root| {
        for number in 0..1_000 {
            package(&root.join(format!("area-{:02}/package-{number:03}", number / 10)), number)?;
        }
        files(&root.join(".git/objects"), 0..256, 3)
    })?;
    Ok(tree)
}

/// That many skills side by side in one directory.
pub(crate) fn flat(skills: usize) -> io::Result<Tree> {
    let tree = Tree::new(&format!("flat-{skills}"), skills);
    tree.make(|root| (0..skills).try_for_each(|number| skill(&root.join(name(number)), number)))?;
    Ok(tree)
}

/// That many skills in folders of 100.
pub(crate) fn grouped(skills: usize) -> io::Result<Tree> {
    let tree = Tree::new(&format!("grouped-{skills}"), skills);
    let directory = |number: usize| format!("group-{:03}/{}", number / 100, name(number));
    tree.make(|root| (0..skills).try_for_each(|number| skill(&root.join(directory(number)), number)))?;
    Ok(tree)
}

/// Removes every tree, so that they are made anew.
pub(crate) fn remove_all() -> io::Result<()> {
    match fs::remove_dir_all(home().join("trees")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Where trees and peers are kept.
pub(crate) fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target").join("bench")
}

impl Tree {
    fn new(name: &str, skills: usize) -> Self {
        let project = home().join("trees").join(format!("{name}-{VERSION}"));
        Self { name: name.to_owned(), root: project.join(".claude/skills"), project, skills }
    }

    /// Makes the tree unless it is there; an interrupted one is made anew.
    fn make(&self, lay: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        if self.project.is_dir() {
            return Ok(());
        }
        eprintln!("making {}", self.project.display());
        let partial = self.project.with_extension("partial");
        if partial.exists() {
            fs::remove_dir_all(&partial)?;
        }
        let root = partial.join(".claude/skills");
        fs::create_dir_all(&root)?;
        lay(&root)?;
        // Where one of the programs looks.
        std::os::unix::fs::symlink(".claude/skills", partial.join("skills"))?;
        fs::rename(&partial, &self.project)?;
        // Files are seldom from the same second: a reload does not trust the times of those that are.
        thread::sleep(AGE);
        Ok(())
    }
}

fn package(directory: &Path, number: usize) -> io::Result<()> {
    files(directory, 0..0, 4)?;
    files(&directory.join("src"), 0..4, 4)?;
    files(&directory.join("src/module-0/detail/inner"), 0..0, 4)?;
    files(&directory.join("tests"), 0..0, 5)?;
    if number % 10 < 6 {
        files(&directory.join("docs"), 0..0, 4)?;
    }
    let skills = ["", "tests", "src/module-1"][number % 3];
    skill(&directory.join(skills).join(name(number)), number)?;
    let installed = directory.join("node_modules");
    files(&installed.join(".bin"), 0..0, 5)?;
    files(&installed.join(".cache"), 0..0, 7)?;
    for library in 0..15 {
        let library = installed.join(format!("library-{library}"));
        files(&library, 0..0, 4)?;
        files(&library.join("dist"), 0..0, 4)?;
        files(&library.join("lib"), 0..0, 3)?;
    }
    Ok(())
}

/// A directory with modules of its own, and files in each of them.
fn files(directory: &Path, modules: std::ops::Range<usize>, count: usize) -> io::Result<()> {
    for module in modules {
        files(&directory.join(format!("module-{module}")), 0..0, count)?;
    }
    fs::create_dir_all(directory)?;
    (0..count).try_for_each(|file| fs::write(directory.join(format!("file-{file}.ts")), ""))
}

fn name(number: usize) -> String {
    let verbs = ["fill", "review", "convert", "write", "check", "plan", "sort", "draw", "merge", "trace"];
    format!("{}-skill-{number:05}", verbs[number % verbs.len()])
}

/// A skill of the usual size: a description of 100 to 300 characters, a body of 1 to 4 kB, two folders of resources.
fn skill(directory: &Path, number: usize) -> io::Result<()> {
    let name = name(number);
    let more = "It covers the usual cases and says what to do with the others. ".repeat(number % 4);
    let text = format!(
        "---\nname: {name}\ndescription: Handles task number {number} of the kind that comes up in every project. \
         {more}Use it when the user asks for task {number} by name.\nlicense: MIT\n---\n\n# {name}\n\n{}",
        "1. Look at what is there, then change one thing at a time.\n".repeat(20 + number % 50)
    );
    files(&directory.join("scripts"), 0..0, 1)?;
    files(&directory.join("references"), 0..0, 2)?;
    fs::write(directory.join("SKILL.md"), text)
}
