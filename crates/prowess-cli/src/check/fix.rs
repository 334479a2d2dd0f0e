//! Corrections, written whole or not at all.

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::Path;

use prowess::parse;
use prowess::text::visible;

/// Repairs a file, and says how many entries it has rewritten. Nothing but the repaired lines changes, mode and owner stay,
/// and a link stays a link. The corrections are those of the file as it is at this moment.
pub(super) fn fix(file: &Path) -> io::Result<usize> {
    let file = file.canonicalize()?;
    let bytes = std::fs::read(&file)?;
    let metadata = std::fs::metadata(&file)?;
    if metadata.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let diagnostics = parse::parse(&bytes, &file).diagnostics;
    let repairs = diagnostics.iter().filter(|diagnostic| diagnostic.repair.is_some()).count();
    let repaired = parse::repaired(&bytes, &diagnostics);
    let directory = file.parent().unwrap_or(Path::new("."));
    let mut beside = tempfile::NamedTempFile::new_in(directory)?;
    beside.write_all(&repaired)?;
    keep_owner(beside.as_file(), &metadata)?;
    beside.as_file().set_permissions(metadata.permissions())?;
    beside.as_file().sync_all()?;
    if std::fs::read(&file)? != bytes {
        return Err(io::Error::other("it has been changed meanwhile"));
    }
    beside.persist(&file)?;
    Ok(repairs)
}

#[cfg(unix)]
fn keep_owner(file: &File, as_of: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) == (as_of.uid(), as_of.gid()) {
        return Ok(());
    }
    fchown(file, Some(as_of.uid()), Some(as_of.gid()))
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

pub(super) fn said(file: &Path, repairs: usize) -> String {
    let what = if repairs == 1 { "1 repair".to_owned() } else { format!("{repairs} repairs") };
    format!("{}: {what} written", visible(&file.display().to_string()))
}
