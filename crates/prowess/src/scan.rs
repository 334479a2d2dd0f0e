//! The search for skills below one root: every rule about depth, limits, skipped names and links stands here, once,
//! whatever lists the directories.
//!
//! 1. Breadth-first, names sorted by their bytes: a limit cuts what is deepest and last, and the order in which a disk
//!    lists its entries changes nothing. As long as no limit on directories is hit, that is only the order of the
//!    answer: depth-first, a directory is opened while the one above it is still at hand, which is faster.
//! 2. Plain directories first, then what only links lead to. So a link never takes a directory away from its own place,
//!    and each real directory is searched once.
//! 3. A directory with a `SKILL.md` is a skill and a leaf; only the root is searched further, unless it is loaded as a
//!    skill.
//! 4. A linked directory is searched for a skill in itself and in its direct children. Directories and links below those
//!    are said.

mod directory;
mod report;

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ffi::OsStr;
use std::io;
use std::mem;
use std::path::{Path, PathBuf};

use self::directory::{Directory, Listing, Reach};
use self::report::{Cut, Limit, MAX_BROKEN_LINKS, broken_link, not_a_directory, unreadable, unreadable_root};
use crate::diagnostic::Diagnostic;
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
    let real = match enter(tree, root) {
        Ok(Some(real)) => real,
        Ok(None) => return Scan::default(),
        Err(diagnostic) => return Scan { diagnostics: vec![*diagnostic], ..Scan::default() },
    };
    let walk = |order| Walk::new(tree, options, root, &real, order).run();
    walk(Order::DepthFirst).or_else(|| walk(Order::BreadthFirst)).unwrap_or_default()
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
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(unreadable_root(root, &error)),
        Err(_) if is_link() => Err(broken_link(root)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable_root(root, &error)),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Gives up at a limit on directories: it can't tell which ones that limit cuts.
    DepthFirst,
    BreadthFirst,
}

struct Walk<'a> {
    tree: &'a dyn Tree,
    options: &'a ScanOptions,
    order: Order,
    root: &'a Path,
    real_root: &'a Path,
    /// The real paths of the homes, resolved when the first link is met.
    homes: OnceCell<Vec<PathBuf>>,
    plain: VecDeque<Directory>,
    linked: VecDeque<Directory>,
    /// Links that have not been followed yet; their real paths are not known.
    links: Vec<Directory>,
    /// The plain directories that were searched, until the first link is followed.
    searched: Vec<PathBuf>,
    /// The real paths of the directories that were searched, once a link is followed.
    visited: HashSet<PathBuf>,
    without_skill: usize,
    broken_links: usize,
    cuts: BTreeMap<Limit, Vec<Cut>>,
    scan: Scan,
}

impl<'a> Walk<'a> {
    fn new(
        tree: &'a dyn Tree,
        options: &'a ScanOptions,
        root: &'a Path,
        real_root: &'a Path,
        order: Order,
    ) -> Self {
        let top = Directory { path: root.to_path_buf(), real: None, depth: 0, reach: Reach::Plain };
        Self {
            tree,
            options,
            order,
            root,
            real_root,
            homes: OnceCell::new(),
            plain: VecDeque::from([top]),
            linked: VecDeque::new(),
            links: Vec::new(),
            searched: Vec::new(),
            visited: HashSet::new(),
            without_skill: 0,
            broken_links: 0,
            cuts: BTreeMap::new(),
            scan: Scan::default(),
        }
    }

    /// Walks to the end; `None` if the order is the wrong one.
    fn run(mut self) -> Option<Scan> {
        while let Some(directory) = self.next() {
            if self.options.cancel.is_set() {
                self.stop(Limit::Cancel, directory);
                break;
            }
            if self.is_visited(&directory) {
                continue;
            }
            let listing = self.list(&directory.path);
            self.scan.directories += 1;
            if let Some((name, kind)) = &listing.skill_file {
                self.found(&directory, name, *kind);
            } else if self.without_skill < self.options.max_directories {
                self.without_skill += 1;
            } else if directory.reach == Reach::Plain && self.order == Order::DepthFirst {
                return None;
            } else {
                self.follow_links();
                self.stop(Limit::Directories, directory);
                break;
            }
            self.descend(directory, listing);
        }
        Some(self.finish())
    }

    fn next(&mut self) -> Option<Directory> {
        let plain = match self.order {
            Order::DepthFirst => self.plain.pop_back(),
            Order::BreadthFirst => self.plain.pop_front(),
        };
        plain.or_else(|| {
            self.follow_links();
            self.linked.pop_front()
        })
    }

    /// Ends the walk at a limit: this directory and all that wait behind it are cut.
    fn stop(&mut self, limit: Limit, directory: Directory) {
        let waiting = mem::take(&mut self.plain).into_iter().chain(mem::take(&mut self.linked));
        for directory in std::iter::once(directory).chain(waiting) {
            self.cut(limit, directory);
        }
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
        let leaf = listing.skill_file.is_some() && (directory.depth > 0 || self.options.root_is_skill);
        if leaf {
            return self.remember(directory);
        }
        let (inside, behind) = match directory.reach {
            Reach::Plain => (Reach::Plain, Reach::Linked),
            Reach::Linked => (Reach::BelowLink, Reach::BelowLink),
            Reach::BelowLink | Reach::BeyondLink => (Reach::BeyondLink, Reach::BeyondLink),
        };
        let links =
            listing.links.iter().map(|name| Directory { real: None, ..directory.child(name, behind) });
        self.links.extend(links);
        if inside == Reach::BeyondLink {
            if listing.directories.iter().any(|name| !skips(self.options, name)) {
                self.cut(Limit::Link, directory);
            }
            return;
        }
        let waiting = self.plain.len();
        for name in listing.directories {
            self.queue(&name, directory.child(&name, inside));
        }
        if self.order == Order::DepthFirst {
            self.plain.make_contiguous().get_mut(waiting..).unwrap_or_default().reverse();
        }
        self.remember(directory);
    }

