//! A session that is saved, restored, or handed to a child.

use std::collections::BTreeMap;

use super::{Known, Ledger, Present, ReceiptKind, Standing, State};
use crate::activate::{Rendered, render_body};
use crate::compact::{Budget, Compaction};
use crate::error::{Error, ErrorKind};
use crate::library::{Library, Origin};
use crate::skill::Skill;
use crate::word::unknown;

/// A ledger as it was, for keeping. With the feature `serde` it turns into JSON and back.
///
/// ```
/// use prowess::{Ledger, Library, LoadOptions, Roots, ledger::Texts};
///
/// let snapshot = Ledger::new().snapshot(Texts::Included);
/// let library = Library::load(&Roots::new(), &LoadOptions::new());
/// let (restored, report) = Ledger::restore(snapshot, &library, ["call-1"]);
/// assert!(report.is_empty() && restored.skills().is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot(pub(crate) Ledger);

impl Snapshot {
    /// The placements that the conversation held when it was saved, for a restore that can't look at the conversation.
    #[must_use]
    pub fn held(&self) -> Vec<String> {
        let held = self.0.receipts.iter().filter(|receipt| receipt.state != State::Evicted);
        held.map(|receipt| receipt.placement.clone()).collect()
    }
}

/// Whether a snapshot holds the delivered texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Texts {
    /// Each once: a compaction after the restore puts back exactly what was delivered.
    #[default]
    Included,
    /// None: the restore reads what has not changed from the skills, and the rest can only become stubs.
    LeftOut,
}

/// What has become of a skill since the session was saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Restored {
    /// Its file has the same bytes.
    Same,
    /// Its file has other bytes: the next activation delivers them.
    Changed,
    /// The library has no skill of that id, or its file can't be read. It is no longer in force.
    Gone,
    /// A model may no longer have it. It is no longer in force.
    NotVisible,
}

impl Restored {
    /// The word that stands for it in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Changed => "changed",
            Self::Gone => "gone",
            Self::NotVisible => "not-visible",
        }
    }
}

/// What a child session gets from its parent.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Inherit {
    /// Nothing.
    Nothing,
    /// The names of the skills in force.
    Names,
    /// The texts of the skills in force, within a budget.
    Texts(Budget),
}

impl Inherit {
    /// What a word stands for: `nothing`, `names`, or `texts`, which needs a budget.
    ///
    /// # Errors
    /// `Usage` if it is another word, or `texts` without a budget.
    ///
    /// ```
    /// use prowess::{compact::Budget, ledger::Inherit};
    ///
    /// assert!(matches!(Inherit::read("texts", Some(Budget::total(8_000)))?, Inherit::Texts(_)));
    /// # Ok::<(), prowess::Error>(())
    /// ```
    pub fn read(word: &str, budget: Option<Budget>) -> Result<Self, Error> {
        match (word, budget) {
            ("nothing", _) => Ok(Self::Nothing),
            ("names", _) => Ok(Self::Names),
            ("texts", Some(budget)) => Ok(Self::Texts(budget)),
            ("texts", None) => {
                Err(Error::new(ErrorKind::Usage, "texts are inherited within a budget: give one"))
            }
            _ => Err(unknown("inheritance", word, &["nothing", "names", "texts"])),
        }
    }
}

impl Ledger {
    /// The ledger as it is now, for keeping.
    #[must_use]
    pub fn snapshot(&self, texts: Texts) -> Snapshot {
        let mut ledger = self.clone();
        if texts == Texts::LeftOut {
            for receipt in ledger.receipts.iter_mut().filter(|receipt| receipt.kind != ReceiptKind::Stub) {
                receipt.text = "".into();
                receipt.proof = None;
            }
        }
        ledger.know_texts();
        Snapshot(ledger)
    }

