//! The two tools a model calls: their definitions for each provider, and the dispatch of a call.

use serde_json::{Map, Value, json};

use crate::activate::Request;
use crate::catalog::Catalog;
use crate::error::{Error, ErrorKind};
use crate::library::{Library, Origin};
use crate::source::ByteRange;

/// The tool that delivers a body.
pub const ACTIVATE_SKILL: &str = "activate_skill";
/// The tool that reads a file of a skill.
pub const READ_SKILL_RESOURCE: &str = "read_skill_resource";

/// Up to this many names are given to the model as an enum.
const MAX_ENUM: usize = 200;

/// A provider's form of a tool definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// `{"type": "function", "function": {"name", "description", "parameters"}}`, as in chat completions.
    OpenAi,
    /// `{"name", "description", "input_schema"}`.
    Anthropic,
    /// `{"functionDeclarations": [{"name", "description", "parameters"}]}`.
    Gemini,
    /// `{"name", "description", "inputSchema", "annotations"}`.
    Mcp,
}

/// The definitions of `activate_skill` and `read_skill_resource`: the value of a request's `tools`. Empty if no skill is
/// listed: then there is nothing to call.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{Library, LoadOptions, Roots, source::Memory, tools};
///
/// let memory = Memory::new().with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\n");
/// let roots = Roots::new().with("user", "/skills")?;
/// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
/// let tools = tools::definitions(&library, tools::Shape::Anthropic);
/// assert_eq!(tools[0]["input_schema"]["properties"]["name"]["enum"][0], "pdf");
/// # Ok::<(), prowess::Error>(())
/// ```
#[must_use]
pub fn definitions(library: &Library, shape: Shape) -> Vec<Value> {
    define(library, "", shape)
}

/// The same, with the catalog in the description of `activate_skill` instead of in the system prompt.
#[must_use]
pub fn definitions_with_catalog(library: &Library, catalog: &Catalog, shape: Shape) -> Vec<Value> {
    define(library, catalog.text(), shape)
}

fn define(library: &Library, catalog: &str, shape: Shape) -> Vec<Value> {
    let names: Vec<&str> = library.listed().map(|skill| library.call_name(skill)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let name = name_parameter(&names);
    let mut activate =
        "Loads the instructions of a skill. Call it before you begin a task that matches the skill's \
                        description."
            .to_owned();
    if !catalog.is_empty() {
        activate = format!("{activate}\n\n{catalog}");
    }
    let tools = [
        Tool { name: ACTIVATE_SKILL, description: activate, parameters: activate_parameters(&name) },
        Tool {
            name: READ_SKILL_RESOURCE,
            description:
                "Reads a file that belongs to a skill, by its path relative to the skill's directory."
                    .to_owned(),
            parameters: resource_parameters(&name),
        },
    ];
    match shape {
        Shape::Gemini => {
            let declarations: Vec<Value> = tools.into_iter().map(|tool| tool.shaped(shape)).collect();
            vec![json!({"functionDeclarations": declarations})]
        }
        _ => tools.into_iter().map(|tool| tool.shaped(shape)).collect(),
    }
}

fn name_parameter(names: &[&str]) -> Value {
    let description = "The skill's name, as the list of skills has it.";
    if names.len() <= MAX_ENUM {
        json!({"type": "string", "description": description, "enum": names})
    } else {
        json!({"type": "string", "description": description})
    }
}

fn activate_parameters(name: &Value) -> Value {
    json!({"type": "object", "properties": {"name": name}, "required": ["name"]})
}

fn resource_parameters(name: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": name,
            "path": {"type": "string", "description": "The file's path, for example references/guide.md."},
            "offset": {"type": "integer", "description": "The first byte to read; 0 if left out."},
            "length": {"type": "integer", "description": "How many bytes to read; 65536 if left out."},
        },
        "required": ["name", "path"],
    })
}

struct Tool {
    name: &'static str,
    description: String,
    parameters: Value,
}

impl Tool {
    fn shaped(self, shape: Shape) -> Value {
        let Self { name, description, parameters } = self;
        match shape {
            Shape::OpenAi => {
                let function = json!({"name": name, "description": description, "parameters": parameters});
                json!({"type": "function", "function": function})
            }
            Shape::Anthropic => json!({"name": name, "description": description, "input_schema": parameters}),
            Shape::Gemini => json!({"name": name, "description": description, "parameters": parameters}),
            Shape::Mcp => json!({
                "name": name, "description": description, "inputSchema": parameters,
                "annotations": {"readOnlyHint": true},
            }),
        }
    }
}

/// The arguments of a tool call: a JSON object, or the text of one.
#[derive(Debug)]
pub struct Arguments(Result<Map<String, Value>, Error>);

impl From<&Value> for Arguments {
    fn from(value: &Value) -> Self {
        match value {
            Value::Object(arguments) => Self(Ok(arguments.clone())),
            Value::String(text) => text.as_str().into(),
            Value::Null => Self(Ok(Map::new())),
            other => Self(Err(not_an_object(&other.to_string()))),
        }
    }
}

impl From<&str> for Arguments {
    fn from(text: &str) -> Self {
        Self(serde_json::from_str(text).map_err(|_| not_an_object(text)))
    }
}

