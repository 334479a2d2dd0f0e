//! A conversation as it really is: what a ledger is to be right about.

use prowess::messages::placement;
use prowess::tools::Shape;
use serde_json::{Value, json};

/// Texts that come and go together: one message, or a turn of calls with its answers.
pub(crate) type Group = Vec<Entry>;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) placement: String,
    pub(crate) text: String,
    pub(crate) is_answer: bool,
}

impl Entry {
    pub(crate) fn answer(placement: &str, text: String) -> Self {
        Self { placement: placement.to_owned(), text, is_answer: true }
    }

    pub(crate) fn text(placement: String, text: String) -> Self {
        Self { placement, text, is_answer: false }
    }
}

/// The conversation as its provider gets it.
pub(crate) fn to_json(groups: &[Group], shape: Shape) -> Vec<Value> {
    groups.iter().flat_map(|group| group_to_json(group, shape)).collect()
}

fn group_to_json(group: &Group, shape: Shape) -> Vec<Value> {
    let text = |entry: &Entry| json!({"role": "user", "content": entry.text});
    if !group.iter().any(|entry| entry.is_answer) {
        return group.iter().map(text).collect();
    }
    if shape == Shape::OpenAi {
        let function = json!({"name": "tool", "arguments": "{}"});
        let call = |entry: &Entry| json!({"id": entry.placement, "type": "function", "function": function});
        let calls: Vec<Value> = group.iter().map(call).collect();
        let answer =
            |entry: &Entry| json!({"role": "tool", "tool_call_id": entry.placement, "content": entry.text});
        let mut messages = vec![json!({"role": "assistant", "content": null, "tool_calls": calls})];
        messages.extend(group.iter().map(answer));
        return messages;
    }
    let call =
        |entry: &Entry| json!({"type": "tool_use", "id": entry.placement, "name": "tool", "input": {}});
    let answer =
        |entry: &Entry| json!({"type": "tool_result", "tool_use_id": entry.placement, "content": entry.text});
    vec![
        json!({"role": "assistant", "content": group.iter().map(call).collect::<Vec<_>>()}),
        json!({"role": "user", "content": group.iter().map(answer).collect::<Vec<_>>()}),
    ]
}

/// The conversation as a provider's messages have it.
pub(crate) fn from_json(messages: &[Value]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for message in messages {
        let content = &message["content"];
        match message["role"].as_str() {
            Some("assistant") => groups.push(Vec::new()),
            Some("tool") => add_answer(&mut groups, &message["tool_call_id"], content),
            _ => {
                if let Some(text) = content.as_str() {
                    groups.push(vec![Entry::text(placement(text), text.to_owned())]);
                }
                for part in content.as_array().into_iter().flatten() {
                    match part["text"].as_str() {
                        Some(text) => groups.push(vec![Entry::text(placement(text), text.to_owned())]),
                        None => add_answer(&mut groups, &part["tool_use_id"], &part["content"]),
                    }
                }
            }
        }
    }
    groups
}

fn add_answer(groups: &mut [Group], id: &Value, content: &Value) {
    let (Some(group), Some(id), Some(text)) = (groups.last_mut(), id.as_str(), content.as_str()) else {
        return;
    };
    group.push(Entry::answer(id, text.to_owned()));
}
