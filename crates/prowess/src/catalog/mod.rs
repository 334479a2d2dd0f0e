//! The text that a model sees every turn, and what it costs.

mod budget;
mod delta;
mod options;
mod render;

pub use self::delta::delta;
pub use self::options::{CatalogOptions, Format, Style};
use crate::library::Library;
use crate::text::{grouped, one_line};
use crate::tokens::Estimate;

/// An entry that costs this many tokens is pointed out.
const OUTSIZED: usize = 256;

/// The catalog of a library: one entry per listed skill with name, description and location, and what each costs.
///
/// The text is a pure function of the library and the options: activating a skill never changes it, so that prompt
/// caches hold. Without a listed skill it is empty. Costs are counted piece by piece, entry by entry, so they add up.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{Catalog, CatalogOptions, Library, LoadOptions, Roots, source::Memory};
///
/// let memory = Memory::new().with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\n");
/// let roots = Roots::new().with("user", "/skills")?;
/// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
/// let catalog = Catalog::build(&library, &CatalogOptions::new());
/// assert!(catalog.text().contains("<location>/skills/pdf/SKILL.md</location>"));
/// assert_eq!(catalog.tokens(), catalog.frame_tokens() + catalog.entries()[0].tokens);
/// # Ok::<(), prowess::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    text: String,
    entries: Vec<Entry>,
    frame_tokens: usize,
}

/// One skill of a catalog, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The skill's id.
    pub id: String,
    /// The name it is shown and called by.
    pub name: String,
    /// How much of it is shown.
    pub shown: Shown,
    /// What its entry costs every turn, in tokens; 0 if it is omitted.
    pub tokens: usize,
    /// What its body would cost, in tokens: estimated from its size in bytes.
    pub body_tokens: usize,
}

/// How much of a skill a catalog shows. Later is less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Shown {
    /// The whole description, or its first 1,024 characters.
    Full,
    /// A description cut at a word's end.
    Shortened,
    /// The name alone.
    NameOnly,
    /// Nothing; a note says how many.
    Omitted,
}

impl Shown {
    /// The word that stands for it in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Shortened => "shortened",
            Self::NameOnly => "name-only",
            Self::Omitted => "omitted",
        }
    }
}

impl Catalog {
    /// Renders the listed skills of a library, within the options' budget.
    #[must_use]
    pub fn build(library: &Library, options: &CatalogOptions) -> Self {
        let renderer = render::Renderer::new(options);
        let items = budget::items(library);
        let cuts = budget::plan(&items, &renderer, options);
        let texts: Vec<Option<String>> =
            items.iter().zip(&cuts).map(|(item, cut)| renderer.entry(item, *cut)).collect();
        let entry = |((item, cut), text): ((&budget::Item, &budget::Cut), &Option<String>)| Entry {
            id: item.skill.id().to_owned(),
            name: item.name.clone(),
            shown: item.shown(*cut),
            tokens: text.as_ref().map_or(0, |text| options.tokenizer.count(text)),
            body_tokens: Estimate.of_bytes(item.skill.body_bytes()),
        };
        let entries: Vec<Entry> = items.iter().zip(&cuts).zip(&texts).map(entry).collect();
        if texts.iter().all(Option::is_none) {
            return Self { text: String::new(), entries, frame_tokens: 0 };
        }
        let omitted = texts.iter().filter(|text| text.is_none()).count();
        let (head, tail) = renderer.frame(omitted);
        let frame_tokens = options.tokenizer.count(&head) + options.tokenizer.count(&tail);
        let text = renderer.join(&head, texts.into_iter().flatten(), &tail);
        Self { text, entries, frame_tokens }
    }

    /// The section for the system prompt, or for the activation tool's description; empty if no skill is listed, or if
    /// the budget leaves room for none.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Every listed skill, sorted by name, with its cost and how much of it is shown.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What the whole text costs every turn, in tokens: the frame and every entry.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.frame_tokens + self.entries.iter().map(|entry| entry.tokens).sum::<usize>()
    }

    /// What preamble, brackets and note cost, in tokens.
    #[must_use]
    pub fn frame_tokens(&self) -> usize {
        self.frame_tokens
    }

    /// What all bodies together would cost if they stood in the prompt, in tokens.
    #[must_use]
    pub fn body_tokens(&self) -> usize {
        self.entries.iter().map(|entry| entry.body_tokens).sum()
    }

    /// An entry's share of the whole text, from 0 to 1.
    #[must_use]
    pub fn share(&self, entry: &Entry) -> f64 {
        if entry.tokens == 0 { 0.0 } else { entry.tokens as f64 / self.tokens() as f64 }
    }

    /// The most expensive entry.
    #[must_use]
    pub fn largest(&self) -> Option<&Entry> {
        self.entries.iter().rev().max_by_key(|entry| entry.tokens)
    }

    /// The entries that take half of a catalog of three or more, or 256 tokens: their descriptions probably say how to
    /// work, not when to use the skill.
    pub fn outsized(&self) -> impl Iterator<Item = &Entry> {
        let half = self.tokens().div_ceil(2);
        let many = self.entries.len() >= 3;
        self.entries.iter().filter(move |entry| entry.tokens >= OUTSIZED || (many && entry.tokens >= half))
    }

    /// How many skills are omitted.
    #[must_use]
    pub fn omitted(&self) -> usize {
        self.entries.iter().filter(|entry| entry.shown == Shown::Omitted).count()
    }

    /// The line to log at start-up.
    ///
    /// `7 skills; catalog 412 tokens a turn (largest: pdf-forms, 31 %); bodies 9,800 tokens, paid only when read`
    #[must_use]
    pub fn summary(&self) -> String {
        let skills = match self.entries.len() {
            0 => return "no skills; catalog 0 tokens a turn".to_owned(),
            1 => "1 skill".to_owned(),
            count => format!("{} skills", grouped(count)),
        };
        let largest = self.largest().filter(|entry| entry.tokens > 0).map_or_else(String::new, |entry| {
            format!(" (largest: {}, {:.0} %)", one_line(&entry.name), self.share(entry) * 100.0)
        });
        let hidden = match self.omitted() {
            0 => String::new(),
            count => format!(", {} not shown", grouped(count)),
        };
        let (tokens, bodies) = (grouped(self.tokens()), grouped(self.body_tokens()));
        format!(
            "{skills}{hidden}; catalog {tokens} tokens a turn{largest}; bodies {bodies} tokens, paid only when read"
        )
    }
}

#[cfg(test)]
mod tests;
