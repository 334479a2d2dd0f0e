//! What has changed on disk since a load.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Library, load};
use crate::catalog::{self, CatalogOptions};
use crate::skill::Skill;

/// A library loaded anew, and what is different in it.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{Library, LoadOptions, Roots, source::Memory};
///
/// let memory = Memory::new().with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\n");
/// let roots = Roots::new().with("user", "/skills")?;
/// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
/// let reload = library.reload();
/// assert!(reload.is_unchanged());
/// # Ok::<(), prowess::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Reload {
    /// The library as it is now.
    pub library: Library,
    /// The ids of skills that were not there, sorted.
    pub added: Vec<String>,
    /// The ids of skills whose file or visibility is different, sorted.
    pub changed: Vec<String>,
    /// The ids of skills that are no longer there, or have lost their name to another, sorted.
    pub removed: Vec<String>,
    earlier: Library,
}

impl Library {
    /// Loads the same roots with the same options again, and compares. What the user allows is
    /// [read](crate::trust::Trust::read) again as well.
    ///
    /// What a load reads of each file is compared, and links are followed to where they lead now: the frontmatter, the
    /// first 4 KiB, the size, the real path, the visibility. A file is not read again if its [`Stamp`] is settled and
    /// the same: on Unix that sees an edit of the same size that sets the time back, elsewhere it does not. An edit of
    /// a longer body, beyond its first 4 KiB and of the same size, is not seen here and need not be: every activation
    /// reads the file afresh.
    ///
    /// [`Stamp`]: crate::source::Stamp
    #[must_use]
    pub fn reload(&self) -> Reload {
        let mut options = self.0.options.clone();
        let diagnostic = options.policy.trust.reread();
        let mut inner = load::load(&self.0.searched, &options, &self.0.readings);
        inner.diagnostics.extend(diagnostic);
        let library = Self(Arc::new(inner));
        let (before, now) = (by_id(self), by_id(&library));
        let ids = |skills: &BTreeMap<&str, &Arc<Skill>>, is_meant: &dyn Fn(&str, &Arc<Skill>) -> bool| {
            let meant = skills.iter().filter(|(id, skill)| is_meant(id, skill));
            meant.map(|(id, _)| (*id).to_owned()).collect::<Vec<_>>()
        };
        Reload {
            added: ids(&now, &|id, _| !before.contains_key(id)),
            changed: ids(&now, &|id, skill| before.get(id).is_some_and(|earlier| *earlier != skill)),
            removed: ids(&before, &|id, _| !now.contains_key(id)),
            earlier: self.clone(),
            library: library.clone(),
        }
    }
}

impl Reload {
    /// Whether no skill was added, changed or removed.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }

    /// What a model has to know of it, for hosts that must not rewrite the catalog in their prompt: see
    /// [`catalog::delta`](crate::catalog::delta). Empty if the catalog is the same.
    #[must_use]
    pub fn catalog_delta(&self, options: &CatalogOptions) -> String {
        catalog::delta(&self.earlier, &self.library, options)
    }
}

fn by_id(library: &Library) -> BTreeMap<&str, &Arc<Skill>> {
    library.skills().iter().map(|skill| (skill.id(), skill)).collect()
}
