//! `skill://` URIs: which skill and which file one means.
//!
//! A skill that has its name lies at `skill://NAME`. One that shares it or has lost it is told from others by what no
//! name may hold, a dot: it lies at `skill://scope.SCOPE/NAME`, or, told by its directory as well, at
//! `skill://copy.SCOPE/DIR/NAME`. So the last part before `SKILL.md` is always the name.

use std::collections::HashMap;
use std::sync::Arc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use prowess::Library;
use prowess::skill::Skill;

const SCHEME: &str = "skill://";
/// What stands in a URI as it is.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Where skills lie, for those that anybody may have.
#[derive(Debug)]
pub(crate) struct Addresses(HashMap<String, Arc<Skill>>);

/// What a URI means: a skill, and a path in it; an empty one is its directory.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) skill: Arc<Skill>,
    pub(crate) path: String,
}

impl Addresses {
    pub(crate) fn new(library: &Library) -> Self {
        let served = library.all().filter(|skill| skill.is_listed() || skill.is_invocable());
        Self(served.map(|skill| (address(library, skill), skill.clone())).collect())
    }

    /// Every address, sorted.
    pub(crate) fn sorted(&self) -> Vec<&str> {
        let mut all: Vec<&str> = self.0.keys().map(String::as_str).collect();
        all.sort_unstable();
        all
    }

    pub(crate) fn find(&self, address: &str) -> Option<&Arc<Skill>> {
        self.0.get(address)
    }

    /// What a URI means; `None` if it is malformed, leads upwards, or lies in no skill.
    pub(crate) fn place(&self, uri: &str) -> Option<Place> {
        let names = names(uri)?;
        let deepest_first = (1..=names.len()).rev();
        let mut places = deepest_first.filter_map(|length| {
            let skill = self.0.get(&names[..length].join("/"))?;
            Some(Place { skill: skill.clone(), path: names[length..].join("/") })
        });
        places.next()
    }
}

/// A skill's address: its URI's decoded path.
pub(crate) fn address(library: &Library, skill: &Skill) -> String {
    let (name, scope) = (skill.name(), skill.scope().as_str());
    if library.call_name(skill) == name {
        return name.to_owned();
    }
    match skill.id_directory() {
        Some(directory) => format!("copy.{scope}/{}/{name}", plain(directory)),
        None => format!("scope.{scope}/{name}"),
    }
}

/// A directory without the names that no URI may have.
fn plain(directory: &str) -> String {
    let names = directory.split('/').filter(|name| !name.is_empty());
    let names = names.map(|name| match name {
        "." => "%2E",
        ".." => "%2E%2E",
        _ => name,
    });
    names.collect::<Vec<_>>().join("/")
}

/// The URI of a file or directory of the skill at an address; an empty path is the skill's directory.
pub(crate) fn uri(address: &str, path: &str) -> String {
    let names = address.split('/').chain(path.split('/')).filter(|name| !name.is_empty());
    let encoded: Vec<String> = names.map(|name| utf8_percent_encode(name, UNRESERVED).to_string()).collect();
    format!("{SCHEME}{}", encoded.join("/"))
}

/// The decoded names of a URI's path, if none of them could lead elsewhere.
fn names(uri: &str) -> Option<Vec<String>> {
    let path = uri.strip_prefix(SCHEME).filter(|path| !path.contains(['?', '#']))?;
    let path = path.strip_suffix('/').unwrap_or(path);
    let decode = |name| percent_decode_str(name).decode_utf8().ok().map(|name| name.into_owned());
    let names: Vec<String> = path.split('/').map(decode).collect::<Option<_>>()?;
    let is_plain =
        |name: &String| !matches!(name.as_str(), "" | "." | "..") && !name.contains(['/', '\\', '\0']);
    names.iter().all(is_plain).then_some(names)
}

#[cfg(test)]
mod tests;
