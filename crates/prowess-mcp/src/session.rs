//! What one connection was given.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use prowess::Ledger;
use prowess::activate::{Delivery, Request};

/// With so many receipts a ledger begins anew: it holds texts, and what it forgets is merely delivered again.
const MAX_RECEIPTS: usize = 256;

/// The ledger of a connection, and how long it is trusted.
#[derive(Debug, Default)]
pub(crate) struct Session {
    ledger: Ledger,
    delivered: HashMap<String, Instant>,
}

/// Whether a body that was delivered before may be answered with a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It is delivered again.
    Always,
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
            *self = Self::default();
        }
        let placed = request.skill().and_then(|skill| self.ledger.resident(skill.id()));
        if let Some(placed) = placed.map(|receipt| receipt.placement.clone())
            && self.is_doubtful(&placed, repeat, now)
        {
            self.ledger.forget(&placed);
            self.delivered.remove(&placed);
        }
        let delivery = request.deliver(&mut self.ledger, placement);
        if delivery.is_protected() {
            self.delivered.insert(placement.to_owned(), now);
        }
        delivery
    }

    /// Delivers a resource.
    pub(crate) fn read(&mut self, request: Request, placement: &str) -> Delivery {
        request.deliver(&mut self.ledger, placement)
    }

    fn is_doubtful(&self, placement: &str, repeat: Repeat, now: Instant) -> bool {
        let Repeat::After(expiry) = repeat else { return true };
        let age = self.delivered.get(placement).map(|then| now.saturating_duration_since(*then));
        age.is_none_or(|age| age >= expiry)
    }
}

#[cfg(test)]
mod tests;
