use std::collections::BTreeSet;
use std::sync::Arc;

use prowess::activate::digest;
use prowess::source::Memory;
use prowess::{Library, LoadOptions, Origin, Roots};
use serde_json::{Map, Value};

use super::yaml;
use crate::error::{Error, ErrorKind};

/// What a trigger file holds.
///
/// A YAML or JSON map, or a list of prompts alone:
///
/// * `prompts`: a list of maps with `prompt`, `expected` (a skill's name; `none`, null or nothing for no skill), `tags`
///   (a list) and `split` (`train` or `held-out`).
/// * `held_out`: the share, from 0 to 1, of the prompts without `split` that is held out. Which ones they are depends on
///   their text alone, so that it does not change when others are added.
/// * `skills`: a list of maps with `name` and `description`. With them the file needs no library.
///
/// ```
/// use prowess_select::eval::{Split, Triggers};
///
/// let triggers = Triggers::parse("- {prompt: Fill in this form., expected: pdf, tags: [easy], split: held-out}")?;
/// assert_eq!(triggers.prompts[0].expected.as_deref(), Some("pdf"));
/// assert_eq!(triggers.prompts[0].split, Split::HeldOut);
/// # Ok::<(), prowess_select::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Triggers {
    /// Name and description of the skills it brings along.
    pub skills: Vec<(String, String)>,
    /// The prompts, in order.
    pub prompts: Vec<Prompt>,
}

/// One prompt, and what it should trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// Its mark in the results: the beginning of its text's digest.
    pub id: String,
    /// What the user says.
    pub text: String,
    /// The skill that it should trigger; none if it should trigger none.
    pub expected: Option<String>,
    /// Words to group it by.
    pub tags: Vec<String>,
    /// Its part.
    pub split: Split,
}

/// The part that a prompt belongs to. Descriptions are improved on the one and judged on the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Split {
    /// May be looked at while a description is written.
    #[default]
    Train,
    /// May not.
    HeldOut,
}

impl Split {
    /// The word that stands for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::HeldOut => "held-out",
        }
    }
}

impl Triggers {
    /// Reads a trigger file's text.
    ///
    /// # Errors
    /// It is neither YAML nor JSON, or not of this form; the message says where.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let text = text.trim_start_matches('\u{feff}');
        let value = if text.trim_start().starts_with(['{', '[']) {
            serde_json::from_str(text)
                .or_else(|error| yaml::read(text).map_err(|_| wrong(format!("it is no JSON: {error}"))))?
        } else {
            yaml::read(text)?
        };
        let (root, prompts) = match value {
            Value::Array(prompts) => (Map::new(), prompts),
            Value::Object(mut root) => match root.remove("prompts") {
                Some(Value::Array(prompts)) => (root, prompts),
                _ => return Err(wrong("it has no list `prompts`")),
            },
            _ => return Err(wrong("it is neither a map nor a list")),
        };
        let held_out = match root.get("held_out") {
            None => 0.0,
            Some(share) => share
                .as_f64()
                .filter(|share| (0.0..=1.0).contains(share))
                .ok_or_else(|| wrong("`held_out` is no number from 0 to 1"))?,
        };
        if let Some(key) = root.keys().find(|key| !["held_out", "skills"].contains(&key.as_str())) {
            return Err(wrong(format!("`{key}` is unknown; there are `prompts`, `held_out` and `skills`")));
        }
        let skills = root.get("skills").map_or(Ok(Vec::new()), skills)?;
        let prompts = prompts.iter().enumerate().map(|(index, item)| prompt(index + 1, item, held_out));
        let prompts: Vec<Prompt> = prompts.collect::<Result<_, _>>()?;
        distinct(&prompts)?;
        Ok(Self { skills, prompts })
    }

    /// The skills that the file brings along, as a library; none if it brings none.
    #[must_use]
    pub fn library(&self) -> Option<Library> {
        if self.skills.is_empty() {
            return None;
        }
        let quoted = |text: &String| Value::from(text.as_str()).to_string();
        let file = |(name, description): &(String, String)| {
            let text = format!("---\nname: {}\ndescription: {}\n---\n", quoted(name), quoted(description));
            (format!("/triggers/{name}/SKILL.md"), text)
        };
        let memory: Memory = self.skills.iter().map(file).collect();
        let roots = Roots::new().with("file", "/triggers").ok()?;
        Some(Library::load(&roots, &LoadOptions::new().source(Arc::new(memory))))
    }

    /// Checks that every skill that is expected is one a model can choose, and that no prompt names one itself.
    ///
    /// # Errors
    /// The first prompt that is not so.
    pub fn check(&self, library: &Library) -> Result<(), Error> {
        for prompt in &self.prompts {
            if let Some(name) = &prompt.expected {
                let skill = library.find(name, Origin::User).map_err(|error| wrong(error.to_string()))?;
                if !skill.is_listed() || library.call_name(skill) != name {
                    let meant = library.call_name(skill);
                    return Err(wrong(format!(
                        "`{name}` is expected, and a model can't choose it by that name"
                    ))
                    .with_help(format!("it is called `{meant}`, and `prowess list` says who may use it")));
                }
            }
            if !prowess::mention::find(library, &prompt.text).is_empty() {
                let text = &prompt.text;
                return Err(wrong(format!("the prompt `{text}` activates a skill itself"))
                    .with_help("take the `/name` or `$name` out: it would measure nothing"));
            }
        }
        Ok(())
    }
}

