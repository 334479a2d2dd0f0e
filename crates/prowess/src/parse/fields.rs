//! The known fields: their values, and what is wrong with them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::entries::{Entry, Reading, wrong_type};
use super::lines::known_key;
use super::repair::quoted_entry;
use super::report::{Finding, shorten};
use super::{Frontmatter, UNNAMED, hidden, names};
use crate::diagnostic::Code;
use crate::text::{composed, slice};
use crate::value::Value;

/// The longest description that is shown whole, in characters.
const MAX_DESCRIPTION: usize = 1024;
/// The longest name that the specification allows, in characters.
const MAX_NAME: usize = 64;
/// How many unknown keys a finding lists.
const LISTED_KEYS: usize = 8;

/// The entries of one file on their way to fields.
pub(super) struct Fields<'a> {
    /// The file's text up to the frontmatter's end.
    pub(super) text: &'a str,
    /// Where the frontmatter begins in it.
    pub(super) start: usize,
    pub(super) reading: &'a Reading,
    /// What was found wrong.
    pub(super) findings: Vec<Finding>,
}

impl Fields<'_> {
    /// Reads all fields; `directory` is the name of the skill's directory, in NFC.
    pub(super) fn read(&mut self, directory: Option<&str>) -> Frontmatter {
        self.report_duplicates();
        self.report_unknown_keys();
        Frontmatter {
            name: self.name(directory),
            description: self.description(),
            license: self.text("license"),
            compatibility: self.text("compatibility"),
            metadata: self.metadata(),
            allowed_tools: self.allowed_tools(),
            disable_model_invocation: self.flag("disable-model-invocation").unwrap_or(false),
            user_invocable: self.flag("user-invocable").unwrap_or(true),
            argument_hint: self.text("argument-hint"),
            when_to_use: self.text("when_to_use"),
            entries: self.entries(),
        }
    }

    fn add(&mut self, code: Code, at: &Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.findings.push(Finding::new(code, at, message, help));
    }

    fn report_duplicates(&mut self) {
        let mut groups: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for entry in &self.reading.entries {
            groups.entry(known_key(&entry.key).unwrap_or(&entry.key)).or_default().push(entry);
        }
        for (key, group) in groups.into_iter().filter(|(_, group)| group.len() > 1) {
            let Some(counts) = self.reading.find(key) else { continue };
            let message = format!("`{key}` stands {} times; only this one counts", group.len());
            self.add(Code::DuplicateKey, &counts.at, message, format!("remove the other `{key}` lines"));
        }
    }

    fn report_unknown_keys(&mut self) {
        let mut seen = BTreeSet::new();
        let mut unknown: Vec<&Entry> = self.reading.entries.iter().collect();
        unknown.retain(|entry| known_key(&entry.key).is_none() && seen.insert(&entry.key));
        let Some(first) = unknown.first() else { return };
        let listed = unknown.iter().take(LISTED_KEYS).map(|entry| format!("`{}`", shorten(&entry.key)));
        let more = if unknown.len() > LISTED_KEYS { ", …" } else { "" };
        let message = format!("unknown keys: {}{more}", listed.collect::<Vec<_>>().join(", "));
        let help = "keep them if a host reads them; here they mean nothing";
        self.add(Code::UnknownKey, &first.key_at, message, help);
    }

    /// A text field's value, trimmed; none if it is missing, empty or null. Says what is hidden in it or cut off.
    fn text(&mut self, key: &str) -> Option<String> {
        let entry = self.reading.find(key)?;
        let text = entry.text().filter(|text| !text.is_empty())?;
        if let Some(comment) = self.cut_by(entry, text) {
            let comment = shorten(comment);
            let message = format!("a comment cuts `{key}` short: `{comment}` is no part of it");
            let help = format!("put the value of `{key}` in quotes if the rest belongs to it");
            self.add(Code::ValueCutByComment, &entry.at, message, help);
        }
        if let Some(hidden) = hidden::find(text).filter(|_| key != "name" || !names::is_unsafe(text)) {
            let message = format!("hidden characters in `{key}`: {}", hidden.what);
            let help = "remove them, unless you know why they are there";
            self.add(Code::HiddenUnicode, &entry.at, message, help);
        }
        Some(text.to_owned())
    }

    /// The comment that follows a plain value on its line, if it looks as if it belonged to the value.
    fn cut_by(&self, entry: &Entry, value: &str) -> Option<&str> {
        let is_finished = value.ends_with(['.', '!', '?', '。']) || entry.key == "name";
        let is_plain = matches!(entry.value, Value::Plain(_)) && entry.is_sound;
        let tail =
            slice(self.text, entry.at.end..).lines().next().filter(|_| is_plain && !is_finished)?.trim();
        tail.starts_with('#').then_some(tail)
    }

    fn name(&mut self, directory: Option<&str>) -> String {
        let at = self.reading.find("name").map_or(self.start..self.start, |entry| entry.at.clone());
        let fallback = directory.unwrap_or(UNNAMED);
        let Some(name) = self.text("name").map(|name| composed(&name)) else {
            let help = format!("add `name: {fallback}`");
            self.add(Code::NameMissing, &at, "no name: the directory's serves", help);
            return fallback.to_owned();
        };
        let shown = shorten(&name);
        if names::is_unsafe(&name) {
            let message = format!("the name `{shown}` holds a separator, a control or a bidi character");
            let help = format!("write `name: {fallback}`, the directory's name, which serves instead");
            self.add(Code::NameUnsafe, &at, message, help);
            return fallback.to_owned();
        }
        let is_invalid = !names::follows_rule(&name);
        if is_invalid && hidden::find(&name).is_none() {
            let help = "use lower-case letters, digits and single hyphens between them";
            self.add(Code::NameInvalid, &at, format!("the name `{shown}` breaks the naming rule"), help);
        }
        let length = name.chars().count();
        if length > MAX_NAME {
            let message = format!("the name has {length} characters; the limit is {MAX_NAME}");
            self.add(Code::NameTooLong, &at, message, "choose a shorter name");
        }
        if let Some(directory) = directory.filter(|directory| *directory != name).map(shorten) {
            let help = match is_invalid {
                true => format!("name the skill `{directory}`, as its directory"),
                false => format!("rename the directory to `{shown}`, or the skill to `{directory}`"),
            };
            let message = format!("name `{shown}` differs from directory `{directory}`");
            self.add(Code::NameMismatch, &at, message, help);
        }
        name
    }

    /// The description; empty if the skill has none, which is said.
    fn description(&mut self) -> String {
        let entry = self.reading.find("description");
        let Some((entry, text)) = entry.zip(self.text("description")) else {
            let message = if entry.is_some() { "the description is empty" } else { "no description" };
            let at = entry.map_or(self.start..self.start, |entry| entry.at.clone());
            let help =
                "add `description: ` and say in a sentence or two what the skill does and when to use it";
            self.add(Code::MissingDescription, &at, message, help);
            return String::new();
        };
        self.findings.extend(self.retyped(entry, &text));
        let length = text.chars().count();
        if length > MAX_DESCRIPTION {
            let message = format!("the description has {length} characters; the limit is {MAX_DESCRIPTION}");
            let help = "say when to use the skill, and move the rest into the body";
            self.add(Code::DescriptionTooLong, &entry.at, message, help);
        }
        text
    }

    /// Says that other YAML readers take the description for something else than text.
    fn retyped(&self, entry: &Entry, text: &str) -> Option<Finding> {
        let is_plain = matches!(entry.value, Value::Plain(_)) && entry.is_sound;
        let kind = retyped_kind(text).filter(|_| is_plain)?;
        let message = format!("the description `{text}` is {kind}, not text");
        let help = "put it in quotes, or better, say what the skill does and when to use it";
        let finding = Finding::new(Code::DescriptionNotText, &entry.at, message, help);
        Some(match &entry.lines {
            Some(lines) => {
                let key = slice(self.text, lines.start..entry.key_at.end);
                finding.fix(lines.clone(), quoted_entry(key, text))
            }
            None => finding,
        })
    }

    fn metadata(&mut self) -> Value {
        let Some(entry) = self.reading.find("metadata") else {
            return Value::Null;
        };
        if !matches!(entry.value, Value::Map(_) | Value::Null) && entry.is_sound {
            let help = "write `key: value` lines below it, indented by two blanks";
            self.findings.push(wrong_type(entry, "a map", help));
        }
        entry.value.clone()
    }

    fn allowed_tools(&mut self) -> Vec<String> {
        let Some(entry) = self.reading.find("allowed-tools") else {
            return Vec::new();
        };
        match &entry.value {
            Value::Null => Vec::new(),
            Value::Plain(text) | Value::Text(text) => {
                split_tools(text, |char| char == ',' || char.is_whitespace())
            }
            // A list in brackets is cut at every comma, also within parentheses.
            Value::List(items) => {
                let items: Vec<&str> = items.iter().filter_map(Value::as_text).map(str::trim).collect();
                split_tools(&items.join(", "), |char| char == ',')
            }
            Value::Map(_) => {
                let help = "write the tools with commas between them";
                self.findings.push(wrong_type(entry, "text or a list", help));
                Vec::new()
            }
        }
    }

    fn flag(&mut self, key: &str) -> Option<bool> {
        let entry = self.reading.find(key)?;
        let word = entry.value.as_text().map(|text| text.trim().to_ascii_lowercase());
        match word.as_deref() {
            Some("true" | "yes" | "on" | "1") => return Some(true),
            Some("false" | "no" | "off" | "0") => return Some(false),
            _ if entry.value == Value::Null => {}
            _ => self.findings.push(wrong_type(entry, "`true` or `false`", "write `true` or `false`")),
        }
        None
    }

    /// Every entry in source order, of equal keys the last.
    fn entries(&self) -> Vec<(String, Value)> {
        let mut seen = BTreeSet::new();
        let last = self.reading.entries.iter().rev().filter(|entry| seen.insert(&entry.key));
        let mut entries: Vec<_> = last.map(|entry| (entry.key.clone(), entry.value.clone())).collect();
        entries.reverse();
        entries
    }
}

