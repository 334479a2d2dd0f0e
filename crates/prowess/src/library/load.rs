//! Roots to files, files to candidates, candidates to states.

use std::collections::{HashMap, HashSet};
use std::error::Error as _;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Inner, Invalid, LoadOptions, LoadedRoot, ScanReport, collide, find};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::parse::{self, Frontmatter};
use crate::scan::SKILL_FILE;
use crate::scope::{Lookalike, ResolvedRoot, Roots};
use crate::source::{Found, FoundKind, LimitHit, Prefix, ScanOptions, Source, Stamp};

/// What one small read brings; longer frontmatter is read on.
const FIRST_READ: usize = 4 * 1024;
/// How far a closing fence is looked for.
const LAST_READ: usize = 1024 * 1024 + 64 * 1024;

/// A skill that parses, before its name is settled.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) root: usize,
    pub(super) location: PathBuf,
    pub(super) real: PathBuf,
    pub(super) reading: Arc<Reading>,
}

/// What one read of a file gave. With a settled stamp it holds for a later load, too, as long as the stamp does.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) frontmatter: Arc<Frontmatter>,
    pub(super) size: u64,
    pub(super) body_bytes: u64,
    pub(super) fingerprint: u64,
    invalid: Option<Code>,
    diagnostics: Vec<Diagnostic>,
    stamp: Option<Stamp>,
}

impl Reading {
    fn new(prefix: Prefix, path: &Path) -> Self {
        let parsed = parse::parse(&prefix.bytes, path);
        Self {
            frontmatter: Arc::new(parsed.frontmatter),
            size: prefix.size,
            body_bytes: prefix.size.saturating_sub(parsed.body as u64),
            fingerprint: fingerprint(&prefix.bytes),
            invalid: parsed.invalid,
            diagnostics: parsed.diagnostics,
            stamp: prefix.stamp,
        }
    }
}

/// What was read, and the path that each file was reached by: its directory may give it its name.
pub(super) type Readings = Vec<(PathBuf, Arc<Reading>)>;

#[derive(Debug)]
struct Seen<'a> {
    source: &'a dyn Source,
    earlier: HashMap<&'a Path, &'a Arc<Reading>>,
    readings: Readings,
    candidates: Vec<Candidate>,
    invalid: Vec<Invalid>,
    diagnostics: Vec<Diagnostic>,
    scan: ScanReport,
}

/// Loads. Files that are as they were need no second look, given what was `earlier` read of them.
pub(super) fn load(roots: &Roots, options: &LoadOptions, earlier: &Readings) -> Inner {
    let source = options.source.as_ref();
    let resolved = roots.resolve(source);
    let scan_options = roots.home().iter().fold(options.scan.clone(), |scan, home| scan.home(home));
    let mut seen = Seen::new(source, earlier);
    let mut reals = HashSet::new();
    for (index, root) in resolved.iter().enumerate() {
        let scan = source.scan(&root.root.path, &scan_options);
        seen.scan.directories += scan.directories;
        seen.scan.limits_hit.extend(scan.limits_hit);
        seen.diagnostics.extend(scan.diagnostics);
        let mut files = scan.files.into_iter();
        while let Some(found) = files.next() {
            if options.scan.cancel.is_set() {
                seen.leave_unread(found, files.len());
                break;
            }
            match reals.insert(found.real.clone()) {
                true => seen.read(index, found),
                false => seen.read_again(index, found),
            }
        }
    }
    let lookalikes = lookalikes(roots, &resolved, source);
    seen.probe_lookalikes(&lookalikes, &scan_options);
    seen.settle(roots, resolved, lookalikes, options)
}

impl<'a> Seen<'a> {
    fn new(source: &'a dyn Source, earlier: &'a Readings) -> Self {
        Self {
            source,
            earlier: earlier.iter().map(|(path, reading)| (path.as_path(), reading)).collect(),
            readings: Readings::new(),
            candidates: Vec::new(),
            invalid: Vec::new(),
            diagnostics: Vec::new(),
            scan: ScanReport::default(),
        }
    }

    fn read(&mut self, root: usize, found: Found) {
        self.scan.skill_files += 1;
        if let Some(diagnostic) = wrong_kind(&found) {
            self.reject(diagnostic, &found.path);
            return;
        }
        let reading = match self.reading(&found.path) {
            Ok(reading) => reading,
            Err(error) => {
                let help = "make the file readable, or remove it";
                self.reject(
                    Diagnostic::new(Code::Unreadable, &found.path, unreadable(&error)).help(help),
                    &found.path,
                );
                return;
            }
        };
        if let Some(code) = reading.invalid {
            let name = reading.frontmatter.name.clone();
            self.say(&found.path, &reading);
            self.invalid.push(Invalid { name, location: found.path, code });
        } else {
            self.add(root, found, reading);
        }
    }

    /// A file that another root or link has reached before is no second skill, but it may be the way to reach it by: a
    /// link in a project that is not trusted takes nothing from the user's own skill.
    fn read_again(&mut self, root: usize, found: Found) {
        if let Ok(reading) = self.reading(&found.path)
            && reading.invalid.is_none()
        {
            self.add(root, found, reading);
        }
    }

    fn say(&mut self, path: &Path, reading: &Reading) {
        self.diagnostics.extend(filename_case(path));
        self.diagnostics.extend(reading.diagnostics.iter().cloned());
    }

