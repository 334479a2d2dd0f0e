//! Chat completions.

use serde_json::{Value, json};

use super::ProviderOptions;
use super::answer::{Answer, text};
use crate::error::Error;
use crate::model::{Form, Message, OnDelta, Reply, Stop, Tool, ToolCall, Turn, Usage};

/// `is_openai`: OpenAI itself has renamed the limit of output tokens, and the others have not.
pub(super) fn body(turn: &Turn, model: &str, options: &ProviderOptions, is_openai: bool) -> Value {
    let mut messages = Vec::new();
    if !turn.system.is_empty() {
        messages.push(json!({"role": "system", "content": turn.system}));
    }
    messages.extend(turn.messages.iter().map(message));
    let mut body = json!({
        "model": model,
        "messages": messages,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    if !turn.tools.is_empty() {
        body["tools"] = turn.tools.iter().map(tool).collect();
    }
    if let Form::Json(schema) = &turn.form {
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": true, "schema": schema},
        });
    }
    if let Some(tokens) = options.max_output {
        body[if is_openai { "max_completion_tokens" } else { "max_tokens" }] = tokens.into();
    }
    if let Some(temperature) = options.temperature {
        body["temperature"] = temperature.into();
    }
    body
}

fn message(message: &Message) -> Value {
    match message {
        Message::User { text, .. } => json!({"role": "user", "content": text}),
        Message::Assistant(reply) => assistant(reply),
        Message::ToolResult { id, text, .. } => json!({"role": "tool", "tool_call_id": id, "content": text}),
    }
}

fn assistant(reply: &Reply) -> Value {
    let content = if reply.text.is_empty() { Value::Null } else { reply.text.as_str().into() };
    let mut message = json!({"role": "assistant", "content": content});
    if !reply.calls.is_empty() {
        message["tool_calls"] = reply.calls.iter().map(call).collect();
    }
    message
}

/// Arguments that are no JSON go back as an empty object: endpoints read them again.
fn call(call: &ToolCall) -> Value {
    let is_json = serde_json::from_str::<Value>(&call.arguments).is_ok();
    let arguments = if is_json { call.arguments.as_str() } else { "{}" };
    json!({"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments}})
}

fn tool(tool: &Tool) -> Value {
    let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
    json!({"type": "function", "function": function})
}

/// Takes one event of a stream, or a whole answer that did not come as one.
pub(super) fn take(answer: &mut Answer, event: &Value, on: OnDelta<'_>) -> Result<(), Error> {
    if let Some(usage) = event.get("usage").filter(|usage| usage.is_object()) {
        let count = |key: &str| usage[key].as_u64().unwrap_or(0);
        answer.usage = Usage::new(count("prompt_tokens"), count("completion_tokens"));
    }
    let choice = &event["choices"][0];
    let part = choice.get("delta").unwrap_or(&choice["message"]);
    answer.push_text(text(&part["content"]), on)?;
    if !text(&part["refusal"]).is_empty() {
        answer.stop = Stop::Refusal;
    }
    for part in part["tool_calls"].as_array().into_iter().flatten() {
        let function = &part["function"];
        let call = answer.call(part["index"].as_u64(), part["id"].as_str());
        call.tool.push_str(text(&function["name"]));
        match &function["arguments"] {
            Value::String(text) => call.arguments.push_str(text),
            Value::Null => {}
            // Some endpoints send the object itself.
            object => call.arguments = object.to_string(),
        }
    }
    match choice["finish_reason"].as_str() {
        None => return Ok(()),
        Some("length") => answer.stop = Stop::Length,
        Some("content_filter") => answer.stop = Stop::Refusal,
        Some(_) => {}
    }
    answer.is_complete = true;
    Ok(())
}
