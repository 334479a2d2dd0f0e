//! One directory of a walk: how it was reached, and what of its entries matters.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::{Kind, is_skill_file, prefer_skill_file};

#[derive(Debug)]
pub(super) struct Directory {
    pub(super) path: PathBuf,
    /// The real path, if a link below the root led here.
    pub(super) real: Option<PathBuf>,
    pub(super) depth: usize,
    pub(super) reach: Reach,
}

impl Directory {
    pub(super) fn child(&self, name: &OsStr, reach: Reach) -> Self {
        let mut path = OsString::with_capacity(self.path.as_os_str().len() + 1 + name.len());
        path.push(&self.path);
        let mut path = PathBuf::from(path);
        path.push(name);
        let real = self.real.as_ref().map(|real| real.join(name));
        Self { path, real, depth: self.depth + 1, reach }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Without a link below the root.
    Plain,
    /// Through a link.
    Linked,
    /// As a child of a linked directory.
    BelowLink,
    /// As a link in a child of a linked directory: too far to be searched.
    BeyondLink,
}

/// What matters of one directory's entries, sorted.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) skill_file: Option<(OsString, Kind)>,
    pub(super) directories: Vec<OsString>,
    pub(super) links: Vec<OsString>,
}

impl Listing {
    pub(super) fn add(&mut self, name: &OsStr, kind: Kind) {
        if is_skill_file(name) {
            let better = |(known, _): &(OsString, Kind)| prefer_skill_file(known, name) != known;
            if self.skill_file.as_ref().is_none_or(better) {
                self.skill_file = Some((name.to_os_string(), kind));
            }
        } else if kind == Kind::Directory {
            self.directories.push(name.to_os_string());
        } else if kind == Kind::Link {
            self.links.push(name.to_os_string());
        }
    }
}
