//! Word of changes on the disk. Roots are watched, the directories in them that may come to hold skills, and skill
//! directories with their folders, each by itself: a root may hold a hundred thousand files that are nobody's skill.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use prowess::Library;
use prowess::skill::Skill;
use prowess::source::NOT_LISTED;

use crate::shelf::Shelf;

/// How long it must be quiet before the disk is read: an editor writes a file in several steps.
const QUIET: Duration = Duration::from_millis(50);
/// How long quiet is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// With so many paths it no longer matters which ones.
const MAX_PATHS: usize = 10_000;
/// How many folders of a skill are watched; one with more files has no manifest to change.
const MAX_FOLDERS: usize = 512;

/// Watches on a thread of its own for as long as the shelf is there. Where the system gives no watcher or no thread,
/// changes are told of with the next answer.
pub(crate) fn start(shelf: &Arc<Shelf>) {
    let (sender, events) = channel();
    let tell = move |event: notify::Result<Event>| {
        // Reading files makes events, too; those must not lead to more reading.
        if !event.as_ref().is_ok_and(|event| event.kind.is_access()) {
            // A failed send means that the thread has ended.
            drop(sender.send(event));
        }
    };
    let Ok(watcher) = notify::recommended_watcher(tell) else { return };
    shelf.keep_watcher(watcher);
    let watch = Watch { shelf: Arc::downgrade(shelf), ..Watch::default() };
    drop(thread::Builder::new().name("watch".to_owned()).spawn(move || watch.run(&events)));
}

/// What is watched.
#[derive(Debug, Default)]
struct Watch {
    shelf: Weak<Shelf>,
    roots: Vec<PathBuf>,
    /// The file that says what the user allows.
    trust: Option<PathBuf>,
    watched: BTreeSet<PathBuf>,
    /// The folders of each skill's directory, for as long as nothing in it changes.
    folders: BTreeMap<PathBuf, Vec<PathBuf>>,
    /// Where files lie that are skills by a link.
    linked: BTreeSet<PathBuf>,
}

/// What has changed.
#[derive(Debug, Default)]
struct Touched {
    paths: BTreeSet<PathBuf>,
    /// Whether anything may have.
    everything: bool,
}

impl Watch {
    fn run(mut self, events: &Receiver<notify::Result<Event>>) {
        let mut is_file = false;
        loop {
            // The watcher belongs to the shelf: with the shelf, events end.
            let Some(shelf) = self.shelf.upgrade() else { return };
            // What was not watched until now may have changed before it was.
            while shelf.with_watcher(|watcher| self.rewatch(watcher, &shelf.read().library)) == Some(true) {}
            // Whoever is told, and then edits on, is told of that as well.
            shelf.tell(is_file);
            drop(shelf);
            let Some(touched) = self.wait(events) else { return };
            is_file = touched.everything || touched.paths.iter().any(|path| self.is_in_skill(path));
            self.forget(&touched);
        }
    }

