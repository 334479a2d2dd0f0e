//! A frontmatter value, as its author wrote it.

/// A YAML value whose scalars keep their source text: `1.10` stays `1.10`.
///
/// Anchors are dropped and an alias is the text `*name`: nothing is expanded, so nothing can explode.
///
/// ```
/// use prowess::value::Value;
///
/// let value = Value::Map(vec![("priority".into(), Value::Plain("high".into()))]);
/// assert_eq!(value.find("priority").and_then(Value::as_text), Some("high"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// An empty value, `~` or `null`.
    Null,
    /// A plain scalar: text that may stand for a number, a truth value or a date.
    Plain(String),
    /// A quoted or block scalar: text, whatever it looks like.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A map, in source order. A key that is no scalar is its source text.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// The text of a scalar.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Plain(text) | Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The last value of `key`, if this is a map that has it.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Map(entries) => entries.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }
}
