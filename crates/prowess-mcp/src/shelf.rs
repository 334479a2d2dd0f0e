//! The library as it is now, shared by all connections.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use prowess::skill::Skill;
use prowess::{Catalog, Library};
use rmcp::model::{Skill as Entry, Tool};
use tokio::sync::watch;

use crate::address::Addresses;
use crate::manifest::{self, Digests};
use crate::options::{CatalogPlace, Options};
use crate::tools;

/// A library, and what clients see of it, made when it is first asked for.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) library: Library,
    options: Arc<Options>,
    catalog: OnceLock<Catalog>,
    tools: OnceLock<Vec<Tool>>,
    digests: Arc<Digests>,
    addresses: OnceLock<Addresses>,
    entries: OnceLock<Entries>,
}

/// What the Skills extension has of a library, without the files.
#[derive(Debug, Default)]
struct Entries {
    /// The skills that a model may have, by their URIs.
    listed: Vec<(Arc<Skill>, Entry)>,
    /// The ids of those that the extension can't express, and why.
    left_out: Vec<(String, String)>,
}

impl Snapshot {
    fn new(library: Library, options: Arc<Options>, digests: Arc<Digests>) -> Self {
        Self {
            library,
            options,
            catalog: OnceLock::new(),
            tools: OnceLock::new(),
            digests,
            addresses: OnceLock::new(),
            entries: OnceLock::new(),
        }
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        self.catalog.get_or_init(|| Catalog::build(&self.library, &self.options.catalog_options()))
    }

    pub(crate) fn tools(&self) -> &[Tool] {
        self.tools.get_or_init(|| tools::definitions(&self.library, self.catalog(), &self.options))
    }

    /// What the server says of itself beside its tools.
    pub(crate) fn instructions(&self) -> Option<String> {
        let is_wanted = self.options.place != CatalogPlace::Tool;
        Some(self.catalog().text()).filter(|text| is_wanted && !text.is_empty()).map(str::to_owned)
    }

    pub(crate) fn digests(&self) -> &Digests {
        &self.digests
    }

    pub(crate) fn addresses(&self) -> &Addresses {
        self.addresses.get_or_init(|| Addresses::new(&self.library))
    }

    pub(crate) fn entries(&self) -> &[(Arc<Skill>, Entry)] {
        &self.extension().listed
    }

    pub(crate) fn left_out(&self) -> &[(String, String)] {
        &self.extension().left_out
    }

    fn extension(&self) -> &Entries {
        self.entries.get_or_init(|| {
            let mut entries = Entries::default();
            for skill in self.library.listed() {
                match manifest::entry(&self.library, skill) {
                    Ok(entry) => entries.listed.push((skill.clone(), entry)),
                    Err(why) => entries.left_out.push((skill.id().to_owned(), why)),
                }
            }
            entries.listed.sort_by(|(_, one), (_, other)| one.uri.cmp(&other.uri));
            entries
        })
    }

    /// Whether another load found the same.
    fn is_same(&self, other: &Library) -> bool {
        let library = &self.library;
        library.skills() == other.skills()
            && library.shadowed() == other.shadowed()
            && library.invalid() == other.invalid()
            && library.diagnostics() == other.diagnostics()
    }
}

/// Loads the library again when it is asked for, and tells when it has changed.
#[derive(Debug)]
pub(crate) struct Shelf {
    current: Mutex<Arc<Snapshot>>,
    /// Counts the changes.
    changes: watch::Sender<u64>,
    /// Whether subscriptions are to end.
    closing: watch::Sender<bool>,
}

impl Shelf {
    pub(crate) fn new(library: Library, options: Options) -> Self {
        let snapshot = Arc::new(Snapshot::new(library, Arc::new(options), Arc::default()));
        Self {
            current: Mutex::new(snapshot),
            changes: watch::Sender::new(0),
            closing: watch::Sender::new(false),
        }
    }

    /// What was there at the last load.
    pub(crate) fn last(&self) -> Arc<Snapshot> {
        self.lock().clone()
    }

    /// Reads the disk, which may block, and gives what is there now.
    pub(crate) fn fresh(&self) -> Arc<Snapshot> {
        let mut current = self.lock();
        let reload = current.library.reload();
        if !current.is_same(&reload.library) {
            let is_unchanged = reload.is_unchanged();
            *current =
                Arc::new(Snapshot::new(reload.library, current.options.clone(), current.digests.clone()));
            if !is_unchanged {
                self.changes.send_modify(|changes| *changes += 1);
            }
        }
        current.clone()
    }

    /// Yields each time the skills have changed.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Ends all subscriptions.
    #[cfg(feature = "http")]
    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Waits until subscriptions are to end.
    pub(crate) async fn closed(&self) {
        // A sender that has gone closes as well.
        drop(self.closing.subscribe().wait_for(|is_closing| *is_closing).await);
    }

    /// A snapshot is replaced whole, so a panic elsewhere can't have left half of one.
    fn lock(&self) -> MutexGuard<'_, Arc<Snapshot>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
