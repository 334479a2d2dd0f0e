//! The frontmatter's entries: by YAML if it can, else cut by key lines and read one by one (R3 to R5).
//!
//! `text` ends with the frontmatter, and `start` is where the frontmatter begins in it.

use std::collections::BTreeSet;
use std::ops::Range;

use super::lines::{indent, is_blank, is_comment, is_text_key, key_line, known_key};
use super::recover;
use super::repair::{fault_of, quoted_entry};
use super::report::{Finding, shorten};
use super::yaml::{self, Document, Pair};
use crate::diagnostic::Code;
use crate::text::slice;
use crate::value::Value;

/// A top-level entry.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_at: Range<usize>,
    /// The value as YAML has it, or as it was recovered.
    pub(super) value: Value,
    pub(super) at: Range<usize>,
    /// The source text of a text field whose value is none.
    source: Option<String>,
    /// The whole lines that the entry takes, without the last line end; none if it has no lines of its own.
    pub(super) lines: Option<Range<usize>>,
    /// Whether it is the YAML that its author meant; if not, there is a finding.
    pub(super) is_sound: bool,
}

impl Entry {
    /// What serves for the value of a text field.
    pub(super) fn text(&self) -> Option<&str> {
        self.source.as_deref().or_else(|| self.value.as_text()).map(str::trim)
    }
}

/// The frontmatter's entries in source order, and what was wrong with them.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) entries: Vec<Entry>,
    pub(super) findings: Vec<Finding>,
}

impl Reading {
    /// The entry that counts for a known key: the last one of exactly that name, or else of that name in any case.
    pub(super) fn find(&self, key: &str) -> Option<&Entry> {
        let entries = || self.entries.iter().rev();
        let exact = entries().find(|entry| entry.key == key);
        exact.or_else(|| entries().find(|entry| known_key(&entry.key) == Some(key)))
    }

    fn has_description(&self) -> bool {
        let is_one = |entry: &Entry| known_key(&entry.key) == Some("description");
        self.entries.iter().filter(|entry| is_one(entry)).filter_map(Entry::text).any(|text| !text.is_empty())
    }
}

/// Reads all entries of a frontmatter.
pub(super) fn entries(text: &str, start: usize) -> Reading {
    let Some(document) = yaml::read(text, start, &BTreeSet::new()) else {
        return cut(text, start);
    };
    let whole = from_document(text, document);
    if whole.has_description() {
        return whole;
    }
    // Prose at the margin may have been taken for keys: `description: >` and below it `Sorts lines: all`.
    let cut = cut(text, start);
    if cut.has_description() { cut } else { whole }
}

fn from_document(text: &str, document: Document) -> Reading {
    let mut reading = Reading::default();
    let mut end = text.len();
    for pair in document.pairs.into_iter().rev() {
        let start = line_start(text, pair.key_at.start);
        let own_lines = document.block && is_blank(slice(text, start..pair.key_at.start));
        let lines = own_lines.then(|| trim_entry(text, start..end, pair.key_at.start - start));
        let (entry, fault) = from_pair(text, pair, lines);
        reading.findings.extend(fault.and_then(|fault| fault.finding(&entry)));
        reading.entries.push(entry);
        end = start;
    }
    reading.entries.reverse();
    reading
}

/// Why an entry's lines are to be replaced, and by what.
struct Fault {
    what: String,
    fixed: String,
}

impl Fault {
    fn new(what: impl Into<String>, fixed: String) -> Option<Self> {
        Some(Self { what: what.into(), fixed })
    }

    fn finding(self, entry: &Entry) -> Option<Finding> {
        let (key, help) = (shorten(&entry.key), format!("write `{}`", shorten(&self.fixed)));
        let is_collection = is_text_key(&entry.key) && matches!(entry.value, Value::List(_) | Value::Map(_));
        if is_collection && known_key(&entry.key) != Some("description") {
            return Some(wrong_type(entry, "text", help));
        }
        let (code, message) = match is_collection {
            true => {
                (Code::DescriptionNotText, format!("the description is {}, not text", kind_of(&entry.value)))
            }
            false => (Code::YamlRepaired, format!("`{key}` is no plain YAML: {}", self.what)),
        };
        Some(Finding::new(code, &entry.at, message, help).fix(entry.lines.clone()?, self.fixed))
    }
}

/// Says that an entry's value is not what is `wanted`.
pub(super) fn wrong_type(entry: &Entry, wanted: &str, help: impl Into<String>) -> Finding {
    let message = format!("`{}` should be {wanted}, and is {}", entry.key, kind_of(&entry.value));
    Finding::new(Code::UnknownKey, &entry.at, message, help)
}

fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "empty".to_owned(),
        Value::Plain(text) | Value::Text(text) => format!("`{}`", shorten(text)),
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "a map".to_owned(),
    }
}

/// An entry that YAML read. A text field that holds no text gets its source text.
fn from_pair(text: &str, pair: Pair, lines: Option<Range<usize>>) -> (Entry, Option<Fault>) {
    let Pair { key, key_at, value, at, decorated } = pair;
    let is_text = !decorated && !matches!(value, Value::List(_) | Value::Map(_));
    let mut entry = Entry { key, key_at, value, at, source: None, lines, is_sound: true };
    if is_text || !is_text_key(&entry.key) {
        return (entry, None);
    }
    let (first, rest) = match &entry.lines {
        Some(lines) => below_key(text, lines, entry.key_at.end),
        None => (slice(text, entry.at.clone()), Vec::new()),
    };
    let column = entry.key_at.start - line_start(text, entry.key_at.start);
    let source = recover::read(first, &rest, column).text;
    let fault = entry.lines.as_ref().and_then(|lines| {
        let key = slice(text, lines.start..entry.key_at.end);
        Fault::new(fault_of(first, &rest), quoted_entry(key, &source))
    });
    entry.is_sound = fault.is_none();
    entry.source = Some(source);
    (entry, fault)
}

/// What follows the key's colon on its line, and the lines below.
fn below_key<'a>(text: &'a str, lines: &Range<usize>, key_end: usize) -> (&'a str, Vec<&'a str>) {
    let mut rest = slice(text, key_end..lines.end).split('\n');
    let first = rest.next().unwrap_or_default();
    let first = first.trim_start_matches(['"', '\'']).trim_start();
    (first.strip_prefix(':').unwrap_or(first), rest.collect())
}

fn line_start(text: &str, at: usize) -> usize {
    slice(text, ..at).rfind('\n').map_or(0, |end| end + 1)
}

/// Takes blank lines and comments that belong to what follows off the end of an entry.
fn trim_entry(text: &str, lines: Range<usize>, column: usize) -> Range<usize> {
    let mut kept = slice(text, lines.clone()).trim_end_matches('\n');
    while let Some((before, last)) = kept.rsplit_once('\n')
        && (is_blank(last) || (is_comment(last) && indent(last) <= column))
    {
        kept = before;
    }
    lines.start..lines.start + kept.len()
}

/// The lines of one entry, cut out by its key line.
struct Piece<'a> {
    key: &'a str,
    column: usize,
    key_end: usize,
    value: usize,
    lines: Range<usize>,
}

fn cut(text: &str, start: usize) -> Reading {
    let pieces = pieces(text, start);
    let Some(first) = pieces.first() else {
        return Reading::default();
    };
    let mut reading = Reading::default();
    reading.findings.extend(junk(text, start..first.lines.start));
    let margin = pieces.iter().map(|piece| piece.column).min().unwrap_or_default();
    let mut anchors = BTreeSet::new();
    for piece in &pieces {
        let (entry, fault, glued) = read_piece(text, piece, &mut anchors);
        let fault = match piece.column - margin {
            0 => fault,
            depth => Some(dedented(fault, slice(text, piece.lines.clone()), depth)),
        };
        reading.findings.extend(fault.and_then(|fault| fault.finding(&entry)));
        reading.entries.push(entry);
        reading.entries.extend(glued);
    }
    if reading.findings.is_empty() {
        let message = "the frontmatter as a whole is no YAML, though each of its entries is";
        let help = "write each entry as `key: \"text\"` on a line of its own";
        let at = reading.entries.first().map_or(start..start, |entry| entry.key_at.clone());
        reading.findings.push(Finding::new(Code::YamlRepaired, &at, message, help));
    }
    reading
}

/// Makes comments of what stands before the first key, if it is more than blank lines and comments.
fn junk(text: &str, at: Range<usize>) -> Option<Finding> {
    let lines = slice(text, at.clone()).trim_end_matches('\n');
    let is_junk = |line: &str| !is_blank(line) && !is_comment(line);
    let at = at.start..at.start + lines.len();
    let fixed =
        lines.split('\n').map(|line| if is_junk(line) { format!("# {line}") } else { line.to_owned() });
    let fixed = fixed.collect::<Vec<_>>().join("\n");
    let help = "begin the frontmatter with a key, or make these lines comments";
    let message = "text before the first key of the frontmatter";
    lines
        .split('\n')
        .any(is_junk)
        .then(|| Finding::new(Code::YamlRepaired, &at, message, help).fix(at.clone(), fixed))
}

