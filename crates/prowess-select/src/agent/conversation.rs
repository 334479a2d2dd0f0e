use prowess::Ledger;

use crate::model::Message;

/// A conversation: its messages, and the ledger of what was delivered into them. Both are the host's to keep, to cut and
/// to write down; the ledger follows the messages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversation {
    /// The messages, oldest first, without the system prompt.
    pub messages: Vec<Message>,
    /// The receipts.
    pub ledger: Ledger,
    /// How many placements were given out.
    pub(super) placements: u64,
}

impl Conversation {
    /// A conversation that begins.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The placements that the messages have now.
    pub fn placements(&self) -> impl Iterator<Item = &str> {
        self.messages.iter().filter_map(|message| match message {
            Message::User { id, .. } | Message::ToolResult { id, .. } => Some(id.as_str()),
            Message::Assistant(_) => None,
        })
    }

    /// A placement that no message has.
    pub(super) fn place(&mut self) -> String {
        loop {
            self.placements += 1;
            let placement = format!("message-{}", self.placements);
            if !self.is_taken(&placement) {
                return placement;
            }
        }
    }

    /// Whether a message or a call bears this id.
    pub(super) fn is_taken(&self, id: &str) -> bool {
        let called = self.messages.iter().filter_map(|message| match message {
            Message::Assistant(reply) => Some(&reply.calls),
            _ => None,
        });
        self.placements().any(|placement| placement == id) || called.flatten().any(|call| call.id == id)
    }
}
