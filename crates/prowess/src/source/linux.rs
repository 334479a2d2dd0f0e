//! The disk as a walk lists it on Linux: fewer and shorter system calls, and the same answers.
//!
//! 1. A directory is opened within the one above it, as long as that one is open.
//! 2. A directory is listed until a call gives nothing more. That a call leaves room in the buffer says nothing: on any
//!    file system it ends early when a signal arrives.
//! 3. What is refused here is asked of [`Disk`], in whose words it is then said.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, openat, statat};
use rustix::io::Errno;

use super::Disk;
use crate::scan::{Kind, Stat, Tree};

/// How many directories are held open at a time.
const MAX_OPEN: usize = 32;
/// How many bytes of entries one call gives.
const BUFFER: usize = 32 * 1024;
/// A longer path can't be opened whole, so nothing behind it is of use.
const MAX_PATH: usize = 4095;

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// One walk from a root downwards.
#[derive(Debug, Default)]
pub(super) struct Descent(RefCell<State>);

#[derive(Debug, Default)]
struct State {
    /// The path of the innermost open directory.
    path: Vec<u8>,
    /// The open directories, each inside the one before.
    open: Vec<Open>,
    buffer: Vec<u8>,
}

#[derive(Debug)]
struct Open {
    directory: OwnedFd,
    /// How much of the path leads to it.
    length: usize,
}

impl Tree for Descent {
    fn list(&self, directory: &Path, entry: &mut dyn FnMut(&OsStr, Kind)) -> io::Result<()> {
        let mut is_given = false;
        let listed = self.0.borrow_mut().list(directory, &mut |name, kind| {
            is_given = true;
            entry(name, kind);
        });
        match listed {
            Err(_) if !is_given => Disk.list(directory, entry),
            listed => Ok(listed?),
        }
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.0.borrow().stat(path).unwrap_or_else(|| Disk.stat(path))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        Disk.canonical(path)
    }
}

impl State {
    fn list(&mut self, path: &Path, entry: &mut dyn FnMut(&OsStr, Kind)) -> Result<(), Errno> {
        let path = path.as_os_str().as_bytes();
        let open = self.open(path)?;
        self.buffer.reserve(BUFFER);
        read(&open.directory, self.buffer.spare_capacity_mut(), entry)?;
        if self.open.len() < MAX_OPEN {
            self.path.clear();
            self.path.extend_from_slice(path);
            self.open.push(open);
        }
        Ok(())
    }

    /// Looks at a path that lies in the innermost open directory.
    fn stat(&self, path: &Path) -> Option<io::Result<Stat>> {
        let above = self.open.last()?;
        let path = Some(path.as_os_str().as_bytes()).filter(|path| path.len() <= MAX_PATH)?;
        let name = inside(self.path_of(above), path)?;
        let stat = statat(&above.directory, name, AtFlags::SYMLINK_NOFOLLOW).map_err(io::Error::from);
        Some(stat.map(|stat| {
            let kind = kind_of(FileType::from_raw_mode(stat.st_mode));
            Stat { kind, size: u64::try_from(stat.st_size).unwrap_or(0) }
        }))
    }

    fn path_of(&self, open: &Open) -> &[u8] {
        self.path.get(..open.length).unwrap_or_default()
    }

    /// Opens a directory. If there is no descriptor left, those that are held here are given back for another try.
    fn open(&mut self, path: &[u8]) -> Result<Open, Errno> {
        match self.open_within(path) {
            Err(Errno::MFILE | Errno::NFILE) if !self.open.is_empty() => {
                self.open.clear();
                self.open_within(path)
            }
            opened => opened,
        }
    }

    /// Opens a directory within the innermost open one that it lies in; those that it does not lie in are closed.
    fn open_within(&mut self, path: &[u8]) -> Result<Open, Errno> {
        if path.len() > MAX_PATH {
            return Err(Errno::NAMETOOLONG);
        }
        let length = path.len();
        while let Some(above) = self.open.last() {
            if let Some(name) = inside(self.path_of(above), path) {
                let directory = openat(&above.directory, name, DIRECTORY, Mode::empty())?;
                return Ok(Open { directory, length });
            }
            self.open.pop();
        }
        Ok(Open { directory: openat(CWD, path, DIRECTORY, Mode::empty())?, length })
    }
}

/// The way from a directory to a path inside of it.
fn inside<'a>(directory: &[u8], path: &'a [u8]) -> Option<&'a [u8]> {
    let rest = path.strip_prefix(directory)?;
    let name = if directory.ends_with(b"/") { rest } else { rest.strip_prefix(b"/")? };
    (!name.is_empty() && !name.starts_with(b"/")).then_some(name)
}

fn read(
    directory: &OwnedFd,
    buffer: &mut [MaybeUninit<u8>],
    entry: &mut dyn FnMut(&OsStr, Kind),
) -> Result<(), Errno> {
    let mut entries = RawDir::new(directory, buffer);
    while let Some(next) = entries.next() {
        let next = next?;
        let name = next.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let kind = match next.file_type() {
            FileType::Unknown => statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
                .map(|stat| FileType::from_raw_mode(stat.st_mode)),
            known => Ok(known),
        };
        // An entry without a type was deleted since it was listed.
        if let Ok(kind) = kind {
            entry(OsStr::from_bytes(name.to_bytes()), kind_of(kind));
        }
    }
    Ok(())
}

fn kind_of(file_type: FileType) -> Kind {
    match file_type {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        FileType::Fifo => Kind::Other("FIFO"),
        FileType::Socket => Kind::Other("socket"),
        FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => Kind::Other("device"),
    }
}
