//! What a session's context holds: a receipt for every body that was delivered.

use std::collections::HashSet;
use std::sync::Arc;

/// The receipts of one session.
///
/// A body that is in the context is not delivered again: activating it returns a short note. A receipt whose placement
/// the conversation no longer holds is forgotten, so that the next activation delivers the body again.
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
    receipts: Vec<Receipt>,
}

/// What a delivered body leaves behind.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt {
    /// The skill's id.
    pub skill: String,
    /// The digest of the `SKILL.md` it was read from.
    pub digest: String,
    /// Where the text stands in the conversation: the host's own word for it.
    pub placement: String,
    /// The delivered text.
    pub text: Arc<str>,
}

impl Ledger {
    /// A ledger without receipts: the start of a session.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Every receipt, oldest first.
    #[must_use]
    pub fn receipts(&self) -> &[Receipt] {
        &self.receipts
    }

    /// The newest receipt of a skill, by its id: the text that is in force.
    #[must_use]
    pub fn resident(&self, skill: &str) -> Option<&Receipt> {
        self.receipts.iter().rev().find(|receipt| receipt.skill == skill)
    }

    /// Tells the ledger which placements the conversation holds now, before each request to the model. Receipts of
    /// others are forgotten: their text is gone.
    pub fn reconcile(&mut self, present: impl IntoIterator<Item = impl AsRef<str>>) {
        let present: HashSet<String> = present
            .into_iter()
            .map(|placement| placement.as_ref().to_owned())
            .collect();
        self.receipts
            .retain(|receipt| present.contains(&receipt.placement));
    }

    pub(crate) fn record(&mut self, receipt: Receipt) {
        self.receipts.push(receipt);
    }
}
