//! Skills that a host carries with it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::ops::Bound;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::{ByteRange, Content, Part, Prefix, Resources, Scan, ScanOptions, Source, resource};
use crate::error::Error;
use crate::scan::{self, Kind, Stat, Tree};

/// Files in memory as a [`Source`]: for skills that a host embeds, and for tests.
///
/// A directory exists where a file lies below it; there are no links and nothing else but regular files. A scan follows
/// the same rules as on a disk. Paths are compared as they are, without regard to a current directory, after `.` and
/// `..` in them have been resolved.
///
/// ```
/// use prowess::source::{Memory, ScanOptions, Source};
/// use std::path::Path;
///
/// let memory = Memory::new()
///     .with("skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF files.\n---\n")
///     .with("skills/pdf/scripts/read.py", "print()");
/// let scan = memory.scan(Path::new("skills"), &ScanOptions::default());
/// assert_eq!(scan.files[0].path, Path::new("skills/pdf/SKILL.md"));
/// assert_eq!(memory.resources(Path::new("skills/pdf"), 10).files[0].path, "scripts/read.py");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Memory {
    files: BTreeMap<PathBuf, Arc<[u8]>>,
}

impl Memory {
    /// A memory without files.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file, in place of one that was at this path.
    #[must_use]
    pub fn with(mut self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Self {
        self.files.insert(plain(path.as_ref()), Arc::from(bytes.as_ref()));
        self
    }

    fn file(&self, path: &Path) -> Option<&[u8]> {
        self.files.get(&plain(path)).map(AsRef::as_ref)
    }
}

impl<P: AsRef<Path>, B: AsRef<[u8]>> FromIterator<(P, B)> for Memory {
    fn from_iter<I: IntoIterator<Item = (P, B)>>(files: I) -> Self {
        files.into_iter().fold(Self::new(), |memory, (path, bytes)| memory.with(path, bytes))
    }
}

impl Source for Memory {
    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        self.canonical(path).ok()
    }

    fn scan(&self, root: &Path, options: &ScanOptions) -> Scan {
        scan::walk(self, root, options)
    }

    fn read_prefix(&self, file: &Path, max: usize) -> Result<Prefix, Error> {
        let bytes = self.file(file).ok_or_else(|| Error::io(file, io::ErrorKind::NotFound.into()))?;
        let read = bytes.get(..max).unwrap_or(bytes).to_vec();
        Ok(Prefix { bytes: read, size: bytes.len() as u64, stamp: None })
    }

    fn resources(&self, directory: &Path, cap: usize) -> Resources {
        resource::list(self, directory, cap)
    }

    fn contents(&self, skill_file: &Path, max: usize) -> Result<Vec<Content>, Error> {
        resource::contents(self, skill_file, max)
    }

    fn read_resource(&self, directory: &Path, resource: &str, range: ByteRange) -> Result<Part, Error> {
        resource::read(self, directory, resource, &|path| {
            Ok(self.file(&directory.join(path)).map(|bytes| part(path, bytes, range)))
        })
    }
}

impl Tree for Memory {
    fn list(&self, directory: &Path, entry: &mut dyn FnMut(&OsStr, Kind)) -> io::Result<()> {
        let directory = plain(directory);
        let mut last = None;
        let after = (Bound::Excluded(directory.as_path()), Bound::Unbounded);
        let below = self.files.range::<Path, _>(after).map(|(path, _)| path.strip_prefix(&directory));
        for path in below.map_while(Result::ok) {
            let mut components = path.components();
            let name = components.next().map(Component::as_os_str);
            if let Some(name) = name.filter(|name| last != Some(*name)) {
                entry(name, if components.next().is_none() { Kind::File } else { Kind::Directory });
            }
            last = name;
        }
        Ok(())
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let path = plain(path);
        if let Some(bytes) = self.files.get(&path) {
            return Ok(Stat { kind: Kind::File, size: bytes.len() as u64 });
        }
        let after = (Bound::Excluded(path.as_path()), Bound::Unbounded);
        match self.files.range::<Path, _>(after).next() {
            Some((file, _)) if file.starts_with(&path) => Ok(Stat { kind: Kind::Directory, size: 0 }),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.stat(path).map(|_| plain(path))
    }
}

/// The path without `.`, and without `..` where a name stands before it.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// A range of a resource of which all bytes are known.
pub(crate) fn part(path: &str, bytes: &[u8], range: ByteRange) -> Part {
    let size = bytes.len();
    let start = usize::try_from(range.offset).map_or(size, |offset| offset.min(size));
    let length = usize::try_from(range.length).map_or(size, |length| length.min(size - start));
    let bytes = bytes.get(start..start + length).unwrap_or_default().to_vec();
    Part { path: path.to_string(), bytes, offset: start as u64, size: size as u64 }
}
