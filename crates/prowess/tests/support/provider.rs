//! What providers accept, for tests and for the fuzz target of `messages`.

use serde_json::Value;

/// What is wrong with a conversation, by the rules of the OpenAI chat API; none if it is accepted.
pub(crate) fn openai_fault(messages: &[Value]) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    for (number, message) in messages.iter().enumerate() {
        let fault = |what: &str| Some(format!("message {number}: {what}"));
        let role = message["role"].as_str().unwrap_or("");
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or("");
            match open.iter().position(|call| *call == id) {
                Some(at) => drop(open.swap_remove(at)),
                None => return fault("an answer to no call"),
            }
            if !message["content"].is_string() && !message["content"].is_array() {
                return fault("an answer without content");
            }
            continue;
        }
        if !open.is_empty() {
            return fault("calls before it have no answer");
        }
        let calls = message["tool_calls"].as_array();
        match role {
            "system" | "developer" | "user" if message["content"].is_null() => return fault("no content"),
            "system" | "developer" | "user" | "assistant" => {}
            _ => return fault("an unknown role"),
        }
        if calls.is_some() && (role != "assistant" || calls.is_some_and(Vec::is_empty)) {
            return fault("calls that may not be there");
        }
        let says = |key: &&str| !message[*key].is_null();
        if role == "assistant" && calls.is_none() && !["content", "refusal", "audio"].iter().any(says) {
            return fault("nothing in it");
        }
        for call in calls.into_iter().flatten() {
            let Some(id) = call["id"].as_str() else {
                return fault("a call without an id");
            };
            if open.contains(&id) {
                return fault("two calls of one id");
            }
            open.push(id);
        }
    }
    (!open.is_empty()).then(|| "calls at the end have no answer".to_owned())
}

/// What is wrong with a conversation, by the rules of the Anthropic messages API; none if it is accepted.
pub(crate) fn anthropic_fault(messages: &[Value]) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut all = std::collections::HashSet::new();
    for (number, message) in messages.iter().enumerate() {
        let fault = |what: &str| Some(format!("message {number}: {what}"));
        let role = message["role"].as_str().unwrap_or("");
        if role != ["user", "assistant"][number % 2] {
            return fault("roles do not alternate from the user on");
        }
        let blocks: Vec<&Value> = message["content"].as_array().into_iter().flatten().collect();
        if blocks.is_empty() && message["content"].as_str().is_none_or(str::is_empty) {
            return fault("no content");
        }
        let results = blocks.iter().take_while(|block| block["type"] == "tool_result").count();
        let mut calls = Vec::new();
        for (at, block) in blocks.iter().enumerate() {
            match (block["type"].as_str().unwrap_or(""), role) {
                ("tool_result", "user") if at >= results => return fault("an answer behind other blocks"),
                ("tool_result", "user") => {
                    let id = block["tool_use_id"].as_str().unwrap_or("");
                    match open.iter().position(|call| *call == id) {
                        Some(at) => drop(open.swap_remove(at)),
                        None => return fault("an answer to no call"),
                    }
                }
                ("tool_use", "assistant") => calls.push(block["id"].as_str().unwrap_or("")),
                ("tool_use" | "tool_result" | "", _) => return fault("a block that may not be there"),
                ("text", _) if block["text"].as_str().is_none_or(|text| text.trim().is_empty()) => {
                    return fault("an empty text");
                }
                _ => {}
            }
        }
        if !open.is_empty() {
            return fault("calls before it have no answer");
        }
        if !calls.iter().all(|call| all.insert(*call)) {
            return fault("two calls of one id");
        }
        open = calls;
    }
    (!open.is_empty()).then(|| "calls at the end have no answer".to_owned())
}
