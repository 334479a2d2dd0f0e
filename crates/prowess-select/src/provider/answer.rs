//! An answer that is being received, whatever the form it comes in.

use serde_json::Value;

use crate::error::Error;
use crate::model::{Delta, OnDelta, Reply, Stop, ToolCall, Usage};

#[derive(Debug, Default)]
pub(super) struct Answer {
    text: String,
    calls: Vec<(Option<u64>, ToolCall)>,
    pub(super) usage: Usage,
    pub(super) stop: Stop,
    /// Whether the endpoint has said that it is complete.
    pub(super) is_complete: bool,
}

impl Answer {
    /// Takes more text.
    pub(super) fn push_text(&mut self, text: &str, on: OnDelta<'_>) -> Result<(), Error> {
        if text.is_empty() {
            return Ok(());
        }
        self.text.push_str(text);
        if on(Delta::Text(text)).is_break() {
            return Err(Error::cancelled());
        }
        Ok(())
    }

    /// The call that a part belongs to: by its index, unless it brings an id that is another's. Some endpoints give all
    /// calls one index, some give none.
    pub(super) fn call(&mut self, index: Option<u64>, id: Option<&str>) -> &mut ToolCall {
        let id = id.unwrap_or_default();
        let is_of = |(own, call): &(Option<u64>, ToolCall)| {
            let is_meant = index.is_none() || *own == index;
            is_meant && (id.is_empty() || call.id == id)
        };
        let found = self.calls.iter().rposition(is_of);
        let at = found.unwrap_or_else(|| {
            self.calls.push((index, ToolCall::new(id, "", "")));
            self.calls.len() - 1
        });
        &mut self.calls[at].1
    }

    /// Begins a call, whatever came before.
    pub(super) fn push_call(&mut self, call: ToolCall) {
        self.calls.push((None, call));
    }

    pub(super) fn finish(self) -> Reply {
        let calls = self.calls.into_iter().map(|(_, call)| call);
        Reply { text: self.text, calls: calls.collect(), usage: self.usage, stop: self.stop }
    }
}

/// The value as text, empty if it is none.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The arguments as the object that some forms want back; empty if the model wrote no object.
pub(super) fn arguments(call: &ToolCall) -> Value {
    serde_json::from_str(&call.arguments)
        .ok()
        .filter(Value::is_object)
        .unwrap_or_else(|| Value::Object(serde_json::Map::new()))
}
