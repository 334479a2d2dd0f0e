//! YAML events to our own values with their places in the source (R3). The only file that knows the parser.

use std::collections::BTreeSet;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle, Tag};

use crate::text::slice;
use crate::value::Value;

/// A mapping, read as YAML.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) pairs: Vec<Pair>,
    /// Whether the mapping is made of lines, and not in braces.
    pub(super) block: bool,
    /// The names of all anchors.
    pub(super) anchors: BTreeSet<String>,
}

/// One entry of the root mapping.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) key: String,
    pub(super) key_at: Range<usize>,
    pub(super) value: Value,
    /// Where the value stands, from its first to its last character.
    pub(super) at: Range<usize>,
    /// Whether it is an alias, or a plain scalar behind a tag or behind an anchor that nothing refers to.
    pub(super) decorated: bool,
}

/// Reads `text` from `start` on as one YAML document; places are offsets into `text`.
///
/// None if it is none, if its root is no mapping, or if it has an alias whose anchor is neither in it nor `known`.
pub(super) fn read(text: &str, start: usize, known: &BTreeSet<String>) -> Option<Document> {
    let mut options = granit_parser::options! {
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        bom_inside_document_as_content: true,
    };
    options.set_emit_comments(false);
    let mut builder = Builder::new(text, start, known);
    for next in Parser::new_from_str_with_options(slice(text, start..), options) {
        let (event, span) = next.ok()?;
        builder.take(event, &span)?;
    }
    builder.finish()
}

/// A node that is complete.
struct Node {
    value: Value,
    at: Range<usize>,
    decorated: bool,
    /// The number of a plain scalar's anchor, or 0.
    anchor: usize,
}

/// A collection that is being read: its items, or its keys and values in turn.
struct Frame {
    style: StructureStyle,
    is_map: bool,
    start: usize,
    nodes: Vec<Node>,
}

struct Builder<'a> {
    text: &'a str,
    start: usize,
    known: &'a BTreeSet<String>,
    stack: Vec<Frame>,
    documents: usize,
    root: Option<Frame>,
    anchors: BTreeSet<String>,
    /// The numbers of the anchors that an alias refers to.
    used: BTreeSet<usize>,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str, start: usize, known: &'a BTreeSet<String>) -> Self {
        let (anchors, used) = (BTreeSet::new(), BTreeSet::new());
        Self { text, start, known, stack: Vec::new(), documents: 0, root: None, anchors, used }
    }

    /// Takes one event; none if the text is to be refused.
    fn take(&mut self, event: Event<'_>, span: &Span) -> Option<()> {
        let at = span.byte_range().unwrap_or_default();
        let at = self.start + at.start..self.start + at.end.max(at.start);
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                return (self.documents == 1).then_some(());
            }
            Event::Scalar(text, style, anchor, tag) => {
                let start = self.tag_start(span).unwrap_or(at.start);
                self.node(scalar(&text, style, anchor, tag.as_deref(), start..at.end.max(start)));
            }
            Event::SequenceStart(style, ..) => self.open(style, false, span, at.start),
            Event::MappingStart(style, ..) => self.open(style, true, span, at.start),
            Event::SequenceEnd | Event::MappingEnd => return self.close(at.end),
            Event::Alias(anchor) => {
                self.used.insert(anchor);
                self.alias(at);
            }
            Event::UnresolvedAlias(name) => {
                self.alias(at);
                return self.known.contains(&*name).then_some(());
            }
            Event::Anchor(anchor, name) => {
                let last = self.stack.last_mut().and_then(|frame| frame.nodes.last_mut());
                if let Some(node) = last.filter(|node| node.anchor == anchor) {
                    node.at.start = at.start.min(node.at.start);
                }
                self.anchors.insert(name.into_owned());
            }
            _ => {}
        }
        Some(())
    }

    fn tag_start(&self, span: &Span) -> Option<usize> {
        Some(self.start + span.tag_start()?.byte_offset()?)
    }

    fn node(&mut self, node: Node) {
        if let Some(frame) = self.stack.last_mut() {
            frame.nodes.push(node);
        }
    }

    fn alias(&mut self, at: Range<usize>) {
        let value = Value::Text(slice(self.text, at.clone()).to_owned());
        self.node(Node { value, at, decorated: true, anchor: 0 });
    }

    fn open(&mut self, style: StructureStyle, is_map: bool, span: &Span, start: usize) {
        let start = self.tag_start(span).unwrap_or(start);
        self.stack.push(Frame { style, is_map, start, nodes: Vec::new() });
    }

    /// Completes a collection; none if a key is empty, which YAML 1.1 doesn't have.
    fn close(&mut self, end: usize) -> Option<()> {
        let frame = self.stack.pop()?;
        if frame.is_map && frame.nodes.iter().step_by(2).any(|key| key.at.is_empty()) {
            return None;
        }
        if self.stack.is_empty() {
            self.root = Some(frame);
            return Some(());
        }
        let source = slice(self.text, frame.start..end.max(frame.start)).trim_end();
        let at = frame.start..frame.start + source.len();
        let value = match frame.is_map {
            true => Value::Map(
                pairs(frame.nodes).map(|(key, node)| (key_text(self.text, key), node.value)).collect(),
            ),
            false => Value::List(frame.nodes.into_iter().map(|node| node.value).collect()),
        };
        self.node(Node { value, at, decorated: false, anchor: 0 });
        Some(())
    }

    fn finish(self) -> Option<Document> {
        let root = self.root.filter(|root| root.is_map)?;
        let pairs = pairs(root.nodes).map(|(key, node)| Pair {
            key_at: key.at.clone(),
            key: key_text(self.text, key),
            value: node.value,
            at: node.at,
            decorated: node.decorated || (node.anchor > 0 && !self.used.contains(&node.anchor)),
        });
        Some(Document {
            pairs: pairs.collect(),
            block: root.style == StructureStyle::Block,
            anchors: self.anchors,
        })
    }
}

fn scalar(text: &str, style: ScalarStyle, anchor: usize, tag: Option<&Tag>, at: Range<usize>) -> Node {
    let plain = style == ScalarStyle::Plain;
    let is_text = !plain || tag.is_some_and(|tag| tag.is_yaml_core_schema_tag("str"));
    let value = match text {
        "" | "~" | "null" | "Null" | "NULL" if plain && tag.is_none() => Value::Null,
        _ if is_text => Value::Text(text.to_owned()),
        _ => Value::Plain(text.to_owned()),
    };
    Node { value, at, decorated: !is_text && tag.is_some(), anchor: if plain { anchor } else { 0 } }
}

/// A mapping's keys, each with its value.
fn pairs(nodes: Vec<Node>) -> impl Iterator<Item = (Node, Node)> {
    let mut nodes = nodes.into_iter();
    std::iter::from_fn(move || nodes.next().zip(nodes.next()))
}

/// A key is a scalar's text, or the source of anything else.
fn key_text(text: &str, key: Node) -> String {
    match key.value {
        Value::Plain(text) | Value::Text(text) => text,
        Value::Null | Value::List(_) | Value::Map(_) => slice(text, key.at).to_owned(),
    }
}
