//! One job: hand over a body, once, and mark the message that holds it.

use crate::catalog::escape;
use crate::parse::{Skill, split};
use crate::scan::{children, read};
use std::path::{Path, PathBuf};
use std::{collections::HashMap, io};

/// One message of a conversation. A protected one holds a body and must survive compaction.
pub struct Message {
    pub role: &'static str,
    pub text: String,
    pub is_protected: bool,
}

pub fn plain(role: &'static str, text: String) -> Message {
    Message { role, text, is_protected: false }
}

/// What a conversation has been given: location and delivered text.
pub type Given = HashMap<PathBuf, String>;

// EXERCISE 4 (check 7): hand over a body once.
// `given` remembers what this conversation has received. If it holds this very text for this skill, answer with one
// plain line of role "tool", which says that the skill is in the conversation already. If the file has changed since,
// the new text is delivered. As it stands, every call pays for the body again.
pub fn activate(given: &mut Given, skill: &Skill) -> io::Result<Message> {
    let text = wrap(skill, &body(skill)?);
    given.insert(skill.location.clone(), text.clone());
    Ok(Message { role: "tool", text, is_protected: true })
}

/// Read when it is needed, never before: a load keeps no body.
pub fn body(skill: &Skill) -> io::Result<String> {
    Ok(split(&read(&skill.location)?).1.to_owned())
}

/// The body, and what it takes to follow it: its directory, and which files it may ask for.
fn wrap(skill: &Skill, body: &str) -> String {
    let (name, folder) = (escape(&skill.name), skill.location.parent().unwrap_or(&skill.location));
    let (place, resources) = (folder.display(), resources(folder, folder));
    format!(
        "<skill_content name=\"{name}\">\n{body}\nSkill directory: {place}\nRelative paths resolve against it.\n\
         <skill_resources>\n{resources}</skill_resources>\n</skill_content>\n"
    )
}

/// Names only: a resource is read when the body says so, and costs nothing until then.
fn resources(skill: &Path, directory: &Path) -> String {
    let files = children(directory).into_iter().filter(|path| !path.ends_with("SKILL.md"));
    let name = |path: &Path| format!("{}\n", path.strip_prefix(skill).unwrap_or(path).display());
    files.map(|path| if path.is_dir() { resources(skill, &path) } else { name(&path) }).collect()
}
