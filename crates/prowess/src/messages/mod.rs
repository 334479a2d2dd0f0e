//! Conversations as JSON, in the shapes of OpenAI and Anthropic: what they hold, where to cut them, and how they read
//! after a compaction.

mod held;
mod read;
mod repair;
mod rewrite;

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Value};

pub use self::held::Held;
pub use self::rewrite::Rewritten;
use crate::activate::{Delivery, Request, digest};
use crate::compact::{Budget, Compaction};
use crate::error::{Error, ErrorKind};
use crate::ledger::{Ledger, Present};
use crate::tools::Shape;

/// About how much of a conversation faces keep unless they are told otherwise, in tokens.
pub const KEPT_TOKENS: usize = 8_000;

/// A conversation that its provider accepts.
///
/// Reading one repairs what no provider takes: an answer without its call, a call without its answer, a second answer to
/// one call and, for Anthropic, two messages of one role in a row. Calls and their answers are a group that no cut
/// divides.
///
/// # Placements
///
/// * An answer of a tool has the id of its call as placement: `tool_call_id` or `tool_use_id`.
/// * A text of the user or the system (a string, or one text part of several) has [`placement`] of that text. A host that
///   delivers a body into such a text [relocates](Ledger::relocate) it once the text is written.
///
/// ```
/// use prowess::{Ledger, compact::Budget, messages::Conversation, tools::Shape};
/// use serde_json::json;
///
/// let messages = json!([
///     {"role": "system", "content": "You are an agent."},
///     {"role": "user", "content": "Sum up the report."},
///     {"role": "assistant", "content": "It says that sales rose."},
///     {"role": "user", "content": "And the costs?"},
/// ]);
/// let mut ledger = Ledger::new();
/// let conversation = Conversation::new(messages, Shape::OpenAi)?;
/// ledger.reconcile(conversation.present());
/// let plan = conversation.plan(&ledger, conversation.cut(5), Budget::total(25_000));
/// let rewritten = conversation.rewrite(plan, "The report says that sales rose.");
/// let messages = rewritten.commit(&mut ledger);
/// assert_eq!(messages.as_array().map(Vec::len), Some(3));
/// # Ok::<(), prowess::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    shape: Shape,
    /// The other fields of the object that held the messages.
    envelope: Option<Map<String, Value>>,
    messages: Vec<Value>,
    groups: Vec<Range<usize>>,
    /// How many messages at the beginning are the system's: they stay.
    lead: usize,
}

/// A cut and what it takes to make up for it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a plan does nothing until the conversation is rewritten"]
pub struct Plan {
    cut: usize,
    compaction: Compaction,
}

impl Plan {
    /// The number of the first message after the system's that stays.
    #[must_use]
    pub fn cut(&self) -> usize {
        self.cut
    }

    /// What is put back; its [`hint`](Compaction::hint) is for the summariser.
    pub fn compaction(&self) -> &Compaction {
        &self.compaction
    }
}

/// The placement of a text that is no tool's answer: `text:` and the SHA-256 of the text without blanks at its end.
///
/// ```
/// use prowess::messages::placement;
///
/// assert_eq!(placement("Hello.\n"), placement("Hello."));
/// ```
#[must_use]
pub fn placement(text: &str) -> String {
    let digest = digest(text.trim_end().as_bytes());
    format!("text:{}", digest.trim_start_matches("sha256:"))
}

impl Conversation {
    /// Reads a conversation: an array of messages, or an object with an array `messages` (a request's body).
    ///
    /// # Errors
    /// `Usage` if it is neither, if the shape is another than OpenAI's or Anthropic's, if a message has an unknown role or
    /// an ill-typed content, or if the conversation ends in a call that has not been answered yet.
    pub fn new(value: Value, shape: Shape) -> Result<Self, Error> {
        let (envelope, messages) = match value {
            Value::Array(messages) => (None, messages),
            Value::Object(mut envelope) => match envelope.remove("messages") {
                Some(Value::Array(messages)) => (Some(envelope), messages),
                _ => return Err(usage("the conversation has no array `messages`")),
            },
            _ => {
                return Err(usage("a conversation is an array of messages, or an object with one"));
            }
        };
        let messages = match shape {
            Shape::OpenAi => repair::openai(messages)?,
            Shape::Anthropic => repair::anthropic(messages)?,
            _ => {
                return Err(usage("conversations are read in the shapes of OpenAI and Anthropic"));
            }
        };
        let is_system = |message: &&Value| matches!(read::role(message), "system" | "developer");
        let lead = messages.iter().take_while(is_system).count();
        Ok(Self { shape, envelope, lead, groups: read::groups(&messages, shape), messages })
    }