impl From<&String> for Arguments {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

fn not_an_object(text: &str) -> Error {
    let start: String = text.chars().take(40).collect();
    Error::new(ErrorKind::Usage, format!("the arguments must be a JSON object, not `{start}`"))
}

/// A model's tool call, whatever its provider writes around it.
///
/// ```
/// use prowess::tools::Call;
/// use serde_json::json;
///
/// let function = json!({"name": "activate_skill", "arguments": r#"{"name": "pdf"}"#});
/// let call = Call::read(&json!({"id": "call-1", "type": "function", "function": function}))?;
/// assert_eq!((call.id.as_deref(), call.tool.as_str()), (Some("call-1"), "activate_skill"));
/// # Ok::<(), prowess::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// The call's id, which is the placement of its answer; MCP has none, and Gemini does not always have one.
    pub id: Option<String>,
    /// The tool's name.
    pub tool: String,
    /// Its arguments: an object, or the text of one.
    pub arguments: Value,
}

impl Call {
    /// Reads a call in the form of a provider:
    ///
    /// 1. OpenAI's chat completions: `{"id", "function": {"name", "arguments"}}`;
    /// 2. OpenAI's responses: `{"call_id", "name", "arguments"}`;
    /// 3. Anthropic's messages: `{"id", "name", "input"}`;
    /// 4. Gemini's: `{"id", "name", "args"}`, also inside of `functionCall`;
    /// 5. MCP's: `{"name", "arguments"}`, also inside of `params`.
    ///
    /// # Errors
    /// `Usage` if it has no name.
    pub fn read(call: &Value) -> Result<Self, Error> {
        let first = |value: &Value, keys: &[&str]| keys.iter().find_map(|key| value.get(key).cloned());
        let inner = first(call, &["function", "custom", "functionCall", "function_call", "params"]);
        let inner = inner.as_ref().unwrap_or(call);
        let tool = inner.get("name").and_then(Value::as_str);
        let tool = tool.ok_or_else(|| Error::new(ErrorKind::Usage, "a tool call must have a `name`"))?;
        let ids = [(call, "call_id"), (call, "id"), (inner, "id")];
        let id = ids.iter().find_map(|(value, key)| value.get(key)?.as_str());
        Ok(Self {
            id: id.map(str::to_owned),
            tool: tool.to_owned(),
            arguments: first(inner, &["arguments", "input", "args"]).unwrap_or_default(),
        })
    }

    /// The placement of its answer: the one given, or else the call's id.
    ///
    /// # Errors
    /// `Usage` if it has no id, and none is given.
    pub fn placement(&self, given: Option<String>) -> Result<String, Error> {
        let unknown = || {
            let message = "the call has no id: say at which `placement` its answer will stand";
            Error::new(ErrorKind::Usage, message)
        };
        given.or_else(|| self.id.clone()).ok_or_else(unknown)
    }
}

impl Library {
    /// Turns a model's tool call into a request; `None` if the tool is not one of this module's.
    ///
    /// A call that can't be met (arguments that are no JSON, an unknown name) is a request whose delivery says so.
    pub fn request(&self, tool: &str, arguments: impl Into<Arguments>) -> Option<Request> {
        let request = match tool {
            ACTIVATE_SKILL => Self::requested_body,
            READ_SKILL_RESOURCE => Self::requested_resource,
            _ => return None,
        };
        let requested = arguments.into().0.and_then(|arguments| request(self, &arguments));
        Some(requested.unwrap_or_else(|error| self.refuse(error)))
    }

    fn requested_body(&self, arguments: &Map<String, Value>) -> Result<Request, Error> {
        Ok(self.activate(required(arguments, "name")?, Origin::Model))
    }

    fn requested_resource(&self, arguments: &Map<String, Value>) -> Result<Request, Error> {
        let range = ByteRange {
            offset: number(arguments, "offset")?.unwrap_or(ByteRange::FIRST.offset),
            length: number(arguments, "length")?.unwrap_or(ByteRange::FIRST.length),
        };
        let (name, path) = (required(arguments, "name")?, required(arguments, "path")?);
        Ok(self.request_resource(name, path, range, Origin::Model))
    }
}

/// A text among a tool call's arguments; `None` if it is left out or null.
///
/// # Errors
/// `Usage` if it is no text.
pub fn text<'a>(arguments: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, Error> {
    match arguments.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_str().map(Some).ok_or_else(|| no_text(key)),
    }
}

fn required<'a>(arguments: &'a Map<String, Value>, key: &str) -> Result<&'a str, Error> {
    text(arguments, key)?.ok_or_else(|| no_text(key))
}

fn no_text(key: &str) -> Error {
    Error::new(ErrorKind::Usage, format!("the argument `{key}` must be a string"))
}

fn whole(value: &Value) -> Option<u64> {
    let float = value.as_f64().filter(|float| *float >= 0.0 && float.fract() == 0.0);
    value.as_u64().or(float.map(|float| float as u64))
}

/// A whole number among a tool call's arguments, 0 or more, also written `10.0`; `None` if it is left out or null.
///
/// # Errors
/// `Usage` if it is no such number.
///
/// ```
/// let arguments = serde_json::json!({"offset": 10.0, "length": "all"});
/// let arguments = arguments.as_object().expect("an object");
/// assert_eq!(prowess::tools::number(arguments, "offset")?, Some(10));
/// assert!(prowess::tools::number(arguments, "length").is_err());
/// # Ok::<(), prowess::Error>(())
/// ```
pub fn number(arguments: &Map<String, Value>, key: &str) -> Result<Option<u64>, Error> {
    match arguments.get(key) {
        None | Some(Value::Null) => Ok(None),
        // Some models write whole numbers as `10.0`.
        Some(value) => whole(value).map(Some).ok_or_else(|| {
            Error::new(ErrorKind::Usage, format!("the argument `{key}` must be a whole number, 0 or more"))
        }),
    }
}
