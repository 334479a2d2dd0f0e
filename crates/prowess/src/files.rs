//! The files of a skill as they are, byte for byte: for hosts that hand a skill on to others.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::activate;
use crate::error::{Error, ErrorKind};
use crate::library::Library;
use crate::resource::inside;
pub use crate::scan::SKILL_FILE;
use crate::skill::{Skill, display_path};
use crate::source::{ByteRange, Part, Prefix, Resources, Stamp, confined};

/// How much of a file is held at a time.
const CHUNK: u64 = 1024 * 1024;

/// A file's digest and size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// `sha256:` and 64 hex digits over the raw bytes.
    pub digest: String,
    /// The size in bytes.
    pub size: u64,
}

impl Fingerprint {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self { digest: activate::digest(bytes), size: bytes.len() as u64 }
    }
}

impl Library {
    /// The files that a skill brings along: the first `cap` of them by path, and how many there are. None if the skill is
    /// no longer where the load found it.
    #[must_use]
    pub fn resources(&self, skill: &Skill, cap: usize) -> Resources {
        match self.in_place(skill) {
            Ok(()) => self.source().resources(skill.directory(), cap),
            Err(_) => Resources::default(),
        }
    }

    /// Whether a skill is still reached where the load found it: a directory on the way that has become a link would lead
    /// out of it.
    pub(crate) fn in_place(&self, skill: &Skill) -> Result<(), Error> {
        let location = skill.location();
        match self.source().real_path(location) {
            Some(real) if real == skill.real_location() => Ok(()),
            Some(real) => {
                let (location, real) = (display_path(location), display_path(&real));
                let message =
                    format!("`{location}` leads to `{real}` since the skills were loaded; load them again");
                Err(Error::new(ErrorKind::NotConfined, message).with_path(skill.location()))
            }
            None => {
                let message =
                    format!("skill `{}` is no longer at `{}`", skill.name(), display_path(location));
                Err(Error::new(ErrorKind::UnknownSkill, message).with_path(location))
            }
        }
    }

    /// Reads a whole file of a skill, raw, if it has no more than `max` bytes. [`SKILL_FILE`] is the skill's own file;
    /// any other path is that of a resource, spelt out to its extension.
    ///
    /// # Errors
    /// Those of [`resource`](Self::resource), and `BodyTooLarge` with both sizes.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use prowess::{ErrorKind, Library, LoadOptions, Origin, Roots, source::Memory};
    ///
    /// let memory = Memory::new()
    ///     .with("/skills/pdf/SKILL.md", "---\r\nname: pdf\r\ndescription: Fills forms.\r\n---\r\n")
    ///     .with("/skills/pdf/references/fields.md", "Fields");
    /// let roots = Roots::new().with("user", "/skills")?;
    /// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
    /// let pdf = library.find("pdf", Origin::User)?;
    /// assert!(library.file(pdf, "SKILL.md", 1024)?.starts_with(b"---\r\n"));
    /// assert_eq!(library.file(pdf, "references/fields.md", 1024)?, b"Fields");
    /// let short = library.file(pdf, "references/fields", 1024).unwrap_err();
    /// assert_eq!(short.kind(), ErrorKind::UnknownResource);
    /// assert_eq!(library.file(pdf, "SKILL.md", 8).unwrap_err().kind(), ErrorKind::BodyTooLarge);
    /// # Ok::<(), prowess::Error>(())
    /// ```
    pub fn file(&self, skill: &Skill, path: &str, max: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let read = self.read_file(skill, path, max, &mut |part| bytes.extend_from_slice(part));
        self.checked(skill, read.map(|_| bytes), |bytes| vec![(place(skill, path), Fingerprint::of(bytes))])
    }

    /// The digest and size of a file of a skill with no more than `max` bytes, read piece by piece.
    ///
    /// # Errors
    /// Those of [`file`](Self::file).
    pub fn fingerprint(&self, skill: &Skill, path: &str, max: u64) -> Result<Fingerprint, Error> {
        let read = self.read_fingerprint(skill, path, max);
        self.checked(skill, read, |found| vec![(place(skill, path), found.clone())])
    }

