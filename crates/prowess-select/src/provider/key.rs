use std::fmt;

/// A key, which is never shown: not by `Debug`, not in a request that is shown, not in an error.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key; blanks around it do not belong to it. None if nothing is left.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    pub(super) fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key([redacted])")
    }
}
