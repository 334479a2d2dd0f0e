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

// EXERCISE 3 (check 6): tell the model which skills exist, and count what that costs.
// The text is `HEAD`, an entry for each skill in the given order, and `TAIL`:
//
//   <skill>
//     <name>commit-message</name>
//     <description>Writes the commit message ...</description>
//     <location>/path/to/commit-message/SKILL.md</location>
//   </skill>
//
// Every value is escaped; nothing else of a skill is in it, and above all no body. `entries` holds the entries as they
// stand in the text, and `tokens` is what they cost, each counted by itself, and what `HEAD` and `TAIL` cost together.
// As it stands, the model is told of no skill.
pub fn build(skills: &[Skill]) -> Catalog {
    if skills.is_empty() {
        return Catalog::default();
    }
    Catalog { text: format!("{HEAD}{TAIL}"), entries: Vec::new(), tokens: 0 }
}

/// An estimate that needs no vocabulary: four characters a token.
pub fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// Otherwise a description could close the catalog's tags and add entries of its own.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
