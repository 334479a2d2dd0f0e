//! The known fields: their values, and what is wrong with them.

use std::collections::BTreeMap;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::entries::{Entry, FaultKind, Reading, known_key};
use super::repair::quoted_entry;
use super::report::{Report, shorten};
use super::{Frontmatter, hidden, names};
use crate::diagnostic::Code;
use crate::value::Value;

/// The longest description that is shown whole, in characters.
const MAX_DESCRIPTION: usize = 1024;
/// The longest name that the specification allows, in characters.
const MAX_NAME: usize = 64;
/// How many unknown keys a finding lists.
const LISTED_KEYS: usize = 8;

/// The entries of one file on their way to fields. Places in entries become places in the file by adding `base`.
pub(super) struct Fields<'a, 'b> {
    pub(super) text: &'a str,
    pub(super) base: usize,
    pub(super) reading: &'a Reading,
    pub(super) report: &'a mut Report<'b>,
}

impl Fields<'_, '_> {
    /// Reads all fields; `directory` is the name of the skill's directory, in NFC.
    pub(super) fn read(mut self, directory: Option<&str>) -> Frontmatter {
        self.report_repairs();
        self.report_duplicates();
        self.report_unknown_keys();
        let name = self.name(directory);
        Frontmatter {
            name,
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

    fn at(&self, range: &Range<usize>) -> Range<usize> {
        range.start + self.base..range.end + self.base
    }

    fn report_repairs(&mut self) {
        let reading = self.reading;
        if let Some((lines, fixed)) = &reading.junk {
            let help = "begin the frontmatter with a key, or make these lines comments";
            let at = self.at(lines);
            let finding = self.report.add(
                Code::YamlRepaired,
                at.clone(),
                "text before the first key of the frontmatter",
                help,
            );
            self.report.edit(finding, at, fixed.clone());
        }
        if reading.refused {
            let message = "the frontmatter as a whole is no YAML, though each of its entries is";
            let at = self.at(&reading.entries.first().map_or(0..0, |entry| entry.key_at.clone()));
            self.report.add(
                Code::YamlRepaired,
                at,
                message,
                "write each entry as `key: \"text\"` on a line of its own",
            );
        }
        for entry in &reading.entries {
            self.report_fault(entry);
        }
    }

    fn report_fault(&mut self, entry: &Entry) {
        let Some(fault) = &entry.fault else { return };
        let at = self.at(&entry.at);
        let help = format!("write `{}`", shorten(&fault.fixed));
        let finding = match fault.kind {
            FaultKind::Broken(what) => {
                let message = format!("`{}` is no plain YAML: {what}", shorten(&entry.key));
                self.report.add(Code::YamlRepaired, at, message, help)
            }
            FaultKind::NotText if known_key(&entry.key) == Some("description") => {
                let message = format!("the description is {}, not text", kind_of(&entry.value));
                self.report.add(Code::DescriptionNotText, at, message, help)
            }
            FaultKind::NotText => return self.report_type(entry, "text", &help),
        };
        if let Some(lines) = &entry.lines {
            self.report.edit(finding, self.at(lines), fault.fixed.clone());
        }
    }

    fn report_type(&mut self, entry: &Entry, wanted: &str, help: &str) {
        let message = format!("`{}` should be {wanted}, and is {}", entry.key, kind_of(&entry.value));
        let at = self.at(&entry.at);
        self.report.add(Code::UnknownKey, at, message, help);
    }

    fn report_duplicates(&mut self) {
        let mut groups: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for entry in &self.reading.entries {
            groups.entry(known_key(&entry.key).unwrap_or(&entry.key)).or_default().push(entry);
        }
        for (key, group) in groups {
            let Some(last) = group.last().filter(|_| group.len() > 1) else {
                continue;
            };
            let counts = self.reading.find(key).unwrap_or(last);
            let at = self.at(&counts.at);
            let message = format!("`{key}` stands {} times; only this one counts", group.len());
            self.report.add(Code::DuplicateKey, at, message, format!("remove the other `{key}` lines"));
        }
    }

    fn report_unknown_keys(&mut self) {
        let mut keys: Vec<&Entry> = Vec::new();
        for entry in &self.reading.entries {
            let new = known_key(&entry.key).is_none() && !keys.iter().any(|known| known.key == entry.key);
            if new && keys.len() <= LISTED_KEYS {
                keys.push(entry);
            }
        }
        let Some(first) = keys.first() else { return };
        let mut names: Vec<String> = keys.iter().map(|entry| format!("`{}`", shorten(&entry.key))).collect();
        if names.len() > LISTED_KEYS {
            names.truncate(LISTED_KEYS);
            names.push("…".to_owned());
        }
        let message = format!("unknown keys: {}", names.join(", "));
        let at = self.at(&first.key_at);
        self.report.add(
            Code::UnknownKey,
            at,
            message,
            "keep them if a host reads them; here they mean nothing",
        );
    }

    /// A text field's value, trimmed; none if it is missing, empty or null. Says what is hidden in it or cut off.
    fn text(&mut self, key: &str) -> Option<String> {
        let entry = self.reading.find(key)?;
        let text = entry.source.as_deref().or_else(|| entry.value.as_text())?.trim().to_owned();
        if text.is_empty() {
            return None;
        }
        let at = self.at(&entry.at);
        if let Some(comment) = self.cut_by(entry, &text) {
            let message = format!("a comment cuts `{key}` short: `{}` is no part of it", shorten(&comment));
            let help = format!("put the value of `{key}` in quotes if the rest belongs to it");
            self.report.add(Code::ValueCutByComment, at.clone(), message, help);
        }
        if let Some(what) = hidden::find(&text).filter(|_| key != "name" || !names::is_unsafe(&text)) {
            let message = format!("hidden characters in `{key}`: {what}");
            self.report.add(
                Code::HiddenUnicode,
                at,
                message,
                "remove them, unless you know why they are there",
            );
        }
        Some(text)
    }

    /// The comment that follows a plain value on its line, if it looks as if it belonged to the value.
    fn cut_by(&self, entry: &Entry, value: &str) -> Option<String> {
        let plain = entry.fault.is_none() && matches!(entry.value, Value::Plain(_)) && entry.lines.is_some();
        let finished = value.ends_with(['.', '!', '?', '。']) || entry.key == "name";
        let tail = self.text[entry.at.end..].split('\n').next().filter(|_| plain && !finished)?;
        tail.trim_start().starts_with('#').then(|| tail.trim().to_owned())
    }

    fn name(&mut self, directory: Option<&str>) -> String {
        let at = self.reading.find("name").map(|entry| self.at(&entry.at));
        let own = self.text("name").map(|name| name.nfc().collect::<String>());
        let fallback = || directory.unwrap_or(super::UNNAMED).to_owned();
        let Some((name, at)) = own.zip(at.clone()) else {
            let start = self.base..self.base;
            let help = format!("add `name: {}`", fallback());
            self.report.add(Code::NameMissing, at.unwrap_or(start), "no name: the directory's serves", help);
            return fallback();
        };
        if names::is_unsafe(&name) {
            let message =
                format!("the name `{}` holds a separator, a control or a bidi character", shorten(&name));
            let help = format!("write `name: {}`, the directory's name, which serves instead", fallback());
            self.report.add(Code::NameUnsafe, at, message, help);
            return fallback();
        }
        self.check_name(&name, at, directory);
        name
    }

    fn check_name(&mut self, name: &str, at: Range<usize>, directory: Option<&str>) {
        let shown = shorten(name);
        let invalid = !names::follows_rule(name);
        if invalid && hidden::find(name).is_none() {
            let help = "use lower-case letters, digits and single hyphens between them";
            let message = format!("the name `{shown}` breaks the naming rule");
            self.report.add(Code::NameInvalid, at.clone(), message, help);
        }
        let length = name.chars().count();
        if length > MAX_NAME {
            let message = format!("the name has {length} characters; the limit is {MAX_NAME}");
            self.report.add(Code::NameTooLong, at.clone(), message, "choose a shorter name");
        }
        if let Some(directory) = directory.filter(|directory| *directory != name) {
            let directory = shorten(directory);
            let help = match invalid {
                true => format!("name the skill `{directory}`, as its directory"),
                false => format!("rename the directory to `{shown}`, or the skill to `{directory}`"),
            };
            let message = format!("name `{shown}` differs from directory `{directory}`");
            self.report.add(Code::NameMismatch, at, message, help);
        }
    }

    /// The description; empty if the skill has none, which is said.
    fn description(&mut self) -> String {
        let Some(text) = self.text("description") else {
            let entry = self.reading.find("description");
            let message = if entry.is_some() { "the description is empty" } else { "no description" };
            let at = entry.map_or(self.base..self.base, |entry| self.at(&entry.at));
            let help =
                "add `description: ` and say in a sentence or two what the skill does and when to use it";
            self.report.add(Code::MissingDescription, at, message, help);
            return String::new();
        };
        self.check_description(&text);
        text
    }

    fn check_description(&mut self, text: &str) {
        let Some(entry) = self.reading.find("description") else {
            return;
        };
        let at = self.at(&entry.at);
        let kind = match (&entry.value, &entry.source) {
            (Value::Plain(plain), None) => retyped_kind(plain),
            _ => None,
        };
        if let Some(kind) = kind.filter(|_| entry.fault.is_none()) {
            let message = format!("the description `{text}` is {kind}, not text");
            let help = "put it in quotes, or better, say what the skill does and when to use it";
            let finding = self.report.add(Code::DescriptionNotText, at.clone(), message, help);
            if let Some(lines) = &entry.lines {
                let key = &self.text[lines.start..entry.key_at.end];
                self.report.edit(finding, self.at(lines), quoted_entry(key, text));
            }
        }
        let length = text.chars().count();
        if length > MAX_DESCRIPTION {
            let message = format!("the description has {length} characters; the limit is {MAX_DESCRIPTION}");
            let help = "say when to use the skill, and move the rest into the body";
            self.report.add(Code::DescriptionTooLong, at, message, help);
        }
    }

    fn metadata(&mut self) -> Value {
        let Some(entry) = self.reading.find("metadata") else {
            return Value::Null;
        };
        let value = entry.value.clone();
        if !matches!(value, Value::Map(_) | Value::Null) && entry.fault.is_none() {
            self.report_type(entry, "a map", "write `key: value` lines below it, indented by two blanks");
        }
        value
    }

    fn allowed_tools(&mut self) -> Vec<String> {
        let Some(entry) = self.reading.find("allowed-tools") else {
            return Vec::new();
        };
        match &entry.value {
            Value::Null => Vec::new(),
            Value::Plain(text) | Value::Text(text) => split_tools(text),
            Value::List(items) => join_parentheses(items),
            Value::Map(_) => {
                self.report_type(entry, "text or a list", "write the tools with commas between them");
                Vec::new()
            }
        }
    }

    fn flag(&mut self, key: &str) -> Option<bool> {
        let entry = self.reading.find(key)?;
        let word = entry.value.as_text().map(|text| text.trim().to_ascii_lowercase());
        match word.as_deref() {
            Some("true" | "yes" | "on" | "1") => Some(true),
            Some("false" | "no" | "off" | "0") => Some(false),
            _ => {
                if entry.value != Value::Null {
                    self.report_type(entry, "`true` or `false`", "write `true` or `false`");
                }
                None
            }
        }
    }

    /// Every entry in source order, of equal keys the last.
    fn entries(&self) -> Vec<(String, Value)> {
        let entries = &self.reading.entries;
        let last: BTreeMap<&str, usize> =
            entries.iter().enumerate().map(|(index, entry)| (entry.key.as_str(), index)).collect();
        let counts = |(index, entry): &(usize, &Entry)| last.get(entry.key.as_str()) == Some(index);
        let kept = entries.iter().enumerate().filter(counts);
        kept.map(|(_, entry)| (entry.key.clone(), entry.value.clone())).collect()
    }
}

fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "empty".to_owned(),
        Value::Plain(text) | Value::Text(text) => format!("`{}`", shorten(text)),
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "a map".to_owned(),
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
    let number = digits.starts_with(|char: char| char.is_ascii_digit() || char == '.')
        && (text.parse::<f64>().is_ok() || is_radix_number(digits));
    number.then_some("a number")
}

fn is_radix_number(digits: &str) -> bool {
    let radix = |prefix: &str, radix: u32| {
        let rest = digits.strip_prefix(prefix).filter(|rest| !rest.is_empty());
        rest.is_some_and(|rest| rest.chars().all(|char| char.is_digit(radix)))
    };
    radix("0x", 16) || radix("0o", 8)
}

/// Splits at commas and blanks that stand in no parentheses.
fn split_tools(text: &str) -> Vec<String> {
    let mut tools = vec![String::new()];
    let mut depth = 0_usize;
    let text = text.trim();
    let inner = text.strip_prefix('[').map_or(text, |inner| inner.strip_suffix(']').unwrap_or(inner));
    for char in inner.chars() {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (char == ',' || char.is_whitespace()) {
            tools.push(String::new());
        } else if let Some(last) = tools.last_mut() {
            last.push(char);
        }
    }
    tools.retain(|tool| !tool.is_empty());
    tools
}

/// The texts of a list, put together again where YAML cut one at a comma within parentheses.
fn join_parentheses(items: &[Value]) -> Vec<String> {
    let mut tools: Vec<String> = Vec::new();
    let mut open = 0_usize;
    for item in items.iter().filter_map(Value::as_text).map(str::trim).filter(|item| !item.is_empty()) {
        match tools.last_mut().filter(|_| open > 0) {
            Some(last) => {
                last.push_str(", ");
                last.push_str(item);
            }
            None => tools.push(item.to_owned()),
        }
        let (opening, closing) = (item.matches('(').count(), item.matches(')').count());
        open = (open + opening).saturating_sub(closing);
    }
    tools
}
