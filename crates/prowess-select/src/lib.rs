//! Selection of a skill for a prompt. The model chooses; the runtime never does.
//!
//! A [`Selector`] is what chooses: a model behind a provider, or the [`WordMatch`], which lets the flow run without a
//! network and is no judgement.

mod word_match;

use prowess::{Error, Library};

pub use word_match::WordMatch;

/// What a selector is asked: a prompt, and the skills to choose from.
///
/// ```
/// use prowess_select::{Candidate, Request, Selector, WordMatch};
///
/// let skills = vec![Candidate { name: "pdf-forms".into(), description: "Fills in PDF forms.".into() }];
/// let request = Request { prompt: "fill in this pdf".into(), skills };
/// let choice = WordMatch.select(&request)?;
/// assert_eq!(choice.skill.as_deref(), Some("pdf-forms"));
/// # Ok::<(), prowess::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What the user wants.
    pub prompt: String,
    /// The skills to choose from.
    pub skills: Vec<Candidate>,
}

/// A skill to choose from, as the catalog shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The name it is called by.
    pub name: String,
    /// Its description.
    pub description: String,
}

impl Request {
    /// A request with the skills that a model may see.
    #[must_use]
    pub fn new(library: &Library, prompt: impl Into<String>) -> Self {
        let candidate = |skill: &std::sync::Arc<prowess::skill::Skill>| Candidate {
            name: library.call_name(skill).to_owned(),
            description: skill.description().to_owned(),
        };
        Self { prompt: prompt.into(), skills: library.listed().map(candidate).collect() }
    }
}

/// What a selector chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The skill's name; none if no skill fits.
    pub skill: Option<String>,
    /// In a few words, how it came to that.
    pub reason: String,
}

/// What chooses a skill for a prompt.
pub trait Selector {
    /// The model's name, as users write it.
    fn name(&self) -> &str;

    /// Whether its choice is a judgement. An offline stand-in's is not, and no measurement uses it.
    fn is_judgement(&self) -> bool;

    /// Chooses one of the request's skills, or none.
    ///
    /// # Errors
    /// What kept the selector from choosing.
    fn select(&self, request: &Request) -> Result<Choice, Error>;
}