    /// The digests and sizes of several files of a skill, in their order, that have no more than `max` bytes together. Whether
    /// the skill is trusted is found out once.
    ///
    /// # Errors
    /// Those of [`file`](Self::file), of the first file that has one.
    pub fn fingerprints(&self, skill: &Skill, paths: &[&str], max: u64) -> Result<Vec<Fingerprint>, Error> {
        let mut left = max;
        let read = paths.iter().map(|path| {
            let found = self.read_fingerprint(skill, path, left)?;
            left = left.saturating_sub(found.size);
            Ok(found)
        });
        self.checked(skill, read.collect(), |found: &Vec<Fingerprint>| {
            paths.iter().map(|path| place(skill, path)).zip(found.iter().cloned()).collect()
        })
    }

    fn read_fingerprint(&self, skill: &Skill, path: &str, max: u64) -> Result<Fingerprint, Error> {
        let mut hash = Sha256::new();
        let size = self.read_file(skill, path, max, &mut |part| hash.update(part))?;
        Ok(Fingerprint { digest: activate::digest_text(&hash.finalize()), size })
    }

    /// What tells whether a file of a skill is still the one it was. `None` if nothing can tell, if the host does not trust
    /// the skill, or if the path leads out of its directory.
    #[must_use]
    pub fn stamp(&self, skill: &Skill, path: &str) -> Option<Stamp> {
        self.permit(skill).and_then(|_| self.in_place(skill)).ok()?;
        let (source, place) = (self.source(), place(skill, path));
        let is_inside = path == SKILL_FILE
            || confined(&inside(skill, path)).is_ok()
                && source.real_path(&place)?.starts_with(source.real_path(skill.directory())?);
        is_inside.then(|| source.stamp(&place)).flatten()
    }

    /// Reads a skill's own file as it is now, or so much of it.
    pub(crate) fn read_skill_file(&self, skill: &Skill, max: u64) -> Result<Prefix, Error> {
        self.in_place(skill)?;
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        // What went while it was read is told as what was gone before.
        let read = self.source().read_prefix(skill.location(), max);
        read.or_else(|error| self.in_place(skill).and(Err(error)))
    }

    /// Hands a file to `each`, piece by piece, and gives its size; whether it may be had is yet to be
    /// [checked](Self::checked).
    fn read_file(
        &self,
        skill: &Skill,
        path: &str,
        max: u64,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<u64, Error> {
        self.permit(skill)?;
        if path == SKILL_FILE {
            let file = self.read_skill_file(skill, max)?;
            within(skill.directory(), path, file.size, max)?;
            each(&file.bytes);
            return Ok(file.bytes.len() as u64);
        }
        each_part(skill.directory(), path, max, &|range| self.read_part(skill, path, range), each)
    }
}

/// Where a file of a skill lies.
fn place(skill: &Skill, path: &str) -> PathBuf {
    if path == SKILL_FILE { skill.location().to_path_buf() } else { skill.directory().join(path) }
}

/// Hands a resource to `each`, piece by piece, and gives its size.
fn each_part(
    directory: &Path,
    path: &str,
    max: u64,
    read_part: &dyn Fn(ByteRange) -> Result<Part, Error>,
    each: &mut dyn FnMut(&[u8]),
) -> Result<u64, Error> {
    let mut read = 0;
    loop {
        let part = read_part(ByteRange { offset: read, length: CHUNK })?;
        if part.path != path {
            let message = format!("the skill has no file `{path}`");
            return Err(Error::new(ErrorKind::UnknownResource, message).with_candidates([part.path.as_str()]));
        }
        within(directory, path, part.size, max)?;
        each(&part.bytes);
        read += part.bytes.len() as u64;
        if part.bytes.is_empty() || read >= part.size {
            return Ok(read);
        }
    }
}

fn within(directory: &Path, path: &str, size: u64, max: u64) -> Result<(), Error> {
    if size <= max {
        return Ok(());
    }
    let message = format!("`{path}` has {size} bytes; the limit is {max}");
    Err(Error::new(ErrorKind::BodyTooLarge, message).with_path(directory.join(path)))
}

#[cfg(test)]
mod tests;
