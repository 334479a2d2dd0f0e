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

/// Lenient, with one exception: without a description no model can know when to use the skill.
pub fn parse(text: &str, location: PathBuf) -> (Option<Skill>, Vec<Finding>) {
    let (frontmatter, _) = split(text);
    let mut findings = Vec::new();
    let yaml = Yaml::load_from_str(frontmatter).ok();
    if yaml.is_none() {
        findings.push(finding("warning", "yaml-repaired", &location, "no valid YAML; read line by line"));
    }
    let field = |key| match &yaml {
        Some(documents) => Some(documents.first()?.as_mapping_get(key)?.as_str()?.to_owned()),
        None => line_value(frontmatter, key),
    };
    let Some(description) = field("description").filter(|text| !text.trim().is_empty()) else {
        findings.push(finding("error", "missing-description", &location, "no description"));
        return (None, findings);
    };
    let folder = location.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let name = field("name").unwrap_or_else(|| folder.to_string());
    if name != folder {
        let message = format!("name `{name}` differs from directory `{folder}`");
        findings.push(finding("warning", "name-mismatch", &location, &message));
    }
    (Some(Skill { name, description, location }), findings)
}

/// The value of a key at the start of a line, with the indented lines that continue it.
fn line_value(frontmatter: &str, key: &str) -> Option<String> {
    let mut lines = frontmatter.lines().skip_while(|line| !line.starts_with(&format!("{key}:")));
    // Only the first colon ends the key; the others belong to the value.
    let first = lines.next()?.split_once(':')?.1.trim_start_matches([' ', '>', '|']);
    let more = lines.take_while(|line| line.starts_with(' '));
    let value: Vec<&str> = [first].into_iter().chain(more).map(str::trim).collect();
    Some(value.join(" ").trim().to_owned())
}
