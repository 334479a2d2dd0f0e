//! What an HTTP status other than success means.

use serde_json::Value;

use crate::by_model::start;
use crate::error::{Error, ErrorKind};
use crate::model::{Form, Turn};

/// Whether the same request may succeed a little later.
pub(super) fn is_transient(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504 | 529)
}

/// What to tell of an answer with such a status.
pub(super) fn error(status: u16, body: &str, turn: &Turn, has_key: bool) -> Error {
    let said = message(body);
    let said = if said.is_empty() { String::new() } else { format!(": {said}") };
    let kind = kind(status, &said.to_lowercase(), turn);
    let error = Error::new(kind, format!("the endpoint answered {status}{said}"));
    match (kind, status) {
        (ErrorKind::TooLong, _) => {
            error.with_help("give the catalog a budget, or take a model with a larger window")
        }
        (ErrorKind::Unsupported, _) => error.with_help("choose by another method"),
        (_, 401 | 403) if has_key => error.with_help("check the key"),
        (_, 401 | 403) => error.with_help("it wants a key, and none is set"),
        (_, 404) => error.with_help("check the model's name and the endpoint's address"),
        (_, 429) => error.with_help("wait, or run fewer requests at a time"),
        (_, 300..=399) => error.with_help("give the address it redirects to: the key goes nowhere else"),
        _ => error,
    }
}

fn kind(status: u16, said: &str, turn: &Turn) -> ErrorKind {
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if status == 413 || says(&TOO_LONG) {
        return ErrorKind::TooLong;
    }
    let wants_more = !turn.tools.is_empty() || turn.form != Form::Free;
    let refuses = matches!(status, 400 | 404 | 422 | 501);
    if wants_more && refuses && says(&UNSUPPORTED) {
        return ErrorKind::Unsupported;
    }
    ErrorKind::Model
}

const TOO_LONG: [&str; 6] = [
    "context_length_exceeded",
    "exceed_context_size",
    "exceeds the available context",
    "maximum context length",
    "prompt is too long",
    "exceeds the maximum number of tokens",
];
const UNSUPPORTED: [&str; 5] = ["tool", "function call", "response_format", "json_schema", "schema"];

/// The message in an error's body, in whatever form it comes.
pub(super) fn message(body: &str) -> String {
    let Ok(json) = serde_json::from_str::<Value>(body) else {
        return start(body);
    };
    let json = json.get(0).unwrap_or(&json);
    let error = json.get("error").unwrap_or(json);
    let message = error.get("message").unwrap_or(error);
    let kind = [&error["code"], &error["type"], &error["status"]];
    let kind = kind.into_iter().find_map(Value::as_str);
    match (message.as_str(), kind) {
        (Some(message), Some(kind)) => format!("{} ({kind})", start(message)),
        (Some(message), None) => start(message),
        _ => start(body),
    }
}
