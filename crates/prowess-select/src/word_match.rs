use std::cmp::Reverse;

use prowess::text::words;

use crate::{Choice, Error, Request, Selector};

/// Chooses the skill that shares the most words with the prompt. It knows no synonyms and no meaning: it is **not a
/// judgement**, only a way to see the flow without a network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WordMatch;

impl Selector for WordMatch {
    fn name(&self) -> &str {
        "offline word match"
    }

    fn is_judgement(&self) -> bool {
        false
    }

    fn select(&self, request: &Request) -> Result<Choice, Error> {
        let wanted = words(&request.prompt);
        let shared = request.library.listed().map(|skill| {
            let name = request.library.call_name(skill);
            let offered = words(&format!("{name} {}", skill.description()));
            let shared: Vec<String> = wanted.intersection(&offered).cloned().collect();
            (shared, name)
        });
        let best = shared.min_by_key(|(shared, name)| (Reverse(shared.len()), *name));
        Ok(match best {
            Some((shared, name)) if !shared.is_empty() => Choice {
                skill: Some(name.to_owned()),
                reason: format!("shared words: {}", shared.join(", ")),
            },
            _ => Choice { skill: None, reason: "no skill shares a word with the prompt".to_owned() },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::library;

    #[track_caller]
    fn check(prompt: &str, expected: Option<&str>) {
        let library = library(&[
            ("commit-message", "Write a commit message from a diff."),
            ("pdf-forms", "Fill in forms. Use when the user has a PDF."),
        ]);
        let choice = WordMatch.select(&Request::new(&library, prompt)).unwrap();
        assert_eq!(choice.skill.as_deref(), expected, "{}", choice.reason);
    }

    #[test]
    fn the_most_shared_words_win() {
        check("please fill in this form", Some("pdf-forms"));
        check("a message for these commits", Some("commit-message"));
    }

    #[test]
    fn stop_words_choose_nothing() {
        check("what is the user to do when", None);
        check("", None);
    }
}
