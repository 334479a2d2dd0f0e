//! A client over stdio, the same for every server: it writes a line, and reads lines until the answer comes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The revision that all of the servers speak, and in which each request stands for itself.
const REVISION: &str = "2026-07-28";
/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(300);

/// A server that was started, and ends with this.
pub(super) struct Client {
    server: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    last: u64,
    /// Why nothing can be asked any more.
    lost: Option<String>,
}

impl Client {
    pub(super) fn start(command: &mut Command) -> Result<Self, String> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut server = spawned.map_err(|error| format!("did not start: {error}"))?;
        let (stdin, stdout) = (server.stdin.take(), server.stdout.take());
        let (sender, lines) = channel();
        thread::spawn(move || {
            // Each is sent when it is whole; a client that has gone reads no more of them.
            let lines = stdout.into_iter().flat_map(|stdout| BufReader::new(stdout).split(b'\n'));
            lines.map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Ok(Self { server, stdin, lines, last: 0, lost: None })
    }

    pub(super) fn process(&self) -> u32 {
        self.server.id()
    }

    /// Sends a request; gives its result, and how long it was waited for.
    pub(super) fn call(&mut self, method: &str, params: Value) -> Result<(Value, Duration), String> {
        if let Some(why) = &self.lost {
            return Err(why.clone());
        }
        let (mut answer, took) =
            self.exchange(method, params).inspect_err(|why| self.lost = Some(why.clone()))?;
        match answer.get_mut("result") {
            Some(result) => Ok((result.take(), took)),
            None => Err(format!("`{method}` is answered with {}", answer["error"])),
        }
    }

    fn exchange(&mut self, method: &str, mut params: Value) -> Result<(Value, Duration), String> {
        self.last += 1;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let request = json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        let request = format!("{request}\n");
        let began = Instant::now();
        let written = self.stdin.as_mut().map(|stdin| stdin.write_all(request.as_bytes()));
        if !matches!(written, Some(Ok(()))) {
            return Err("it has ended".to_owned());
        }
        loop {
            let line = self.lines.recv_timeout(PATIENCE.saturating_sub(began.elapsed()));
            let took = began.elapsed();
            let line = line.map_err(|error| match error {
                RecvTimeoutError::Timeout => format!("no answer to `{method}` in {} s", PATIENCE.as_secs()),
                RecvTimeoutError::Disconnected => format!("it ended at `{method}`"),
            })?;
            let message: Value = serde_json::from_slice(&line)
                .map_err(|error| format!("it answered `{method}` with what is no JSON: {error}"))?;
            if message["id"] == self.last {
                return Ok((message, took));
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.stdin = None;
        // It may have ended by itself.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
