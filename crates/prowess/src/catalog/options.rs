use std::sync::Arc;

use crate::tokens::{Estimate, Tokenizer};

/// How a catalog is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// `<available_skills>` with an element per skill.
    #[default]
    Xml,
    /// A list with an item per skill.
    Markdown,
    /// An array with an object per skill.
    #[cfg(feature = "serde")]
    Json,
}

/// How the model is to open a skill.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Style {
    /// By reading the file at its location, for hosts whose model reads files.
    #[default]
    File,
    /// By calling `activate_skill` with its name.
    Tool,
}

/// How a catalog is built.
///
/// ```
/// use prowess::{CatalogOptions, catalog::Style};
///
/// let options = CatalogOptions::new().budget(4_000).style(Style::Tool).pin("project:router");
/// ```
#[derive(Debug, Clone)]
pub struct CatalogOptions {
    pub(super) budget: Option<usize>,
    pub(super) cap: usize,
    pub(super) floor: usize,
    pub(super) format: Format,
    pub(super) style: Style,
    pub(super) pins: Vec<String>,
    pub(super) tokenizer: Arc<dyn Tokenizer>,
}

impl CatalogOptions {
    /// The defaults: no budget, XML, file style, the estimate of four characters a token.
    #[must_use]
    pub fn new() -> Self {
        Self {
            budget: None,
            cap: 500,
            floor: 60,
            format: Format::default(),
            style: Style::default(),
            pins: Vec::new(),
            tokenizer: Arc::new(Estimate),
        }
    }

    /// The most that the text may cost, in tokens. Over it, one step after another is taken until it fits:
    ///
    /// 1. every description is cut to the [`cap`](Self::cap);
    /// 2. the longest descriptions are cut further at a word's end, never below the [`floor`](Self::floor);
    /// 3. entries become their name alone;
    /// 4. entries are omitted, and a note says how many.
    ///
    /// Steps 3 and 4 begin with the lowest rank and, within it, with the longest description. Pins and skills with
    /// `priority: high` in their metadata go last: they take steps 3 and 4 after all others have taken both.
    #[must_use]
    pub fn budget(mut self, tokens: usize) -> Self {
        self.budget = Some(tokens);
        self
    }

    /// The length in characters that step 1 cuts descriptions to; default 500.
    #[must_use]
    pub fn cap(mut self, characters: usize) -> Self {
        self.cap = characters;
        self
    }

    /// The length in characters that step 2 leaves; default 60.
    #[must_use]
    pub fn floor(mut self, characters: usize) -> Self {
        self.floor = characters;
        self
    }

    /// How the catalog is written.
    #[must_use]
    pub fn format(mut self, format: Format) -> Self {
        self.format = format;
        self
    }

    /// How the model is to open a skill.
    #[must_use]
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// Keeps a skill, by its id or name, as long as the budget allows.
    #[must_use]
    pub fn pin(mut self, skill: impl Into<String>) -> Self {
        self.pins.push(skill.into());
        self
    }

    /// Counts tokens with this; default [`Estimate`].
    #[must_use]
    pub fn tokenizer(mut self, tokenizer: Arc<dyn Tokenizer>) -> Self {
        self.tokenizer = tokenizer;
        self
    }
}

impl Default for CatalogOptions {
    fn default() -> Self {
        Self::new()
    }
}
