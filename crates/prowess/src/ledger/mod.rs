//! What a session's context holds: a receipt for every body that was delivered, and what has become of it.
#![expect(
    clippy::indexing_slicing,
    reason = "an index into the receipts is made with its receipt, and receipts are never taken away"
)]

mod observe;
mod receipt;
mod reconcile;
mod session;
#[cfg(feature = "serde")]
mod wire;

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

pub use self::observe::{Observed, ReadRange};
pub(crate) use self::receipt::Presence;
pub use self::receipt::{Receipt, ReceiptKind, SessionSkill, Standing, State};
pub use self::reconcile::Present;
pub use self::session::{Inherit, Restored, Snapshot, Texts};
use crate::error::{Error, ErrorKind};
use crate::skill::Skill;
use crate::text::one_line;

/// The receipts of one session.
///
/// 1. A body that is in the context is not delivered again: activating it returns a short note. One that has left is
///    delivered again; one whose file has changed is delivered with a note that it supersedes the earlier text.
/// 2. Before each request to the model the host tells the ledger what the conversation holds: [`reconcile`](Self::reconcile).
///    That covers eviction, truncation, rewinding, branching and edited history.
/// 3. Before it summarises, it asks for a [plan](Self::plan_compaction): what to put back after the summary.
/// 4. Only receipts protect. A text that looks like a delivered body makes nothing resident.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{Ledger, Library, LoadOptions, Origin, Roots, activate::Status, source::Memory};
///
/// let memory = Memory::new().with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\nFill.");
/// let roots = Roots::new().with("user", "/skills")?;
/// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
/// let mut ledger = Ledger::new();
/// let mut activate = |ledger: &mut Ledger, placement| library.activate("pdf", Origin::User).deliver(ledger, placement).status();
/// assert_eq!(activate(&mut ledger, "call-1"), Status::New);
/// assert_eq!(activate(&mut ledger, "call-2"), Status::AlreadyResident);
/// ledger.reconcile(["call-2"]); // the message of call-1 was compacted away
/// assert_eq!(activate(&mut ledger, "call-3"), Status::New);
/// # Ok::<(), prowess::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Bodies and stubs, in the order of their recording; none is ever removed, so an index stays good.
    pub(crate) receipts: Vec<Receipt>,
    /// The receipts at each placement.
    pub(crate) places: HashMap<String, Vec<usize>>,
    pub(crate) skills: HashMap<String, Known>,
    pub(crate) pins: BTreeSet<String>,
    pub(crate) catalog: Option<CatalogPlace>,
    /// Counts deliveries and attempts: what is later has the higher number.
    pub(crate) clock: u64,
    turn: u64,
    texts: HashSet<Arc<str>>,
}

/// What a session knows of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) name: String,
    pub(crate) standing: Standing,
    /// Whether a reconcile has ever seen a text of it: what was never in the conversation is not in force.
    pub(crate) entered: bool,
    /// Whether a model could see it when it was last activated.
    pub(crate) was_listed: bool,
    pub(crate) attempt: u64,
    pub(crate) reads: Vec<String>,
    pub(crate) receipts: Vec<usize>,
    /// The newest body that the conversation holds.
    pub(crate) current: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CatalogPlace {
    pub(crate) placement: String,
    pub(crate) is_present: bool,
}

/// A text to record, with where it goes.
pub(crate) struct Entry<'a> {
    pub(crate) skill: &'a str,
    pub(crate) digest: &'a str,
    pub(crate) placement: &'a str,
    pub(crate) text: &'a str,
    pub(crate) proof: Option<&'a str>,
    pub(crate) kind: ReceiptKind,
    pub(crate) at: u64,
}

impl Ledger {
    /// A ledger without receipts: the start of a session.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Every receipt of the session, oldest first, evicted ones and stubs too.
    #[must_use]
    pub fn receipts(&self) -> &[Receipt] {
        &self.receipts
    }

    /// The receipt of the text of a skill, by its id, that is in force: pending or resident.
    #[must_use]
    pub fn resident(&self, skill: &str) -> Option<&Receipt> {
        self.current(skill).filter(|receipt| matches!(receipt.state, State::Pending | State::Resident))
    }

