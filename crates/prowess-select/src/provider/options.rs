use std::time::Duration;

use super::Key;
use crate::error::Error;

/// How a provider is spoken to.
///
/// ```
/// use std::time::Duration;
/// use prowess_select::provider::{Key, ProviderOptions};
///
/// let options = ProviderOptions::new().key(Key::new("secret")).timeout(Duration::from_secs(30)).attempts(2);
/// assert!(!format!("{options:?}").contains("secret"));
/// ```
#[derive(Debug, Clone)]
pub struct ProviderOptions {
    pub(super) key: Option<Key>,
    pub(super) timeout: Duration,
    pub(super) attempts: u32,
    pub(super) pause: Duration,
    pub(super) max_reply: u64,
    pub(super) max_output: Option<u32>,
    pub(super) temperature: Option<f64>,
    pub(super) proxy: Option<String>,
}

impl ProviderOptions {
    /// The defaults: no key, no proxy, 120 seconds of silence, 4 attempts, answers of up to 4 MiB.
    #[must_use]
    pub fn new() -> Self {
        Self {
            key: None,
            timeout: Duration::from_secs(120),
            attempts: 4,
            pause: Duration::from_millis(500),
            max_reply: 4 * 1024 * 1024,
            max_output: None,
            temperature: None,
            proxy: None,
        }
    }

    /// The key to send.
    #[must_use]
    pub fn key(mut self, key: Option<Key>) -> Self {
        self.key = key;
        self
    }

    /// How long the endpoint may be silent: before the answer begins, and between two parts of it.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How often a request is sent at most, if the endpoint is busy (429), fails (5xx) or closes the connection before it
    /// answers; at least once.
    #[must_use]
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// How long to wait after the first attempt; doubled after each. What the endpoint asks for in `Retry-After` counts
    /// instead, up to a minute.
    #[must_use]
    pub fn pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// How large an answer may be, in bytes as they are sent.
    #[must_use]
    pub fn max_reply(mut self, bytes: u64) -> Self {
        self.max_reply = bytes;
        self
    }

    /// How many tokens an answer may have; default: the endpoint's own limit (for Anthropic, which wants one, 4,096).
    #[must_use]
    pub fn max_output(mut self, tokens: Option<u32>) -> Self {
        self.max_output = tokens;
        self
    }

    /// The sampling temperature; default: the endpoint's own.
    #[must_use]
    pub fn temperature(mut self, temperature: Option<f64>) -> Self {
        self.temperature = temperature;
        self
    }

    /// The address of an HTTP proxy to go through.
    #[must_use]
    pub fn proxy(mut self, address: Option<String>) -> Self {
        self.proxy = address;
        self
    }

    /// Endpoints like to repeat the key in their errors.
    pub(super) fn without_key(&self, error: Error) -> Error {
        let Some(key) = &self.key else { return error };
        let clean = |text: &str| text.replace(key.secret(), "[redacted]");
        let cleaned = Error::new(error.kind(), clean(error.message()));
        match error.help() {
            Some(help) => cleaned.with_help(clean(help)),
            None => cleaned,
        }
    }
}

impl Default for ProviderOptions {
    fn default() -> Self {
        Self::new()
    }
}
