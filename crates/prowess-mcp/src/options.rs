use std::sync::Arc;
use std::time::Duration;

use prowess::CatalogOptions;
use prowess::catalog::Style;
use prowess::tokens::{Estimate, Tokenizer};

/// Where the catalog stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CatalogPlace {
    /// In the description of `activate_skill` and in the instructions: some clients drop the one, some the other.
    #[default]
    Both,
    /// In the description of `activate_skill` alone.
    Tool,
    /// In the server's instructions alone.
    Instructions,
}

/// How a [`Server`](crate::Server) serves.
///
/// ```
/// use std::time::Duration;
/// use prowess_mcp::{CatalogPlace, Options};
///
/// let options = Options::new().budget(4_000).dedup(Duration::from_secs(600)).catalog(CatalogPlace::Tool);
/// ```
#[derive(Debug, Clone)]
pub struct Options {
    pub(crate) budget: usize,
    pub(crate) dedup: Option<Duration>,
    pub(crate) place: CatalogPlace,
    tokenizer: Arc<dyn Tokenizer>,
}

impl Options {
    /// The defaults: a catalog of at most 8,000 estimated tokens, in both places, and every body as often as it is asked
    /// for.
    #[must_use]
    pub fn new() -> Self {
        Self { budget: 8_000, dedup: None, place: CatalogPlace::Both, tokenizer: Arc::new(Estimate) }
    }

    /// Sets the most that the catalog may cost, in tokens. What it does not show is listed by `list_skills`.
    #[must_use]
    pub fn budget(mut self, tokens: usize) -> Self {
        self.budget = tokens;
        self
    }

    /// Answers a second activation of an unchanged skill with a short note, for so long after its body was delivered.
    /// `force` among the call's arguments delivers it nonetheless. Over HTTP in the revision 2026-07-28, which has no
    /// sessions, every body is delivered.
    #[must_use]
    pub fn dedup(mut self, expiry: Duration) -> Self {
        self.dedup = Some(expiry);
        self
    }

    /// Sets where the catalog stands.
    #[must_use]
    pub fn catalog(mut self, place: CatalogPlace) -> Self {
        self.place = place;
        self
    }

    /// Sets what counts the catalog's tokens.
    #[must_use]
    pub fn tokenizer(mut self, tokenizer: Arc<dyn Tokenizer>) -> Self {
        self.tokenizer = tokenizer;
        self
    }

    pub(crate) fn catalog_options(&self) -> CatalogOptions {
        CatalogOptions::new().style(Style::Tool).budget(self.budget).tokenizer(self.tokenizer.clone())
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}
