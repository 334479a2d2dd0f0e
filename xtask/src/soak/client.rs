//! A client over HTTP, in either revision of the protocol.

use std::io::{BufRead, BufReader};
use std::time::Duration;

use serde_json::{Value, json};
use ureq::http::{Request, Response};
use ureq::{Agent, Body};

/// The revision in which each request stands for itself, and the one with sessions.
const CURRENT: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";
/// How long a server may take for an answer, or for word of a change.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client, its connections, and its session if its revision has one.
pub(super) struct Client {
    agent: Agent,
    url: String,
    revision: &'static str,
    session: Option<String>,
    last: u64,
}

impl Client {
    /// A client of the current revision, which opens nothing.
    pub(super) fn new(url: &str) -> Self {
        let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE));
        let agent = config.build().new_agent();
        Self { agent, url: url.to_owned(), revision: CURRENT, session: None, last: 0 }
    }

    /// A client with a session.
    pub(super) fn with_session(url: &str) -> Result<Self, String> {
        let mut client = Self { revision: LEGACY, ..Self::new(url) };
        let info = json!({"name": "soak", "version": "0"});
        let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": info});
        let response = client.send("initialize", params)?;
        let session = response.headers().get("mcp-session-id").and_then(|id| id.to_str().ok());
        client.session = Some(session.ok_or("a session has no id")?.to_owned());
        read(response, client.last)?.map_err(|error| format!("`initialize` is refused: {error}"))?;
        client.exchange(
            "POST",
            Some(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})),
            &[],
        )?;
        Ok(client)
    }

    /// Asks; gives the result, or the protocol's error. Fails if there is neither.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Result<Result<Value, Value>, String> {
        let answer = self.send(method, params).and_then(|response| read(response, self.last));
        answer.map_err(|why| format!("`{method}`: {why}"))
    }

    /// Waits until the server tells of a change, then drops the stream.
    pub(super) fn hear(&mut self) -> Result<(), String> {
        let response = match self.session {
            Some(_) => self.exchange("GET", None, &[])?,
            None => {
                self.send("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}))?
            }
        };
        for line in BufReader::new(response.into_body().into_reader()).lines() {
            let line = line.map_err(|error| format!("no word of a change: {error}"))?;
            if line.contains("notifications/tools/list_changed") {
                return Ok(());
            }
        }
        Err("the stream ended before there was word of a change".to_owned())
    }

    /// Ends the session, if there is one.
    pub(super) fn close(self) -> Result<(), String> {
        self.session.as_ref().map_or(Ok(()), |_| self.exchange("DELETE", None, &[]).map(drop))
    }

    fn send(&mut self, method: &str, mut params: Value) -> Result<Response<Body>, String> {
        self.last += 1;
        let mut headers = Vec::new();
        let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
        if self.revision == CURRENT {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": CURRENT,
                "io.modelcontextprotocol/clientInfo": {"name": "soak", "version": "0"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            headers.extend([("Mcp-Method", method), ("Mcp-Name", &name)]);
        }
        let message = json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.exchange("POST", Some(&message), &headers)
    }

    fn exchange(
        &self,
        verb: &str,
        message: Option<&Value>,
        headers: &[(&str, &str)],
    ) -> Result<Response<Body>, String> {
        let request = Request::builder().method(verb).uri(&self.url);
        let request = request.header("Accept", "application/json, text/event-stream");
        let request = request.header("Content-Type", "application/json");
        let mut request = request.header("MCP-Protocol-Version", self.revision);
        let session = self.session.iter().map(|id| ("Mcp-Session-Id", id.as_str()));
        for (name, value) in session.chain(headers.iter().copied()) {
            request = request.header(name, value);
        }
        let response = match message {
            Some(message) => request.body(message.to_string()).map(|request| self.agent.run(request)),
            None => request.body(()).map(|request| self.agent.run(request)),
        };
        let response = response.map_err(|error| format!("no request: {error}"))?;
        let response = response.map_err(|error| format!("{verb} has no answer: {error}"))?;
        match response.status().as_u16() {
            200..300 => Ok(response),
            status => Err(format!("{verb} is answered with status {status}: {}", text(response)?)),
        }
    }
}

/// The answer to a request, which comes alone or as one of several events.
fn read(response: Response<Body>, id: u64) -> Result<Result<Value, Value>, String> {
    let body = text(response)?;
    let lines = body.lines().map(|line| line.strip_prefix("data:").unwrap_or(line));
    let mut messages = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let answer = messages.find(|message| message["id"] == id && message["method"].is_null());
    let mut answer = answer.ok_or_else(|| format!("there is no answer in `{body}`"))?;
    let result = answer.get_mut("result").map(Value::take);
    Ok(result.ok_or_else(|| answer["error"].take()))
}

fn text(mut response: Response<Body>) -> Result<String, String> {
    response.body_mut().read_to_string().map_err(|error| format!("an answer broke off: {error}"))
}
