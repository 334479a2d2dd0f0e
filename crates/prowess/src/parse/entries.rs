//! The frontmatter's entries: by YAML if it can, else cut by key lines and read one by one (R3 to R6).

use std::collections::BTreeSet;
use std::ops::Range;

use super::repair::{comment_out, fault_of, quoted_entry};
use super::yaml::{Aliases, Document, Form, Pair, read};
use super::{recover, yaml};
use crate::value::Value;

/// The keys that hold text.
const TEXT_KEYS: [&str; 6] =
    ["name", "description", "license", "compatibility", "argument-hint", "when_to_use"];
/// The other keys that the specification or this runtime gives a meaning.
const OTHER_KEYS: [&str; 4] = ["metadata", "allowed-tools", "disable-model-invocation", "user-invocable"];

/// The known key that `key` is, in any case.
pub(super) fn known_key(key: &str) -> Option<&'static str> {
    let mut keys = TEXT_KEYS.iter().chain(&OTHER_KEYS);
    keys.find(|known| known.eq_ignore_ascii_case(key)).copied()
}

fn is_text_key(key: &str) -> bool {
    TEXT_KEYS.iter().any(|known| known.eq_ignore_ascii_case(key))
}

/// A top-level entry. Places are byte offsets into the frontmatter's text.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_at: Range<usize>,
    /// The value as YAML has it, or as it was recovered.
    pub(super) value: Value,
    /// The source text of a text field whose value is none.
    pub(super) source: Option<String>,
    pub(super) at: Range<usize>,
    /// The whole lines that the entry takes, without the last line end; `None` if it has no lines of its own.
    pub(super) lines: Option<Range<usize>>,
    pub(super) fault: Option<Fault>,
}

/// Why an entry's lines are to be replaced, and by what.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) kind: FaultKind,
    pub(super) fixed: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// It is no YAML, or not the YAML that its author meant; what is wrong, in one phrase.
    Broken(&'static str),
    /// It is a list or a map where text belongs.
    NotText,
}

/// The frontmatter's entries in source order, and what was wrong between them.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) entries: Vec<Entry>,
    /// Lines before the first key that are no YAML, and the same lines as comments.
    pub(super) junk: Option<(Range<usize>, String)>,
    /// Whether YAML refuses the whole though it takes every part.
    pub(super) refused: bool,
}

impl Reading {
    /// The entry that counts for a known key: the last one of exactly that name, or else of that name in any case.
    pub(super) fn find(&self, key: &str) -> Option<&Entry> {
        let mut exact = self.entries.iter().rev().filter(|entry| entry.key == key);
        let mut any_case = self.entries.iter().rev().filter(|entry| known_key(&entry.key) == Some(key));
        exact.next().or_else(|| any_case.next())
    }
}

/// Reads all entries of a frontmatter.
pub(super) fn entries(text: &str) -> Reading {
    match read(text, Aliases::Refuse) {
        Some(Document { pairs: Some(pairs), block, .. }) => {
            let entries = from_pairs(text, pairs, block);
            if has_description(&entries) {
                return Reading { entries, ..Reading::default() };
            }
            // Prose at the margin may have been taken for keys: `description: >` and below it `Sorts lines: all`.
            let cut = cut(text);
            if has_description(&cut.entries) { cut } else { Reading { entries, ..Reading::default() } }
        }
        _ => cut(text),
    }
}

fn has_description(entries: &[Entry]) -> bool {
    let is_text = |entry: &Entry| {
        let text = entry.source.as_deref().or_else(|| entry.value.as_text());
        text.is_some_and(|text| !text.trim().is_empty())
    };
    entries.iter().any(|entry| known_key(&entry.key) == Some("description") && is_text(entry))
}

fn from_pairs(text: &str, pairs: Vec<Pair>, block: bool) -> Vec<Entry> {
    let starts: Vec<usize> = pairs.iter().map(|pair| line_start(text, pair.key_at.start)).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let bounds: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
    let entries = pairs.into_iter().zip(bounds).map(|(pair, (start, end))| {
        let key_at = pair.key_at.clone();
        let own_lines = block && text[start..key_at.start].trim_matches([' ', '\t']).is_empty();
        let lines = own_lines.then(|| trim_entry(text, start..end, key_at.start - start));
        from_pair(text, pair, lines)
    });
    entries.collect()
}

/// An entry that YAML read. A text field that holds no text gets its source text.
fn from_pair(text: &str, pair: Pair, lines: Option<Range<usize>>) -> Entry {
    let mut entry = Entry {
        key: pair.key,
        key_at: pair.key_at,
        value: pair.value,
        source: None,
        at: pair.at,
        lines,
        fault: None,
    };
    if !is_text_key(&entry.key) || !matches!(pair.form, Form::Collection | Form::Decorated) {
        return entry;
    }
    let (first, rest) = match &entry.lines {
        Some(lines) => below_key(text, lines, entry.key_at.end),
        None => (&text[entry.at.clone()], Vec::new()),
    };
    let column = entry.key_at.start - line_start(text, entry.key_at.start);
    let source = recover::read(first, &rest, column).text;
    if let Some(lines) = &entry.lines {
        let kind = match pair.form {
            Form::Collection => FaultKind::NotText,
            _ => FaultKind::Broken(fault_of(first, &rest)),
        };
        let key = &text[lines.start..entry.key_at.end];
        entry.fault = Some(Fault { kind, fixed: quoted_entry(key, &source) });
    }
    entry.source = Some(source);
    entry
}

