//! What a message holds, in both shapes.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Map, Value};

use super::placement;
use crate::tools::Shape;

/// A text of a message that can hold a body.
pub(super) struct Text<'a> {
    /// The id of the call it answers; none for a text of the user or the system.
    pub(super) call: Option<&'a str>,
    pub(super) content: Cow<'a, str>,
}

impl Text<'_> {
    pub(super) fn placement(&self) -> String {
        self.call.map_or_else(|| placement(&self.content), str::to_owned)
    }
}

pub(super) fn role(message: &Value) -> &str {
    message["role"].as_str().unwrap_or_default()
}

/// The shape that a conversation seems to have.
pub(super) fn shape(value: &Value) -> Shape {
    let messages = value.as_array().or_else(|| value["messages"].as_array());
    let is_block = |part: &Value| matches!(part["type"].as_str(), Some("tool_use" | "tool_result"));
    let has_blocks = |message: &Value| parts(&message["content"]).iter().any(is_block);
    let has_system = value.get("system").is_some();
    if has_system || messages.is_some_and(|messages| messages.iter().any(has_blocks)) {
        Shape::Anthropic
    } else {
        Shape::OpenAi
    }
}

/// The parts of a content that is an array.
pub(super) fn parts(content: &Value) -> &[Value] {
    content.as_array().map_or(&[], Vec::as_slice)
}

/// The texts of a message that have a placement.
pub(super) fn texts(message: &Value) -> Vec<Text<'_>> {
    let content = &message["content"];
    match role(message) {
        "tool" => vec![Text {
            call: Some(message["tool_call_id"].as_str().unwrap_or_default()),
            content: joined(content),
        }],
        "assistant" => Vec::new(),
        _ => match content {
            Value::String(text) => vec![plain(text)],
            content => parts(content).iter().filter_map(part_text).collect(),
        },
    }
}

fn plain(text: &str) -> Text<'_> {
    Text { call: None, content: text.into() }
}

fn part_text(part: &Value) -> Option<Text<'_>> {
    match part["type"].as_str()? {
        "text" => part["text"].as_str().map(plain),
        "tool_result" => Some(Text {
            call: Some(part["tool_use_id"].as_str().unwrap_or_default()),
            content: joined(&part["content"]),
        }),
        _ => None,
    }
}

/// The text of a content, whether it is a string or parts.
fn joined(content: &Value) -> Cow<'_, str> {
    match content {
        Value::String(text) => text.as_str().into(),
        content => match parts(content) {
            [part] => part["text"].as_str().unwrap_or_default().into(),
            parts => parts.iter().filter_map(|part| part["text"].as_str()).collect::<String>().into(),
        },
    }
}

/// Messages that no cut divides: calls with their answers, or one message alone.
pub(super) fn groups(messages: &[Value], shape: Shape) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let answers = match shape {
            Shape::Anthropic => parts(&message["content"]).iter().any(|part| part["type"] == "tool_result"),
            _ => role(message) == "tool",
        };
        match groups.last_mut() {
            Some(group) if answers => group.end = index + 1,
            _ => groups.push(index..index + 1),
        }
    }
    groups
}

/// What a message costs, by the estimate: its strings, without the names of its fields.
pub(super) fn tokens(message: &Value) -> usize {
    characters(message).div_ceil(4)
}

fn characters(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.iter().map(characters).sum(),
        Value::Object(fields) => fields.values().map(characters).sum(),
        _ => 1,
    }
}

/// A message of the user with this content.
pub(super) fn user(content: Value) -> Value {
    let fields = [("role".to_owned(), "user".into()), ("content".to_owned(), content)];
    Value::Object(Map::from_iter(fields))
}

/// A content as parts: a string is one part of text.
pub(super) fn into_parts(content: Value) -> Vec<Value> {
    match content {
        Value::Array(parts) => parts,
        Value::String(text) if !text.is_empty() => vec![text_part(text)],
        _ => Vec::new(),
    }
}

fn text_part(text: String) -> Value {
    let fields = [("type".to_owned(), "text".into()), ("text".to_owned(), text.into())];
    Value::Object(Map::from_iter(fields))
}
