//! `/name` and `$name` in what a user types.

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::library::Library;
use crate::skill::Skill;

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
///    behind it does not belong to it.
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
    for (start, word) in words(prompt) {
        let Some((skill, length)) = mentioned(library, word) else {
            continue;
        };
        if mentions.iter().any(|mention| mention.skill == *skill) {
            continue;
        }
        let span = start..start + length;
        let arguments = if start == first_word {
            prompt[span.end..].trim().to_owned()
        } else {
            String::new()
        };
        mentions.push(Mention {
            skill: skill.clone(),
            span,
            arguments,
        });
    }
    mentions
}

/// The words of a text with their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace()
        .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// The skill that a word mentions, and how many bytes of the word do so.
fn mentioned<'a>(library: &'a Library, word: &'a str) -> Option<(&'a Arc<Skill>, usize)> {
    let name = word.strip_prefix(['/', '$'])?;
    let bare = |name: &&'a str| name.strip_suffix(is_punctuation);
    iter::successors(Some(name), bare)
        .take(MAX_PUNCTUATION)
        .find_map(|name| {
            let skill = library.find_exact(name).filter(|skill| skill.is_invocable())?;
            Some((skill, 1 + name.len()))
        })
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || c.general_category_group() == GeneralCategoryGroup::Punctuation
}
