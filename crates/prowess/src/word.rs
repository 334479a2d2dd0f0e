//! Words that stand for choices, for faces that get them as text.

use std::str::FromStr;

use crate::catalog::{Format, Style};
use crate::error::{Error, ErrorKind};
use crate::library::Origin;
use crate::scope::Preset;
use crate::skill::Visibility;
#[cfg(feature = "serde")]
use crate::tools::Shape;

/// How many characters of an unknown word an error repeats.
const MAX_REPEATED: usize = 100;

macro_rules! words {
    ($type:ty, $what:literal, $($word:literal => $choice:expr),+) => {
        impl FromStr for $type {
            type Err = Error;

            /// # Errors
            /// `Usage` with the words there are.
            fn from_str(word: &str) -> Result<Self, Error> {
                match word {
                    $($word => Ok($choice),)+
                    _ => Err(unknown($what, word, &[$($word),+])),
                }
            }
        }
    };
}

words!(Preset, "preset", "agents" => Self::Agents, "claude" => Self::Claude);
words!(Style, "style", "file" => Self::File, "tool" => Self::Tool);
words!(Origin, "origin", "model" => Self::Model, "user" => Self::User);
words!(Visibility, "visibility",
    "listed" => Self::Listed, "user-only" => Self::UserOnly, "hidden" => Self::Hidden, "untrusted" => Self::Untrusted);
#[cfg(feature = "serde")]
words!(Format, "format", "xml" => Self::Xml, "markdown" => Self::Markdown, "json" => Self::Json);
#[cfg(not(feature = "serde"))]
words!(Format, "format", "xml" => Self::Xml, "markdown" => Self::Markdown);
#[cfg(feature = "serde")]
words!(Shape, "shape",
    "openai" => Self::OpenAi, "anthropic" => Self::Anthropic, "gemini" => Self::Gemini, "mcp" => Self::Mcp);

/// The error for a word that stands for none of the choices.
pub(crate) fn unknown(what: &str, word: &str, words: &[&str]) -> Error {
    let word: String = word.chars().take(MAX_REPEATED).collect();
    Error::new(ErrorKind::Usage, format!("no {what} is named `{word}`"))
        .with_candidates(words.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_choice_or_an_error_that_lists_them() {
        assert_eq!("tool".parse::<Style>().unwrap(), Style::Tool);
        for visibility in
            [Visibility::Listed, Visibility::UserOnly, Visibility::Hidden, Visibility::Untrusted]
        {
            assert_eq!(visibility.as_str().parse::<Visibility>().unwrap(), visibility);
        }
        let error = "Tool".parse::<Style>().unwrap_err();
        assert_eq!(
            (error.kind(), error.candidates()),
            (ErrorKind::Usage, &["file".into(), "tool".into()][..])
        );
    }
}