/// What YAML makes of a plain scalar, if that is not text.
fn retyped_kind(text: &str) -> Option<&'static str> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "false" | "yes" | "no" | "on" | "off" => return Some("a truth value"),
        ".inf" | "-.inf" | "+.inf" | ".nan" => return Some("a number"),
        _ => {}
    }
    let digits = text.trim_start_matches(['+', '-']);
    let in_radix = |prefix: &str, radix: u32| {
        digits.strip_prefix(prefix).is_some_and(|digits| u128::from_str_radix(digits, radix).is_ok())
    };
    let is_decimal = digits.starts_with(|char: char| char.is_ascii_digit() || char == '.');
    let is_number = (is_decimal && text.parse::<f64>().is_ok()) || in_radix("0x", 16) || in_radix("0o", 8);
    is_number.then_some("a number")
}

/// Splits at separators that stand in no parentheses.
fn split_tools(text: &str, is_separator: impl Fn(char) -> bool) -> Vec<String> {
    let text = text.trim();
    let text = text.strip_prefix('[').map_or(text, |inner| inner.strip_suffix(']').unwrap_or(inner));
    let mut depth = 0_usize;
    let tools = text.split(|char: char| {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && is_separator(char)
    });
    tools.map(str::trim).filter(|tool| !tool.is_empty()).map(str::to_owned).collect()
}
