//! The Skills extension, and the files of skills as resources.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use prowess::files::SKILL_FILE;
use prowess::skill::Skill;
use prowess::{ErrorKind, json};
use rmcp::ErrorData;
use rmcp::model::{
    ArgumentInfo, CompleteResult, CompletionContext, CompletionInfo, DIRECTORY_MIME_TYPE, GetSkillResult,
    JsonObject, ListSkillsResult, MetaObject, ReadResourceResult, Reference, Resource, ResourceContents,
    ResourceTemplate, SkillResources,
};
use serde_json::{Value, json};

use crate::address::{Place, address, uri};
use crate::manifest;
use crate::page;
use crate::server::refused;
use crate::shelf::Snapshot;
use crate::tools::shortened;

/// The URI of any file of any skill.
const TEMPLATE: &str = "skill://{+skill}/{+path}";
/// A page ends behind the skill that brings it to so many files: an entry is never split.
const PAGE_FILES: usize = 4_000;
/// How many skills that can't be expressed are named.
const NAMED: usize = 100;

/// One page of the skills that a model may have.
pub(crate) fn list_skills(snapshot: &Snapshot, after: Option<String>) -> Result<ListSkillsResult, ErrorData> {
    let is_first = after.is_none();
    let entries =
        snapshot.entries().iter().filter(|(_, entry)| after.as_ref().is_none_or(|after| entry.uri > *after));
    let (mut skills, mut files, mut next) = (Vec::new(), 0, None);
    for (skill, entry) in entries {
        if skills.len() == page::PAGE || files >= PAGE_FILES {
            next = skills.last().map(|last: &rmcp::model::Skill| page::cursor(&last.uri));
            break;
        }
        let mut entry = entry.clone();
        entry.resources = manifest::resources(&snapshot.library, snapshot.digests(), skill);
        if let SkillResources::Files(listed) = &entry.resources {
            files += listed.len();
        }
        skills.push(entry);
    }
    let mut result = ListSkillsResult::with_all_items(skills);
    result.next_cursor = next;
    result.meta = left_out(snapshot).filter(|_| is_first);
    Ok(result)
}

/// What the list is silent about, beside it.
fn left_out(snapshot: &Snapshot) -> Option<MetaObject> {
    let (named, total) = named_left_out(snapshot);
    let keys = [("prowess/left-out", named), ("prowess/left-out-total", total.into())];
    let keys = keys.map(|(key, value)| (key.to_owned(), value));
    (total > 0).then(|| MetaObject(JsonObject::from_iter(keys)))
}

/// The first skills that the extension can't express, and how many there are.
pub(crate) fn named_left_out(snapshot: &Snapshot) -> (Value, usize) {
    let left_out = snapshot.left_out();
    let named = left_out.iter().take(NAMED).map(|(id, why)| json!({"id": id, "reason": why}));
    (named.collect(), left_out.len())
}

/// One skill, listed or not.
pub(crate) fn find_skill(snapshot: &Snapshot, uri: &str) -> Result<GetSkillResult, ErrorData> {
    let place = snapshot.addresses().place(uri).filter(|place| place.path == SKILL_FILE);
    let Some(Place { skill, .. }) = place else {
        return Err(ErrorData::invalid_params(format!("no skill lies at `{}`", shortened(uri)), None));
    };
    let entry = manifest::entry(&snapshot.library, &skill);
    let mut entry =
        entry.map_err(|why| ErrorData::invalid_params(format!("the skill has no entry: {why}"), None))?;
    if entry.uri != uri {
        let message = format!("no skill lies at `{}`, but at `{}`", shortened(uri), entry.uri);
        return Err(ErrorData::invalid_params(message, None));
    }
    entry.resources = manifest::resources(&snapshot.library, snapshot.digests(), &skill);
    Ok(GetSkillResult::new(entry))
}

/// The `SKILL.md` of every listed skill.
pub(crate) fn list(snapshot: &Snapshot) -> Vec<Resource> {
    let listed = snapshot.library.listed().map(|skill| {
        let written = json::frontmatter(skill.frontmatter());
        let description = written["description"].as_str().unwrap_or(skill.description());
        Resource::new(uri(&address(&snapshot.library, skill), SKILL_FILE), skill.name())
            .with_description(description)
            .with_mime_type("text/markdown")
    });
    listed.collect()
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let description = "A file of a skill: SKILL.md, or one that its text names.";
    vec![ResourceTemplate::new(TEMPLATE, "skill-file").with_description(description)]
}