/// The fault of an entry that stands `depth` deeper than another one: its lines, or what corrects them, moved.
fn dedented(fault: Option<Fault>, lines: &str, depth: usize) -> Fault {
    let what = "it is indented, unlike other keys".to_owned();
    let fault = fault.unwrap_or(Fault { what, fixed: lines.to_owned() });
    let fixed = fault.fixed.split('\n').map(|line| slice(line, indent(line).min(depth)..));
    Fault { fixed: fixed.collect::<Vec<_>>().join("\n"), what: fault.what }
}

fn pieces(text: &str, start: usize) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let mut column = None;
    let mut start = start;
    for line in slice(text, start..).split_inclusive('\n') {
        let stripped = line.strip_suffix('\n').unwrap_or(line);
        let key = key_line(stripped).filter(|key| key.column <= *column.get_or_insert(key.column));
        if let Some(key) = key {
            let (key_end, value) = (start + key.key_end, start + key.value);
            pieces.push(Piece { key: key.key, column: key.column, key_end, value, lines: start..start });
        }
        start += line.len();
        if let Some(last) = pieces.last_mut() {
            last.lines.end = start;
        }
    }
    for piece in &mut pieces {
        piece.lines = trim_entry(text, piece.lines.clone(), piece.column);
    }
    pieces
}

/// Reads one entry alone: by YAML, by YAML with its tabs as blanks, or by its lines. The second entry is glued to it.
fn read_piece(
    text: &str,
    piece: &Piece<'_>,
    anchors: &mut BTreeSet<String>,
) -> (Entry, Option<Fault>, Option<Entry>) {
    let before = slice(text, ..piece.lines.end);
    if let Some(pair) = only_pair(before, piece.lines.start, piece.key, anchors) {
        let (entry, fault) = from_pair(text, pair, Some(piece.lines.clone()));
        return (entry, fault, None);
    }
    let source = slice(text, piece.lines.clone());
    let untabbed = untab(source);
    if !is_text_key(piece.key)
        && untabbed != source
        && let Some(pair) = only_pair(&untabbed, 0, piece.key, anchors)
    {
        return (broken_entry(text, piece, pair.value), Fault::new("a tab that indents", untabbed), None);
    }
    read_lines(text, piece)
}

/// The only entry from `start` on, if YAML reads it as one whose aliases are known.
fn only_pair(text: &str, start: usize, key: &str, anchors: &mut BTreeSet<String>) -> Option<Pair> {
    let mut document = yaml::read(text, start, anchors)?;
    let pair = document.pairs.pop().filter(|pair| document.pairs.is_empty() && pair.key == key)?;
    anchors.extend(document.anchors);
    Some(pair)
}

/// Turns each tab that indents into two blanks.
fn untab(source: &str) -> String {
    let lines = source.split('\n').map(|line| {
        let indent = indent(line);
        slice(line, ..indent).replace('\t', "  ") + slice(line, indent..)
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn read_lines(text: &str, piece: &Piece<'_>) -> (Entry, Option<Fault>, Option<Entry>) {
    let mut lines = slice(text, piece.value..piece.lines.end).split('\n');
    let first = lines.next().unwrap_or_default();
    let rest: Vec<&str> = lines.collect();
    let recovered = recover::read(first, &rest, piece.column);
    let mut fixed = quoted_entry(slice(text, piece.lines.start..piece.key_end), &recovered.text);
    let what = match &recovered.glued {
        _ if slice(text, piece.key_end..piece.value).ends_with('：') => {
            "a full-width colon behind the key".to_owned()
        }
        Some(_) => "a second key on the line of the first".to_owned(),
        None => fault_of(first, &rest),
    };
    let entry = broken_entry(text, piece, Value::Text(recovered.text));
    let glued = recovered.glued.map(|(key, value)| {
        let indent = " ".repeat(piece.column);
        fixed = format!("{fixed}\n{indent}{}", quoted_entry(&key, &value));
        Entry { key, value: Value::Text(value), lines: None, ..entry.clone() }
    });
    (entry, Fault::new(what, fixed), glued)
}

fn broken_entry(text: &str, piece: &Piece<'_>, value: Value) -> Entry {
    let source = slice(text, piece.value..piece.lines.end);
    Entry {
        key: piece.key.to_owned(),
        key_at: piece.lines.start + piece.column..piece.key_end,
        value,
        at: piece.lines.end - source.trim_start().len()..piece.lines.end,
        source: None,
        lines: Some(piece.lines.clone()),
        is_sound: false,
    }
}
