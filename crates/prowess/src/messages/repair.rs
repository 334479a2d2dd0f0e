//! A conversation as a provider accepts it: every call with its answer, every answer behind its call.

use std::collections::HashSet;

use serde_json::Value;

use super::read::{into_parts, parts, role};
use super::usage;
use crate::error::Error;

pub(super) fn openai(messages: Vec<Value>) -> Result<Vec<Value>, Error> {
    for (number, message) in messages.iter().enumerate() {
        check_openai(number, message)?;
    }
    let mut repaired = Vec::with_capacity(messages.len());
    let mut messages = messages.into_iter().peekable();
    while let Some(mut message) = messages.next() {
        if role(&message) == "tool" {
            continue; // An answer to no call.
        }
        let mut wanted: HashSet<String> = calls(&message).filter_map(|call| id(call, "id")).collect();
        let mut answers = Vec::new();
        while let Some(answer) = messages.next_if(|next| role(next) == "tool") {
            if id(&answer, "tool_call_id").is_some_and(|id| wanted.remove(&id)) {
                answers.push(answer);
            }
        }
        refuse_open(&wanted, messages.peek().is_none())?;
        let answered: HashSet<String> =
            answers.iter().filter_map(|answer| id(answer, "tool_call_id")).collect();
        if keep_calls(&mut message, answered) {
            repaired.push(message);
        }
        repaired.append(&mut answers);
    }
    Ok(repaired)
}

fn calls(message: &Value) -> impl Iterator<Item = &Value> {
    parts(&message["tool_calls"]).iter()
}

fn id(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().map(ToOwned::to_owned)
}

/// A conversation that ends in a call without its answer can't be repaired: the answer is still to come.
fn refuse_open(unanswered: &HashSet<String>, is_last: bool) -> Result<(), Error> {
    match unanswered.iter().min() {
        Some(id) if is_last => Err(usage(format!(
            "the conversation ends in a tool call that is not answered: `{id}`; add the answer first"
        ))),
        _ => Ok(()),
    }
}

/// What an assistant's message may hold instead of content and calls.
const INSTEAD: [&str; 3] = ["audio", "function_call", "refusal"];

/// Keeps the calls that are answered, each id once. False if nothing is left of an assistant's message.
fn keep_calls(message: &mut Value, mut answered: HashSet<String>) -> bool {
    let is_assistant = role(message) == "assistant";
    let Some(fields) = message.as_object_mut() else {
        return false;
    };
    if let Some(calls) = fields.get_mut("tool_calls").and_then(Value::as_array_mut) {
        calls.retain(|call| call["id"].as_str().is_some_and(|id| answered.remove(id)));
        if !calls.is_empty() {
            return true;
        }
        fields.remove("tool_calls");
    }
    let holds = |key: &str| fields.get(key).is_some_and(|value| !value.is_null());
    let says_something = fields.get("content").is_some_and(|content| !is_empty(content));
    !is_assistant || says_something || INSTEAD.into_iter().any(holds)
}

fn is_empty(content: &Value) -> bool {
    match content {
        Value::String(text) => text.trim().is_empty(),
        content => parts(content).is_empty(),
    }
}

fn check_openai(number: usize, message: &Value) -> Result<(), Error> {
    let role = check_role(number, message, &["system", "developer", "user", "assistant", "tool"])?;
    let calls = match message.get("tool_calls") {
        None | Some(Value::Null) => &[],
        Some(Value::Array(calls)) if role == "assistant" => calls.as_slice(),
        Some(_) => return Err(usage(format!("message {number} has ill-typed `tool_calls`"))),
    };
    if calls.iter().any(|call| !call["id"].is_string()) {
        return Err(usage(format!("message {number} has a tool call without an id")));
    }
    if role == "tool" && !message["tool_call_id"].is_string() {
        return Err(usage(format!("message {number} is a tool's answer without a `tool_call_id`")));
    }
    match message.get("content") {
        None | Some(Value::Null) if role == "assistant" => Ok(()),
        content => check_content(number, content),
    }
}

fn check_role<'a>(number: usize, message: &'a Value, known: &[&str]) -> Result<&'a str, Error> {
    let role = message["role"].as_str().filter(|_| message.is_object());
    let role = role.ok_or_else(|| usage(format!("message {number} is no object with a `role`")))?;
    if known.contains(&role) {
        return Ok(role);
    }
    let known = known.join("`, `");
    Err(usage(format!("message {number} has the role `{role}`; known are `{known}`")))
}

