//! What any walk that lists directories must pay for, and one that does not list them all.

use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, openat, statat, statfs};

use super::{DEPTH, Ready, is_skill_file, is_skipped};

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const BUFFER: usize = 32 * 1024;

/// A directory that a walk lists, in depth-first order.
struct Listed {
    path: CString,
    name: CString,
    depth: usize,
}

fn open(above: impl AsFd, path: &CStr) -> OwnedFd {
    openat(above, path, DIRECTORY, Mode::empty()).expect("a directory that was there")
}

fn c_string(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).expect("a path")
}

/// The directories that a walk lists, and how many skills it finds in them.
fn listed(root: &Path, skip: &[&str]) -> (Vec<Listed>, usize) {
    fn search(directory: &Path, depth: usize, skip: &[&str], all: &mut (Vec<Listed>, usize)) {
        let name = Path::new(directory.file_name().unwrap_or_default());
        all.0.push(Listed { path: c_string(directory), name: c_string(name), depth });
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let mut below: Vec<PathBuf> = Vec::new();
        for entry in entries {
            if is_skill_file(&entry.file_name()) {
                all.1 += 1;
                return;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_skipped(&entry.file_name(), skip) {
                below.push(entry.path());
            }
        }
        below.sort();
        for directory in below.iter().filter(|_| depth < DEPTH) {
            search(directory, depth + 1, skip, all);
        }
    }
    let mut all = (Vec::new(), 0);
    search(root, 0, skip, &mut all);
    all
}

pub(super) fn by_path(root: &Path, skip: &'static [&'static str]) -> Ready {
    let (directories, skills) = listed(root, skip);
    let mut buffer = [MaybeUninit::uninit(); BUFFER];
    Box::new(move || {
        for directory in &directories {
            list(open(CWD, &directory.path).as_fd(), &mut buffer);
        }
        skills
    })
}

pub(super) fn within(root: &Path, skip: &'static [&'static str]) -> Ready {
    let (directories, skills) = listed(root, skip);
    let mut buffer = [MaybeUninit::uninit(); BUFFER];
    Box::new(move || {
        let mut above: Vec<OwnedFd> = Vec::new();
        for Listed { path, name, depth } in &directories {
            above.truncate(*depth);
            let directory = above.last().map_or_else(|| open(CWD, path), |above| open(above, name));
            list(directory.as_fd(), &mut buffer);
            above.push(directory);
        }
        skills
    })
}

/// To the end: a listing that fills no buffer may have been cut short by a signal, so that only an empty one is the last.
fn list(directory: BorrowedFd<'_>, buffer: &mut [MaybeUninit<u8>]) {
    let mut entries = RawDir::new(directory, buffer);
    while std::hint::black_box(entries.next()).is_some() {}
}

/// A directory with two links has no directory in it, so only `SKILL.md` is looked for: whatever else stands there, a
/// link to a skill or a `skill.md`, is not seen.
pub(super) fn by_link_count(root: &Path, skip: &'static [&'static str]) -> Ready {
    fn search(
        above: BorrowedFd<'_>,
        name: &CStr,
        depth: usize,
        skip: &[&str],
        buffer: &mut [MaybeUninit<u8>],
    ) -> usize {
        let links =
            statat(above, name, AtFlags::SYMLINK_NOFOLLOW).expect("a directory that was there").st_nlink;
        if links == 2 {
            let file = [name.to_bytes(), b"/SKILL.md"].concat();
            return usize::from(statat(above, &*file, AtFlags::SYMLINK_NOFOLLOW).is_ok());
        }
        let directory = open(above, name);
        let mut below: Vec<CString> = Vec::new();
        let mut entries = RawDir::new(&directory, &mut *buffer);
        while let Some(Ok(entry)) = entries.next() {
            let name = std::ffi::OsStr::from_bytes(entry.file_name().to_bytes());
            if is_skill_file(name) {
                return 1;
            }
            let is_directory = entry.file_type() == FileType::Directory && name != "." && name != "..";
            if is_directory && depth < DEPTH && !is_skipped(name, skip) {
                below.push(entry.file_name().to_owned());
            }
        }
        below.iter().map(|name| search(directory.as_fd(), name, depth + 1, skip, buffer)).sum()
    }
    let root = c_string(root);
    let mut buffer = [MaybeUninit::uninit(); BUFFER];
    Box::new(move || search(CWD, &root, 0, skip, &mut buffer))
}

/// The file system, and what its floor says.
pub(super) fn file_system(root: &Path) -> String {
    match statfs(root).map(|system| system.f_type as u32) {
        Ok(0xEF53) => "ext4".to_owned(),
        Ok(0x5846_5342) => "xfs".to_owned(),
        Ok(0x0102_1994) => "tmpfs".to_owned(),
        other => format!("{other:x?}, not ext4, xfs or tmpfs: the floor is printed without a claim"),
    }
}
