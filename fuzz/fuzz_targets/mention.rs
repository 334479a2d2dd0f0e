//! Mentions in any prompt: each is a sigil and the exact name of a skill that the user may activate, at a word's start.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use prowess::{Library, mention};

/// No signs that could belong to a name, or to a word that the name begins.
const ENDS: [char; 2] = [' ', '\n'];
/// How much of a prompt does for what follows a name.
const SHORT: usize = 16;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let names = ["pdf", "pdf-forms", "two words", "two words more", "r\u{e9}sum\u{e9}", "表格", "a.b", "x!"];
    let skills = names.iter().map(|name| (*name, "")).chain([("model-only", "user-invocable: false\n")]);
    let files: Vec<(String, String)> = skills
        .map(|(name, more)| {
            (format!("{name}/SKILL.md"), format!("---\nname: {name}\ndescription: Does.\n{more}---\n"))
        })
        .collect();
    prowess_fuzz::library(files.iter().map(|(path, text)| (path.clone(), text.as_str())))
});

fuzz_target!(|prompt: &str| {
    let mentions = mention::find(&LIBRARY, prompt);
    let mut end = 0;
    let mut seen = Vec::new();
    for found in &mentions {
        let (before, text) = prompt[..found.span.end].split_at(found.span.start);
        assert!(found.span.start >= end && before.chars().next_back().is_none_or(char::is_whitespace));
        let name = text.strip_prefix(['/', '$']).expect("a sigil");
        assert_eq!(LIBRARY.find_exact(name), Some(&found.skill));
        assert!(found.skill.is_invocable() && !seen.contains(&found.skill.id()));
        let expected = if before.trim().is_empty() { prompt[found.span.end..].trim() } else { "" };
        assert_eq!(found.arguments, expected);
        seen.push(found.skill.id());
        end = found.span.end;
    }
    let rest: String = prompt.chars().take(SHORT).collect();
    for skill in LIBRARY.skills().iter().filter(|skill| skill.is_invocable()) {
        for end in ENDS {
            let prompt = format!("/{}{end}{end}{rest}", skill.name());
            let found = mention::find(&LIBRARY, &prompt);
            assert_eq!(found.first().map(|mention| &mention.skill), Some(skill), "{prompt:?}");
        }
    }
});
