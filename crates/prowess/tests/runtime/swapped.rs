//! Files that change between the look at what was allowed and the delivery.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use prowess::source::{ByteRange, Content, Memory, Part, Prefix, Resources, Scan, ScanOptions, Source};
use prowess::trust::{Rule, Trust, TrustStore};
use prowess::{Error, Ledger, Library, LoadOptions, Origin, Policy, Roots};

use crate::common::skill;

const DIRECTORY: &str = "/app/skills/pdf";
/// More than is read at a time.
const LARGE: usize = 1024 * 1024 + 1;

/// What is asked, and what it brings.
type Question<'a> = (&'a str, &'a dyn Fn() -> Option<Vec<u8>>);

/// A skill of which one read gives what nobody has allowed.
#[derive(Debug)]
struct Swapping {
    allowed: Memory,
    evil: Memory,
    reads: AtomicUsize,
    /// Which read it is.
    swapped: AtomicUsize,
    looks: AtomicUsize,
}

impl Swapping {
    fn new() -> Self {
        let memory = |letter: &str, description: &str| {
            Memory::new()
                .with(format!("{DIRECTORY}/SKILL.md"), skill("pdf", description))
                .with(format!("{DIRECTORY}/notes.md"), letter)
                .with(format!("{DIRECTORY}/large"), letter.repeat(LARGE))
        };
        Self {
            allowed: memory("a", "Fills forms."),
            evil: memory("e", "Evil forms."),
            reads: AtomicUsize::new(0),
            swapped: AtomicUsize::new(usize::MAX),
            looks: AtomicUsize::new(0),
        }
    }

    fn now(&self) -> &Memory {
        match self.reads.fetch_add(1, Ordering::Relaxed) == self.swapped.load(Ordering::Relaxed) {
            true => &self.evil,
            false => &self.allowed,
        }
    }

    fn swap(&self, read: usize) {
        self.reads.store(0, Ordering::Relaxed);
        self.swapped.store(read, Ordering::Relaxed);
    }
}

impl Source for Swapping {
    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        self.allowed.real_path(path)
    }

    fn scan(&self, root: &Path, options: &ScanOptions) -> Scan {
        self.allowed.scan(root, options)
    }

    fn read_prefix(&self, file: &Path, max: usize) -> Result<Prefix, Error> {
        self.now().read_prefix(file, max)
    }

    fn resources(&self, directory: &Path, cap: usize) -> Resources {
        self.allowed.resources(directory, cap)
    }

    fn contents(&self, skill_file: &Path, max: usize) -> Result<Vec<Content>, Error> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.allowed.contents(skill_file, max)
    }

    fn read_resource(&self, directory: &Path, path: &str, range: ByteRange) -> Result<Part, Error> {
        self.now().read_resource(directory, path, range)
    }
}

/// A library in which the skill is allowed.
fn library(source: &Arc<Swapping>) -> Library {
    let roots = Roots::new().with("project", "/app/skills").unwrap();
    let load = |trust| {
        let options = LoadOptions::new().source(source.clone()).policy(Policy::new().trust(trust));
        Library::load(&roots, &options)
    };
    let (library, mut store) = (load(Trust::new()), TrustStore::default());
    let pdf = &library.skills()[0];
    store.allow(library.identity(pdf).unwrap(), pdf.id());
    load(Trust::new().rule(Rule::Ask).store(store))
}

#[test]
fn what_is_delivered_is_what_was_compared() {
    let source = Arc::new(Swapping::new());
    let library = library(&source);
    let pdf = &library.skills()[0];
    let notes = ByteRange { offset: 0, length: 1 };
    let last = ByteRange { offset: LARGE as u64 - 1, length: 1 };
    let resource = |path: &str, range| library.resource(pdf, path, range).map(|part| part.bytes).ok();
    let body = || {
        let delivery = library.activate("pdf", Origin::User).deliver(&mut Ledger::new(), "here");
        delivery.error().is_none().then(|| delivery.activation().unwrap().digest.clone().into_bytes())
    };
    let questions: [Question; 7] = [
        ("body", &body),
        ("SKILL.md", &|| library.file(pdf, "SKILL.md", u64::MAX).ok()),
        ("notes.md", &|| library.file(pdf, "notes.md", u64::MAX).ok()),
        ("large", &|| library.file(pdf, "large", u64::MAX).ok()),
        ("the digest of large", &|| {
            library.fingerprint(pdf, "large", u64::MAX).ok().map(|f| f.digest.into_bytes())
        }),
        ("notes.md as a resource", &|| resource("notes.md", notes)),
        ("the end of large", &|| resource("large", last)),
    ];
    for (what, ask) in questions {
        source.swap(usize::MAX);
        let allowed = ask().expect(what);
        for read in 0..5 {
            source.swap(read);
            assert!(ask().is_none_or(|bytes| bytes == allowed), "{what}: read {read} was swapped");
        }
    }
}

#[test]
fn a_skill_is_compared_once_for_a_question() {
    let source = Arc::new(Swapping::new());
    let library = library(&source);
    let pdf = &library.skills()[0];
    let looks = || source.looks.swap(0, Ordering::Relaxed);
    looks();
    let large = library.file(pdf, "large", u64::MAX).unwrap();
    assert_eq!((large.len(), looks()), (LARGE, 1));
    let paths = ["SKILL.md", "notes.md", "large"];
    let found = library.fingerprints(pdf, &paths, 2 * LARGE as u64).unwrap();
    assert_eq!((found.len(), found[2].size, looks()), (3, LARGE as u64, 1));
    assert!(library.fingerprints(pdf, &paths, LARGE as u64).is_err());
}
