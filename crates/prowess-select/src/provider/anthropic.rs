//! Messages of Anthropic.

use serde_json::{Value, json};

use super::ProviderOptions;
use super::answer::{Answer, arguments, text};
use crate::error::Error;
use crate::model::{Form, Message, OnDelta, Reply, Stop, Tool, Turn};

pub(super) const VERSION: &str = "2023-06-01";
/// This form has no default of its own.
const MAX_OUTPUT: u32 = 4096;
/// The tool whose arguments are the answer, where a schema is asked for.
const ANSWER: &str = "answer";

pub(super) fn body(turn: &Turn, model: &str, options: &ProviderOptions) -> Value {
    let mut body = json!({
        "model": model,
        "max_tokens": options.max_output.unwrap_or(MAX_OUTPUT),
        "stream": true,
    });
    if !turn.system.is_empty() {
        body["system"] = turn.system.as_str().into();
    }
    body["messages"] = messages(&turn.messages);
    let mut tools: Vec<Value> = turn.tools.iter().map(tool).collect();
    if let Form::Json(schema) = &turn.form {
        tools.push(tool(&Tool::new(ANSWER, "Gives the answer.", schema.clone())));
        body["tool_choice"] = json!({"type": "tool", "name": ANSWER});
    }
    if !tools.is_empty() {
        body["tools"] = tools.into();
    }
    if let Some(temperature) = options.temperature {
        body["temperature"] = temperature.into();
    }
    body
}

fn tool(tool: &Tool) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
}

/// Roles take turns here: what stands side by side in one role becomes the blocks of one message.
fn messages(messages: &[Message]) -> Value {
    let mut merged: Vec<Value> = Vec::new();
    for message in messages {
        let (role, blocks) = blocks(message);
        match merged.last_mut().filter(|last| last["role"] == role) {
            Some(last) => {
                if let Some(content) = last["content"].as_array_mut() {
                    content.extend(blocks);
                }
            }
            None => merged.push(json!({"role": role, "content": blocks})),
        }
    }
    merged.into()
}

fn blocks(message: &Message) -> (&'static str, Vec<Value>) {
    match message {
        Message::User { text, .. } => ("user", vec![json!({"type": "text", "text": text})]),
        Message::Assistant(reply) => ("assistant", assistant(reply)),
        Message::ToolResult { id, text, .. } => {
            ("user", vec![json!({"type": "tool_result", "tool_use_id": id, "content": text})])
        }
    }
}

fn assistant(reply: &Reply) -> Vec<Value> {
    let text = (!reply.text.is_empty()).then(|| json!({"type": "text", "text": reply.text}));
    let calls = reply
        .calls
        .iter()
        .map(|call| json!({"type": "tool_use", "id": call.id, "name": call.tool, "input": arguments(call)}));
    text.into_iter().chain(calls).collect()
}

pub(super) fn take(answer: &mut Answer, event: &Value, on: OnDelta<'_>) -> Result<(), Error> {
    let index = event["index"].as_u64();
    match text(&event["type"]) {
        "message_start" => answer.usage.input = input(&event["message"]["usage"]),
        "content_block_start" => {
            let block = &event["content_block"];
            if block["type"] == "tool_use" {
                let call = answer.call(index, block["id"].as_str());
                text(&block["name"]).clone_into(&mut call.tool);
            }
            answer.push_text(text(&block["text"]), on)?;
        }
        "content_block_delta" => {
            let delta = &event["delta"];
            if let Some(json) = delta["partial_json"].as_str() {
                answer.call(index, None).arguments.push_str(json);
            }
            answer.push_text(text(&delta["text"]), on)?;
        }
        "message_delta" => {
            let usage = &event["usage"];
            answer.usage.output = usage["output_tokens"].as_u64().unwrap_or(0);
            answer.usage.input = answer.usage.input.max(input(usage));
            match text(&event["delta"]["stop_reason"]) {
                "max_tokens" | "model_context_window_exceeded" => answer.stop = Stop::Length,
                "refusal" => answer.stop = Stop::Refusal,
                _ => {}
            }
        }
        "message_stop" => answer.is_complete = true,
        _ => {}
    }
    Ok(())
}

/// What was read from a cache or written to it is counted apart.
fn input(usage: &Value) -> u64 {
    ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]
        .iter()
        .filter_map(|key| usage[key].as_u64())
        .sum()
}

/// Where a schema was asked for, the arguments of the one tool are the answer.
pub(super) fn finish(turn: &Turn, mut reply: Reply) -> Reply {
    if matches!(turn.form, Form::Json(_))
        && let Some(at) = reply.calls.iter().position(|call| call.tool == ANSWER)
    {
        reply.text = reply.calls.remove(at).arguments;
    }
    reply
}