    /// Takes up a saved session: the ledger, reconciled with what the conversation holds, and what has become of each
    /// skill, by its id.
    ///
    /// 1. What is not present is evicted, as by [`reconcile`](Self::reconcile).
    /// 2. Whether a skill is there and visible is asked of the library, never of the snapshot. One that is not is
    ///    withdrawn: neither put back by a compaction nor named by a stub. An activation takes it up again.
    /// 3. What was off stays off.
    pub fn restore<'a>(
        snapshot: Snapshot,
        library: &Library,
        present: impl IntoIterator<Item = impl Into<Present<'a>>>,
    ) -> (Self, BTreeMap<String, Restored>) {
        let mut ledger = snapshot.0;
        let mut report = BTreeMap::new();
        let ids: Vec<String> = ledger.skills.keys().cloned().collect();
        for id in ids {
            let restored = ledger.restore_skill(&id, library);
            report.insert(id, restored);
        }
        ledger.reconcile(present);
        (ledger, report)
    }

    fn restore_skill(&mut self, id: &str, library: &Library) -> Restored {
        let found = library.find_exact(id).filter(|skill| skill.id() == id);
        let restored = match found.map(|skill| (skill, render_body(library, skill, Origin::User))) {
            None => Restored::Gone,
            Some((skill, _)) if !self.is_visible(skill) => Restored::NotVisible,
            Some((_, Ok(rendered))) => self.compare(id, &rendered),
            Some((_, Err(error))) => match error.kind() {
                ErrorKind::UnknownSkill | ErrorKind::Io => Restored::Gone,
                _ => Restored::Changed,
            },
        };
        let is_withdrawn = matches!(restored, Restored::Gone | Restored::NotVisible);
        if let Some(known) = self.skills.get_mut(id) {
            known.standing = match known.standing {
                Standing::Off => Standing::Off,
                _ if is_withdrawn => Standing::Withdrawn,
                Standing::Withdrawn => Standing::Active,
                standing => standing,
            };
        }
        restored
    }

    /// A skill that a model could see must be one that it can see now; another is the user's alone.
    fn is_visible(&self, skill: &Skill) -> bool {
        let was_listed = self.skills.get(skill.id()).is_some_and(|known| known.was_listed);
        skill.is_listed() || (!was_listed && skill.is_invocable())
    }

    /// Compares the newest receipt with the file, and takes over the text of the file where a receipt of it has none.
    fn compare(&mut self, id: &str, rendered: &Rendered) -> Restored {
        let digest = &rendered.activation.digest;
        let known = self.skills.get(id);
        let indices = known.map_or_else(Vec::new, |known| known.receipts.clone());
        for index in indices {
            let receipt = &self.receipts[index];
            if !receipt.text.is_empty() || receipt.digest != *digest {
                continue;
            }
            let is_observed = receipt.kind == ReceiptKind::Observed;
            let text = self.intern(&rendered.text);
            let proof = is_observed.then(|| self.intern(&rendered.body.text));
            self.receipts[index].text = text;
            self.receipts[index].proof = proof;
        }
        let newest = self.skills.get(id).and_then(|known| self.latest(known));
        match newest {
            Some(receipt) if receipt.digest != *digest => Restored::Changed,
            _ => Restored::Same,
        }
    }

    /// The ledger of a child session, and what to place in its conversation. The host commits the compaction to the
    /// child's ledger.
    ///
    /// Whatever the child does changes nothing here. What is off stays off in the child.
    ///
    /// ```
    /// use prowess::{Ledger, compact::Budget, ledger::Inherit};
    ///
    /// let parent = Ledger::new();
    /// let (mut child, compaction) = parent.fork(Inherit::Texts(Budget::total(5_000)));
    /// let placements: Vec<&str> = compaction.blocks().iter().map(|_| "first-message").collect();
    /// child.commit(compaction, placements);
    /// ```
    pub fn fork(&self, inherit: Inherit) -> (Self, Compaction) {
        let is_off = |known: &&Known| known.standing == Standing::Off;
        let off = self.skills.iter().filter(|(_, known)| is_off(known));
        let mut child = Self::new();
        for (id, known) in off {
            child.know(id, &known.name).standing = Standing::Off;
        }
        let compaction = match inherit {
            Inherit::Nothing => Compaction::default(),
            Inherit::Names => {
                let skills = self.skills().into_iter().filter(|skill| skill.is_in_force);
                let named = skills.filter_map(|skill| Some((skill.id, self.skills.get(skill.id)?)));
                let named: Vec<(&str, &Known)> = named.collect();
                Compaction::naming(&named)
            }
            Inherit::Texts(budget) => self.pinned(budget).for_child(),
        };
        (child, compaction)
    }
}
