//! YAML as JSON values, for trigger files. Anchors and tags have no place in them.

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

use crate::error::{Error, ErrorKind};

enum Frame {
    List(Vec<Value>),
    Map(Map<String, Value>, Option<String>),
}

impl Frame {
    /// Takes a value: the next item, the next key, or that key's value. None if a key is no scalar.
    fn take(&mut self, value: Value) -> Option<()> {
        match self {
            Self::List(items) => items.push(value),
            Self::Map(entries, key) => match key.take() {
                Some(key) => drop(entries.insert(key, value)),
                None => {
                    *key = Some(match value {
                        Value::Array(_) | Value::Object(_) => return None,
                        Value::String(text) => text,
                        other => other.to_string(),
                    });
                }
            },
        }
        Some(())
    }
}

/// Reads one YAML document. Plain scalars are null, true, false, numbers or text; the rest is text.
pub(super) fn read(text: &str) -> Result<Value, Error> {
    let mut stack: Vec<Frame> = Vec::new();
    let mut root = None;
    for next in Parser::new_from_str(text) {
        let (event, span) = next.map_err(|error| wrong(&error.to_string()))?;
        let line = span.start.line();
        let complete = match event {
            Event::Scalar(text, style, ..) => Some(scalar(&text, style)),
            Event::SequenceStart(..) => {
                stack.push(Frame::List(Vec::new()));
                None
            }
            Event::MappingStart(..) => {
                stack.push(Frame::Map(Map::new(), None));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => stack.pop().map(|frame| match frame {
                Frame::List(items) => items.into(),
                Frame::Map(entries, _) => entries.into(),
            }),
            Event::Alias(_) => return Err(wrong(&format!("line {line}: an alias (`*name`) is not read"))),
            _ => None,
        };
        let Some(value) = complete else { continue };
        match stack.last_mut() {
            None => root = Some(value),
            Some(frame) => {
                frame.take(value).ok_or_else(|| wrong(&format!("line {line}: a key is a list or a map")))?
            }
        }
    }
    root.ok_or_else(|| wrong("it is empty"))
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if !matches!(style, ScalarStyle::Plain) {
        return text.into();
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" => true.into(),
        "false" => false.into(),
        _ => match serde_json::from_str::<serde_json::Number>(text) {
            Ok(number) => number.into(),
            Err(_) => text.into(),
        },
    }
}

fn wrong(why: &str) -> Error {
    Error::new(ErrorKind::Usage, format!("the trigger file is no YAML: {why}"))
}
