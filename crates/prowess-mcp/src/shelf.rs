//! The library as it is now, shared by all connections.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use notify::RecommendedWatcher;
use prowess::skill::Skill;
use prowess::{Catalog, Library};
use rmcp::ErrorData;
use rmcp::model::{Skill as Entry, Tool};
use tokio::sync::watch;

use crate::address::Addresses;
use crate::manifest::{self, Digests};
use crate::options::{CatalogPlace, Options};
use crate::tools;

/// For how long the pages of a listing may show what was read for the first one.
const LISTING: Duration = Duration::from_secs(5);

/// A library, and what clients see of it, made when it is first asked for.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) library: Library,
    options: Arc<Options>,
    catalog: OnceLock<Catalog>,
    tools: OnceLock<Result<Vec<Tool>, String>>,
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

    pub(crate) fn tools(&self) -> Result<Vec<Tool>, ErrorData> {
        let tools =
            self.tools.get_or_init(|| tools::definitions(&self.library, self.catalog(), &self.options));
        tools.clone().map_err(|error| ErrorData::internal_error(error, None))
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
    /// What the last load found. Nobody waits for a load to have it.
    current: Mutex<Arc<Snapshot>>,
    /// Whoever loads keeps this locked.
    loads: Mutex<Loads>,
    /// How often skills have changed; it yields when files of skills have, too.
    changes: watch::Sender<u64>,
    /// Whether subscriptions are to end.
    closing: watch::Sender<bool>,
    /// It tells its events for as long as it is kept.
    watcher: Mutex<Option<RecommendedWatcher>>,
}

#[derive(Debug, Default)]
struct Loads {
    /// When the last one began.
    began: Option<Instant>,
    /// Whether nobody was told that skills are others.
    is_untold: bool,
}

impl Shelf {
    pub(crate) fn new(library: Library, options: Options) -> Self {
        let snapshot = Arc::new(Snapshot::new(library, Arc::new(options), Arc::default()));
        Self {
            current: Mutex::new(snapshot),
            loads: Mutex::default(),
            changes: watch::Sender::default(),
            closing: watch::Sender::default(),
            watcher: Mutex::default(),
        }
    }

    /// What was there at the last load.
    pub(crate) fn last(&self) -> Arc<Snapshot> {
        lock(&self.current).clone()
    }

    /// Reads the disk, which may block, and gives what is there now. Who asks while others wait for a reading that has
    /// yet to begin shares it with them.
    pub(crate) fn fresh(&self) -> Arc<Snapshot> {
        let asked = Instant::now();
        let mut loads = lock(&self.loads);
        if loads.began.is_none_or(|began| began <= asked) {
            self.load(&mut loads);
        }
        let snapshot = self.last();
        drop(loads);
        self.tell(false);
        snapshot
    }

    /// What was read not long before `now`, or what is there now. It is never older than what was given before.
    pub(crate) fn recent(&self, now: Instant) -> Arc<Snapshot> {
        let loads = lock(&self.loads);
        if loads.began.is_some_and(|began| now.saturating_duration_since(began) < LISTING) {
            return self.last();
        }
        drop(loads);
        self.fresh()
    }

    /// Reads the disk, and tells nobody yet.
    pub(crate) fn read(&self) -> Arc<Snapshot> {
        self.load(&mut lock(&self.loads));
        self.last()
    }

    fn load(&self, loads: &mut Loads) {
        loads.began = Some(Instant::now());
        let last = self.last();
        let reload = last.library.reload();
        loads.is_untold |= !reload.is_unchanged();
        if !last.is_same(&reload.library) {
            let snapshot = Snapshot::new(reload.library, last.options.clone(), last.digests.clone());
            *lock(&self.current) = Arc::new(snapshot);
        }
    }

    /// Tells what readings have found to have changed, and that files of skills have, if they have.
    pub(crate) fn tell(&self, have_files_changed: bool) {
        let have_skills_changed = std::mem::take(&mut lock(&self.loads).is_untold);
        self.changes.send_if_modified(|skills| {
            *skills += u64::from(have_skills_changed);
            have_skills_changed || have_files_changed
        });
    }

    /// Yields each time something has changed: how often skills have.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Ends all subscriptions.
    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Waits until subscriptions are to end.
    pub(crate) async fn closed(&self) {
        // A sender that has gone closes as well.
        drop(self.closing.subscribe().wait_for(|is_closing| *is_closing).await);
    }

    pub(crate) fn keep_watcher(&self, watcher: RecommendedWatcher) {
        *lock(&self.watcher) = Some(watcher);
    }

    /// Works with the watcher; `None` if there is none.
    pub(crate) fn with_watcher<T>(&self, work: impl FnOnce(&mut RecommendedWatcher) -> T) -> Option<T> {
        lock(&self.watcher).as_mut().map(work)
    }
}

/// What is shared is replaced whole or forgets what it lost, so a panic elsewhere has done it no harm.
pub(crate) fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
