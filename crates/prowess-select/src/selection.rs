//! Choosing one skill, or none, for a prompt.

use prowess::catalog::Style;
use prowess::{Catalog, CatalogOptions, Library};

use crate::error::Error;

/// What a selector is asked: a prompt, and the skills to choose from, as a model sees them.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{Library, LoadOptions, Roots, source::Memory};
/// use prowess_select::{Request, Selector, WordMatch};
///
/// let memory = Memory::new().with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills in forms.\n---\n");
/// let roots = Roots::new().with("user", "/skills")?;
/// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
/// let choice = WordMatch.select(&Request::new(&library, "fill in this form"))?;
/// assert_eq!(choice.skill.as_deref(), Some("pdf"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The skills to choose from: those it lists.
    pub library: Library,
    /// The catalog, in the tool style.
    pub catalog: Catalog,
    /// What the user wants.
    pub prompt: String,
}

impl Request {
    /// A request with the skills that a model may see, in a catalog without a budget.
    #[must_use]
    pub fn new(library: &Library, prompt: impl Into<String>) -> Self {
        Self::with_catalog(library, &CatalogOptions::new(), prompt)
    }

    /// The same with a catalog of these options, but always in the tool style.
    #[must_use]
    pub fn with_catalog(library: &Library, options: &CatalogOptions, prompt: impl Into<String>) -> Self {
        Self {
            library: library.clone(),
            catalog: Catalog::build(library, &options.clone().style(Style::Tool)),
            prompt: prompt.into(),
        }
    }

    /// The names to choose from, as the model calls them, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.library.listed().map(|skill| self.library.call_name(skill)).collect()
    }
}

/// What a selector chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The skill's name, as the model calls it; none if no skill fits.
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
