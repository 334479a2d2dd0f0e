//! What is different between the catalogs of two libraries.

use std::collections::HashMap;

use super::budget::{self, Cut, Item, MAX_DESCRIPTION};
use super::options::CatalogOptions;
use super::render::Renderer;
use crate::library::Library;

/// The text that tells a model what has become of its catalog: entries that are new or read differently now, in the
/// options' format and style, and the names that are gone. Empty if nothing is different. The options' budget does not
/// count here.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{CatalogOptions, Library, LoadOptions, Roots, catalog, source::Memory};
///
/// let roots = Roots::new().with("user", "/skills")?;
/// let load = |description: &str| {
///     let file = format!("---\nname: pdf\ndescription: {description}\n---\n");
///     let memory = Memory::new().with("/skills/pdf/SKILL.md", file);
///     Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)))
/// };
/// let (old, new) = (load("Fills forms."), load("Fills and signs forms."));
/// let text = catalog::delta(&old, &new, &CatalogOptions::new());
/// assert!(text.contains("<description>Fills and signs forms.</description>"));
/// assert!(catalog::delta(&new, &new, &CatalogOptions::new()).is_empty());
/// # Ok::<(), prowess::Error>(())
/// ```
#[must_use]
pub fn delta(earlier: &Library, now: &Library, options: &CatalogOptions) -> String {
    let (before, now) = (budget::items(earlier), budget::items(now));
    let shown: HashMap<&str, &Item> = before.iter().map(|item| (item.name.as_str(), item)).collect();
    let names: HashMap<&str, &Item> = now.iter().map(|item| (item.name.as_str(), item)).collect();
    let differs = |item: &&Item| {
        let known = shown.get(item.name.as_str());
        known.is_none_or(|known| known.description != item.description || known.location != item.location)
    };
    let renderer = Renderer::new(options);
    let entries: Vec<String> = now
        .iter()
        .filter(differs)
        .filter_map(|item| renderer.entry(item, Cut::At(MAX_DESCRIPTION)))
        .collect();
    let gone: Vec<&str> =
        before.iter().map(|item| item.name.as_str()).filter(|name| !names.contains_key(name)).collect();
    let mut text = String::new();
    if !entries.is_empty() {
        text.push_str(
            "The list of skills has changed. These are new, or replace the entries of the same name:\n",
        );
        let (open, close) = renderer.brackets();
        text.push_str(&renderer.join(open, entries.into_iter(), close));
    }
    if !gone.is_empty() {
        let gone: Vec<String> = gone.iter().map(|name| renderer.name(name)).collect();
        text.push_str(&format!("These skills are no longer available: {}\n", gone.join(", ")));
    }
    text
}
