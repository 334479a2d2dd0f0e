//! The pieces of the text: a head, an entry per skill, a tail.

use super::budget::{Cut, Item};
use super::options::{CatalogOptions, Format, Style};
use crate::text::{escape, slice};

/// A name longer than this, in characters, is cut: the specification allows no longer one.
pub(super) const MAX_NAME: usize = 64;

const FILE_STYLE: &str = "read the file at its location before you begin";
const TOOL_STYLE: &str = "call `activate_skill` with its name before you begin";

pub(super) struct Renderer {
    format: Format,
    style: Style,
}

impl Renderer {
    pub(super) fn new(options: &CatalogOptions) -> Self {
        Self { format: options.format, style: options.style }
    }

    /// What stands before and after the entries.
    pub(super) fn frame(&self, omitted: usize) -> (String, String) {
        let how = match self.style {
            Style::File => FILE_STYLE,
            Style::Tool => TOOL_STYLE,
        };
        let preamble = format!(
            "The skills below hold instructions for particular tasks. When a task matches a skill's description, {how}. \
             Relative paths in a skill's text resolve against that skill's directory.\n\n"
        );
        let note = match omitted {
            0 => String::new(),
            1 => "1 more skill is not shown for lack of room; it can be activated by its name.\n".to_owned(),
            count => {
                format!(
                    "{count} more skills are not shown for lack of room; each can be activated by its name.\n"
                )
            }
        };
        let (open, close) = self.brackets();
        (format!("{preamble}{open}"), format!("{close}{note}"))
    }

    /// What stands around the entries themselves.
    pub(super) fn brackets(&self) -> (&'static str, &'static str) {
        match self.format {
            Format::Xml => ("<available_skills>\n", "</available_skills>\n"),
            Format::Markdown => ("", ""),
            #[cfg(feature = "serde")]
            Format::Json => ("[\n", "]\n"),
        }
    }

    /// A name by itself.
    pub(super) fn name(&self, name: &str) -> String {
        let name = shorten(name, MAX_NAME);
        match self.format {
            Format::Xml => escape(&name),
            _ => name,
        }
    }

    /// A skill's entry, or nothing if it is omitted.
    pub(super) fn entry(&self, item: &Item, cut: Cut) -> Option<String> {
        let description = match cut {
            Cut::Omitted => return None,
            Cut::NameOnly => None,
            Cut::At(length) => Some(shorten(&item.description, length)),
        };
        let name = shorten(&item.name, MAX_NAME);
        Some(match (self.format, description) {
            (Format::Xml, Some(description)) => format!(
                "  <skill>\n    <name>{}</name>\n    <description>{}</description>\n    <location>{}</location>\n  </skill>\n",
                escape(&name),
                escape(&description),
                escape(&item.location)
            ),
            (Format::Xml, None) => format!("  <skill><name>{}</name></skill>\n", escape(&name)),
            (Format::Markdown, Some(description)) => {
                format!("- **{name}**: {description}\n  Location: `{}`\n", item.location)
            }
            (Format::Markdown, None) => format!("- **{name}**\n"),
            #[cfg(feature = "serde")]
            (Format::Json, Some(description)) => format!(
                "  {{\"name\": {}, \"description\": {}, \"location\": {}}},\n",
                json_string(&name),
                json_string(&description),
                json_string(&item.location)
            ),
            #[cfg(feature = "serde")]
            (Format::Json, None) => format!("  {{\"name\": {}}},\n", json_string(&name)),
        })
    }

    /// The whole text. In JSON the last entry's comma goes.
    pub(super) fn join(&self, head: &str, entries: impl Iterator<Item = String>, tail: &str) -> String {
        let mut text = head.to_owned();
        text.extend(entries);
        #[cfg(feature = "serde")]
        if self.format == Format::Json && text.ends_with(",\n") {
            text.truncate(text.len() - 2);
            text.push('\n');
        }
        text.push_str(tail);
        text
    }
}

/// At most `length` characters, cut at a word's end where there is one, with an ellipsis.
pub(super) fn shorten(text: &str, length: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(length) else {
        return text.to_owned();
    };
    let kept = text.char_indices().nth(length.saturating_sub(1)).map_or(0, |(at, _)| at);
    let head = slice(text, ..kept.min(end));
    let at_word = head.rfind(' ').filter(|at| *at * 2 >= head.len()).map_or(head, |at| slice(head, ..at));
    format!("{}…", at_word.trim_end_matches([' ', ',', ';', ':', '-']))
}

#[cfg(feature = "serde")]
fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
