//! What a model is asked and what it answers, as data, and the trait in between.

use std::ops::ControlFlow;

use prowess::Library;
use prowess::tools::{self, Shape};
use serde_json::Value;

use crate::error::Error;

/// A language model that may call tools.
///
/// ```
/// use prowess_select::Error;
/// use prowess_select::model::{Model, OnDelta, Reply, ToolCall, Turn};
///
/// /// Activates the first skill that it is shown.
/// struct Eager;
///
/// impl Model for Eager {
///     fn name(&self) -> &str {
///         "eager"
///     }
///
///     fn reply(&self, turn: &Turn, _on: OnDelta<'_>) -> Result<Reply, Error> {
///         let name = &turn.tools[0].parameters["properties"]["name"]["enum"][0];
///         let call = ToolCall::new("call-1", "activate_skill", format!(r#"{{"name": {name}}}"#));
///         Ok(Reply::new("").with_call(call))
///     }
/// }
/// ```
pub trait Model: Send + Sync {
    /// The model's name, as users write it.
    fn name(&self) -> &str;

    /// Answers one turn of a conversation. What arrives before the answer is complete goes to `on`; if that breaks,
    /// nobody waits for the rest.
    ///
    /// # Errors
    /// What kept the model from answering; [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled) if `on` broke.
    fn reply(&self, turn: &Turn, on: OnDelta<'_>) -> Result<Reply, Error>;
}

/// What hears of an answer while it arrives.
pub type OnDelta<'a> = &'a mut dyn FnMut(Delta<'_>) -> ControlFlow<()>;

/// A part of an answer, or what is awaited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta<'a> {
    /// More text.
    Text(&'a str),
    /// Something arrived that is not shown. It is a moment to break.
    Tick,
    /// The endpoint is busy; the request is sent again after a while.
    Retry {
        /// Which attempt failed, from 1.
        attempt: u32,
        /// For how long nothing is sent, in milliseconds.
        wait_ms: u64,
        /// Why.
        reason: &'a str,
    },
}

/// One request to a model: everything that it gets to see.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Turn {
    /// The system prompt. It comes first and does not change from turn to turn, so that prompt caches hold.
    pub system: String,
    /// The conversation so far, oldest first.
    pub messages: Vec<Message>,
    /// The tools the model may call.
    pub tools: Vec<Tool>,
    /// The form of the answer.
    pub form: Form,
}

/// The form of an answer.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub enum Form {
    /// Text, or calls of tools.
    #[default]
    Free,
    /// A JSON object that fits this schema. It comes as the reply's text.
    Json(Value),
}

impl Turn {
    /// A turn without messages and tools.
    #[must_use]
    pub fn new(system: impl Into<String>) -> Self {
        Self { system: system.into(), ..Self::default() }
    }

    /// Adds what the user says.
    #[must_use]
    pub fn with_user(mut self, id: impl Into<String>, text: impl Into<String>) -> Self {
        self.messages.push(Message::User { id: id.into(), text: text.into() });
        self
    }
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Message {
    /// What the user says, or what is placed on the user's behalf.
    User {
        /// The message's placement.
        id: String,
        /// The text.
        text: String,
    },
    /// What the model answered.
    Assistant(Reply),
    /// The result of a tool call.
    ToolResult {
        /// The call's id: the message's placement.
        id: String,
        /// The tool's name.
        tool: String,
        /// The text.
        text: String,
    },
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, and when to call it.
    pub description: String,
    /// A JSON schema of its arguments.
    pub parameters: Value,
}

impl Tool {
    /// A tool of a host's own.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        Self { name: name.into(), description: description.into(), parameters }
    }

    /// The tools of a library: `activate_skill` and `read_skill_resource`; none if no skill is listed.
    #[must_use]
    pub fn of_library(library: &Library) -> Vec<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        tools::definitions(library, Shape::Mcp)
            .into_iter()
            .map(|tool| {
                Self::new(text(&tool["name"]), text(&tool["description"]), tool["inputSchema"].clone())
            })
            .collect()
    }
}

/// A model's answer.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// The text.
    pub text: String,
    /// The tools it calls, in order.
    pub calls: Vec<ToolCall>,
    /// What the request cost, as the endpoint counts.
    pub usage: Usage,
    /// Why it ends.
    pub stop: Stop,
}

impl Reply {
    /// An answer that calls nothing.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Adds a call.
    #[must_use]
    pub fn with_call(mut self, call: ToolCall) -> Self {
        self.calls.push(call);
        self
    }
}

/// A tool call of a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall {
    /// Its id, unique in the conversation.
    pub id: String,
    /// The tool's name, which may be made up.
    pub tool: String,
    /// The arguments as the model wrote them: JSON, or what it took for JSON.
    pub arguments: String,
    /// What the provider wants back with the call, unread.
    pub signature: Option<String>,
}

impl ToolCall {
    /// A call without a signature.
    #[must_use]
    pub fn new(id: impl Into<String>, tool: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { id: id.into(), tool: tool.into(), arguments: arguments.into(), signature: None }
    }
}

/// What requests cost, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens of the request, those from a cache included.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
}

impl Usage {
    /// So many tokens in and out.
    #[must_use]
    pub fn new(input: u64, output: u64) -> Self {
        Self { input, output }
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.output += other.output;
    }
}

/// Why an answer ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// It is complete.
    #[default]
    End,
    /// It reached the limit of output tokens, and is cut.
    Length,
    /// The provider or the model refused.
    Refusal,
}
