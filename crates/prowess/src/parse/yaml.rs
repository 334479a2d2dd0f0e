//! YAML events to our own values with their places in the source (R3). The only file that knows the parser.

use std::collections::BTreeSet;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle, Tag};

use crate::value::Value;

/// One entry of the root mapping.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) key: String,
    pub(super) key_at: Range<usize>,
    pub(super) value: Value,
    /// Where the value stands, from its first to its last character.
    pub(super) at: Range<usize>,
    pub(super) form: Form,
}

/// How a value is written, as far as it decides whether its text may be taken from YAML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    QuotedOrBlock,
    Collection,
    /// A plain scalar behind an anchor that nothing refers to or a tag, or an alias.
    Decorated,
}

/// What a text holds, read as YAML.
#[derive(Debug)]
pub(super) struct Document {
    /// The root mapping's entries; `None` if the root is something else.
    pub(super) pairs: Option<Vec<Pair>>,
    /// Whether the root is a mapping of lines, not in braces.
    pub(super) block: bool,
    /// The names of all anchors.
    pub(super) anchors: BTreeSet<String>,
    /// The names of all aliases that no anchor stands before.
    pub(super) unresolved: BTreeSet<String>,
}

/// What to do about an alias without an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aliases {
    Refuse,
    Collect,
}

/// Reads `text` as one YAML document; `None` if it is none.
pub(super) fn read(text: &str, aliases: Aliases) -> Option<Document> {
    let mut options = granit_parser::options! {
        emit_unresolved_aliases: aliases == Aliases::Collect,
        emit_anchor_events: true,
        bom_inside_document_as_content: true,
    };
    options.set_emit_comments(false);
    let mut builder = Builder::new(text);
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, span) = next.ok()?;
        builder.take(event, &span)?;
    }
    Some(builder.finish())
}

/// A node that is complete.
struct Node {
    value: Value,
    at: Range<usize>,
    form: Form,
}

/// A collection that is being read.
struct Frame {
    items: Items,
    start: usize,
}

enum Items {
    List(Vec<Value>),
    Map(Vec<(String, Value)>, Option<String>),
    Root(Vec<Pair>, Option<(String, Range<usize>)>),
}

