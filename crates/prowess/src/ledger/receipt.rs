//! What a ledger says of one text, and of one skill.

use std::sync::Arc;

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
    /// The delivered text, without notes and arguments. Empty if the session was saved without texts and the file has
    /// changed since.
    pub text: Arc<str>,
    /// What has become of it.
    pub state: State,
    /// How the text got where it stands.
    pub kind: ReceiptKind,
    /// How many reconciles had been before it: the turn of the conversation.
    pub turn: u64,
    /// What a file-reading host's conversation must hold, line by line; for other receipts `text` itself.
    pub(crate) proof: Option<Arc<str>>,
    pub(crate) presence: Presence,
    /// The placement was used again, or its text was found incomplete: only a text proves it from now on.
    pub(crate) doubtful: bool,
    pub(crate) at: u64,
}

/// What has become of a delivered text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// Delivered, and not yet seen by a reconcile.
    Pending,
    /// In the conversation, and the skill's current text.
    Resident,
    /// Not in the conversation.
    Evicted,
    /// In the conversation, but a newer text of the skill is as well.
    Superseded,
    /// In the conversation, but the skill is turned off.
    Off,
}

impl State {
    /// The word that stands for it in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Resident => "resident",
            Self::Evicted => "evicted",
            Self::Superseded => "superseded",
            Self::Off => "off",
        }
    }
}

/// How a text got into the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReceiptKind {
    /// An activation delivered it.
    Delivered,
    /// The model read the file itself.
    Observed,
    /// It came back after a compaction, or was given to a fork.
    Reattached,
    /// A line that stands for a body.
    Stub,
}

impl ReceiptKind {
    /// The word that stands for it in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Observed => "observed",
            Self::Reattached => "reattached",
            Self::Stub => "stub",
        }
    }
}

/// Where a skill stands in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Standing {
    /// Activated: in force.
    Active,
    /// In force, but done with: a stub at the next compaction.
    Finished,
    /// Turned off. Only the user turns it on again.
    Off,
    /// When the session was restored, the skill was gone or no longer visible: not in force.
    Withdrawn,
}

impl Standing {
    /// The word that stands for it in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Finished => "finished",
            Self::Off => "off",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// One skill of a session, as [`Ledger::skills`](super::Ledger::skills) shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionSkill<'a> {
    /// The skill's id.
    pub id: &'a str,
    /// The name a model calls it by.
    pub name: &'a str,
    /// Where it stands.
    pub standing: Standing,
    /// Its newest text that the conversation holds.
    pub current: Option<&'a Receipt>,
    /// The resource files of it that were read, in the order of their first reading.
    pub reads: &'a [String],
    /// Whether the host has pinned it.
    pub is_pinned: bool,
    /// Whether a stub of it stands in the conversation.
    pub has_stub: bool,
    /// Whether it is in force: its text has been in the conversation, and it is active or finished.
    pub is_in_force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Pending,
    Present,
    Gone,
}

impl Receipt {
    pub(super) fn settle(&mut self, is_current: bool, standing: Standing) {
        let is_stub = self.kind == ReceiptKind::Stub;
        self.state = match self.presence {
            Presence::Gone => State::Evicted,
            _ if standing == Standing::Off && !is_stub => State::Off,
            _ if !is_current && !is_stub => State::Superseded,
            Presence::Pending => State::Pending,
            Presence::Present => State::Resident,
        };
    }
}
