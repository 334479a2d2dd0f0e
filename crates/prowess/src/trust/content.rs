//! What a skill holds, as one digest.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::activate::digest_text;
use crate::error::{Error, ErrorKind};
use crate::files::Fingerprint;
use crate::skill::display_path;
use crate::source::{Content, Source};

/// How many files, folders and links a skill may hold to be judged by its content.
pub(super) const MAX_CONTENTS: usize = 10_000;
/// How many bytes all its files may have.
pub(crate) const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A file that was read: its path, and what was read.
pub(crate) type Read = (PathBuf, Fingerprint);

/// The `SKILL.md` first, then each file with the digest of its bytes and each link with where it leads: no two skills give
/// the same bytes to hash. What was `read` already is not read again.
pub(super) fn content_digest(location: &Path, source: &dyn Source, read: &[Read]) -> Result<String, Error> {
    let contents = source.contents(location, MAX_CONTENTS).map_err(|error| refused(error, location))?;
    let mut files = Files { location, source, read: by_real_path(source, read)?, left: MAX_BYTES };
    let mut hash = Sha256::new();
    let mut add = |kind: &[u8], path: &Path, what: &[u8]| {
        hash.update(kind);
        for bytes in [path.as_os_str().as_encoded_bytes(), what] {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
    };
    let directory = real_path(location.parent().unwrap_or(location), source)?;
    add(b"s", Path::new(""), files.digest(&real_path(location, source)?)?.as_bytes());
    for content in &contents {
        match content {
            Content::File(path) => add(b"f", path, files.digest(&directory.join(path))?.as_bytes()),
            Content::Link(path, Some(target)) => add(b"l", path, target.as_os_str().as_encoded_bytes()),
            Content::Link(path, None) => add(b"n", path, b""),
        }
    }
    match files.read.keys().next() {
        None => Ok(digest_text(&hash.finalize())),
        Some(file) => {
            let message = format!("`{}` is no file of the skill", display_path(file));
            Err(Error::new(ErrorKind::UnknownResource, message).with_path(location))
        }
    }
}

fn real_path(path: &Path, source: &dyn Source) -> Result<PathBuf, Error> {
    source.real_path(path).ok_or_else(|| Error::io(path, io::ErrorKind::NotFound.into()))
}

/// What was read, by the real paths of the files: one that two paths lead to must have been the same.
fn by_real_path(source: &dyn Source, read: &[Read]) -> Result<BTreeMap<PathBuf, Fingerprint>, Error> {
    let mut files = BTreeMap::new();
    for (path, fingerprint) in read {
        let known = files.insert(real_path(path, source)?, fingerprint.clone());
        if known.is_some_and(|known| known != *fingerprint) {
            let message = format!("`{}` changed while it was read", display_path(path));
            return Err(Error::new(ErrorKind::Untrusted, message).with_path(path));
        }
    }
    Ok(files)
}

/// The files of a skill, each asked for once, within the limit.
struct Files<'a> {
    location: &'a Path,
    source: &'a dyn Source,
    read: BTreeMap<PathBuf, Fingerprint>,
    left: u64,
}

impl Files<'_> {
    fn digest(&mut self, file: &Path) -> Result<String, Error> {
        let Fingerprint { digest, size } = match self.read.remove(file) {
            Some(read) => read,
            None => {
                let max = usize::try_from(self.left).unwrap_or(usize::MAX);
                let read =
                    self.source.read_prefix(file, max).map_err(|error| refused(error, self.location))?;
                Fingerprint { size: read.size, ..Fingerprint::of(&read.bytes) }
            }
        };
        self.left = self.left.checked_sub(size).ok_or_else(|| {
            let directory = display_path(self.location.parent().unwrap_or(self.location));
            let message = format!("the files in `{directory}` have more than {MAX_BYTES} bytes");
            refused(Error::new(ErrorKind::BodyTooLarge, message), self.location)
        })?;
        Ok(digest)
    }
}

/// Why a skill has no digest.
fn refused(error: Error, location: &Path) -> Error {
    let message = format!("it can't be trusted: {}", error.message());
    Error::new(error.kind(), message).with_path(error.path().unwrap_or(location))
}