struct Builder<'a> {
    text: &'a str,
    stack: Vec<Frame>,
    documents: usize,
    pairs: Option<Vec<Pair>>,
    block: bool,
    anchors: BTreeSet<String>,
    /// The names of aliases that an anchor stands before.
    resolved: BTreeSet<String>,
    unresolved: BTreeSet<String>,
    /// Entries of the root whose value is a plain scalar behind an anchor, and the anchor's name.
    anchored: Vec<(usize, String)>,
    anchor_may_follow: bool,
    empty_key: bool,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            stack: Vec::new(),
            documents: 0,
            pairs: None,
            block: false,
            anchors: BTreeSet::new(),
            resolved: BTreeSet::new(),
            unresolved: BTreeSet::new(),
            anchored: Vec::new(),
            anchor_may_follow: false,
            empty_key: false,
        }
    }

    /// Takes one event; `None` if the text is to be refused: it holds a second document, or a key that is empty,
    /// which YAML 1.1 doesn't have.
    fn take(&mut self, event: Event<'_>, span: &Span) -> Option<()> {
        let at = span.byte_range().unwrap_or_default();
        let anchor_may_follow = std::mem::take(&mut self.anchor_may_follow);
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                return (self.documents == 1).then_some(());
            }
            Event::Scalar(text, style, _, tag) => self.scalar(&text, style, tag.as_deref(), span, at),
            Event::SequenceStart(..) => self.open(Items::List(Vec::new()), span, at.start),
            Event::MappingStart(style, ..) if self.stack.is_empty() => {
                self.block = style == StructureStyle::Block;
                self.open(Items::Root(Vec::new(), None), span, at.start);
            }
            Event::MappingStart(..) => self.open(Items::Map(Vec::new(), None), span, at.start),
            Event::SequenceEnd | Event::MappingEnd => self.close(at.end),
            Event::Alias(_) => {
                let name = self.text[at.clone()].trim_start_matches('*').to_owned();
                self.alias(&name, at);
                self.resolved.insert(name);
            }
            Event::UnresolvedAlias(name) => {
                self.alias(&name, at);
                self.unresolved.insert(name.into_owned());
            }
            Event::Anchor(_, name) => {
                if anchor_may_follow && let Some((index, pair)) = self.last_pair() {
                    pair.at.start = at.start.min(pair.at.start);
                    self.anchored.push((index, name.clone().into_owned()));
                }
                self.anchors.insert(name.into_owned());
            }
            _ => {}
        }
        (!self.empty_key).then_some(())
    }

    /// The root's entry that was completed last, if no other has begun.
    fn last_pair(&mut self) -> Option<(usize, &mut Pair)> {
        match self.stack.as_mut_slice() {
            [Frame { items: Items::Root(pairs, None), .. }] => pairs.iter_mut().enumerate().next_back(),
            _ => None,
        }
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, tag: Option<&Tag>, span: &Span, at: Range<usize>) {
        let plain = style == ScalarStyle::Plain;
        let is_text = tag.is_some_and(|tag| tag.is_yaml_core_schema_tag("str"));
        let value = match text {
            "" | "~" | "null" | "Null" | "NULL" if plain && tag.is_none() => Value::Null,
            _ if plain && !is_text => Value::Plain(text.to_owned()),
            _ => Value::Text(text.to_owned()),
        };
        let form = match (plain, tag) {
            (true, Some(_)) if !is_text => Form::Decorated,
            (true, _) => Form::Plain,
            (false, _) => Form::QuotedOrBlock,
        };
        let start = tag_start(span).unwrap_or(at.start);
        self.anchor_may_follow = plain && self.stack.len() == 1;
        self.node(Node { value, at: start..at.end.max(start), form });
    }

    fn alias(&mut self, name: &str, at: Range<usize>) {
        self.node(Node { value: Value::Text(format!("*{name}")), at, form: Form::Decorated });
    }

    fn open(&mut self, items: Items, span: &Span, start: usize) {
        self.stack.push(Frame { items, start: tag_start(span).unwrap_or(start) });
    }

    fn close(&mut self, end: usize) {
        let Some(frame) = self.stack.pop() else { return };
        let value = match frame.items {
            Items::List(items) => Value::List(items),
            Items::Map(entries, _) => Value::Map(entries),
            Items::Root(pairs, _) => {
                self.pairs = Some(pairs);
                return;
            }
        };
        let source = &self.text[frame.start..end.max(frame.start)];
        let end = frame.start + source.trim_end().len();
        self.node(Node { value, at: frame.start..end, form: Form::Collection });
    }

    fn node(&mut self, node: Node) {
        let text = self.text;
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        self.empty_key |=
            node.at.is_empty() && matches!(frame.items, Items::Map(_, None) | Items::Root(_, None));
        match &mut frame.items {
            Items::List(items) => items.push(node.value),
            Items::Map(entries, key) => match key.take() {
                Some(key) => entries.push((key, node.value)),
                None => *key = Some(key_text(text, node).0),
            },
            Items::Root(pairs, key) => match key.take() {
                Some((key, key_at)) => {
                    pairs.push(Pair { key, key_at, value: node.value, at: node.at, form: node.form });
                }
                None => *key = Some(key_text(text, node)),
            },
        }
    }

    fn finish(mut self) -> Document {
        for (index, name) in &self.anchored {
            if let Some(pair) = self.pairs.as_mut().and_then(|pairs| pairs.get_mut(*index))
                && !self.resolved.contains(name)
            {
                pair.form = Form::Decorated;
            }
        }
        Document { pairs: self.pairs, block: self.block, anchors: self.anchors, unresolved: self.unresolved }
    }
}

fn tag_start(span: &Span) -> Option<usize> {
    span.tag_start().and_then(|mark| mark.byte_offset())
}

/// A key is a scalar's text, or the source of anything else.
fn key_text(text: &str, node: Node) -> (String, Range<usize>) {
    let source = text[node.at.clone()].to_owned();
    match node.value {
        Value::Plain(text) | Value::Text(text) => (text, node.at),
        Value::Null | Value::List(_) | Value::Map(_) => (source, node.at),
    }
}
