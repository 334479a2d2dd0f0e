//! The one seam to where skills lie: a disk, or memory.

mod fs;
#[cfg(target_os = "linux")]
mod linux;
mod memory;
mod resource;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use crate::diagnostic::Diagnostic;
use crate::error::Error;

pub use self::fs::Disk;
#[cfg(feature = "serde")]
pub(crate) use self::fs::read_text;
pub(crate) use self::fs::{is_directory, is_repository, real_path};
pub use self::memory::Memory;
pub(crate) use self::memory::part;
pub use self::resource::NOT_LISTED;
pub(crate) use self::resource::confined;
pub use crate::scan::SKIP;

/// More files than any skill is known to have.
pub(crate) const ALL_RESOURCES: usize = 100_000;

/// Where skills are read from. A disk and a memory implement it.
///
/// Nothing behind it executes anything, and no call hangs on a FIFO, a device or a cycle of links.
pub trait Source: fmt::Debug + Send + Sync {
    /// The real path of an existing file or directory, all links resolved; `None` if there is no such thing.
    fn real_path(&self, path: &Path) -> Option<PathBuf>;

    /// Finds every `SKILL.md` below `root`, within the options' limits. What went wrong comes back in the
    /// [`Scan`]; a root that does not exist gives an empty one.
    fn scan(&self, root: &Path, options: &ScanOptions) -> Scan;

    /// Reads at most the first `max` bytes of a regular file.
    ///
    /// # Errors
    /// `Io` if the file can't be opened or read, or is no regular file.
    fn read_prefix(&self, file: &Path, max: usize) -> Result<Prefix, Error>;

    /// Lists the regular files below a skill's directory, `SKILL.md` at its top excepted: sorted, the first `cap` of
    /// them named, all of them counted.
    ///
    /// Files of every type and in every folder are listed, a nested `SKILL.md` too. Left out are files behind a link
    /// that leaves the directory, whatever lies behind a link to a directory, and the folders of version control and of
    /// installed packages (`.git`, `node_modules`, `.venv`, `__pycache__` and their like). A listing looks at 100,000
    /// entries at the most, and says if it was cut there. A name that is not UTF-8 is listed with replacement characters
    /// and can't be read.
    fn resources(&self, directory: &Path, cap: usize) -> Resources;

    /// All that lies in the directory of a `SKILL.md` beside it, in folders of any name, sorted: what a digest of the skill
    /// must cover, as it can be read or run.
    ///
    /// # Errors
    /// `BodyTooLarge` if there are more than `max` files, folders and links; `NotConfined` if a link leads out of the
    /// directory; `Io` if a folder can't be listed or, as by default, if nothing here can tell.
    fn contents(&self, skill_file: &Path, max: usize) -> Result<Vec<Content>, Error> {
        let _ = max;
        Err(Error::io(skill_file, std::io::ErrorKind::Unsupported.into()))
    }

    /// Reads part of a resource, confined to the real path of `directory`.
    ///
    /// A leading `./` is fine. A path without extension means the one file of that stem in its folder, if there is
    /// exactly one. A range that begins behind the end gives no bytes.
    ///
    /// # Errors
    /// `NotConfined` if the path is absolute, holds `..` or leads out through a link; `UnknownResource` if there is no
    /// such regular file, with the nearest ones as candidates; `Io` if it can't be read.
    fn read_resource(&self, directory: &Path, resource: &str, range: ByteRange) -> Result<Part, Error>;

    /// What tells whether a file is still the one it was; `None`, as by default, if nothing here can tell.
    fn stamp(&self, file: &Path) -> Option<Stamp> {
        let _ = file;
        None
    }
}

/// The size, times and identity of a file: what was learnt of its bytes holds as long as its stamp does, if that is
/// settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// The size in bytes.
    pub size: u64,
    /// When it was last written; anybody may have set that.
    pub modified: SystemTime,
    /// When it was last touched in any way, which nobody can set; as `modified` where that is not known.
    pub changed: SystemTime,
    /// Its inode; 0 where there are none.
    pub inode: u64,
    /// Whether both times are long enough ago that one more edit would have another time: clocks of file systems may
    /// be as coarse as two seconds.
    pub settled: bool,
}

/// The first bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix {
    /// The bytes that were read.
    pub bytes: Vec<u8>,
    /// The size of the whole file in bytes.
    pub size: u64,
    /// What tells whether these bytes are still those of the file, if anything can.
    pub stamp: Option<Stamp>,
}

/// A range of a file, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteRange {
    /// Offset of the first byte.
    pub offset: u64,
    /// How many bytes at the most.
    pub length: u64,
}

