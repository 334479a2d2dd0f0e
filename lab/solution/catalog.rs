//! One job: the text that tells the model which skills exist. It is paid every turn, so it is counted.

use crate::parse::Skill;

const HEAD: &str = "The skills below hold instructions for particular tasks. When a task matches a description, \
    read the file at its location first. Relative paths in a skill resolve against its directory.\n\n\
    <available_skills>\n";
const TAIL: &str = "</available_skills>\n";

#[derive(Default)]
pub struct Catalog {
    pub text: String,
    pub entries: Vec<String>,
    pub tokens: usize,
}

/// Name, description and location of each skill, and no body. Without skills there is nothing to pay for.
pub fn build(skills: &[Skill]) -> Catalog {
    if skills.is_empty() {
        return Catalog::default();
    }
    let entries: Vec<String> = skills.iter().map(entry).collect();
    let tokens = tokens(&[HEAD, TAIL].concat()) + entries.iter().map(|entry| tokens(entry)).sum::<usize>();
    Catalog { text: format!("{HEAD}{}{TAIL}", entries.concat()), entries, tokens }
}

fn entry(skill: &Skill) -> String {
    let (name, description) = (escape(&skill.name), escape(&skill.description));
    let location = escape(&skill.location.display().to_string());
    format!(
        "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n    \
         <location>{location}</location>\n  </skill>\n"
    )
}

/// An estimate that needs no vocabulary: four characters a token.
pub fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// Otherwise a description could close the catalog's tags and add entries of its own.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
