use std::sync::Arc;

use super::Policy;
use crate::source::{Disk, ScanOptions, Source};

/// How a library is loaded.
///
/// ```
/// use prowess::{LoadOptions, source::ScanOptions};
///
/// let options = LoadOptions::new().scan(ScanOptions::default().max_depth(8)).max_body(64 * 1024);
/// ```
#[derive(Debug, Clone)]
pub struct LoadOptions {
    pub(super) source: Arc<dyn Source>,
    pub(super) scan: ScanOptions,
    pub(super) policy: Policy,
    pub(super) max_body: u64,
}

impl LoadOptions {
    /// The defaults: the disk, 5 levels, 2,000 directories a root, no policy, bodies up to 1 MiB.
    #[must_use]
    pub fn new() -> Self {
        Self {
            source: Arc::new(Disk),
            scan: ScanOptions::default(),
            policy: Policy::new(),
            max_body: 1024 * 1024,
        }
    }

    /// Reads skills from there; default [`Disk`].
    #[must_use]
    pub fn source(mut self, source: Arc<dyn Source>) -> Self {
        self.source = source;
        self
    }

    /// Restricts who sees which skill.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// The limits of the scan of each root.
    #[must_use]
    pub fn scan(mut self, scan: ScanOptions) -> Self {
        self.scan = scan;
        self
    }

    /// The largest body in bytes that is activated; default 1 MiB. A larger one is refused whole.
    #[must_use]
    pub fn max_body(mut self, bytes: u64) -> Self {
        self.max_body = bytes;
        self
    }
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self::new()
    }
}