    fn remember(&mut self, directory: Directory) {
        match directory.real {
            None => self.searched.push(directory.path),
            Some(real) => _ = self.visited.insert(real),
        }
    }

    fn is_visited(&self, directory: &Directory) -> bool {
        directory.real.as_ref().is_some_and(|real| self.visited.contains(real))
    }

    /// Queues a directory unless its name is skipped or it lies too deep.
    fn queue(&mut self, name: &OsStr, directory: Directory) {
        let limit = match directory.reach {
            Reach::BeyondLink => Some(Limit::Link),
            _ if directory.depth > self.options.max_depth => Some(Limit::Depth),
            _ => None,
        };
        match (limit, skips(self.options, name)) {
            (Some(limit), false) => self.cut(limit, directory),
            (Some(_), true) => {}
            (None, true) => self.probe(directory),
            (None, false) if directory.reach == Reach::Plain => self.plain.push_back(directory),
            (None, false) => self.linked.push_back(directory),
        }
    }

    /// Looks only for a `SKILL.md` in a directory whose name is skipped: a skill may well be called `build`.
    fn probe(&mut self, directory: Directory) {
        let Ok(stat) = self.tree.stat(&directory.path.join(SKILL_FILE)) else {
            return;
        };
        if !self.is_visited(&directory) {
            self.found(&directory, OsStr::new(SKILL_FILE), stat.kind);
            self.remember(directory);
        }
    }

    /// Follows the links that were met, those nearest to the root first.
    fn follow_links(&mut self) {
        let mut links = mem::take(&mut self.links);
        if links.is_empty() {
            return;
        }
        for path in mem::take(&mut self.searched) {
            let real = self.below_root(&path);
            self.visited.insert(real);
        }
        links.sort_by_key(|link| link.depth);
        for link in links {
            if self.options.cancel.is_set() {
                self.cut(Limit::Cancel, link);
            } else {
                self.follow(link);
            }
        }
    }

    /// Queues the directory behind a link, if it is one and may be followed.
    fn follow(&mut self, link: Directory) {
        let real = match self.tree.resolve(&link.path) {
            Ok((real, Kind::Directory)) => real,
            Ok(_) => return,
            // Nobody would look behind it if it were whole.
            Err(_) if link.reach == Reach::BeyondLink => return,
            Err(error) => return self.leave(link, &error),
        };
        if real == self.real_root {
            return;
        }
        let upwards = self.real_root.starts_with(&real) || real.parent().is_none();
        let is_cut = upwards || self.homes().contains(&real);
        let name = link.path.file_name().unwrap_or_default().to_os_string();
        let directory = Directory { real: Some(real), ..link };
        if is_cut { self.cut(Limit::Link, directory) } else { self.queue(&name, directory) }
    }

    /// Says that a link can't be followed.
    fn leave(&mut self, link: Directory, error: &io::Error) {
        if self.broken_links == MAX_BROKEN_LINKS {
            return self.cut(Limit::BrokenLinks, link);
        }
        self.broken_links += 1;
        self.scan.diagnostics.push(match error.kind() {
            io::ErrorKind::PermissionDenied => *unreadable(&link.path, error),
            _ => *broken_link(&link.path),
        });
    }

    fn homes(&self) -> &[PathBuf] {
        let real = |home: &PathBuf| self.tree.canonical(home).ok();
        self.homes.get_or_init(|| self.options.homes.iter().filter_map(real).collect())
    }

    fn found(&mut self, directory: &Directory, name: &OsStr, kind: Kind) {
        let path = directory.path.join(name);
        let in_place = || match &directory.real {
            Some(real) => real.join(name),
            None => self.below_root(&path),
        };
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
            Kind::File => (in_place(), FoundKind::File),
            Kind::Directory => (in_place(), FoundKind::Other("directory")),
            Kind::Other(what) => (in_place(), FoundKind::Other(what)),
        };
        self.scan.files.push(Found { path, real, kind });
    }

    /// The real path of what lies below the root, with no link in between.
    fn below_root(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(self.root) {
            Ok(inside) if self.root.as_os_str() != self.real_root.as_os_str() => self.real_root.join(inside),
            _ => path.to_path_buf(),
        }
    }

    fn cut(&mut self, limit: Limit, directory: Directory) {
        let Directory { path, real, .. } = directory;
        self.cuts.entry(limit).or_default().push(Cut { path, real });
    }

    fn finish(mut self) -> Scan {
        for (limit, mut cuts) in mem::take(&mut self.cuts) {
            // A place that was cut on one way may have been searched on another; without a link there is only one way.
            if !self.visited.is_empty() {
                let real = |cut: &Cut| cut.real.clone().unwrap_or_else(|| self.below_root(&cut.path));
                cuts.retain(|cut| !self.visited.contains(&real(cut)));
            }
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

fn skips(options: &ScanOptions, name: &OsStr) -> bool {
    options.skip.iter().any(|skip| name == skip.as_str())
}

#[cfg(test)]
mod tests;
