//! `generateContent` of Gemini.

use serde_json::{Value, json};

use super::ProviderOptions;
use super::answer::{Answer, arguments, text};
use crate::error::Error;
use crate::model::{Form, Message, OnDelta, Reply, Stop, Tool, ToolCall, Turn, Usage};

pub(super) fn body(turn: &Turn, options: &ProviderOptions) -> Value {
    let mut body = json!({"contents": contents(&turn.messages)});
    if !turn.system.is_empty() {
        body["systemInstruction"] = json!({"parts": [{"text": turn.system}]});
    }
    if !turn.tools.is_empty() {
        let declarations: Vec<Value> = turn.tools.iter().map(declaration).collect();
        body["tools"] = json!([{"functionDeclarations": declarations}]);
    }
    let mut generation = serde_json::Map::new();
    if let Form::Json(schema) = &turn.form {
        generation.insert("responseMimeType".to_owned(), "application/json".into());
        generation.insert("responseSchema".to_owned(), plain_schema(schema));
    }
    if let Some(tokens) = options.max_output {
        generation.insert("maxOutputTokens".to_owned(), tokens.into());
    }
    if let Some(temperature) = options.temperature {
        generation.insert("temperature".to_owned(), temperature.into());
    }
    if !generation.is_empty() {
        body["generationConfig"] = Value::Object(generation);
    }
    body
}

/// Their schemas are a selection that lacks this key.
fn plain_schema(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(object) = schema.as_object_mut() {
        object.remove("additionalProperties");
    }
    schema
}

fn declaration(tool: &Tool) -> Value {
    json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters})
}

/// What stands side by side in one role becomes the parts of one content.
fn contents(messages: &[Message]) -> Value {
    let mut contents: Vec<Value> = Vec::new();
    for message in messages {
        let (role, parts) = parts(message);
        match contents.last_mut().filter(|last| last["role"] == role) {
            Some(last) => {
                if let Some(own) = last["parts"].as_array_mut() {
                    own.extend(parts);
                }
            }
            None => contents.push(json!({"role": role, "parts": parts})),
        }
    }
    contents.into()
}

fn parts(message: &Message) -> (&'static str, Vec<Value>) {
    match message {
        Message::User { text, .. } => ("user", vec![json!({"text": text})]),
        Message::Assistant(reply) => ("model", model(reply)),
        Message::ToolResult { tool, text, .. } => {
            ("user", vec![json!({"functionResponse": {"name": tool, "response": {"result": text}}})])
        }
    }
}

fn model(reply: &Reply) -> Vec<Value> {
    let text = (!reply.text.is_empty()).then(|| json!({"text": reply.text}));
    let calls = reply.calls.iter().map(|call| {
        let mut part = json!({"functionCall": {"name": call.tool, "args": arguments(call)}});
        if let Some(signature) = &call.signature {
            part["thoughtSignature"] = signature.as_str().into();
        }
        part
    });
    text.into_iter().chain(calls).collect()
}

pub(super) fn take(answer: &mut Answer, event: &Value, on: OnDelta<'_>) -> Result<(), Error> {
    if let Some(usage) = event.get("usageMetadata") {
        let count = |key: &str| usage[key].as_u64().unwrap_or(0);
        let output = count("candidatesTokenCount") + count("thoughtsTokenCount");
        answer.usage = Usage::new(count("promptTokenCount"), output);
    }
    if event["promptFeedback"]["blockReason"].is_string() {
        answer.stop = Stop::Refusal;
        answer.is_complete = true;
    }
    let candidate = &event["candidates"][0];
    for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
        if part["thought"] == true {
            continue;
        }
        if let Some(function) = part.get("functionCall") {
            let mut call = ToolCall::new("", text(&function["name"]), function["args"].to_string());
            call.signature = part["thoughtSignature"].as_str().map(str::to_owned);
            answer.push_call(call);
        }
        answer.push_text(text(&part["text"]), &mut *on)?;
    }
    match candidate["finishReason"].as_str() {
        None => return Ok(()),
        Some("STOP") => {}
        Some("MAX_TOKENS") => answer.stop = Stop::Length,
        Some("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL") => {
            return Err(Error::model("the model's tool call is malformed"));
        }
        Some(_) => answer.stop = Stop::Refusal,
    }
    answer.is_complete = true;
    Ok(())
}
