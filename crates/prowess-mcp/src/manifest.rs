//! A skill as the Skills extension has it: its frontmatter, and its files with their digests.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;

use prowess::files::{Fingerprint, SKILL_FILE};
use prowess::skill::Skill;
use prowess::source::Stamp;
use prowess::{Library, json};
use rmcp::model::{Skill as Entry, SkillFrontmatter, SkillResource, SkillResources};
use serde_json::Value;

use crate::address::{address, uri};
use crate::shelf::lock;

/// A skill with more files has no manifest.
const MAX_FILES: usize = 512;
/// A skill whose files have more bytes has no manifest. No larger file is read whole, either.
pub(crate) const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// With so many digests the cache begins anew.
const MAX_DIGESTS: usize = 200_000;

/// The digests of files, each for as long as its file stays the same.
#[derive(Debug, Default)]
pub(crate) struct Digests(Mutex<HashMap<PathBuf, (Stamp, String)>>);

impl Digests {
    /// Those of a skill's files, in their order; none if one can't be read, or they are too large.
    fn of(&self, library: &Library, skill: &Skill, paths: &[&str]) -> Option<Vec<Fingerprint>> {
        // The stamps come first: an edit while the files are read leaves them behind.
        let file = |path: &&str| (skill.directory().join(path), library.stamp(skill, path));
        let files: Vec<(PathBuf, Option<Stamp>)> = paths.iter().map(file).collect();
        let mut known = lock(&self.0);
        let find = |(place, now): &(PathBuf, Option<Stamp>)| {
            let (then, digest) = known.get(place).filter(|(then, _)| Some(*then) == *now)?;
            Some(Fingerprint { digest: digest.clone(), size: then.size })
        };
        let mut found: Vec<Option<Fingerprint>> = files.iter().map(find).collect();
        let left = found.iter().flatten().try_fold(MAX_BYTES, |left, file| left.checked_sub(file.size))?;
        let unknown: Vec<&str> =
            paths.iter().zip(&found).filter(|(_, found)| found.is_none()).map(|(path, _)| *path).collect();
        if unknown.is_empty() {
            return found.into_iter().collect();
        }
        let mut read = library.fingerprints(skill, &unknown, left).ok()?.into_iter();
        for (slot, (place, stamp)) in found.iter_mut().zip(files).filter(|(slot, _)| slot.is_none()) {
            let fingerprint = read.next()?;
            if let Some(stamp) = stamp.filter(|stamp| stamp.settled && stamp.size == fingerprint.size) {
                if known.len() >= MAX_DIGESTS {
                    known.clear();
                }
                known.insert(place, (stamp, fingerprint.digest.clone()));
            }
            *slot = Some(fingerprint);
        }
        found.into_iter().collect()
    }
}

/// A skill without its files, if the extension can express it; else why it can't.
pub(crate) fn entry(library: &Library, skill: &Skill) -> Result<Entry, String> {
    let frontmatter = skill.frontmatter();
    let declared = frontmatter.entries.iter().find(|(key, _)| key == "name");
    let Some(name) = declared.and_then(|(_, value)| value.as_text()) else {
        return Err("its frontmatter has no name".to_owned());
    };
    let mut shape = SkillFrontmatter::new(name, skill.description());
    if let Value::Object(mut entries) = json::frontmatter(frontmatter) {
        entries.remove("name");
        if let Some(Value::String(description)) = entries.remove("description") {
            shape.description = description;
        }
        shape.extra = entries;
    }
    let uri = uri(&address(library, skill), SKILL_FILE);
    let entry = Entry::new(uri, shape, SkillResources::Dynamic);
    entry.validate().map_err(|error| error.to_string())?;
    Ok(entry)
}

/// The files of a skill with their digests. What can't be read, or has too much to read, has none that hold.
pub(crate) fn resources(library: &Library, digests: &Digests, skill: &Skill) -> SkillResources {
    let listed = library.resources(skill, MAX_FILES);
    if listed.total >= MAX_FILES || listed.is_cut {
        return SkillResources::Dynamic;
    }
    let address = address(library, skill);
    let listed = listed.files.iter().map(|file| file.path.as_str());
    let paths: Vec<&str> = std::iter::once(SKILL_FILE).chain(listed).collect();
    let Some(found) = digests.of(library, skill, &paths) else {
        return SkillResources::Dynamic;
    };
    let files = paths.iter().zip(found);
    let files = files.map(|(path, found)| SkillResource::new(uri(&address, path), found.digest, found.size));
    SkillResources::Files(files.collect())
}
