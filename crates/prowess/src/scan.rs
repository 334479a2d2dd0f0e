//! The search for skills below one root: every rule about depth, limits, skipped names and links stands here, once,
//! whatever lists the directories.
//!
//! 1. Breadth-first, names sorted by their bytes: a limit cuts what is deepest and last, and the order in which a disk
//!    lists its entries changes nothing.
//! 2. Plain directories first, then what only links lead to. So a link never takes a directory away from its own place,
//!    and each real directory is searched once.
//! 3. A directory with a `SKILL.md` is a skill and a leaf; only the root is searched further.
//! 4. A linked directory is searched for a skill in itself and in its direct children.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Code, Diagnostic};
use crate::source::{Found, FoundKind, LimitHit, Scan, ScanOptions};

/// The names of directories that a scan does not search unless told otherwise: version control, installed packages,
/// caches and build output. Such a directory is still a skill if it directly holds a `SKILL.md`.
pub const SKIP: &[&str] = &[
    ".git",
    ".hg",
    ".jj",
    ".svn",
    "bower_components",
    "node_modules",
    ".nox",
    ".tox",
    ".venv",
    "__pycache__",
    "site-packages",
    "venv",
    ".cache",
    ".gradle",
    ".mypy_cache",
    ".next",
    ".nuxt",
    ".pytest_cache",
    ".ruff_cache",
    ".svelte-kit",
    ".turbo",
    "build",
    "dist",
    "out",
    "target",
];

/// The name of the file that makes a directory a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// What lists directories for a walk: a disk, or memory.
pub(crate) trait Tree {
    /// Calls `entry` with the name and the kind of everything in a directory, in any order, following no link.
    fn list(&self, directory: &Path, entry: &mut dyn FnMut(&OsStr, Kind)) -> io::Result<()>;

    /// Looks at one path without following it if it is a link.
    fn stat(&self, path: &Path) -> io::Result<Stat>;

    /// The real path of something that exists, all links resolved.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;

    /// The real path of something that exists, and what stands there.
    fn resolve(&self, path: &Path) -> io::Result<(PathBuf, Kind)> {
        let real = self.canonical(path)?;
        let kind = self.stat(&real)?.kind;
        Ok((real, kind))
    }
}

