//! What the conversation holds now, against what was delivered.

use std::borrow::Cow;

use super::{Ledger, Presence, Receipt};

/// A placement that the conversation holds, with the text that stands there if the host gives it.
///
/// Placements and pairs of placement and text turn into it, borrowed or owned.
///
/// ```
/// use prowess::{Ledger, ledger::Present};
///
/// let mut ledger = Ledger::new();
/// ledger.reconcile(["call-1", "call-2"]);
/// ledger.reconcile([("call-1", "the text of the tool's answer")]);
/// ledger.reconcile([Present::from("call-1"), Present::from(("call-2".to_owned(), "its text".to_owned()))]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present<'a> {
    pub(crate) placement: Cow<'a, str>,
    pub(crate) text: Option<Cow<'a, str>>,
}

impl<'a> From<&'a str> for Present<'a> {
    fn from(placement: &'a str) -> Self {
        Self { placement: placement.into(), text: None }
    }
}

impl<'a> From<&'a &str> for Present<'a> {
    fn from(placement: &'a &str) -> Self {
        Self::from(*placement)
    }
}

impl<'a> From<&'a String> for Present<'a> {
    fn from(placement: &'a String) -> Self {
        Self::from(placement.as_str())
    }
}

impl From<String> for Present<'_> {
    fn from(placement: String) -> Self {
        Self { placement: placement.into(), text: None }
    }
}

impl<'a, P: Into<Cow<'a, str>>, T: Into<Cow<'a, str>>> From<(P, T)> for Present<'a> {
    fn from((placement, text): (P, T)) -> Self {
        Self { placement: placement.into(), text: Some(text.into()) }
    }
}

impl<'a> From<&'a (String, String)> for Present<'a> {
    fn from((placement, text): &'a (String, String)) -> Self {
        Self::from((placement, text))
    }
}

impl Ledger {
    /// Tells the ledger what the conversation holds now, before each request to the model: one linear pass.
    ///
    /// 1. A receipt whose placement is there is resident, one whose placement is not there is evicted. One that was
    ///    evicted and is there again is resident again: a rewind behind a change makes the older text current.
    /// 2. Given the text, a placement that does not hold the whole delivered text counts as not there, and from then on
    ///    this receipt is believed only with its text. Give texts wherever the host, or a provider, may shorten them.
    /// 3. What was delivered and whose placement the next reconcile does not see is forgotten: if nothing else of the
    ///    skill has been in the conversation, the skill is not in force.
    /// 4. Where a placement was used twice, only a text says which of the two is there.
    pub fn reconcile<'a>(&mut self, present: impl IntoIterator<Item = impl Into<Present<'a>>>) {
        let mut seen = vec![false; self.receipts.len()];
        let mut sees_catalog = false;
        for item in present {
            let Present { placement, text } = item.into();
            let catalog = self.catalog.as_ref();
            sees_catalog |= catalog.is_some_and(|catalog| catalog.placement == placement);
            for index in self.places.get(placement.as_ref()).into_iter().flatten() {
                let receipt = &mut self.receipts[*index];
                if let Some(known) = self.skills.get_mut(&receipt.skill) {
                    known.entered = true;
                }
                if !seen[*index] {
                    seen[*index] = receipt.is_seen_in(text.as_deref());
                }
            }
        }
        for (receipt, seen) in self.receipts.iter_mut().zip(seen) {
            receipt.presence = if seen { Presence::Present } else { Presence::Gone };
        }
        if let Some(catalog) = &mut self.catalog {
            catalog.is_present = sees_catalog;
        }
        self.turn += 1;
        self.settle_all();
    }
}

impl Receipt {
    fn is_seen_in(&mut self, text: Option<&str>) -> bool {
        let Some(text) = text else {
            return !self.doubtful;
        };
        let is_whole = self.is_whole_in(text);
        self.doubtful |= !is_whole;
        is_whole
    }

    /// Whether a text holds all that was delivered.
    pub(crate) fn is_whole_in(&self, text: &str) -> bool {
        match &self.proof {
            Some(proof) => holds_lines(text, proof),
            None => !self.text.is_empty() && text.contains(self.text.trim_end()),
        }
    }
}

/// Whether every line of `body` ends a line of `text`, in this order: tools that read files put numbers before lines.
fn holds_lines(text: &str, body: &str) -> bool {
    let mut lines = text.lines().map(str::trim_end);
    let mut wanted = body.lines().map(str::trim_end).filter(|line| !line.is_empty());
    wanted.all(|wanted| lines.any(|line| line.ends_with(wanted)))
}
