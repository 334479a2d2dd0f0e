//! Roots to files, files to candidates, candidates to states.

use std::collections::HashSet;
use std::error::Error as _;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use super::{Inner, Invalid, LoadOptions, LoadedRoot, ScanReport, collide, find};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::parse::{self, Frontmatter};
use crate::scan::SKILL_FILE;
use crate::scope::{Lookalike, ResolvedRoot, Roots};
use crate::source::{Found, FoundKind, Prefix, ScanOptions, Source};

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
    pub(super) frontmatter: Frontmatter,
    pub(super) size: u64,
    pub(super) body_bytes: u64,
    pub(super) fingerprint: u64,
}

impl Candidate {
    fn new(root: usize, found: Found, prefix: &Prefix, frontmatter: Frontmatter, body: usize) -> Self {
        Self {
            root,
            location: found.path,
            real: found.real,
            frontmatter,
            size: prefix.size,
            body_bytes: prefix.size.saturating_sub(body as u64),
            fingerprint: fingerprint(&prefix.bytes),
        }
    }
}

#[derive(Debug, Default)]
struct Seen {
    candidates: Vec<Candidate>,
    invalid: Vec<Invalid>,
    diagnostics: Vec<Diagnostic>,
    scan: ScanReport,
}

pub(super) fn load(roots: &Roots, options: &LoadOptions) -> Inner {
    let source = options.source.as_ref();
    let resolved = roots.resolve(source);
    let scan_options = roots.home().iter().fold(options.scan.clone(), |scan, home| scan.home(home));
    let mut seen = Seen::default();
    let mut reals = HashSet::new();
    for (index, root) in resolved.iter().enumerate().filter(|(_, root)| root.real.is_some()) {
        let scan = source.scan(&root.root.path, &scan_options);
        seen.scan.directories += scan.directories;
        seen.scan.limits_hit.extend(scan.limits_hit);
        seen.diagnostics.extend(scan.diagnostics);
        for found in scan.files {
            match reals.insert(found.real.clone()) {
                true => seen.read(source, index, found),
                false => seen.read_again(source, index, found),
            }
        }
    }
    let lookalikes = lookalikes(roots, &resolved, source);
    seen.probe_lookalikes(&lookalikes, source, &scan_options);
    seen.settle(roots, resolved, lookalikes, options)
}

impl Seen {
    fn read(&mut self, source: &dyn Source, root: usize, found: Found) {
        self.scan.skill_files += 1;
        if let Some(diagnostic) = wrong_kind(&found) {
            self.reject(diagnostic, &found.path);
            return;
        }
        let prefix = match read_frontmatter(source, &found.path) {
            Ok(prefix) => prefix,
            Err(error) => {
                let help = "make the file readable, or remove it";
                self.reject(
                    Diagnostic::new(Code::Unreadable, &found.path, unreadable(&error)).help(help),
                    &found.path,
                );
                return;
            }
        };
        let parsed = parse::parse(&prefix.bytes, &found.path);
        self.diagnostics.extend(filename_case(&found.path));
        self.diagnostics.extend(parsed.diagnostics);
        if let Some(code) = parsed.invalid {
            self.invalid.push(Invalid { name: parsed.frontmatter.name, location: found.path, code });
            return;
        }
        self.candidates.push(Candidate::new(root, found, &prefix, parsed.frontmatter, parsed.body));
    }

    /// A file that another root or link has reached before is no second skill, but it may be the way to reach it by: a
    /// link in a project that is not trusted takes nothing from the user's own skill.
    fn read_again(&mut self, source: &dyn Source, root: usize, found: Found) {
        let Ok(prefix) = read_frontmatter(source, &found.path) else {
            return;
        };
        let parsed = parse::parse(&prefix.bytes, &found.path);
        if parsed.invalid.is_none() {
            self.candidates.push(Candidate::new(root, found, &prefix, parsed.frontmatter, parsed.body));
        }
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
    fn probe_lookalikes(&mut self, lookalikes: &[Lookalike], source: &dyn Source, options: &ScanOptions) {
        for lookalike in lookalikes {
            let files = source.scan(&lookalike.path, options).files;
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
