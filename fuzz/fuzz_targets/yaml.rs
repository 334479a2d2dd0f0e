//! Frontmatter against another YAML parser: where that one accepts it and `description` is a string, the description is
//! that string.
#![no_main]

use std::collections::HashSet;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use prowess::parse::parse;
use yaml_serde::{Mapping, Value};

fuzz_target!(|yaml: &str| {
    // Lines that end the frontmatter, and characters that are cleaned out of a file before YAML sees it.
    let ends = |line: &str| line.trim_start().starts_with("---") || line.trim() == "...";
    let cleaned = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if yaml.lines().any(ends) || yaml.contains(cleaned) || has_anchors(yaml) {
        return;
    }
    let Some(expected) = strict(yaml) else { return };
    let file = format!("---\n{yaml}\n---\nBody.\n");
    let parsed = parse(file.as_bytes(), Path::new("skills/d/SKILL.md"));
    assert_eq!(parsed.frontmatter.description, expected.trim());
});

/// Whether something may be an anchor: an alias is kept as it is written, on purpose.
fn has_anchors(yaml: &str) -> bool {
    yaml.match_indices('&').any(|(at, _)| {
        let (before, after) = (&yaml[..at], &yaml[at + 1..]);
        !before.ends_with(char::is_alphanumeric) && after.starts_with(|c: char| !c.is_whitespace())
    })
}

/// The description by libyaml, if it is text, and all is one map of words that differ in more than case. On purpose, other
/// text at the margin is none of a key's where the frontmatter is faulty or has an empty description: it may be prose. And
/// libyaml takes tags that YAML 1.2 does not have.
fn strict(yaml: &str) -> Option<String> {
    let map: Mapping = yaml_serde::from_str(yaml).ok()?;
    let mut keys = HashSet::new();
    let is_word = |key: &&str| {
        key.starts_with(char::is_lowercase)
            && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))
    };
    let is_new =
        |key: &Value| key.as_str().filter(is_word).is_some_and(|key| keys.insert(key.to_ascii_lowercase()));
    match map.get("description")? {
        Value::String(text) if !text.trim().is_empty() && map.keys().all(is_new) => Some(text.clone()),
        _ => None,
    }
}
