//! A process that writes, renames and deletes skills until it is told to stop.
#![expect(
    clippy::disallowed_methods,
    reason = "a program of its own, which its environment tells what to do"
)]

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use prowess::Library;

use crate::random::Random;

/// How many skills there are at a time, at the most.
pub(crate) const SKILLS: usize = 30;
/// How many more lie beside them, and are never touched.
pub(crate) const NEIGHBOURS: usize = 60;

const DIRECTORY: &str = "PROWESS_WRITES_TO";
const MODE: &str = "PROWESS_WRITES";

/// How files change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// By renaming a whole file or directory over the old one.
    Whole,
    /// Anyhow: cut off, half written, grown, made into something else.
    InPlace,
}

/// The process, from the outside.
pub(crate) struct Writer(Child);

impl Writer {
    /// Lays the neighbours and starts it, and waits until there is something to load below `skills` in that directory.
    pub(crate) fn start(directory: &Path, mode: Mode) -> Self {
        lay_neighbours(&directory.join("skills"));
        let this = std::env::current_exe().expect("this program");
        let mut command = Command::new(this);
        command.args(["--exact", "writer", "--ignored", "--nocapture", "--test-threads=1"]);
        command.env(DIRECTORY, directory).env(MODE, format!("{mode:?}"));
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("a process");
        let mut writer = Self(child);
        while fs::read_dir(directory.join("skills")).is_ok_and(|all| all.count() < NEIGHBOURS + SKILLS / 2) {
            assert!(writer.0.try_wait().is_ok_and(|ended| ended.is_none()), "the writer has ended");
            std::thread::yield_now();
        }
        writer
    }

    /// Ends it. It must have written until then.
    pub(crate) fn stop(mut self) {
        assert!(self.0.try_wait().is_ok_and(|ended| ended.is_none()), "the writer has ended");
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // One that has ended can't be ended again.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Lays the skills that nobody touches.
pub(crate) fn lay_neighbours(skills: &Path) {
    for neighbour in 0..NEIGHBOURS {
        let name = format!("n{neighbour}");
        fs::create_dir_all(skills.join(&name)).expect("a directory");
        fs::write(skills.join(&name).join("SKILL.md"), text(&name, 0)).expect("a file");
    }
}

/// Every skill that nobody touches is there.
pub(crate) fn check_neighbours(library: &Library) {
    let names: HashSet<&str> = library.skills().iter().map(|skill| skill.name()).collect();
    let lost: Vec<String> =
        (0..NEIGHBOURS).map(|n| format!("n{n}")).filter(|name| !names.contains(name.as_str())).collect();
    assert_eq!(lost, [""; 0], "{:?}", library.diagnostics());
}

/// Every skill is one that was written whole: its description says its name, and its version twice.
pub(crate) fn check_whole(library: &Library) {
    let shadowed = library.shadowed().iter().map(|shadowed| &shadowed.skill);
    for skill in library.skills().iter().chain(shadowed) {
        let words: Vec<&str> = skill.description().split(' ').collect();
        let [_, version, "of", name, "is", again] = words.as_slice() else {
            panic!("never written: {:?}", skill.description());
        };
        assert_eq!((*name, *version), (skill.name(), *again), "never written");
    }
    // A file may vanish between the scan and the read; it is never read as something else.
    for invalid in library.invalid() {
        assert_eq!(invalid.code.as_str(), "unreadable", "{}", invalid.location.display());
    }
}

/// Writes, if this process was started for that, until it is killed.
pub(crate) fn write_if_asked() {
    let Some(directory) = std::env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    let in_place = std::env::var(MODE).is_ok_and(|mode| mode == "InPlace");
    let mut random = Random(3);
    for version in 0.. {
        // Whoever started this may have deleted the directory: then it is over.
        if !directory.exists() {
            return;
        }
        let name = format!("s{}", random.below(SKILLS));
        // What is in the way, or gone already, is a change like any other.
        let _ = match in_place {
            true => change_in_place(&directory, &name, version, &mut random),
            false => change_whole(&directory, &name, version, &mut random),
        };
    }
}

/// A skill whose size differs from version to version.
fn text(name: &str, version: usize) -> String {
    let head = format!("---\nname: {name}\ndescription: Version {version} of {name} is {version}\n---\n");
    head + &"One more step.\n".repeat(version % 700)
}

fn change_whole(directory: &Path, name: &str, version: usize, random: &mut Random) -> io::Result<()> {
    let (place, aside) = (directory.join("skills").join(name), directory.join("aside"));
    let _ = fs::remove_dir_all(&aside);
    match random.below(5) {
        0 => fs::remove_dir_all(&place),
        1 => fs::rename(&place, directory.join("skills").join(format!("s{}", random.below(SKILLS)))),
        2 => {
            let file = directory.join("file");
            fs::write(&file, text(name, version))?;
            fs::rename(file, place.join("SKILL.md"))
        }
        _ => {
            fs::create_dir(&aside)?;
            fs::write(aside.join("SKILL.md"), text(name, version))?;
            fs::write(aside.join("notes.md"), "Notes.\n")?;
            let _ = fs::rename(&place, directory.join("old"));
            let _ = fs::remove_dir_all(directory.join("old"));
            fs::rename(aside, place)
        }
    }
}

fn change_in_place(directory: &Path, name: &str, version: usize, random: &mut Random) -> io::Result<()> {
    let place = directory.join("skills").join(name);
    let file = place.join("SKILL.md");
    fs::create_dir_all(&place)?;
    match random.below(9) {
        0 => fs::remove_dir_all(&place),
        1 => fs::remove_file(&file),
        2 => fs::File::options().write(true).open(&file)?.set_len(random.below(100) as u64),
        3 => fs::File::options().append(true).open(&file)?.write_all(&vec![b'x'; random.below(2_000_000)]),
        4 => {
            let _ = fs::remove_file(&file);
            std::os::unix::fs::symlink("SKILL.md", &file)
        }
        5 => {
            let _ = fs::remove_dir_all(&place);
            std::os::unix::fs::symlink(format!("s{}", random.below(SKILLS)), &place)
        }
        6 => {
            let _ = fs::remove_file(&file);
            fs::create_dir(&file)
        }
        _ => {
            let _ = fs::remove_dir(&file);
            fs::write(place.join("notes.md"), "Notes.\n")?;
            let text = text(name, version);
            let mut file = fs::File::create(&file)?;
            for part in text.as_bytes().chunks(1 + random.below(text.len())) {
                file.write_all(part)?;
            }
            Ok(())
        }
    }
}