/// What follows the key's colon on its line, and the lines below.
fn below_key<'a>(text: &'a str, lines: &Range<usize>, key_end: usize) -> (&'a str, Vec<&'a str>) {
    let mut rest = text[key_end..lines.end].split('\n');
    let first = rest.next().unwrap_or_default();
    let first = first.trim_start_matches(['"', '\'']).trim_start();
    (first.strip_prefix(':').unwrap_or(first), rest.collect())
}

/// Whether YAML sees nothing on a line.
pub(super) fn is_blank(line: &str) -> bool {
    line.trim_start_matches([' ', '\t']).is_empty()
}

pub(super) fn is_comment(line: &str) -> bool {
    line.trim_start_matches([' ', '\t']).starts_with('#')
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// Takes blank lines and comments that belong to what follows off the end of an entry.
fn trim_entry(text: &str, lines: Range<usize>, column: usize) -> Range<usize> {
    let mut end = lines.end;
    loop {
        let before = text[lines.start..end].strip_suffix('\n').unwrap_or(&text[lines.start..end]);
        let last = before.rfind('\n').map(|at| &before[at + 1..]);
        let Some(last) = last else {
            return lines.start..lines.start + before.len();
        };
        let indent = last.len() - last.trim_start_matches([' ', '\t']).len();
        if !(is_blank(last) || (indent <= column && last[indent..].starts_with('#'))) {
            return lines.start..lines.start + before.len();
        }
        end = lines.start + before.len() - last.len();
    }
}

/// A line that begins an entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct KeyLine<'a> {
    pub(super) column: usize,
    pub(super) key: &'a str,
    /// Where the key with its quotes ends.
    pub(super) key_end: usize,
    /// Where the value begins, behind the colon.
    pub(super) value: usize,
}

/// Reads a line as the beginning of an entry (R4), at whatever column.
pub(super) fn key_line(line: &str) -> Option<KeyLine<'_>> {
    let body = line.trim_start_matches([' ', '\t']);
    let column = line.len() - body.len();
    let quote = body.chars().next().filter(|char| matches!(char, '"' | '\''));
    let start = column + usize::from(quote.is_some());
    let named = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.' | '-');
    let tail = line[start..].trim_start_matches(named);
    let key = &line[start..line.len() - tail.len()];
    let tail = match quote {
        Some(quote) => tail.strip_prefix(quote)?,
        None => tail,
    };
    let known = known_key(key).is_some();
    let key_end = line.len() - tail.len();
    let tail = if known { tail.trim_start_matches([' ', '\t']) } else { tail };
    let value = tail.strip_prefix(':').or_else(|| tail.strip_prefix('：').filter(|_| known))?;
    let first = key.chars().next()?;
    let spaced = value.is_empty() || value.starts_with([' ', '\t']);
    let is_key = if known { !value.starts_with("//") } else { first.is_lowercase() && spaced };
    is_key.then(|| KeyLine { column, key, key_end, value: line.len() - value.len() })
}

/// The lines of one entry, cut out by its key line.
struct Piece<'a> {
    key: &'a str,
    column: usize,
    key_end: usize,
    value: usize,
    lines: Range<usize>,
}

fn cut(text: &str) -> Reading {
    let pieces = pieces(text);
    let Some(first) = pieces.first() else {
        return Reading::default();
    };
    let before = &text[..first.lines.start];
    let junk = before.lines().any(|line| !is_blank(line) && !is_comment(line));
    let junk = junk.then(|| (0..before.trim_end_matches('\n').len(), comment_out(before)));
    let mut anchors = BTreeSet::new();
    let mut entries = Vec::new();
    for piece in pieces {
        read_piece(text, &piece, &mut anchors, &mut entries);
    }
    align(text, &mut entries);
    let refused = junk.is_none() && entries.iter().all(|entry| entry.fault.is_none());
    Reading { entries, junk, refused }
}

/// Moves entries that stand deeper than another one to its column.
fn align(text: &str, entries: &mut [Entry]) {
    let indent = |lines: &Range<usize>| {
        let lines = &text[lines.clone()];
        lines.len() - lines.trim_start_matches([' ', '\t']).len()
    };
    let margin =
        entries.iter().filter_map(|entry| entry.lines.as_ref()).map(indent).min().unwrap_or_default();
    for entry in entries {
        let Some(lines) = &entry.lines else { continue };
        let depth = indent(lines) - margin;
        if depth > 0 {
            let kind = FaultKind::Broken("it is indented, unlike other keys");
            let fixed = text[lines.clone()].to_owned();
            let fault = entry.fault.get_or_insert(Fault { kind, fixed });
            fault.fixed = dedent(&fault.fixed, depth);
        }
    }
}

