//! The disk. No other file of the core touches it, but for what lists directories on Linux.
#![expect(clippy::disallowed_methods, reason = "the one place where the core reads the disk")]

use std::ffi::OsStr;
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

#[cfg(not(target_os = "linux"))]
use self::Disk as Lister;
#[cfg(target_os = "linux")]
use super::linux::Descent as Lister;
use super::{ByteRange, Content, Part, Prefix, Resources, Scan, ScanOptions, Source, Stamp, resource};
use crate::error::Error;
use crate::scan::{self, Kind, Stat, Tree};

/// How many bytes are set aside before the first read; larger files grow the buffer as they come.
const FIRST_BUFFER: u64 = 1 << 20;

/// How long after an edit another one may still have the same time.
const SETTLING: Duration = Duration::from_secs(3);

/// The disk as a [`Source`].
///
/// 1. A scan opens directories and nothing else: not one `SKILL.md` is read by it.
/// 2. Only regular files are read. A FIFO, a socket or a device is refused, and opening one does not block.
/// 3. A resource is opened relative to the skill's directory, so no link leads out of it, not even one that is put
///    there between a check and the read.
///
/// ```
/// use prowess::source::{Disk, ScanOptions, Source};
/// use std::path::Path;
///
/// let scan = Disk.scan(Path::new("/no/such/root"), &ScanOptions::default());
/// assert!(scan.files.is_empty() && scan.diagnostics.is_empty());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Disk;

impl Source for Disk {
    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        fs::canonicalize(path).ok()
    }

    fn scan(&self, root: &Path, options: &ScanOptions) -> Scan {
        scan::walk(&Lister::default(), root, options)
    }

    fn read_prefix(&self, file: &Path, max: usize) -> Result<Prefix, Error> {
        let read = || {
            // The stamp comes first: an edit while the file is read leaves it behind.
            let now = SystemTime::now();
            let (mut opened, metadata) = open(file)?;
            let most = metadata.len().min(max as u64);
            let bytes = read_at_most(&mut opened, most)?;
            // One that was cut off since, or that a system makes up, ends before it said.
            let read = bytes.len() as u64;
            let size = if read < most { read } else { metadata.len() };
            Ok(Prefix { bytes, size, stamp: stamp(&metadata, now) })
        };
        read().map_err(|error| Error::io(file, error))
    }

    fn resources(&self, directory: &Path, cap: usize) -> Resources {
        resource::list(self, directory, cap)
    }

    fn contents(&self, skill_file: &Path, max: usize) -> Result<Vec<Content>, Error> {
        resource::contents(self, skill_file, max)
    }

    fn read_resource(&self, directory: &Path, resource: &str, range: ByteRange) -> Result<Part, Error> {
        let confined = Dir::open_ambient_dir(directory, ambient_authority())
            .map_err(|error| Error::io(directory, error))?;
        resource::read(self, directory, resource, &|path| {
            read_inside(&confined, path, range).or_else(|error| match error.kind() {
                _ if is_escape(&error) => Err(resource::not_confined(resource)),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => {
                    Ok(None)
                }
                _ => Err(Error::io(directory.join(path), error)),
            })
        })
    }

    fn stamp(&self, file: &Path) -> Option<Stamp> {
        let now = SystemTime::now();
        stamp(&fs::metadata(file).ok()?, now)
    }
}

impl Tree for Disk {
    fn list(&self, directory: &Path, entry: &mut dyn FnMut(&OsStr, Kind)) -> io::Result<()> {
        for item in fs::read_dir(directory)? {
            let item = item?;
            // An entry without a type was deleted since it was listed.
            if let Ok(file_type) = item.file_type() {
                entry(&item.file_name(), kind(file_type));
            }
        }
        Ok(())
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let metadata = fs::symlink_metadata(path)?;
        Ok(Stat { kind: kind(metadata.file_type()), size: metadata.len() })
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }
}

/// Whether there is a `.git` in a directory, as a directory or as a file.
pub(crate) fn is_repository(directory: &Path) -> bool {
    fs::metadata(directory.join(".git")).is_ok_and(|metadata| metadata.is_dir() || metadata.is_file())
}

