//! Corrections, written whole or not at all.

use std::io::{self, Write};
use std::path::Path;

use prowess::parse;
use prowess::text::visible;

/// Repairs a file, and says how many entries it has rewritten. Nothing but the repaired lines changes, the mode stays, and
/// a link stays a link. The corrections are those of the file as it is at this moment.
pub(super) fn fix(file: &Path) -> io::Result<usize> {
    let file = file.canonicalize()?;
    let bytes = std::fs::read(&file)?;
    let permissions = std::fs::metadata(&file)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let diagnostics = parse::parse(&bytes, &file).diagnostics;
    let repairs = diagnostics.iter().filter(|diagnostic| diagnostic.repair.is_some()).count();
    let repaired = parse::repaired(&bytes, &diagnostics);
    let directory = file.parent().unwrap_or(Path::new("."));
    let mut beside = tempfile::NamedTempFile::new_in(directory)?;
    beside.write_all(&repaired)?;
    beside.as_file().set_permissions(permissions)?;
    beside.as_file().sync_all()?;
    beside.persist(&file)?;
    Ok(repairs)
}

pub(super) fn said(file: &Path, repairs: usize) -> String {
    let what = if repairs == 1 { "1 repair".to_owned() } else { format!("{repairs} repairs") };
    format!("{}: {what} written", visible(&file.display().to_string()))
}