/// What an entry of a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    Link,
    /// By what it is called: `FIFO`, `socket`, `device`.
    Other(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Stat {
    pub(crate) kind: Kind,
    /// In bytes; of a regular file only.
    pub(crate) size: u64,
}

/// Searches `root`. What went wrong is in the result; a root that does not exist gives an empty one.
pub(crate) fn walk(tree: &dyn Tree, root: &Path, options: &ScanOptions) -> Scan {
    let mut scan = Scan::default();
    let real = match enter(tree, root) {
        Ok(Some(real)) => real,
        Ok(None) => return scan,
        Err(diagnostic) => {
            scan.diagnostics.push(*diagnostic);
            return scan;
        }
    };
    let mut walk = Walk {
        tree,
        options,
        root: real.clone(),
        homes: OnceCell::new(),
        plain: VecDeque::new(),
        linked: VecDeque::new(),
        visited: HashSet::new(),
        without_skill: 0,
        cuts: BTreeMap::new(),
        scan,
    };
    walk.plain.push_back(Directory { path: root.to_path_buf(), real, depth: 0, reach: Reach::Plain });
    walk.run();
    walk.finish()
}

/// Of the names in one directory that are `SKILL.md` but for case, the one that counts: `SKILL.md` itself, or else the
/// first by its bytes.
pub(crate) fn prefer_skill_file<'a>(one: &'a OsStr, other: &'a OsStr) -> &'a OsStr {
    if one == SKILL_FILE || (other != SKILL_FILE && one <= other) { one } else { other }
}

/// Whether a file of that name makes its directory a skill.
pub(crate) fn is_skill_file(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(SKILL_FILE)
}

fn enter(tree: &dyn Tree, root: &Path) -> Result<Option<PathBuf>, Box<Diagnostic>> {
    let is_link = || tree.stat(root).is_ok_and(|stat| stat.kind == Kind::Link);
    match tree.resolve(root) {
        Ok((real, Kind::Directory)) => Ok(Some(real)),
        Ok((_, Kind::Other(what))) => Err(not_a_directory(root, what)),
        Ok(_) => Err(not_a_directory(root, "file")),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(unreadable(root, &error)),
        Err(_) if is_link() => Err(broken_link(root)),
        Err(_) => Ok(None),
    }
}

#[derive(Debug)]
struct Directory {
    path: PathBuf,
    real: PathBuf,
    depth: usize,
    reach: Reach,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Without a link below the root.
    Plain,
    /// Through a link.
    Linked,
    /// As a child of a linked directory.
    BelowLink,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Limit {
    Depth,
    Directories,
    Link,
    Cancel,
}

#[derive(Debug)]
struct Cut {
    path: PathBuf,
    real: PathBuf,
}

/// What matters of one directory's entries, sorted.
#[derive(Debug, Default)]
struct Listing {
    skill_file: Option<(OsString, Kind)>,
    directories: Vec<OsString>,
    links: Vec<OsString>,
}

struct Walk<'a> {
    tree: &'a dyn Tree,
    options: &'a ScanOptions,
    /// The real path of the root.
    root: PathBuf,
    /// The real paths of the homes, resolved when the first link is met.
    homes: OnceCell<Vec<PathBuf>>,
    plain: VecDeque<Directory>,
    linked: VecDeque<Directory>,
    /// The real paths of the directories that were searched.
    visited: HashSet<PathBuf>,
    without_skill: usize,
    cuts: BTreeMap<Limit, Vec<Cut>>,
    scan: Scan,
}

impl Walk<'_> {
    fn run(&mut self) {
        while let Some(directory) = self.plain.pop_front().or_else(|| self.linked.pop_front()) {
            if self.options.cancel.is_set() {
                return self.stop(Limit::Cancel, directory);
            }
            if directory.reach != Reach::Plain && self.visited.contains(&directory.real) {
                continue;
            }
            let listing = self.list(&directory.path);
            self.scan.directories += 1;
            if let Some((name, kind)) = &listing.skill_file {
                self.found(&directory, name, *kind);
            } else if self.without_skill == self.options.max_directories {
                return self.stop(Limit::Directories, directory);
            } else {
                self.without_skill += 1;
            }
            self.descend(directory, listing);
        }
    }

    /// Ends the walk at a limit: this directory and all that wait behind it are cut.
    fn stop(&mut self, limit: Limit, directory: Directory) {
        let waiting = std::mem::take(&mut self.plain).into_iter().chain(std::mem::take(&mut self.linked));
        let cuts = std::iter::once(directory).chain(waiting);
        let cuts = cuts.map(|directory| Cut { path: directory.path, real: directory.real });
        self.cuts.entry(limit).or_default().extend(cuts);
    }

    fn list(&mut self, path: &Path) -> Listing {
        let mut listing = Listing::default();
        let result = self.tree.list(path, &mut |name, kind| listing.add(name, kind));
        match result {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                self.scan.diagnostics.push(*unreadable(path, &error));
            }
            _ => {}
        }
        listing.directories.sort_unstable();
        listing.links.sort_unstable();
        listing
    }

    /// Queues what lies below a directory that was listed, unless it is a leaf.
    fn descend(&mut self, directory: Directory, listing: Listing) {
        let leaf = listing.skill_file.is_some() && directory.depth > 0;
        if !leaf && directory.reach == Reach::BelowLink {
            let deeper = |name: &OsString| !skips(self.options, name);
            if listing.directories.iter().any(deeper) {
                self.cut(Limit::Link, directory.path, directory.real);
            }
            return;
        }
        if !leaf {
            let reach = if directory.reach == Reach::Plain { Reach::Plain } else { Reach::BelowLink };
            for name in listing.directories {
                let (path, real) = (directory.path.join(&name), directory.real.join(&name));
                self.queue(&name, Directory { path, real, depth: directory.depth + 1, reach });
            }
            for name in listing.links {
                self.follow(&directory, &name);
            }
        }
        self.visited.insert(directory.real);
    }

    /// Queues a directory unless its name is skipped or it lies too deep.
    fn queue(&mut self, name: &OsStr, directory: Directory) {
        if directory.depth > self.options.max_depth {
            if !skips(self.options, name) {
                self.cut(Limit::Depth, directory.path, directory.real);
            }
        } else if skips(self.options, name) {
            self.probe(directory);
        } else if directory.reach == Reach::Plain {
            self.plain.push_back(directory);
        } else {
            self.linked.push_back(directory);
        }
    }

    /// Looks only for a `SKILL.md` in a directory whose name is skipped: a skill may well be called `build`.
    fn probe(&mut self, directory: Directory) {
        let Ok(stat) = self.tree.stat(&directory.path.join(SKILL_FILE)) else {
            return;
        };
        if matches!(stat.kind, Kind::File | Kind::Link) && !self.visited.contains(&directory.real) {
            self.found(&directory, OsStr::new(SKILL_FILE), stat.kind);
            self.visited.insert(directory.real);
        }
    }

    /// Queues the directory behind a link, if it is one and may be followed.
    fn follow(&mut self, parent: &Directory, name: &OsStr) {
        let path = parent.path.join(name);
        let real = match self.tree.resolve(&path) {
            Ok((real, Kind::Directory)) => real,
            Ok(_) => return,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return self.scan.diagnostics.push(*unreadable(&path, &error));
            }
            Err(_) => return self.scan.diagnostics.push(*broken_link(&path)),
        };
        if real == self.root {
            return;
        }
        if self.root.starts_with(&real) || real.parent().is_none() || self.homes().contains(&real) {
            return self.cut(Limit::Link, path, real);
        }
        let reach = if parent.reach == Reach::Plain { Reach::Linked } else { Reach::BelowLink };
        self.queue(name, Directory { path, real, depth: parent.depth + 1, reach });
    }

    fn homes(&self) -> &[PathBuf] {
        let real = |home: &PathBuf| self.tree.canonical(home).ok();
        self.homes.get_or_init(|| self.options.homes.iter().filter_map(real).collect())
    }

    fn found(&mut self, directory: &Directory, name: &OsStr, kind: Kind) {
        let path = directory.path.join(name);
        let (real, kind) = match kind {
            Kind::Link => match self.tree.resolve(&path) {
                Ok((real, Kind::Directory)) => (real, FoundKind::Other("directory")),
                Ok((real, Kind::Other(what))) => (real, FoundKind::Other(what)),
                Ok((real, _)) => (real, FoundKind::File),
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    (path.clone(), FoundKind::File)
                }
                Err(_) => (path.clone(), FoundKind::BrokenLink),
            },
            Kind::File => (directory.real.join(name), FoundKind::File),
            Kind::Directory => (directory.real.join(name), FoundKind::Other("directory")),
            Kind::Other(what) => (directory.real.join(name), FoundKind::Other(what)),
        };
        self.scan.files.push(Found { path, real, kind });
    }

    fn cut(&mut self, limit: Limit, path: PathBuf, real: PathBuf) {
        self.cuts.entry(limit).or_default().push(Cut { path, real });
    }

    fn finish(mut self) -> Scan {
        for (limit, mut cuts) in self.cuts {
            // A place that was cut on one way may have been searched on another.
            cuts.retain(|cut| !self.visited.contains(&cut.real));
            if let Some(first) = cuts.first() {
                let diagnostic = limit.diagnostic(&first.path, cuts.len(), self.options);
                self.scan.diagnostics.push(diagnostic);
                self.scan.limits_hit.push(LimitHit { limit: limit.name(), path: first.path.clone() });
            }
        }
        self.scan.files.sort_by(|one, other| one.path.cmp(&other.path));
        self.scan.diagnostics.sort_by(|one, other| (&one.path, one.code).cmp(&(&other.path, other.code)));
        self.scan
    }
}