    /// Reads a conversation whose shape is not known: Anthropic's if it has `tool_use` or `tool_result` blocks or a
    /// `system` beside its messages, else OpenAI's.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn detect(value: Value) -> Result<Self, Error> {
        let shape = read::shape(&value);
        Self::new(value, shape)
    }

    /// Reads a conversation in a [given](Self::new) shape, or in the one that it [seems](Self::detect) to have.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn read(value: Value, shape: Option<Shape>) -> Result<Self, Error> {
        match shape {
            Some(shape) => Self::new(value, shape),
            None => Self::detect(value),
        }
    }

    /// The shape it was read in.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The messages, repaired.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        &self.messages
    }

    /// Every placement with its text, for [`Ledger::reconcile`].
    pub fn present(&self) -> impl Iterator<Item = Present<'_>> {
        self.held(0..self.messages.len()).map(Present::from)
    }

    fn held(&self, range: Range<usize>) -> impl Iterator<Item = (String, std::borrow::Cow<'_, str>)> {
        let messages = self.messages.get(range).unwrap_or_default().iter();
        messages.flat_map(read::texts).map(|text| (text.placement(), text.content))
    }

    /// Where to cut so that about `keep` tokens stay, by the estimate of four characters a token: at the beginning of a
    /// group. The last group always stays, and so do the system's messages at the beginning.
    #[must_use]
    pub fn cut(&self, keep: usize) -> usize {
        let mut cut = self.messages.len();
        let mut weight = 0;
        for group in self.groups.iter().rev().filter(|group| group.start >= self.lead) {
            let messages = self.messages.get(group.clone()).unwrap_or_default();
            weight += messages.iter().map(read::tokens).sum::<usize>();
            if weight > keep && cut < self.messages.len() {
                break;
            }
            cut = group.start;
        }
        cut
    }

    /// The messages that a plan takes away: what the summary is of.
    #[must_use]
    pub fn leaving(&self, plan: &Plan) -> &[Value] {
        self.messages.get(self.lead..plan.cut).unwrap_or_default()
    }

    /// Plans a compaction that takes away the messages before `cut`; one inside of a group moves to its beginning.
    ///
    /// A body stays only where a message behind the cut holds all of it. Superseded and off texts there become notes.
    pub fn plan(&self, ledger: &Ledger, cut: usize, budget: Budget) -> Plan {
        let cut = self.boundary(cut);
        let mut leaves = vec![true; ledger.receipts.len()];
        let mut placements = HashSet::new();
        for (placement, text) in self.held(0..self.lead).chain(self.held(cut..self.messages.len())) {
            for index in ledger.places.get(&placement).into_iter().flatten() {
                if let (Some(leaves), Some(receipt)) = (leaves.get_mut(*index), ledger.receipts.get(*index)) {
                    *leaves &= !receipt.is_whole_in(&text);
                }
            }
            placements.insert(placement);
        }
        let catalog = ledger.catalog.as_ref().filter(|catalog| catalog.is_present);
        let catalog_leaves = catalog.is_some_and(|catalog| {
            let mut leaving = self.held(self.lead..cut);
            !placements.contains(&catalog.placement)
                && leaving.any(|(placement, _)| placement == catalog.placement)
        });
        let compaction = ledger.plan(&leaves, catalog_leaves, &budget);
        Plan { cut, compaction }
    }

    fn boundary(&self, cut: usize) -> usize {
        let cut = cut.clamp(self.lead, self.messages.len().max(self.lead));
        let around = self.groups.iter().find(|group| group.start < cut && cut < group.end);
        around.map_or(cut, |group| group.start)
    }
}

impl Ledger {
    /// [Commits](Self::commit) a compaction that the host places as one text of its own, such as a message of the user, and
    /// hands over that text; empty if there is nothing to place.
    ///
    /// ```
    /// use prowess::{Ledger, ledger::Inherit};
    ///
    /// let (mut child, compaction) = Ledger::new().fork(Inherit::Names);
    /// assert_eq!(child.commit_text(compaction), "");
    /// ```
    pub fn commit_text(&mut self, compaction: Compaction) -> String {
        let text = compaction.text();
        let placements = vec![placement(&text); compaction.blocks().len()];
        self.commit(compaction, placements);
        text
    }
}

impl Request {
    /// [Delivers](Self::deliver) a text that the host places as one of its own, such as a message of the user: its
    /// placement is [`placement`] of it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use prowess::{Ledger, Library, LoadOptions, Origin, Roots, messages::Conversation, source::Memory};
    /// use serde_json::json;
    ///
    /// let memory = Memory::new().with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills.\n---\nFill.");
    /// let roots = Roots::new().with("user", "/skills")?;
    /// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
    /// let mut ledger = Ledger::new();
    /// let delivery = library.activate("pdf", Origin::User).deliver_text(&mut ledger);
    /// let messages = json!([{"role": "user", "content": delivery.text()}]);
    /// ledger.reconcile(Conversation::detect(messages)?.present());
    /// assert!(ledger.resident("user:pdf").is_some());
    /// # Ok::<(), prowess::Error>(())
    /// ```
    pub fn deliver_text(self, ledger: &mut Ledger) -> Delivery {
        // No text has this placement.
        let unknown = "text:";
        let delivery = self.deliver(ledger, unknown);
        ledger.relocate(unknown, placement(delivery.text()));
        delivery
    }

    /// [Delivers](Self::deliver) as a face is asked to: into a session or into none, and without a placement as a
    /// [text of its own](Self::deliver_text).
    pub fn deliver_into(self, ledger: Option<&mut Ledger>, placement: Option<String>) -> Delivery {
        match (ledger, placement) {
            (None, _) => self.deliver(&mut Ledger::new(), ""),
            (Some(ledger), Some(placement)) => self.deliver(ledger, placement),
            (Some(ledger), None) => self.deliver_text(ledger),
        }
    }
}

fn usage(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Usage, message)
}
