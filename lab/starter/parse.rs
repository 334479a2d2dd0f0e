//! One job: the text of a `SKILL.md` becomes a skill and findings. No file is touched.

use saphyr::{LoadableYamlNode, Yaml};
use std::path::{Path, PathBuf};

pub struct Skill {
    pub name: String,
    pub description: String,
    pub location: PathBuf,
}

/// What a skill's author should know. An `error` keeps the skill out, a `warning` does not.
pub struct Finding {
    pub severity: &'static str,
    pub code: &'static str,
    pub text: String,
}

pub fn finding(severity: &'static str, code: &'static str, path: &Path, message: &str) -> Finding {
    Finding { severity, code, text: format!("{}: {severity}[{code}]: {message}", path.display()) }
}

/// What stands between the two fences, and the body after them.
pub fn split(text: &str) -> (&str, &str) {
    text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap_or(("", text))
}

// EXERCISE 2 (checks 3, 4 and 5): be lenient, with one exception.
// a. A skill without a description, or with a blank one, is no skill: return none, and an "error" with the code
//    "missing-description". Without a description no model can know when to use it.
// b. A name that differs from its directory's is worth a "warning", "name-mismatch", and the skill loads.
// c. A text that is no valid YAML is worth a "warning", "yaml-repaired", and is read line by line. Only the first
//    colon of a line ends the key; the others belong to the value. Indented lines continue the value above them.
// As it stands, everything loads, and what YAML refuses loads without a description.
pub fn parse(text: &str, location: PathBuf) -> (Option<Skill>, Vec<Finding>) {
    let (frontmatter, _) = split(text);
    let findings = Vec::new();
    let yaml = Yaml::load_from_str(frontmatter).ok();
    let field = |key| Some(yaml.as_ref()?.first()?.as_mapping_get(key)?.as_str()?.to_owned());
    let folder = location.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let name = field("name").unwrap_or_else(|| folder.to_string());
    let description = field("description").unwrap_or_default();
    (Some(Skill { name, description, location }), findings)
}