impl Listing {
    fn add(&mut self, name: &OsStr, kind: Kind) {
        if is_skill_file(name) {
            let better = |(known, _): &(OsString, Kind)| prefer_skill_file(known, name) != known;
            if self.skill_file.as_ref().is_none_or(better) {
                self.skill_file = Some((name.to_os_string(), kind));
            }
        } else if kind == Kind::Directory {
            self.directories.push(name.to_os_string());
        } else if kind == Kind::Link {
            self.links.push(name.to_os_string());
        }
    }
}

impl Limit {
    fn name(self) -> &'static str {
        match self {
            Self::Depth => "max-depth",
            Self::Directories => "max-directories",
            Self::Link => "link",
            Self::Cancel => "cancel",
        }
    }

    fn diagnostic(self, path: &Path, count: usize, options: &ScanOptions) -> Diagnostic {
        let what = match count {
            1 => "not searched".to_string(),
            2 => "not searched, like 1 more directory".to_string(),
            _ => format!("not searched, like {} more directories", count - 1),
        };
        let (why, help) = match self {
            Self::Depth => (
                format!(
                    "{} levels below the root, the limit is {}",
                    options.max_depth + 1,
                    options.max_depth
                ),
                "move the skills up, or raise the depth limit",
            ),
            Self::Directories => (
                format!("the limit is {} directories without a `SKILL.md`", options.max_directories),
                "keep other files out of the root, or raise the limit on directories",
            ),
            Self::Link => (
                "a link is followed to a skill or to a folder of skills, no deeper and not upwards"
                    .to_string(),
                "link to the skill's own directory, or make the target a root",
            ),
            Self::Cancel => ("the scan was cancelled".to_string(), "scan again"),
        };
        Diagnostic::new(Code::ScanLimit, path, format!("{what}: {why}")).help(help)
    }
}

fn skips(options: &ScanOptions, name: &OsStr) -> bool {
    options.skip.iter().any(|skip| name == skip.as_str())
}

fn not_a_directory(path: &Path, what: &str) -> Box<Diagnostic> {
    let message = format!("a root that is a {what}, not a directory");
    let help = "give the directory that holds the skills";
    Box::new(Diagnostic::new(Code::Unreadable, path, message).help(help))
}

fn unreadable(path: &Path, error: &io::Error) -> Box<Diagnostic> {
    let help = "make it readable, or move it out of the root";
    Box::new(Diagnostic::new(Code::Unreadable, path, format!("can't be read: {error}")).help(help))
}

fn broken_link(path: &Path) -> Box<Diagnostic> {
    let help = "point the link at an existing skill, or delete it";
    Box::new(Diagnostic::new(Code::BrokenLink, path, "a link that leads nowhere").help(help))
}

#[cfg(test)]
mod tests;
