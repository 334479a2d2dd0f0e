//! What one connection was given.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use prowess::activate::{Delivery, Request};
use prowess::{Ledger, Library, Origin};

/// With so many receipts a ledger begins anew: it holds texts, and what it forgets is merely delivered again.
const MAX_RECEIPTS: usize = 256;

/// What a connection was given, and how long it is taken to be there.
#[derive(Debug, Default)]
pub(crate) struct Session {
    ledger: Ledger,
    delivered: HashMap<String, Instant>,
    /// The ids of the skills whose bodies were delivered.
    skills: BTreeSet<String>,
}

/// Whether a body that was delivered before may be answered with a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It is delivered again, and no text is kept.
    Always,
    /// It is delivered again, and kept for those that are not.
    Now,
    /// It is delivered again when so much time has passed.
    After(Duration),
}

impl Session {
    /// Delivers a body.
    pub(crate) fn activate(
        &mut self,
        request: Request,
        placement: &str,
        repeat: Repeat,
        now: Instant,
    ) -> Delivery {
        if self.ledger.receipts().len() > MAX_RECEIPTS {
            self.ledger = Ledger::new();
            self.delivered.clear();
        }
        let placed = request.skill().and_then(|skill| self.ledger.resident(skill.id()));
        if let Some(placed) = placed.map(|receipt| receipt.placement.clone())
            && self.is_doubtful(&placed, repeat, now)
        {
            self.ledger.forget(&placed);
            self.delivered.remove(&placed);
        }
        let delivery = request.deliver(&mut self.ledger, placement);
        if let Some(activation) = delivery.activation() {
            self.skills.insert(activation.skill.id().to_owned());
        }
        if repeat == Repeat::Always {
            self.ledger = Ledger::new();
        } else if delivery.is_protected() {
            self.delivered.insert(placement.to_owned(), now);
        }
        delivery
    }

    /// Delivers a resource: to a model also of a skill that only the user may activate, and has.
    pub(crate) fn read(&self, library: &Library, request: Request, placement: &str) -> Delivery {
        let mut ledger = Ledger::new();
        let skill = request.skill().filter(|skill| !skill.is_listed());
        if let Some(skill) = skill.filter(|skill| self.skills.contains(skill.id())) {
            drop(library.activate(skill.id(), Origin::User).deliver(&mut ledger, "before"));
        }
        request.deliver(&mut ledger, placement)
    }

    fn is_doubtful(&self, placement: &str, repeat: Repeat, now: Instant) -> bool {
        let Repeat::After(expiry) = repeat else { return true };
        let age = self.delivered.get(placement).map(|then| now.saturating_duration_since(*then));
        age.is_none_or(|age| age >= expiry)
    }
}

#[cfg(test)]
mod tests;