    /// Every skill of the session, the most recently used first.
    #[must_use]
    pub fn skills(&self) -> Vec<SessionSkill<'_>> {
        let mut skills: Vec<(&String, &Known)> = self.skills.iter().collect();
        skills.sort_by_key(|(id, known)| (Reverse(known.attempt), *id));
        skills.into_iter().map(|(id, known)| self.session_skill(id, known)).collect()
    }

    fn session_skill<'a>(&'a self, id: &'a str, known: &'a Known) -> SessionSkill<'a> {
        SessionSkill {
            id,
            name: &known.name,
            standing: known.standing,
            current: known.current.map(|index| &self.receipts[index]),
            reads: &known.reads,
            is_pinned: self.pins.contains(id),
            has_stub: self.has_stub(known, |_| false),
            is_in_force: known.is_in_force(),
        }
    }

    /// The placements of the texts in force, for hosts that can exempt messages from pruning. Finished skills are not
    /// among them.
    pub fn protected(&self) -> impl Iterator<Item = &str> {
        let active = |known: &&Known| known.is_in_force() && known.standing == Standing::Active;
        let current = self.skills.values().filter(active).filter_map(|known| known.current);
        let placements: BTreeSet<&str> =
            current.map(|index| self.receipts[index].placement.as_str()).collect();
        placements.into_iter()
    }

    /// Says that a skill has served its purpose: at the next compaction it becomes a stub. It may be activated again at
    /// any time. False if it is not in force.
    pub fn finish(&mut self, skill: &str) -> bool {
        let known = self.skills.get_mut(skill).filter(|known| known.is_in_force());
        known.map(|known| known.standing = Standing::Finished).is_some()
    }

    /// Turns a skill off: its text is not put back, and only the user can activate it again. The returned note is for
    /// the conversation. None if the session does not know the skill.
    pub fn deactivate(&mut self, skill: &str) -> Option<String> {
        let known = self.skills.get_mut(skill)?;
        known.standing = Standing::Off;
        let name = one_line(&known.name);
        self.settle(skill);
        Some(format!(
            "Skill `{name}` is turned off. Do not follow its text any longer; only the user can turn it on again.\n"
        ))
    }

    /// Lets a skill, by its id, go first where the budget of a compaction is short. It need not be active yet.
    pub fn pin(&mut self, skill: impl Into<String>) {
        self.pins.insert(skill.into());
    }

    /// Takes a pin back.
    pub fn unpin(&mut self, skill: &str) {
        self.pins.remove(skill);
    }

    /// Says that what was delivered to a placement did not get there, or is gone. A later reconcile that sees the
    /// placement with the whole text brings it back.
    pub fn forget(&mut self, placement: &str) {
        for skill in self.doubt(placement, |_| true) {
            self.settle(&skill);
        }
    }

    /// Says that what was delivered to one placement stands at another: for hosts whose messages have no id before
    /// they are written.
    pub fn relocate(&mut self, from: &str, to: impl Into<String>) {
        let to = to.into();
        if from == to {
            return;
        }
        for index in self.places.remove(from).unwrap_or_default() {
            self.receipts[index].placement.clone_from(&to);
            self.places.entry(to.clone()).or_default().push(index);
        }
    }

    /// Says where the catalog stands, for hosts that put it into a message: a compaction then tells when it leaves.
    pub fn place_catalog(&mut self, placement: impl Into<String>) {
        self.catalog = Some(CatalogPlace { placement: placement.into(), is_present: true });
    }

    /// Whether the catalog is where the host placed it, as of the last reconcile or compaction.
    #[must_use]
    pub fn has_catalog(&self) -> bool {
        self.catalog.as_ref().is_some_and(|catalog| catalog.is_present)
    }

    /// The newest text of a skill that the conversation holds, in force or not.
    pub(crate) fn current(&self, skill: &str) -> Option<&Receipt> {
        let index = self.skills.get(skill)?.current?;
        Some(&self.receipts[index])
    }

    /// Whether a stub of the skill stands where `leaves` does not take it away.
    pub(crate) fn has_stub(&self, known: &Known, leaves: impl Fn(usize) -> bool) -> bool {
        known.receipts.iter().any(|index| {
            let receipt = &self.receipts[*index];
            receipt.kind == ReceiptKind::Stub && receipt.presence != Presence::Gone && !leaves(*index)
        })
    }

    /// # Errors
    /// `Denied` if the skill is turned off: then only the user may have it.
    pub(crate) fn permit_model(&self, skill: &str) -> Result<(), Error> {
        match self.skills.get(skill) {
            Some(known) if known.standing == Standing::Off => {
                let name = one_line(&known.name);
                let message = format!("skill `{name}` is turned off; only the user can turn it on again");
                Err(Error::new(ErrorKind::Denied, message))
            }
            _ => Ok(()),
        }
    }

    /// Notes that a skill was asked for, and turns it on.
    pub(crate) fn activated(&mut self, skill: &Skill, name: &str) {
        let at = self.tick();
        let known = self.know(skill.id(), name);
        known.attempt = at;
        known.was_listed = skill.is_listed();
        if known.standing != Standing::Active {
            known.standing = Standing::Active;
            self.settle(skill.id());
        }
    }

    /// Notes that a file of a skill was read.
    pub(crate) fn read(&mut self, skill: &str, name: &str, path: &str) {
        let at = self.tick();
        let known = self.know(skill, name);
        known.attempt = at;
        if !known.reads.iter().any(|read| read == path) {
            known.reads.push(path.to_owned());
        }
    }

    /// Records a text that was just delivered or observed. What stood at its placement before is doubted.
    pub(crate) fn deliver(&mut self, entry: &Entry<'_>) {
        // What is pending may stand beside it: one message can hold several bodies.
        for skill in self.doubt(entry.placement, |presence| presence != Presence::Pending) {
            self.settle(&skill);
        }
        let index = self.record(entry);
        let Some(known) = self.skills.get_mut(entry.skill) else {
            return;
        };
        let before = known.current.replace(index);
        for at in before.into_iter().chain([index]) {
            self.receipts[at].settle(at == index, known.standing);
        }
    }

    /// The next number of the clock. The odd ones are for what is committed after something else has happened.
    pub(crate) fn tick(&mut self) -> u64 {
        self.clock += 2;
        self.clock
    }

    pub(crate) fn know(&mut self, skill: &str, name: &str) -> &mut Known {
        let known = self.skills.entry(skill.to_owned()).or_insert_with(Known::new);
        if known.name != name {
            name.clone_into(&mut known.name);
        }
        known
    }

    /// Adds a receipt, or renews the one of the same text at the same placement. The skill must be known.
    pub(crate) fn record(&mut self, entry: &Entry<'_>) -> usize {
        let text = self.intern(entry.text);
        let receipt = Receipt {
            skill: entry.skill.to_owned(),
            digest: entry.digest.to_owned(),
            placement: entry.placement.to_owned(),
            text,
            state: State::Pending,
            kind: entry.kind,
            turn: self.turn,
            proof: entry.proof.map(|proof| self.intern(proof)),
            presence: Presence::Pending,
            doubtful: false,
            at: entry.at,
        };
        self.add(receipt)
    }

    fn add(&mut self, receipt: Receipt) -> usize {
        let at_placement = self.places.entry(receipt.placement.clone()).or_default();
        let is_same = |index: &&usize| {
            let known = &self.receipts[**index];
            known.skill == receipt.skill && known.kind == receipt.kind && known.text == receipt.text
        };
        if let Some(index) = at_placement.iter().find(is_same).copied() {
            self.receipts[index] = receipt;
            return index;
        }
        let index = self.receipts.len();
        at_placement.push(index);
        if let Some(known) = self.skills.get_mut(&receipt.skill) {
            known.receipts.push(index);
        }
        self.receipts.push(receipt);
        index
    }

    /// Says that a message was edited and bears another placement now. The text as it was may come back with a branch.
    #[cfg(feature = "serde")]
    pub(crate) fn edited(&mut self, from: &str, to: &str) {
        for index in self.places.get(from).cloned().unwrap_or_default() {
            let receipt = &mut self.receipts[index];
            if receipt.presence == Presence::Gone {
                continue;
            }
            let mut moved = receipt.clone();
            receipt.presence = Presence::Gone;
            to.clone_into(&mut moved.placement);
            let skill = moved.skill.clone();
            self.add(moved);
            self.settle(&skill);
        }
    }

    /// One copy of each text, however often it was delivered.
    fn intern(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let text: Arc<str> = text.into();
        self.texts.insert(text.clone());
        text
    }

    /// Knows exactly the texts of its receipts.
    fn know_texts(&mut self) {
        let texts = self.receipts.iter().flat_map(|receipt| receipt.proof.iter().chain([&receipt.text]));
        self.texts = texts.cloned().collect();
    }

    /// Takes the receipts that are meant at a placement for gone, and believes only texts from now on. Returns their
    /// skills.
    pub(crate) fn doubt(&mut self, placement: &str, is_meant: impl Fn(Presence) -> bool) -> BTreeSet<String> {
        let mut skills = BTreeSet::new();
        for index in self.places.get(placement).into_iter().flatten() {
            let receipt = &mut self.receipts[*index];
            if is_meant(receipt.presence) {
                receipt.presence = Presence::Gone;
                receipt.doubtful = true;
                skills.insert(receipt.skill.clone());
            }
        }
        skills
    }

    /// Finds a skill's current text anew, and the state of each.
    pub(crate) fn settle(&mut self, skill: &str) {
        let Some(known) = self.skills.get_mut(skill) else {
            return;
        };
        let receipts = &mut self.receipts;
        let bodies = known.receipts.iter().copied().filter(|index| {
            let receipt = &receipts[*index];
            receipt.kind != ReceiptKind::Stub && receipt.presence != Presence::Gone
        });
        known.current = bodies.max_by_key(|index| (receipts[*index].at, *index));
        for index in &known.receipts {
            receipts[*index].settle(known.current == Some(*index), known.standing);
        }
    }

    pub(crate) fn settle_all(&mut self) {
        let skills: Vec<String> = self.skills.keys().cloned().collect();
        for skill in skills {
            self.settle(&skill);
        }
    }
}

impl Known {
    fn new() -> Self {
        Self {
            name: String::new(),
            standing: Standing::Active,
            entered: false,
            was_listed: false,
            attempt: 0,
            reads: Vec::new(),
            receipts: Vec::new(),
            current: None,
        }
    }

    pub(crate) fn is_in_force(&self) -> bool {
        let is_on = matches!(self.standing, Standing::Active | Standing::Finished);
        is_on && (self.entered || self.current.is_some())
    }
}

#[cfg(test)]
mod tests;