    fn add(&mut self, root: usize, found: Found, reading: Arc<Reading>) {
        self.say(&found.path, &reading);
        self.candidates.push(Candidate { root, location: found.path, real: found.real, reading });
    }

    /// What a file says: as it was read earlier if it is still the same, or read now.
    fn reading(&mut self, path: &Path) -> Result<Arc<Reading>, crate::Error> {
        let is_same = |known: &&&Arc<Reading>| {
            known.stamp.is_some_and(|stamp| stamp.settled && self.source.stamp(path) == Some(stamp))
        };
        let reading = match self.earlier.get(path).filter(is_same) {
            Some(known) => Arc::clone(known),
            None => Arc::new(Reading::new(read_frontmatter(self.source, path)?, path)),
        };
        self.readings.push((path.to_path_buf(), reading.clone()));
        Ok(reading)
    }

    fn leave_unread(&mut self, first: Found, more: usize) {
        let message = format!("not read, like {more} more: the load was cancelled");
        self.diagnostics.push(Diagnostic::new(Code::ScanLimit, &first.path, message).help("load again"));
        self.scan.limits_hit.push(LimitHit { limit: "cancel", path: first.path });
    }

    fn reject(&mut self, diagnostic: Diagnostic, path: &Path) {
        self.invalid.push(Invalid {
            name: directory_name(path),
            location: path.to_path_buf(),
            code: diagnostic.code,
        });
        self.diagnostics.push(diagnostic);
    }

    /// Look-alike places are searched only to say that skills lie there.
    fn probe_lookalikes(&mut self, lookalikes: &[Lookalike], options: &ScanOptions) {
        for lookalike in lookalikes {
            let files = self.source.scan(&lookalike.path, options).files;
            let Some(first) = files.first() else { continue };
            let message = match files.len() {
                1 => "a skill lies in a folder that is not searched".to_owned(),
                count => format!("{count} skills lie in a folder that is not searched"),
            };
            self.diagnostics.push(
                Diagnostic::new(Code::LookalikeRoot, &lookalike.path, message)
                    .help(format!("rename the folder to `{}`", lookalike.meant.display()))
                    .related(&first.path),
            );
        }
    }

    fn settle(
        mut self,
        roots: &Roots,
        resolved: Vec<ResolvedRoot>,
        lookalikes: Vec<Lookalike>,
        options: &LoadOptions,
    ) -> Inner {
        let settled = collide::settle(self.candidates, &resolved, options);
        // A second way to a file is none of a skill, and nothing is said of it.
        self.diagnostics.retain(|diagnostic| !settled.second_ways.contains(&diagnostic.path));
        self.diagnostics.extend(settled.diagnostics);
        self.invalid.sort_by(|a, b| a.location.cmp(&b.location));
        let index = find::Index::new(&settled.skills, &settled.shadowed);
        Inner {
            searched: roots.clone(),
            options: options.clone(),
            lookalikes,
            roots: resolved
                .into_iter()
                .map(|root| LoadedRoot { exists: root.real.is_some(), root: root.root })
                .collect(),
            skills: settled.skills,
            shadowed: settled.shadowed,
            duplicates: settled.duplicates,
            invalid: self.invalid,
            diagnostics: self.diagnostics,
            scan: self.scan,
            readings: self.readings,
            index,
        }
    }
}

/// The look-alikes that are there, and are no root by another name.
fn lookalikes(roots: &Roots, resolved: &[ResolvedRoot], source: &dyn Source) -> Vec<Lookalike> {
    let known: HashSet<&Path> = resolved.iter().filter_map(|root| root.real.as_deref()).collect();
    let is_apart = |place: &&Lookalike| {
        source.real_path(&place.path).is_some_and(|real| !known.contains(real.as_path()))
    };
    roots.lookalikes().iter().filter(is_apart).cloned().collect()
}

fn read_frontmatter(source: &dyn Source, file: &Path) -> Result<Prefix, crate::Error> {
    let mut length = FIRST_READ;
    loop {
        let prefix = source.read_prefix(file, length)?;
        let whole = prefix.bytes.len() as u64 >= prefix.size;
        if whole || length >= LAST_READ || !parse::needs_more(&prefix.bytes) {
            return Ok(prefix);
        }
        length = (length * 16).min(LAST_READ);
    }
}

/// The system's word alone: the path stands in the diagnostic.
fn unreadable(error: &crate::Error) -> String {
    match error.source() {
        Some(cause) => format!("can't be read: {cause}"),
        None => error.message().to_owned(),
    }
}

/// Tells the first bytes of a file from other ones, within one process.
fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

fn wrong_kind(found: &Found) -> Option<Diagnostic> {
    match found.kind {
        FoundKind::File => None,
        FoundKind::BrokenLink => Some(
            Diagnostic::new(Code::BrokenLink, &found.path, "the link leads nowhere")
                .severity(Severity::Error)
                .help("point the link at a SKILL.md, or remove it"),
        ),
        FoundKind::Other(what) => Some(
            Diagnostic::new(Code::NotAFile, &found.path, format!("a {what}, not a regular file"))
                .help("put a regular file named SKILL.md in its place"),
        ),
    }
}

fn filename_case(path: &Path) -> Option<Diagnostic> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    (name != SKILL_FILE).then(|| {
        Diagnostic::new(Code::FilenameCase, path, format!("the file is named `{name}`, not `SKILL.md`"))
            .help("rename it to `SKILL.md`: other hosts do not find it")
    })
}

fn directory_name(path: &Path) -> String {
    path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}
