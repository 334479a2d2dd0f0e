//! What a text costs a model.

use std::fmt;

/// Counts tokens. The core has [`Estimate`]; hosts that want exact figures bring their model's tokenizer.
///
/// ```
/// use prowess::tokens::Tokenizer;
///
/// #[derive(Debug)]
/// struct Words;
/// impl Tokenizer for Words {
///     fn count(&self, text: &str) -> usize {
///         text.split_whitespace().count()
///     }
/// }
/// assert_eq!(Words.count("two words"), 2);
/// ```
pub trait Tokenizer: fmt::Debug + Send + Sync {
    /// How many tokens `text` is.
    fn count(&self, text: &str) -> usize;
}

/// Four characters a token, rounded up.
///
/// ```
/// use prowess::tokens::{Estimate, Tokenizer};
///
/// assert_eq!(Estimate.count("hello"), 2);
/// assert_eq!(Estimate.of_bytes(8), 2);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Estimate;

impl Estimate {
    /// The estimate for a text of which only the size is known: four bytes a token, rounded up.
    #[must_use]
    pub fn of_bytes(self, bytes: u64) -> usize {
        usize::try_from(bytes.div_ceil(4)).unwrap_or(usize::MAX)
    }
}

impl Tokenizer for Estimate {
    fn count(&self, text: &str) -> usize {
        text.chars().count().div_ceil(4)
    }
}
