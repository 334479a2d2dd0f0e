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
    fn fingerprint(&self, library: &Library, skill: &Skill, path: &str, max: u64) -> Option<Fingerprint> {
        let Some(stamp) = library.stamp(skill, path) else {
            return library.fingerprint(skill, path, max).ok();
        };
        let place = skill.directory().join(path);
        let mut known = lock(&self.0);
        if let Some((_, digest)) = known.get(&place).filter(|(then, _)| *then == stamp && stamp.size <= max) {
            return Some(Fingerprint { digest: digest.clone(), size: stamp.size });
        }
        let fingerprint = library.fingerprint(skill, path, max).ok()?;
        if known.len() >= MAX_DIGESTS {
            known.clear();
        }
        if fingerprint.size == stamp.size && stamp.settled {
            known.insert(place, (stamp, fingerprint.digest.clone()));
        }
        Some(fingerprint)
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
    let paths = listed.files.iter().map(|file| file.path.as_str());
    let (mut files, mut left) = (Vec::new(), MAX_BYTES);
    for path in std::iter::once(SKILL_FILE).chain(paths) {
        let Some(found) = digests.fingerprint(library, skill, path, left) else {
            return SkillResources::Dynamic;
        };
        left = left.saturating_sub(found.size);
        files.push(SkillResource::new(uri(&address, path), found.digest, found.size));
    }
    SkillResources::Files(files)
}
