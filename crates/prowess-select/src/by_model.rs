use std::ops::ControlFlow;

use prowess::tools::ACTIVATE_SKILL;
use prowess::{Library, Origin};
use serde_json::{Value, json};

use crate::agent::system_prompt;
use crate::model::{Form, Model, OnDelta, Reply, Stop, Tool, Turn};
use crate::{Choice, Error, ErrorKind, Request, Selector};

/// The key of the answer that a schema asks for.
const SKILL: &str = "skill";

/// How a model is asked for its choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The tool; the schema, if the endpoint refuses tools; the text, if it refuses schemas too.
    #[default]
    Auto,
    /// `activate_skill` is the only tool. No call is no skill. It is what an agent does.
    Tool,
    /// The answer must fit a schema with the names and `none`. Some small models do better so.
    Schema,
    /// The answer is the name, in plain text.
    Text,
}

impl Method {
    /// The word that stands for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Tool => "tool",
            Self::Schema => "schema",
            Self::Text => "text",
        }
    }

    fn steps(self) -> &'static [Self] {
        match self {
            Self::Auto => &[Self::Tool, Self::Schema, Self::Text],
            Self::Tool => &[Self::Tool],
            Self::Schema => &[Self::Schema],
            Self::Text => &[Self::Text],
        }
    }
}

/// Lets a model choose a skill for a prompt, in one request.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{Library, LoadOptions, Roots, source::Memory};
/// use prowess_select::model::{Model, OnDelta, Reply, Turn};
/// use prowess_select::{ByModel, Error, Method, Request, Selector};
///
/// struct Scripted;
/// impl Model for Scripted {
///     fn name(&self) -> &str {
///         "scripted"
///     }
///     fn reply(&self, _turn: &Turn, _on: OnDelta<'_>) -> Result<Reply, Error> {
///         Ok(Reply::new(r#"{"skill": "pdf"}"#))
///     }
/// }
///
/// let memory = Memory::new().with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills in forms.\n---\n");
/// let roots = Roots::new().with("user", "/skills")?;
/// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
/// let choice = ByModel::new(&Scripted, Method::Schema).select(&Request::new(&library, "fill in this form"))?;
/// assert_eq!(choice.skill.as_deref(), Some("pdf"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct ByModel<'a> {
    model: &'a dyn Model,
    method: Method,
}

impl std::fmt::Debug for ByModel<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { model, method } = self;
        f.debug_struct("ByModel").field("model", &model.name()).field("method", method).finish()
    }
}

impl<'a> ByModel<'a> {
    /// A selector that asks this model in this way.
    #[must_use]
    pub fn new(model: &'a dyn Model, method: Method) -> Self {
        Self { model, method }
    }

    /// What the model is asked: the first request, if there may be several.
    #[must_use]
    pub fn turn(&self, request: &Request) -> Turn {
        turn(request, self.method.steps()[0])
    }

    /// As [`select`](Selector::select), for a caller that wants to hear of retries, or to break.
    ///
    /// # Errors
    /// What kept the model from choosing: it may also have named a skill that there is none of.
    pub fn choose(&self, request: &Request, on: OnDelta<'_>) -> Result<(Choice, Reply), Error> {
        let mut steps = self.method.steps().iter().copied().peekable();
        while let Some(method) = steps.next() {
            match self.model.reply(&turn(request, method), on) {
                Err(error) if error.kind() == ErrorKind::Unsupported && steps.peek().is_some() => {}
                reply => {
                    let reply = reply?;
                    return Ok((read(request, method, &reply)?, reply));
                }
            }
        }
        Err(Error::model("the endpoint knows no way to choose"))
    }
}

impl Selector for ByModel<'_> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn is_judgement(&self) -> bool {
        true
    }

    fn select(&self, request: &Request) -> Result<Choice, Error> {
        Ok(self.choose(request, &mut |_| ControlFlow::Continue(()))?.0)
    }
}

fn turn(request: &Request, method: Method) -> Turn {
    let catalog = request.catalog.text();
    let names = request.names();
    let none = none_word(&names);
    match method {
        Method::Auto | Method::Tool => {
            let mut turn = Turn::new(system_prompt(catalog)).with_user("prompt", &request.prompt);
            turn.tools = Tool::of_library(&request.library);
            turn.tools.retain(|tool| tool.name == ACTIVATE_SKILL);
            turn
        }
        Method::Schema => {
            let system = format!(
                "You choose the skill that fits a request. If none does, choose `{none}`.\n\n{catalog}"
            );
            let prompt = format!("Request: {}\nWhich skill fits?", request.prompt);
            let mut turn = Turn::new(system).with_user("prompt", prompt);
            turn.form = Form::Json(schema(&names, none));
            turn
        }
        Method::Text => {
            let system = format!(
                "You choose the skill that fits a request. Answer with its name alone, or with `{none}` if none fits.\n\n\
                 {catalog}"
            );
            Turn::new(system).with_user("prompt", format!("Request: {}\nWhich skill fits?", request.prompt))
        }
    }
}

