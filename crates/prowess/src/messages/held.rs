//! What a conversation holds, as hosts in any language say it.

use serde_json::Value;

use super::Conversation;
use crate::error::Error;
use crate::ledger::{Present, Snapshot};
use crate::tools::Shape;

/// What a conversation holds, as a host says it in JSON.
///
/// ```
/// use prowess::{Ledger, messages::Held};
/// use serde_json::json;
///
/// let mut ledger = Ledger::new();
/// let messages = json!([{"role": "user", "content": "Sum up the report."}]);
/// ledger.reconcile(Held::read(messages, None)?.present());
/// let placements = json!(["call-1", ["call-2", "the text of the tool's answer"]]);
/// ledger.reconcile(Held::read(placements, None)?.present());
/// # Ok::<(), prowess::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Held {
    /// Its messages.
    Messages(Conversation),
    /// Its placements, for messages of any other form.
    Placements(Vec<Present<'static>>),
}

impl Held {
    /// Reads messages, as [`Conversation::read`] does; or an array of placements, each alone or in a pair with its text.
    ///
    /// # Errors
    /// Those of [`Conversation::read`].
    pub fn read(value: Value, shape: Option<Shape>) -> Result<Self, Error> {
        match value.as_array().and_then(|items| items.iter().map(placement).collect()) {
            Some(placements) => Ok(Self::Placements(placements)),
            None => Conversation::read(value, shape).map(Self::Messages),
        }
    }

    /// What is there, for [`Ledger::reconcile`](crate::Ledger::reconcile) and [`restore`](crate::Ledger::restore).
    #[must_use]
    pub fn present(&self) -> Vec<Present<'_>> {
        match self {
            Self::Messages(conversation) => conversation.present().collect(),
            Self::Placements(placements) => placements.clone(),
        }
    }
}

/// What was [held](Snapshot::held) when a session was saved.
impl From<&Snapshot> for Held {
    fn from(snapshot: &Snapshot) -> Self {
        Self::Placements(snapshot.held().into_iter().map(Present::from).collect())
    }
}

fn placement(item: &Value) -> Option<Present<'static>> {
    match item.as_array().map(Vec::as_slice) {
        Some([placement, text]) => Some((placement.as_str()?.to_owned(), text.as_str()?.to_owned()).into()),
        Some(_) => None,
        None => Some(item.as_str()?.to_owned().into()),
    }
}