    /// Waits for a change that concerns the library, and for the quiet behind it; `None` if none will come any more.
    fn wait(&self, events: &Receiver<notify::Result<Event>>) -> Option<Touched> {
        let mut touched = Touched::default();
        while touched.paths.is_empty() && !touched.everything {
            self.add(&mut touched, events.recv().ok()?);
        }
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            match events.recv_timeout(QUIET) {
                Ok(event) => self.add(&mut touched, event),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        Some(touched)
    }

    /// Adds what an event can have changed.
    fn add(&self, touched: &mut Touched, event: notify::Result<Event>) {
        let Ok(event) = event else {
            touched.everything = true;
            return;
        };
        touched.everything |= event.need_rescan() || touched.paths.len() > MAX_PATHS;
        touched.paths.extend(event.paths.into_iter().filter(|path| self.concerns(path)));
    }

    fn concerns(&self, path: &Path) -> bool {
        let is_near = |place: &PathBuf| path.starts_with(place) || place.starts_with(path);
        self.roots.iter().chain(&self.trust).any(is_near)
            || path.parent().is_some_and(|parent| self.linked.contains(parent))
    }

    fn is_in_skill(&self, path: &Path) -> bool {
        path.ancestors()
            .any(|directory| self.folders.contains_key(directory) || self.linked.contains(directory))
    }

    /// Forgets what may not hold any more: which folders a skill has, and that a directory is watched, which may have
    /// been made anew.
    fn forget(&mut self, touched: &Touched) {
        if touched.everything {
            self.watched.clear();
            self.folders.clear();
        }
        for path in &touched.paths {
            self.forget_folders(path);
            let below = self.watched.range(path.clone()..).take_while(|watched| watched.starts_with(path));
            for directory in below.cloned().collect::<Vec<_>>() {
                self.watched.remove(&directory);
                self.folders.remove(&directory);
            }
        }
    }

    /// Watches what the library lies in, and nothing else. Whether there is something that was not watched before.
    fn rewatch(&mut self, watcher: &mut RecommendedWatcher, library: &Library) -> bool {
        let wanted = self.directories(library);
        let all: BTreeSet<&PathBuf> = wanted.iter().collect();
        let mut paths = watcher.paths_mut();
        for gone in self.watched.iter().filter(|watched| !all.contains(watched)) {
            // What was deleted is not watched any more anyway.
            drop(paths.remove(gone));
        }
        self.watched.retain(|watched| all.contains(watched));
        let mut is_new = false;
        for directory in &wanted {
            // What can't be watched is seen with the next answer.
            if !self.watched.contains(directory) && paths.add(directory, RecursiveMode::NonRecursive).is_ok()
            {
                self.watched.insert(directory.clone());
                self.forget_folders(directory);
                is_new = true;
            }
        }
        drop(paths.commit());
        is_new
    }

    fn forget_folders(&mut self, path: &Path) {
        for directory in path.ancestors() {
            self.folders.remove(directory);
        }
    }

    /// What is to be watched, the most important first, as systems have limits: what the roots lie in; skill directories
    /// and what lies between; directories that may come to hold skills; the folders of skills.
    fn directories(&mut self, library: &Library) -> Vec<PathBuf> {
        self.roots = library.roots().iter().map(|loaded| loaded.root.path.clone()).collect();
        let mut directories = Vec::new();
        self.trust = library.trust().file().map(Path::to_path_buf);
        for root in self.roots.iter().chain(&self.trust) {
            let existing = root.ancestors().find(|path| path.is_dir());
            let above = root.ancestors().take(3).filter(|path| path.is_dir());
            directories.extend(existing.into_iter().chain(above).map(Path::to_path_buf));
        }
        let skills: Vec<&Arc<Skill>> = library.all().collect();
        let of_skills = skills.iter().map(|skill| skill.location());
        for location in of_skills.chain(library.invalid().iter().map(|invalid| invalid.location.as_path())) {
            let is_inside = |path: &&Path| self.roots.iter().any(|root| path.starts_with(root));
            directories.extend(location.ancestors().skip(1).take_while(is_inside).map(Path::to_path_buf));
        }
        let linked = skills.iter().filter(|skill| skill.real_location() != skill.location());
        let linked = linked.filter(|skill| skill.location().is_symlink());
        let linked = linked.filter_map(|skill| skill.real_location().parent());
        self.linked = linked.map(Path::to_path_buf).collect();
        directories.extend(self.linked.iter().cloned());
        let mut known = std::mem::take(&mut self.folders);
        for skill in &skills {
            let directory = skill.directory();
            let folders = known.remove(directory);
            let limits = Limits { depth: usize::MAX, number: MAX_FOLDERS };
            let folders =
                folders.unwrap_or_else(|| below(directory, limits, |path| !is_named(path, NOT_LISTED)));
            self.folders.insert(directory.to_path_buf(), folders);
        }
        directories.extend(self.roots.iter().flat_map(|root| self.plain(root, library)));
        directories.extend(self.folders.values().flatten().cloned());
        directories
    }

    /// The directories below a root that are searched and hold no skill.
    fn plain(&self, root: &Path, library: &Library) -> Vec<PathBuf> {
        let scan = library.scan_options();
        let limits = Limits { depth: scan.max_depth, number: scan.max_directories };
        below(root, limits, |path| !self.folders.contains_key(path) && !is_named(path, &scan.skip))
    }
}

/// How deep and how many directories are looked for.
#[derive(Debug, Clone, Copy)]
struct Limits {
    depth: usize,
    number: usize,
}

/// The wanted directories below a directory, from the top, through no link and none that is not wanted.
fn below(directory: &Path, limits: Limits, is_wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = VecDeque::from([(directory.to_path_buf(), 0)]);
    while let Some((directory, depth)) = waiting.pop_front().filter(|(_, depth)| *depth < limits.depth) {
        for child in fs::read_dir(directory).into_iter().flatten().flatten() {
            let is_directory = child.file_type().is_ok_and(|kind| kind.is_dir());
            let path = child.path();
            if !is_directory || !is_wanted(&path) {
                continue;
            }
            if found.len() == limits.number {
                return found;
            }
            found.push(path.clone());
            waiting.push_back((path, depth + 1));
        }
    }
    found
}

fn is_named(path: &Path, names: &[impl AsRef<str>]) -> bool {
    path.file_name().is_some_and(|name| names.iter().any(|other| name == other.as_ref()))
}

#[cfg(test)]
mod tests;
