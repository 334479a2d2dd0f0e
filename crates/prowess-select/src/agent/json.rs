//! A conversation as JSON, without its ledger, which has a form of its own.

use prowess::Ledger;
use serde_json::{Value, json};

use super::Conversation;
use crate::error::{Error, ErrorKind};
use crate::model::{Message, Reply, ToolCall};

impl Conversation {
    /// The messages as JSON. The ledger is saved by [`Ledger::snapshot`].
    #[must_use]
    pub fn to_json(&self) -> Value {
        let messages = self.messages.iter().map(|message| match message {
            Message::User { id, text } => json!({"role": "user", "id": id, "text": text}),
            Message::ToolResult { id, tool, text } => {
                json!({"role": "tool", "id": id, "tool": tool, "text": text})
            }
            Message::Assistant(reply) => {
                let calls = reply.calls.iter().map(|call| {
                    json!({
                        "id": call.id,
                        "tool": call.tool,
                        "arguments": call.arguments,
                        "signature": call.signature,
                    })
                });
                json!({"role": "assistant", "text": reply.text, "calls": calls.collect::<Value>()})
            }
        });
        json!({"messages": messages.collect::<Value>(), "placements": self.placements})
    }

    /// Reads what [`to_json`](Self::to_json) wrote. The ledger is the one that goes with it.
    ///
    /// # Errors
    /// `Usage` if a message has another form.
    ///
    /// ```
    /// use prowess::Ledger;
    /// use prowess_select::agent::Conversation;
    ///
    /// let conversation = Conversation::new();
    /// assert_eq!(Conversation::from_json(&conversation.to_json(), Ledger::new())?, conversation);
    /// # Ok::<(), prowess_select::Error>(())
    /// ```
    pub fn from_json(value: &Value, ledger: Ledger) -> Result<Self, Error> {
        let messages = value["messages"].as_array().ok_or_else(|| misshapen("`messages` is no array"))?;
        let messages = messages.iter().map(message).collect::<Result<_, _>>()?;
        Ok(Self { messages, ledger, placements: value["placements"].as_u64().unwrap_or(0) })
    }
}

fn message(value: &Value) -> Result<Message, Error> {
    Ok(match value["role"].as_str() {
        Some("user") => Message::User { id: text(value, "id")?, text: text(value, "text")? },
        Some("tool") => Message::ToolResult {
            id: text(value, "id")?,
            tool: text(value, "tool")?,
            text: text(value, "text")?,
        },
        Some("assistant") => {
            let calls = value["calls"].as_array().map(Vec::as_slice).unwrap_or_default();
            let reply = Reply::new(text(value, "text")?);
            Message::Assistant(
                calls.iter().try_fold(reply, |reply, value| Ok(reply.with_call(call(value)?)))?,
            )
        }
        _ => return Err(misshapen("a message has no known role")),
    })
}

fn call(value: &Value) -> Result<ToolCall, Error> {
    let mut call = ToolCall::new(text(value, "id")?, text(value, "tool")?, text(value, "arguments")?);
    call.signature = value["signature"].as_str().map(str::to_owned);
    Ok(call)
}

fn text(value: &Value, key: &str) -> Result<String, Error> {
    value[key].as_str().map(str::to_owned).ok_or_else(|| misshapen(&format!("`{key}` is no text")))
}

fn misshapen(what: &str) -> Error {
    Error::new(ErrorKind::Usage, format!("this is no conversation of a session: {what}"))
}