impl ByteRange {
    /// The first 64 KiB: about 16,000 tokens of text.
    pub const FIRST: Self = Self { offset: 0, length: 64 * 1024 };
}

/// A part of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// The resource's path relative to the skill's directory, with `/`.
    pub path: String,
    /// The bytes that were read.
    pub bytes: Vec<u8>,
    /// Offset of the first byte read.
    pub offset: u64,
    /// The size of the whole file in bytes.
    pub size: u64,
}

/// The files that a skill brings along.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    /// The first files by path.
    pub files: Vec<Resource>,
    /// How many there are; if the listing is cut, how many it saw.
    pub total: usize,
    /// Whether the directory holds more entries than a listing looks at.
    pub is_cut: bool,
    /// The links that lead out of the directory, by path: what they lead to is not among the files.
    pub outside: Vec<String>,
}

/// A file inside a skill's directory other than its `SKILL.md`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resource {
    /// Path relative to the skill's directory, with `/`.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
}

/// What lies in a skill's directory, by its path relative to that.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Content {
    /// A regular file.
    File(PathBuf),
    /// A link, and the path inside the directory that it leads to, all links resolved; none if it leads nowhere.
    Link(PathBuf, Option<PathBuf>),
}

/// Stops a running scan or load from another thread: set it, and it returns with what it has, and says what it left out.
///
/// ```
/// let cancel = prowess::source::Cancel::new();
/// cancel.set();
/// assert!(cancel.is_set());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the flag, for good.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The limits of a scan.
///
/// ```
/// let options = prowess::source::ScanOptions::default().max_depth(2).home("/home/me");
/// assert_eq!((options.max_depth, options.max_directories), (2, 2_000));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ScanOptions {
    /// How many levels of directories below the root are searched; default 5.
    pub max_depth: usize,
    /// How many directories without a `SKILL.md` are searched per root, the root included; default 2,000.
    pub max_directories: usize,
    /// Names of directories that are not searched, compared exactly; default [`SKIP`].
    pub skip: Vec<String>,
    /// Directories that no link is followed to, besides the root's own ancestors and the file-system root: homes.
    pub homes: Vec<PathBuf>,
    /// Stops the scan.
    pub cancel: Cancel,
    /// Whether the root is one skill: nothing below it is searched, or said to be left out.
    pub(crate) root_is_skill: bool,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self {
            max_depth: 5,
            max_directories: 2_000,
            skip: SKIP.iter().map(ToString::to_string).collect(),
            homes: Vec::new(),
            cancel: Cancel::new(),
            root_is_skill: false,
        }
    }
}

impl ScanOptions {
    /// Sets how many levels below the root are searched.
    #[must_use]
    pub fn max_depth(mut self, levels: usize) -> Self {
        self.max_depth = levels;
        self
    }

    /// Sets how many directories without a `SKILL.md` are searched.
    #[must_use]
    pub fn max_directories(mut self, directories: usize) -> Self {
        self.max_directories = directories;
        self
    }

    /// Sets the names of directories that are not searched, in place of [`SKIP`].
    #[must_use]
    pub fn skip(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.skip = names.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a home: no link is followed to it.
    #[must_use]
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.homes.push(home.into());
        self
    }

    /// Sets the flag that stops the scan, and the reading of what it found. A library keeps it: once it is set, every
    /// reload stops as well, so a host that goes on loads with a new one.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }
}

/// What a scan of one root found.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Scan {
    /// Every `SKILL.md` seen, sorted by path.
    pub files: Vec<Found>,
    /// How many directories were listed; one whose name is skipped is not.
    pub directories: usize,
    /// The limits that were hit, with the place.
    pub limits_hit: Vec<LimitHit>,
    /// Broken links, unreadable directories, limits.
    pub diagnostics: Vec<Diagnostic>,
}

/// A `SKILL.md`, as a scan found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The path as reached through the root.
    pub path: PathBuf,
    /// The real path of the file, all links resolved; `path` if the file is a broken link.
    pub real: PathBuf,
    /// What the file is.
    pub kind: FoundKind,
}

/// What a thing named `SKILL.md` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FoundKind {
    /// A regular file, or a link to one.
    File,
    /// A link that leads nowhere, or to itself.
    BrokenLink,
    /// Anything else, by what it is: `directory`, `FIFO`, `socket`, `device`.
    Other(&'static str),
}

/// A limit of the scan that was hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitHit {
    /// Which: `max-depth`, `max-directories`, `link`, `broken-links` or `cancel`.
    pub limit: &'static str,
    /// The first place where it was hit.
    pub path: PathBuf,
}

#[cfg(test)]
mod tests;
