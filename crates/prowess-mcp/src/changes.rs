//! What a client is told of changes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use prowess::source::Stamp;
use rmcp::ErrorData;
use rmcp::model::{
    ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification, SubscriptionFilter,
};
use tokio::sync::watch;

use crate::address::Place;
use crate::shelf::{Shelf, Snapshot, lock};
use crate::tools::shortened;

/// How many files one client may subscribe to.
const MAX_SUBSCRIPTIONS: usize = 1_000;
/// No file has a longer URI, in bytes.
const MAX_URI: usize = 16 * 1024;

/// The files that a client wants to hear of, as they were when it last did.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions(BTreeMap<String, Option<Stamp>>);

impl Subscriptions {
    pub(crate) fn add(&mut self, snapshot: &Snapshot, uri: &str) -> Result<(), ErrorData> {
        let place = snapshot.addresses().place(uri).filter(|place| !place.path.is_empty());
        if place.is_none() || uri.len() > MAX_URI {
            let message = format!("no file of a skill lies at `{}`", shortened(uri));
            return Err(ErrorData::resource_not_found(message, None));
        }
        if self.0.len() == MAX_SUBSCRIPTIONS && !self.0.contains_key(uri) {
            let message = format!("there are {MAX_SUBSCRIPTIONS} subscriptions already; end one first");
            return Err(ErrorData::invalid_params(message, None));
        }
        self.0.insert(uri.to_owned(), stamp(snapshot, uri));
        Ok(())
    }

    pub(crate) fn remove(&mut self, uri: &str) {
        self.0.remove(uri);
    }

    /// The files that are others than they were.
    fn updated(&mut self, snapshot: &Snapshot) -> Vec<String> {
        let mut updated = Vec::new();
        for (uri, then) in &mut self.0 {
            let now = stamp(snapshot, uri);
            if *then != now {
                *then = now;
                updated.push(uri.clone());
            }
        }
        updated
    }
}

fn stamp(snapshot: &Snapshot, uri: &str) -> Option<Stamp> {
    let Place { skill, path } = snapshot.addresses().place(uri)?;
    // That a stamp settles is no change of the file.
    snapshot.library.stamp(&skill, &path).map(|stamp| Stamp { settled: true, ..stamp })
}

/// The changes that one client has yet to hear of.
#[derive(Debug)]
pub(crate) struct News {
    shelf: Arc<Shelf>,
    /// How often skills have changed.
    changes: watch::Receiver<u64>,
    told: u64,
    lists: SubscriptionFilter,
    subscriptions: Arc<Mutex<Subscriptions>>,
}

impl News {
    /// Those from now on, of these lists and files.
    pub(crate) fn new(
        shelf: Arc<Shelf>,
        lists: SubscriptionFilter,
        subscriptions: Arc<Mutex<Subscriptions>>,
    ) -> Self {
        let mut changes = shelf.changes();
        let told = *changes.borrow_and_update();
        Self { shelf, changes, told, lists, subscriptions }
    }

    pub(crate) fn lists(&self) -> &SubscriptionFilter {
        &self.lists
    }

    /// Waits for a change, and gives what is to be told of it.
    pub(crate) async fn next(&mut self) -> Vec<ServerNotification> {
        // The sender is the shelf's, and it is kept here.
        drop(self.changes.changed().await);
        let now = *self.changes.borrow_and_update();
        let mut news = Vec::new();
        let have_skills_changed = now != self.told;
        self.told = now;
        if have_skills_changed && self.lists.tools_list_changed == Some(true) {
            news.push(ServerNotification::ToolListChangedNotification(Default::default()));
        }
        if have_skills_changed && self.lists.prompts_list_changed == Some(true) {
            news.push(ServerNotification::PromptListChangedNotification(Default::default()));
        }
        if self.lists.resources_list_changed == Some(true) {
            news.push(ServerNotification::ResourceListChangedNotification(Default::default()));
        }
        // Whoever subscribes to no file needs no thread, and there may be many.
        if self.subscriptions.try_lock().is_ok_and(|subscriptions| subscriptions.0.is_empty()) {
            return news;
        }
        let (shelf, subscriptions) = (self.shelf.clone(), self.subscriptions.clone());
        let updated = tokio::task::spawn_blocking(move || lock(&subscriptions).updated(&shelf.last()));
        news.extend(updated.await.unwrap_or_default().into_iter().map(|uri| {
            let params = ResourceUpdatedNotificationParam::new(uri);
            ServerNotification::ResourceUpdatedNotification(ResourceUpdatedNotification::new(params))
        }));
        news
    }
}

#[cfg(test)]
mod tests;
