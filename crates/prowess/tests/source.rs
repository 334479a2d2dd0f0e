//! What a load asks of its source, seen by the source.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

use prowess::diagnostic::Code;
use prowess::source::{ByteRange, Cancel, Memory, Part, Prefix, Resources, Scan, ScanOptions, Source, Stamp};
use prowess::{Catalog, CatalogOptions, Error, Ledger, Library, LoadOptions, Origin, Roots};

/// A memory that stamps its files, counts reads, and may cancel the load at the first one.
#[derive(Debug, Default)]
struct Watched {
    memory: Mutex<Memory>,
    /// Counted up by every edit.
    edits: AtomicUsize,
    unsettled: bool,
    reads: AtomicUsize,
    cancel: Option<Cancel>,
}

impl Watched {
    fn with(skills: usize) -> Self {
        let file = |skill: usize| (format!("/skills/s{skill}/SKILL.md"), text(&format!("s{skill}"), "Old."));
        Self { memory: Mutex::new((0..skills).map(file).collect()), ..Self::default() }
    }

    fn memory(&self) -> Memory {
        self.memory.lock().expect("no thread panics").clone()
    }

    fn edit(&self, path: &str, text: &str) {
        let mut memory = self.memory.lock().expect("no thread panics");
        *memory = memory.clone().with(path, text);
        self.edits.fetch_add(1, Ordering::Relaxed);
    }

    /// The reads since the last call.
    fn reads(&self) -> usize {
        self.reads.swap(0, Ordering::Relaxed)
    }
}

impl Source for Watched {
    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        self.memory().real_path(path)
    }

    fn scan(&self, root: &Path, options: &ScanOptions) -> Scan {
        self.memory().scan(root, options)
    }

    fn read_prefix(&self, file: &Path, max: usize) -> Result<Prefix, Error> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.cancel.iter().for_each(Cancel::set);
        let prefix = self.memory().read_prefix(file, max)?;
        Ok(Prefix { stamp: self.stamp(file), ..prefix })
    }

    fn resources(&self, directory: &Path, cap: usize) -> Resources {
        self.memory().resources(directory, cap)
    }

    fn read_resource(&self, directory: &Path, resource: &str, range: ByteRange) -> Result<Part, Error> {
        self.memory().read_resource(directory, resource, range)
    }

    /// Only the first skill is ever edited.
    fn stamp(&self, file: &Path) -> Option<Stamp> {
        let size = self.memory().read_prefix(file, 0).ok()?.size;
        let edits = if file.ends_with("s0/SKILL.md") { self.edits.load(Ordering::Relaxed) } else { 0 };
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(edits as u64);
        let modified = SystemTime::UNIX_EPOCH;
        Some(Stamp { size, modified, changed, inode: 1, settled: !self.unsettled })
    }
}

fn text(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nStep one.\n")
}

fn load(source: &Arc<Watched>, scan: ScanOptions) -> Library {
    let roots = Roots::new().with("user", "/skills").expect("a scope");
    Library::load(&roots, &LoadOptions::new().source(source.clone()).scan(scan))
}

#[test]
fn a_reload_reads_what_has_changed_and_nothing_else() {
    let source = Arc::new(Watched::with(20));
    let library = load(&source, ScanOptions::default());
    assert_eq!(source.reads(), 20);
    let reload = library.reload();
    assert!(reload.is_unchanged());
    assert_eq!(source.reads(), 0);
    assert_eq!(reload.library.skills(), library.skills());

    source.edit("/skills/s0/SKILL.md", &text("s0", "New."));
    source.edit("/skills/new/SKILL.md", &text("new", "New."));
    let reload = reload.library.reload();
    assert_eq!(
        (reload.added.as_slice(), reload.changed.as_slice()),
        (&["user:new".into()][..], &["user:s0".into()][..])
    );
    assert_eq!(source.reads(), 2);
    assert_eq!(reload.library.find("s0", Origin::Model).unwrap().description(), "New.");
}

#[test]
fn a_file_that_was_just_written_is_read_again() {
    let source = Arc::new(Watched { unsettled: true, ..Watched::with(3) });
    let library = load(&source, ScanOptions::default());
    source.reads();
    assert!(library.reload().is_unchanged());
    assert_eq!(source.reads(), 3);
}

#[test]
fn what_was_wrong_is_said_again_by_a_reload() {
    let source = Arc::new(Watched::with(1));
    source.edit("/skills/a/SKILL.md", "---\nname: b\ndescription: a: b\n---\n");
    source.edit("/skills/c/SKILL.md", "---\nname: c\n---\n");
    let library = load(&source, ScanOptions::default());
    source.reads();
    let reloaded = library.reload().library;
    assert_eq!(source.reads(), 0);
    assert_eq!(reloaded.diagnostics(), library.diagnostics());
    assert_eq!(reloaded.invalid(), library.invalid());
    assert_eq!(library.diagnostics().len(), 3, "{:?}", library.diagnostics());
}

#[test]
fn a_load_can_be_cancelled_while_it_reads() {
    let cancel = Cancel::new();
    let source = Arc::new(Watched { cancel: Some(cancel.clone()), ..Watched::with(20) });
    let library = load(&source, ScanOptions::default().cancel(cancel));
    assert_eq!((source.reads(), library.skills().len(), library.scan().skill_files), (1, 1, 1));
    let codes: Vec<Code> = library.diagnostics().iter().map(|found| found.code).collect();
    assert_eq!(codes, [Code::ScanLimit]);
    assert_eq!(library.scan().limits_hit[0].limit, "cancel");
}

#[test]
fn threads_share_a_snapshot_while_it_is_loaded_anew() {
    let source = Arc::new(Watched::with(50));
    let library = load(&source, ScanOptions::default());
    let catalog = |library: &Library| Catalog::build(library, &CatalogOptions::new()).text().to_owned();
    let before = catalog(&library);
    thread::scope(|scope| {
        for thread in 0..4 {
            let (library, catalog, before) = (library.clone(), &catalog, &before);
            scope.spawn(move || {
                let mut ledger = Ledger::new();
                for skill in 0..50 {
                    let name = format!("s{skill}");
                    let delivery = library.activate(&name, Origin::Model).deliver(&mut ledger, &*name);
                    assert!(delivery.is_protected(), "thread {thread}: {}", delivery.text());
                    assert_eq!(catalog(&library), *before);
                }
            });
        }
        scope.spawn(|| {
            for edit in 0..20 {
                source.edit("/skills/s0/SKILL.md", &text("s0", &format!("Edit {edit}.")));
                assert_eq!(library.reload().changed, ["user:s0"]);
            }
        });
    });
}
