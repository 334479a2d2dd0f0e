//! Word of changes on the disk. Only roots, skill directories and what lies between them are watched, none of them
//! recursively: a root may hold a hundred thousand files that are nobody's skill.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use prowess::Library;

use crate::shelf::Shelf;

/// How long it must be quiet before the disk is read: an editor writes a file in several steps.
const QUIET: Duration = Duration::from_millis(50);
/// How many steps are waited for at the most.
const MAX_STEPS: usize = 40;

/// How many directories of a root are watched that hold no skill.
const MAX_CHILDREN: usize = 2_000;

/// Watches on a thread of its own for as long as the shelf is there and its disk changes.
pub(crate) fn start(shelf: &Arc<Shelf>) {
    let shelf = Arc::downgrade(shelf);
    let watching = thread::Builder::new().name("watch".to_owned()).spawn(move || watch(&shelf));
    // Without a thread there is no watching, and changes are told of with the next answer.
    drop(watching);
}

fn watch(shelf: &Weak<Shelf>) {
    let (sender, events) = channel();
    // A failed send means that the loop below has ended.
    let watcher = notify::recommended_watcher(move |event| drop(sender.send(event)));
    let Ok(mut watcher) = watcher else { return };
    let mut watched = BTreeSet::new();
    loop {
        let Some(shelf) = shelf.upgrade() else { return };
        let snapshot = shelf.fresh();
        rewatch(&mut watcher, &mut watched, &snapshot.library);
        // What changed before it was watched.
        let snapshot = shelf.fresh();
        drop(shelf);
        if !wait(&events, &snapshot.library) {
            return;
        }
    }
}

/// Waits for a change that concerns the library and for the quiet behind it; false if none will come any more.
fn wait(events: &Receiver<notify::Result<Event>>, library: &Library) -> bool {
    loop {
        match events.recv() {
            Ok(event) if concerns(&event, library) => break,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    for _ in 0..MAX_STEPS {
        match events.recv_timeout(QUIET) {
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    true
}

/// Whether an event can have changed the library. Reading files makes events, too; those must not lead to more reading.
fn concerns(event: &notify::Result<Event>, library: &Library) -> bool {
    let Ok(event) = event else { return true };
    let near_root = |path: &PathBuf| {
        let mut roots = library.roots().iter().map(|loaded| &loaded.root.path);
        roots.any(|root| path.starts_with(root) || root.starts_with(path))
    };
    let real = |path: &PathBuf| {
        library.skills().iter().any(|skill| path.starts_with(real_directory(skill.real_location())))
    };
    match event.kind {
        EventKind::Access(_) => false,
        _ => event.need_rescan() || event.paths.iter().any(|path| near_root(path) || real(path)),
    }
}

fn real_directory(location: &Path) -> &Path {
    location.parent().unwrap_or(location)
}

/// Watches what the library lies in, and nothing else.
fn rewatch(watcher: &mut RecommendedWatcher, watched: &mut BTreeSet<PathBuf>, library: &Library) {
    let wanted = directories(library);
    for gone in watched.difference(&wanted) {
        // What was deleted is not watched any more anyway.
        drop(watcher.unwatch(gone));
    }
    // What can't be watched is seen with the next answer; a directory that was made anew must be watched anew.
    let is_watched = |directory: &PathBuf| watcher.watch(directory, RecursiveMode::NonRecursive).is_ok();
    *watched = wanted.into_iter().filter(is_watched).collect();
}

/// Roots or, where they are not there, what they would lie in; the directories in a root, which may become skills; skill
/// directories; and what lies between.
fn directories(library: &Library) -> BTreeSet<PathBuf> {
    let mut directories = BTreeSet::new();
    for loaded in library.roots() {
        directories.extend(loaded.root.path.ancestors().find(|path| path.is_dir()).map(Path::to_path_buf));
        let children = fs::read_dir(&loaded.root.path).into_iter().flatten().flatten();
        let children = children.filter(|child| child.file_type().is_ok_and(|kind| kind.is_dir()));
        directories.extend(children.take(MAX_CHILDREN).map(|child| child.path()));
    }
    let skills = library.skills().iter().map(|skill| skill.location());
    let shadowed = library.shadowed().iter().map(|shadowed| shadowed.skill.location());
    let invalid = library.invalid().iter().map(|invalid| invalid.location.as_path());
    for location in skills.chain(shadowed).chain(invalid) {
        let inside = |path: &&Path| library.roots().iter().any(|loaded| path.starts_with(&loaded.root.path));
        directories.extend(location.ancestors().skip(1).take_while(inside).map(Path::to_path_buf));
    }
    directories
}