fn schema(names: &[&str], none: &str) -> Value {
    let names: Vec<&str> = names.iter().copied().chain([none]).collect();
    json!({
        "type": "object",
        "properties": {SKILL: {"type": "string", "enum": names}},
        "required": [SKILL],
        "additionalProperties": false,
    })
}

/// The word for no skill. A skill may be called `none`.
fn none_word(names: &[&str]) -> &'static str {
    if names.iter().any(|name| name.eq_ignore_ascii_case("none")) { "(no skill)" } else { "none" }
}

fn read(request: &Request, method: Method, reply: &Reply) -> Result<Choice, Error> {
    match reply.stop {
        Stop::Refusal => return Err(Error::model("the model refused to answer")),
        Stop::Length => {
            return Err(Error::model("the answer was cut at the limit of output tokens")
                .with_help("allow more of them"));
        }
        Stop::End => {}
    }
    match method {
        Method::Auto | Method::Tool => read_call(&request.library, reply),
        Method::Schema => {
            let answer: Value = serde_json::from_str(reply.text.trim())
                .map_err(|_| Error::model(format!("the answer is no JSON: `{}`", start(&reply.text))))?;
            let name = answer[SKILL].as_str().ok_or_else(|| {
                Error::model(format!("the answer has no `{SKILL}`: `{}`", start(&reply.text)))
            })?;
            named(request, name)
        }
        Method::Text => read_text(request, &reply.text),
    }
}

fn read_call(library: &Library, reply: &Reply) -> Result<Choice, Error> {
    let Some(call) = reply.calls.first() else {
        if reply.text.trim().is_empty() {
            return Err(Error::model("the answer is empty"));
        }
        return Ok(Choice {
            skill: None,
            reason: format!("answered without a skill: {}", start(&reply.text)),
        });
    };
    let request = library.request(&call.tool, &call.arguments).ok_or_else(|| {
        Error::model(format!("the model called `{}`, which it was not given", start(&call.tool)))
    })?;
    match (request.skill(), request.error()) {
        (Some(skill), _) => Ok(Choice {
            skill: Some(library.call_name(skill).to_owned()),
            reason: format!("called {}", call.tool),
        }),
        (None, Some(error)) => Err(Error::model(format!("the model's call can't be met: {error}"))),
        (None, None) => Err(Error::model("the model's call means no skill")),
    }
}

fn named(request: &Request, name: &str) -> Result<Choice, Error> {
    if name.eq_ignore_ascii_case(none_word(&request.names())) {
        return Ok(Choice { skill: None, reason: "answered that none fits".to_owned() });
    }
    match request.library.find(name, Origin::Model) {
        Ok(skill) if skill.is_listed() => Ok(Choice {
            skill: Some(request.library.call_name(skill).to_owned()),
            reason: "answered with its name".to_owned(),
        }),
        _ => Err(Error::model(format!("the model named `{}`, which is no skill", start(name)))),
    }
}

/// The answer's name, if it is one and no other stands in it.
fn read_text(request: &Request, text: &str) -> Result<Choice, Error> {
    let is_around = |c: char| !c.is_alphanumeric() && !"()".contains(c);
    if let Ok(choice) = named(request, text.trim().trim_matches(is_around)) {
        return Ok(choice);
    }
    let names = request.names();
    let is_of_name = |c: char| c.is_alphanumeric() || "-_:@/.".contains(c);
    let words: Vec<&str> =
        text.split(|c| !is_of_name(c)).map(|word| word.trim_end_matches(['.', ':'])).collect();
    let mut found = names
        .iter()
        .copied()
        .chain([none_word(&names)])
        .filter(|name| words.iter().any(|word| word.eq_ignore_ascii_case(name)));
    match (found.next(), found.next()) {
        (Some(name), None) => named(request, name),
        (None, _) => Err(Error::model(format!("the answer names no skill: `{}`", start(text)))),
        (Some(one), Some(other)) => Err(Error::model(format!("the answer names `{one}` and `{other}`"))),
    }
}

/// The beginning of a text, for a message.
pub(crate) fn start(text: &str) -> String {
    const SHOWN: usize = 120;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests;