fn skills(value: &Value) -> Result<Vec<(String, String)>, Error> {
    let items = value.as_array().ok_or_else(|| wrong("`skills` is no list"))?;
    let skill = |item: &Value| {
        let text = |key: &str| item[key].as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
        let name = text("name").filter(|name| !name.contains(['/', '\\', '\n']) && !name.starts_with('.'));
        Some((name?, text("description")?))
    };
    let read: Option<Vec<_>> = items.iter().map(skill).collect();
    read.ok_or_else(|| wrong("one of `skills` lacks a name or a description"))
}

fn prompt(number: usize, item: &Value, held_out: f64) -> Result<Prompt, Error> {
    let wrong = |what: &str| wrong(format!("prompt {number}: {what}"));
    let text = item["prompt"].as_str().filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| wrong("it has no text `prompt`"))?;
    let id: String = digest(text.as_bytes()).chars().skip("sha256:".len()).take(16).collect();
    let expected = match &item["expected"] {
        Value::Null => None,
        Value::String(name) if name == "none" => None,
        Value::String(name) => Some(name.clone()),
        _ => return Err(wrong("`expected` is no skill's name")),
    };
    let tags = match &item["tags"] {
        Value::Null => Vec::new(),
        Value::String(tag) => vec![tag.clone()],
        Value::Array(tags) => tags.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => return Err(wrong("`tags` is no list")),
    };
    let split = match item["split"].as_str() {
        Some("train") => Split::Train,
        Some("held-out" | "held_out") => Split::HeldOut,
        Some(_) => return Err(wrong("`split` is neither `train` nor `held-out`")),
        None if share(&id) < held_out => Split::HeldOut,
        None => Split::Train,
    };
    Ok(Prompt { id, text: text.to_owned(), expected, tags, split })
}

/// A number from 0 to 1 that a digest stands for.
fn share(id: &str) -> f64 {
    let head = id.get(..8).and_then(|head| u32::from_str_radix(head, 16).ok());
    f64::from(head.unwrap_or(0)) / (f64::from(u32::MAX) + 1.0)
}

fn distinct(prompts: &[Prompt]) -> Result<(), Error> {
    let mut seen = BTreeSet::new();
    match prompts.iter().find(|prompt| !seen.insert(&prompt.id)) {
        Some(twice) => Err(wrong(format!("the prompt `{}` stands in it twice", twice.text))),
        None if prompts.is_empty() => Err(wrong("it has no prompts")),
        None => Ok(()),
    }
}

fn wrong(what: impl AsRef<str>) -> Error {
    Error::new(ErrorKind::Usage, format!("the trigger file can't be used: {}", what.as_ref()))
}