/// Whether what is there is a directory, or a link to one.
pub(crate) fn is_directory(path: &Path) -> Result<bool, Error> {
    fs::symlink_metadata(path).map_err(|error| Error::io(path, error))?;
    Ok(fs::metadata(path).is_ok_and(|metadata| metadata.is_dir()))
}

/// A text file whole; none if it is not there.
#[cfg(feature = "serde")]
pub(crate) fn read_text(file: &Path) -> Result<Option<String>, Error> {
    match open(file).and_then(|(opened, _)| io::read_to_string(opened)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(file, error)),
    }
}

/// The real path of an existing directory or file.
pub(crate) fn real_path(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

#[cfg(unix)]
fn kind(file_type: FileType) -> Kind {
    use std::os::unix::fs::FileTypeExt;
    if file_type.is_fifo() {
        Kind::Other("FIFO")
    } else if file_type.is_socket() {
        Kind::Other("socket")
    } else {
        plain_kind(file_type)
    }
}

/// The stamp of a file that was looked at `now`.
pub(super) fn stamp(metadata: &Metadata, now: SystemTime) -> Option<Stamp> {
    let modified = metadata.modified().ok()?;
    let (changed, inode) = changed_and_inode(metadata, modified);
    let is_past = |time| now.duration_since(time).is_ok_and(|age| age > SETTLING);
    let settled = is_past(modified) && is_past(changed);
    Some(Stamp { size: metadata.len(), modified, changed, inode, settled })
}

#[cfg(unix)]
fn changed_and_inode(metadata: &Metadata, modified: SystemTime) -> (SystemTime, u64) {
    use std::os::unix::fs::MetadataExt;
    let since_1970 = u64::try_from(metadata.ctime()).ok().zip(u32::try_from(metadata.ctime_nsec()).ok());
    let changed = since_1970.map(|(seconds, nanos)| SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos));
    (changed.unwrap_or(modified), metadata.ino())
}

#[cfg(not(unix))]
fn changed_and_inode(_: &Metadata, modified: SystemTime) -> (SystemTime, u64) {
    (modified, 0)
}

#[cfg(not(unix))]
fn kind(file_type: FileType) -> Kind {
    plain_kind(file_type)
}

fn plain_kind(file_type: FileType) -> Kind {
    if file_type.is_dir() {
        Kind::Directory
    } else if file_type.is_file() {
        Kind::File
    } else if file_type.is_symlink() {
        Kind::Link
    } else {
        Kind::Other("device")
    }
}

/// Opens without waiting for a writer, and without making a terminal the process's own.
#[cfg(unix)]
const OPEN_FLAGS: i32 = rustix::fs::OFlags::NONBLOCK.union(rustix::fs::OFlags::NOCTTY).bits() as i32;

/// Opens a regular file.
fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, OPEN_FLAGS);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok((file, metadata))
}

/// Reads a regular file inside a directory; `None` if something else stands there.
fn read_inside(directory: &Dir, path: &str, range: ByteRange) -> io::Result<Option<Part>> {
    if path.is_empty() || !directory.metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut options = cap_std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::custom_flags(&mut options, OPEN_FLAGS);
    let mut file = directory.open_with(path, &options)?.into_std();
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Ok(None);
    }
    let size = metadata.len();
    let offset = range.offset.min(size);
    file.seek(SeekFrom::Start(offset))?;
    let bytes = read_at_most(&mut file, range.length.min(size - offset))?;
    Ok(Some(Part { path: path.to_string(), bytes, offset, size }))
}

fn read_at_most(file: &mut File, max: u64) -> io::Result<Vec<u8>> {
    // The smaller of the two fits into memory, whatever the platform.
    let mut bytes = Vec::with_capacity(usize::try_from(max.min(FIRST_BUFFER)).unwrap_or(0));
    file.take(max).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether a confined open failed because the path leads out. Such an error is made up by the confinement; the
/// system's own "permission denied" has a code.
fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}