/// A whole file, raw: as text where it is text.
pub(crate) fn read(snapshot: &Snapshot, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let place = snapshot.addresses().place(uri).filter(|place| !place.path.is_empty());
    let not_found =
        |message: String| ErrorData::resource_not_found(message, Some(json!({"uri": shortened(uri)})));
    let Some(Place { skill, path }) = place else {
        return Err(not_found(format!("no file of a skill lies at `{}`", shortened(uri))));
    };
    let bytes =
        snapshot.library.file(&skill, &path, manifest::MAX_BYTES).map_err(|error| match error.kind() {
            ErrorKind::UnknownSkill | ErrorKind::UnknownResource | ErrorKind::NotConfined => {
                not_found(error.to_string())
            }
            _ => refused(&error),
        })?;
    let contents = match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => ResourceContents::text(text, uri),
        Ok(text) => ResourceContents::blob(BASE64_STANDARD.encode(text), uri),
        Err(error) => ResourceContents::blob(BASE64_STANDARD.encode(error.as_bytes()), uri),
    };
    let contents = match mime_type(&path) {
        Some(mime_type) => contents.with_mime_type(mime_type),
        None => contents,
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

/// What lies directly in a directory of a skill.
pub(crate) fn read_directory(snapshot: &Snapshot, uri: &str) -> Result<Vec<Resource>, ErrorData> {
    let no_directory =
        || ErrorData::invalid_params(format!("no directory lies at `{}`", shortened(uri)), None);
    let Place { skill, path } = snapshot.addresses().place(uri).ok_or_else(no_directory)?;
    let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
    let address = address(&snapshot.library, &skill);
    let mut children = BTreeMap::new();
    if path.is_empty() {
        let stamp = snapshot.library.stamp(&skill, SKILL_FILE);
        children.insert(
            SKILL_FILE.to_owned(),
            file(&address, SKILL_FILE, SKILL_FILE, stamp.map(|stamp| stamp.size)),
        );
    }
    for found in snapshot.library.resources(&skill, usize::MAX).files {
        let Some(inside) = found.path.strip_prefix(&prefix) else { continue };
        let child = match inside.split_once('/') {
            None => (inside, file(&address, &found.path, inside, Some(found.size))),
            Some((name, _)) => (name, directory(&address, &format!("{prefix}{name}"), name)),
        };
        children.insert(child.0.to_owned(), child.1);
    }
    if children.is_empty() {
        return Err(no_directory());
    }
    Ok(children.into_values().collect())
}

fn file(address: &str, path: &str, name: &str, size: Option<u64>) -> Resource {
    let mut resource = Resource::new(uri(address, path), name);
    resource.mime_type = mime_type(path).map(str::to_owned);
    resource.size = size;
    resource
}

fn directory(address: &str, path: &str, name: &str) -> Resource {
    Resource::new(uri(address, path), name).with_mime_type(DIRECTORY_MIME_TYPE)
}

/// What could follow in the template, or in a prompt's arguments, of which nothing is known.
pub(crate) fn complete(
    snapshot: &Snapshot,
    reference: &Reference,
    argument: &ArgumentInfo,
    context: Option<CompletionContext>,
) -> Result<CompleteResult, ErrorData> {
    let is_known = match reference {
        Reference::Resource(template) => template.uri == TEMPLATE,
        Reference::Prompt(prompt) => snapshot.library.find_exact(&prompt.name).is_some(),
        _ => false,
    };
    if !is_known {
        return Err(ErrorData::invalid_params("there is nothing of that name to complete", None));
    }
    let arguments = context.and_then(|context| context.arguments).unwrap_or_default();
    let skill = arguments.get("skill").and_then(|address| snapshot.addresses().find(address));
    let all = match (reference, argument.name.as_str(), skill) {
        (Reference::Resource(_), "skill", _) => {
            snapshot.addresses().sorted().iter().map(ToString::to_string).collect()
        }
        (Reference::Resource(_), "path", Some(skill)) => paths(snapshot, skill),
        _ => Vec::new(),
    };
    let mut values: Vec<String> =
        all.into_iter().filter(|value| value.starts_with(&argument.value)).collect();
    let total = u32::try_from(values.len()).ok();
    let has_more = values.len() > CompletionInfo::MAX_VALUES;
    values.truncate(CompletionInfo::MAX_VALUES);
    let completion = CompletionInfo::with_pagination(values, total, has_more);
    completion.map(CompleteResult::new).map_err(|error| ErrorData::internal_error(error, None))
}

fn paths(snapshot: &Snapshot, skill: &Skill) -> Vec<String> {
    let files = snapshot.library.resources(skill, usize::MAX).files.into_iter().map(|file| file.path);
    std::iter::once(SKILL_FILE.to_owned()).chain(files).collect()
}

/// By its extension, the type of a file; none if that says nothing.
fn mime_type(path: &str) -> Option<&'static str> {
    let extension = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "md" | "markdown" => "text/markdown",
        "txt" | "log" => "text/plain",
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "js" | "mjs" | "cjs" => "text/javascript",
        "py" => "text/x-python",
        "sh" | "bash" => "text/x-shellscript",
        "xml" => "application/xml",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "toml" => "application/toml",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        "webp" => "image/webp",
        _ => return None,
    })
}