fn check_content(number: usize, content: Option<&Value>) -> Result<(), Error> {
    match content {
        Some(Value::String(_)) => Ok(()),
        Some(Value::Array(parts)) if parts.iter().all(Value::is_object) => Ok(()),
        _ => Err(usage(format!("message {number} has a `content` that is neither text nor parts"))),
    }
}

pub(super) fn anthropic(messages: Vec<Value>) -> Result<Vec<Value>, Error> {
    for (number, message) in messages.iter().enumerate() {
        check_anthropic(number, message)?;
    }
    let messages = alternating(messages);
    let mut repaired: Vec<Value> = Vec::with_capacity(messages.len());
    let mut used = HashSet::new();
    let mut messages = messages.into_iter().peekable();
    let mut answered = HashSet::new();
    while let Some(mut message) = messages.next() {
        if role(&message) == "user" {
            keep_results(&mut message, std::mem::take(&mut answered));
        } else {
            let wanted: HashSet<String> =
                blocks(&message, "tool_use").filter_map(|block| id(block, "id")).collect();
            if let Some(id) = wanted.iter().filter(|id| used.contains(*id)).min() {
                return Err(usage(format!("the id `{id}` stands for two tool calls")));
            }
            let results = messages.peek().into_iter().flat_map(|next| blocks(next, "tool_result"));
            answered = results.filter_map(|block| id(block, "tool_use_id")).collect();
            answered.retain(|id| wanted.contains(id));
            refuse_open(&wanted.difference(&answered).cloned().collect(), messages.peek().is_none())?;
            keep_uses(&mut message, answered.clone());
            used.extend(answered.iter().cloned());
        }
        drop_blank(&mut message);
        if message.get("content").is_some_and(|content| !is_empty(content)) {
            repaired.push(message);
        }
    }
    Ok(alternating(repaired))
}

fn blocks<'a>(message: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    parts(&message["content"]).iter().filter(move |block| block["type"] == kind)
}

/// Keeps the calls that are answered, each id once.
fn keep_uses(message: &mut Value, mut answered: HashSet<String>) {
    if let Some(blocks) = message["content"].as_array_mut() {
        blocks.retain(|block| {
            block["type"] != "tool_use" || block["id"].as_str().is_some_and(|id| answered.remove(id))
        });
    }
}

/// Keeps one answer for each call, and puts the answers first.
fn keep_results(message: &mut Value, mut calls: HashSet<String>) {
    if let Some(blocks) = message["content"].as_array_mut() {
        blocks.retain(|block| {
            let is_result = block["type"] == "tool_result";
            !is_result || block["tool_use_id"].as_str().is_some_and(|id| calls.remove(id))
        });
        blocks.sort_by_key(|block| block["type"] != "tool_result");
    }
}

/// Anthropic takes no block of text without text, or with blanks alone.
fn drop_blank(message: &mut Value) {
    if let Some(blocks) = message["content"].as_array_mut() {
        blocks.retain(|block| {
            block["type"] != "text" || block["text"].as_str().is_some_and(|text| !text.trim().is_empty())
        });
    }
}

/// Messages of one role in a row as one message.
pub(super) fn alternating(messages: Vec<Value>) -> Vec<Value> {
    let mut merged: Vec<Value> = Vec::with_capacity(messages.len());
    for mut message in messages {
        match merged.last_mut() {
            Some(last) if role(last) == role(&message) => {
                let mut content = into_parts(last["content"].take());
                content.extend(message.get_mut("content").map(Value::take).into_iter().flat_map(into_parts));
                last["content"] = content.into();
            }
            _ => merged.push(message),
        }
    }
    merged
}

fn check_anthropic(number: usize, message: &Value) -> Result<(), Error> {
    let role = check_role(number, message, &["user", "assistant"])?;
    check_content(number, message.get("content"))?;
    for block in parts(&message["content"]) {
        let (expected, key) = match block["type"].as_str() {
            Some("tool_use") => ("assistant", "id"),
            Some("tool_result") => ("user", "tool_use_id"),
            _ => continue,
        };
        if role != expected || !block[key].is_string() {
            return Err(usage(format!(
                "message {number} has a tool block that is not the {expected}'s, or has no `{key}`"
            )));
        }
    }
    Ok(())
}
