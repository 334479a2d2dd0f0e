//! `/name` and `$name` in what a user types.

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::library::Library;
use crate::skill::Skill;
use crate::text::slice;

/// How many signs behind a name are taken for punctuation.
const MAX_PUNCTUATION: usize = 16;

/// A skill that a prompt mentions by its exact name or id.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mention {
    /// The skill.
    pub skill: Arc<Skill>,
    /// Where the mention stands in the prompt, in bytes, with its `/` or `$`.
    pub span: Range<usize>,
    /// What follows it, trimmed, if the prompt begins with it: the arguments.
    pub arguments: String,
}

/// Finds the skills that a prompt mentions, in order, each once.
///
/// 1. A mention is `/` or `$` at the prompt's start or behind white space, then a skill's exact name or id. Punctuation
///    behind it does not belong to it. A name may hold blanks; the longest one counts.
/// 2. Anything else is text: `$PATH` and `/usr/bin` where no skill is called so, `\$name`, `a/b`, `$name` in the middle
///    of a word.
/// 3. Skills that the user can't activate are text as well.
/// 4. Arguments are kept apart; nothing is ever spliced into a body.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{Library, LoadOptions, Roots, mention, source::Memory};
///
/// let memory = Memory::new().with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\n");
/// let roots = Roots::new().with("user", "/skills")?;
/// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
/// let found = mention::find(&library, "/pdf form.pdf in $PATH");
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].skill.name(), found[0].arguments.as_str()), ("pdf", "form.pdf in $PATH"));
/// # Ok::<(), prowess::Error>(())
/// ```
#[must_use]
pub fn find(library: &Library, prompt: &str) -> Vec<Mention> {
    let mut mentions: Vec<Mention> = Vec::new();
    let first_word = prompt.len() - prompt.trim_start().len();
    let phrases: Vec<&Arc<Skill>> =
        library.skills().iter().filter(|skill| skill.name().contains(' ') && skill.is_invocable()).collect();
    let starts_word =
        |start: &usize| slice(prompt, ..*start).chars().next_back().is_none_or(char::is_whitespace);
    for start in prompt.match_indices(['/', '$']).map(|(start, _)| start).filter(starts_word) {
        let Some((skill, length)) = mentioned(library, &phrases, slice(prompt, start + 1..)) else {
            continue;
        };
        if mentions.iter().any(|mention| mention.skill == *skill) {
            continue;
        }
        let span = start..start + 1 + length;
        let arguments =
            if start == first_word { slice(prompt, span.end..).trim().to_owned() } else { String::new() };
        mentions.push(Mention { skill: skill.clone(), span, arguments });
    }
    mentions
}

/// The skill whose name or id a text begins with, and how many bytes of the text that is.
fn mentioned<'a>(
    library: &'a Library,
    phrases: &[&'a Arc<Skill>],
    text: &str,
) -> Option<(&'a Arc<Skill>, usize)> {
    let word = text.split_whitespace().next().filter(|word| text.starts_with(word))?;
    let mut names =
        iter::successors(Some(word), |name| name.strip_suffix(is_punctuation)).take(MAX_PUNCTUATION);
    let by_word = names.find_map(|name| Some((library.find_exact(name)?, name.len())));
    let ends = |rest: &str| rest.chars().next().is_none_or(|c| c.is_whitespace() || is_punctuation(c));
    let by_phrase = phrases.iter().filter(|skill| text.strip_prefix(skill.name()).is_some_and(ends));
    let longest = by_phrase.map(|skill| (*skill, skill.name().len())).max_by_key(|(_, length)| *length);
    longest.or(by_word).filter(|(skill, _)| skill.is_invocable())
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || c.general_category_group() == GeneralCategoryGroup::Punctuation
}
