//! A conversation after a compaction.

use std::collections::HashMap;

use serde_json::Value;

use super::read::{Text, role, texts, user};
use super::{Conversation, Plan, placement, repair};
use crate::compact::{Compaction, Stale};
use crate::ledger::Ledger;
use crate::tools::Shape;

/// A rewritten conversation. The ledger knows nothing of it until it is [committed](Self::commit).
#[derive(Debug, Clone, PartialEq)]
#[must_use = "the ledger does not know of it until it is committed"]
pub struct Rewritten {
    value: Value,
    compaction: Compaction,
    placements: Vec<String>,
    moved: Vec<(String, String)>,
}

impl Rewritten {
    /// The conversation, in the form it was read: an array, or an object with `messages`.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Where each block of the compaction stands.
    #[must_use]
    pub fn placements(&self) -> &[String] {
        &self.placements
    }

    /// Tells the ledger, and hands over the conversation.
    #[must_use]
    pub fn commit(self, ledger: &mut Ledger) -> Value {
        ledger.commit(self.compaction, self.placements);
        for (from, to) in self.moved {
            ledger.edited(&from, &to);
        }
        self.value
    }
}

impl Conversation {
    /// Carries out a plan: the system's messages, then one message of the user with the summary and the blocks, then
    /// what stays. The provider accepts the result.
    ///
    /// An empty summary is replaced by a sentence that says that something is left out. Where nothing leaves and nothing
    /// is put back, no message is added.
    pub fn rewrite(self, plan: Plan, summary: &str) -> Rewritten {
        let Plan { cut, compaction } = plan;
        let front = front(&compaction, summary, cut > self.lead);
        let placements = vec![placement(&front); compaction.blocks().len()];
        let mut messages = self.messages;
        let mut kept = messages.split_off(cut.min(messages.len()));
        messages.truncate(self.lead);
        let mut moved = Vec::new();
        let stale = by_placement(compaction.stale());
        for message in messages.iter_mut().chain(&mut kept) {
            replace_in(message, &stale, &mut moved);
        }
        let starts_wrong =
            self.shape == Shape::Anthropic && kept.first().is_some_and(|first| role(first) != "user");
        match (front.is_empty(), starts_wrong) {
            (false, _) => messages.push(user(front.into())),
            (true, true) => messages.push(user(LEFT_OUT.into())),
            (true, false) => {}
        }
        messages.append(&mut kept);
        if self.shape == Shape::Anthropic {
            messages = repair::alternating(messages);
        }
        let value = match self.envelope {
            None => messages.into(),
            Some(mut envelope) => {
                envelope.insert("messages".to_owned(), messages.into());
                envelope.into()
            }
        };
        Rewritten { value, compaction, placements, moved }
    }
}

const LEFT_OUT: &str = "The earlier part of this conversation has been left out.\n";

/// The text that stands for what left.
fn front(compaction: &Compaction, summary: &str, something_leaves: bool) -> String {
    let blocks = compaction.text();
    let summary = match summary.trim() {
        _ if !something_leaves => return blocks,
        "" => LEFT_OUT.to_owned(),
        summary => format!("Summary of the earlier part of this conversation:\n{summary}\n"),
    };
    if blocks.is_empty() { summary } else { format!("{summary}\n{blocks}") }
}

type ByPlacement<'a> = HashMap<&'a str, Vec<&'a Stale>>;

fn by_placement(stale: &[Stale]) -> ByPlacement<'_> {
    let mut by_placement = ByPlacement::new();
    for stale in stale {
        by_placement.entry(stale.placement()).or_default().push(stale);
    }
    by_placement
}

/// Puts notes in the place of superseded and off texts. A text of the user moves by that to another placement.
fn replace_in(message: &mut Value, stale: &ByPlacement<'_>, moved: &mut Vec<(String, String)>) {
    if stale.is_empty() || texts(message).is_empty() {
        return;
    }
    let is_answer = role(message) == "tool";
    if is_answer || message["content"].is_string() {
        let new = texts(message).first().and_then(|text| replaced(text, stale, moved));
        if let Some(new) = new {
            message["content"] = new.into();
        }
        return;
    }
    for part in message["content"].as_array_mut().into_iter().flatten() {
        let key = if part["type"] == "tool_result" { "content" } else { "text" };
        let single = user(vec![part.clone()].into());
        let new = texts(&single).first().and_then(|text| replaced(text, stale, moved));
        if let Some(new) = new {
            part[key] = new.into();
        }
    }
}

fn replaced(text: &Text<'_>, stale: &ByPlacement<'_>, moved: &mut Vec<(String, String)>) -> Option<String> {
    let at = text.placement();
    let mut new = text.content.to_string();
    let mut is_replaced = false;
    for stale in stale.get(at.as_str())? {
        if let Some(replaced) = stale.replaced_in(&new) {
            new = replaced;
            is_replaced = true;
            if text.call.is_some() {
                return Some(stale.note().to_owned());
            }
        }
    }
    if is_replaced {
        moved.push((at, placement(&new)));
    }
    is_replaced.then_some(new)
}
