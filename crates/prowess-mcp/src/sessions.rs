//! The sessions of clients over HTTP: how long they are kept, and how many.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hyper::HeaderMap;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{SessionId, SessionManager};

use crate::shelf::lock;

/// The sessions that are open, and when each was last heard of.
#[derive(Debug)]
pub(crate) struct Sessions {
    pub(crate) manager: Arc<LocalSessionManager>,
    max: usize,
    heard: Mutex<HashMap<SessionId, Instant>>,
}

impl Sessions {
    pub(crate) fn new(expiry: Duration, max: usize) -> Self {
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(expiry);
        Self { manager: Arc::new(manager), max, heard: Mutex::default() }
    }

    /// Notes that a session was heard of; with too many, ends the one of which nothing was heard for the longest time.
    pub(crate) async fn hear(&self, id: SessionId) {
        lock(&self.heard).insert(id, Instant::now());
        if lock(&self.heard).len() <= self.max {
            return;
        }
        let open = self.manager.sessions.read().await;
        lock(&self.heard).retain(|id, _| open.contains_key(id));
        drop(open);
        if let Some(oldest) = self.take_oldest() {
            // It may have ended meanwhile.
            drop(self.manager.close_session(&oldest).await);
        }
    }

    fn take_oldest(&self) -> Option<SessionId> {
        let mut heard = lock(&self.heard);
        if heard.len() <= self.max {
            return None;
        }
        let oldest = heard.iter().min_by_key(|(_, heard)| **heard).map(|(id, _)| id.clone())?;
        heard.remove(&oldest);
        Some(oldest)
    }
}

/// The session that a request or an answer names.
pub(crate) fn named(headers: &HeaderMap) -> Option<SessionId> {
    headers.get("mcp-session-id").and_then(|id| id.to_str().ok()).map(SessionId::from)
}