/// Takes up to `depth` blanks off each line.
fn dedent(text: &str, depth: usize) -> String {
    let lines = text.split('\n').map(|line| {
        let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
        &line[blanks.min(depth)..]
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let mut column = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let stripped = line.strip_suffix('\n').unwrap_or(line);
        let key = key_line(stripped).filter(|key| key.column <= *column.get_or_insert(key.column));
        match (key, pieces.last_mut()) {
            (Some(key), _) => pieces.push(Piece {
                key: key.key,
                column: key.column,
                key_end: start + key.key_end,
                value: start + key.value,
                lines: start..start + line.len(),
            }),
            (None, Some(last)) => last.lines.end += line.len(),
            (None, None) => {}
        }
        start += line.len();
    }
    for piece in &mut pieces {
        piece.lines = trim_entry(text, piece.lines.clone(), piece.column);
    }
    pieces
}

/// Reads one entry alone: by YAML, with its tabs as blanks, or by its lines.
fn read_piece(text: &str, piece: &Piece<'_>, anchors: &mut BTreeSet<String>, entries: &mut Vec<Entry>) {
    let source = &text[piece.lines.clone()];
    if let Some(pair) = sound_pair(source, piece.key, anchors) {
        let pair = shift(pair, piece.lines.start);
        entries.push(from_pair(text, pair, Some(piece.lines.clone())));
        return;
    }
    let untabbed = untab(source);
    let tabs = !is_text_key(piece.key) && untabbed != source;
    match sound_pair(&untabbed, piece.key, anchors).filter(|_| tabs) {
        Some(pair) => {
            let kind = FaultKind::Broken("a tab that indents");
            let fault = Fault { kind, fixed: untabbed };
            entries.push(broken_entry(text, piece, pair.value, fault));
        }
        None => read_lines(text, piece, entries),
    }
}

/// Reads one entry by its lines, and a second one if a key is glued to its end.
fn read_lines(text: &str, piece: &Piece<'_>, entries: &mut Vec<Entry>) {
    let mut lines = text[piece.value..piece.lines.end].split('\n');
    let first = lines.next().unwrap_or_default();
    let rest: Vec<&str> = lines.collect();
    let recovered = recover::read(first, &rest, piece.column);
    let mut fixed = quoted_entry(&text[piece.lines.start..piece.key_end], &recovered.text);
    let what = match text[piece.key_end..piece.value].ends_with('：') {
        true => "a full-width colon behind the key",
        false if recovered.glued.is_some() => "a second key on the line of the first",
        false => fault_of(first, &rest),
    };
    if let Some((key, value)) = &recovered.glued {
        let key = format!("{}{key}", " ".repeat(piece.column));
        fixed = format!("{fixed}\n{}", quoted_entry(&key, value));
    }
    let kind = FaultKind::Broken(what);
    let entry = broken_entry(text, piece, Value::Text(recovered.text), Fault { kind, fixed });
    let glued = recovered.glued.map(|(key, value)| Entry {
        key,
        key_at: entry.key_at.clone(),
        value: Value::Text(value),
        source: None,
        at: entry.at.clone(),
        lines: None,
        fault: None,
    });
    entries.push(entry);
    entries.extend(glued);
}

fn broken_entry(text: &str, piece: &Piece<'_>, value: Value, fault: Fault) -> Entry {
    let source = &text[piece.value..piece.lines.end];
    let blanks = source.len() - source.trim_start().len();
    Entry {
        key: piece.key.to_owned(),
        key_at: piece.lines.start + piece.column..piece.key_end,
        value,
        source: None,
        at: piece.value + blanks..piece.lines.end,
        lines: Some(piece.lines.clone()),
        fault: Some(fault),
    }
}

/// The only entry of `source`, if YAML reads it as one whose aliases are known.
fn sound_pair(source: &str, key: &str, anchors: &mut BTreeSet<String>) -> Option<Pair> {
    let document = yaml::read(source, Aliases::Collect)?;
    let mut pairs = document.pairs.filter(|_| document.unresolved.is_subset(anchors))?;
    let pair = pairs.pop().filter(|pair| pairs.is_empty() && pair.key == key)?;
    anchors.extend(document.anchors);
    Some(pair)
}

fn shift(pair: Pair, by: usize) -> Pair {
    let key_at = pair.key_at.start + by..pair.key_at.end + by;
    let at = pair.at.start + by..pair.at.end + by;
    Pair { key_at, at, ..pair }
}

/// Turns each tab that indents into two blanks.
fn untab(source: &str) -> String {
    let lines = source.split('\n').map(|line| {
        let body = line.trim_start_matches([' ', '\t']);
        line[..line.len() - body.len()].replace('\t', "  ") + body
    });
    lines.collect::<Vec<_>>().join("\n")
}
