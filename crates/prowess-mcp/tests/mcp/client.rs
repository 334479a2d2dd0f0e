//! A client that writes and reads lines, so that it can also send what no client should.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use prowess_testkit::Tree;
use serde_json::{Value, json};

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const CURRENT: &str = "2026-07-28";

pub(crate) struct Client {
    server: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// The revision whose requests carry it themselves, if it is that one.
    revision: &'static str,
    last: u64,
    /// The notifications so far.
    pub(crate) told: Vec<Value>,
}

impl Client {
    /// Starts a server over the tree's `project` and `home`, and opens a session.
    pub(crate) fn start(tree: &Tree, revision: &'static str, options: &[&str]) -> Self {
        let mut client = Self::spawn(tree.path(), options);
        client.revision = revision;
        if revision == LEGACY {
            client.initialize();
        }
        client
    }

    /// Starts a server and says nothing to it.
    pub(crate) fn spawn(tree: &Path, options: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prowess-mcp"));
        command
            .args(["--enterprise", "/no/such/directory", "--project"])
            .arg(tree.join("project"))
            .arg("--home")
            .arg(tree.join("home"));
        Self::of(command.args(options))
    }

    /// Starts a server by this command.
    pub(crate) fn of(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().expect("the server starts");
        let stdin = server.stdin.take();
        let stdout = BufReader::new(server.stdout.take().expect("stdout is a pipe"));
        Self { server, stdin, stdout, revision: LEGACY, last: 0, told: Vec::new() }
    }

    pub(crate) fn initialize(&mut self) -> Value {
        let client = json!({"name": "test", "version": "0"});
        let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client});
        let answer = self.result("initialize", params);
        self.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        answer
    }

    /// Sends a request, and gives its id.
    pub(crate) fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.last += 1;
        if self.revision == CURRENT {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": CURRENT,
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let request = json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.write(format!("{request}\n").as_bytes());
        self.last
    }

    /// Asks, and gives the whole answer.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Waits for the answer to a request.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.read().expect("the server answers");
            if message["method"].is_string() {
                self.told.push(message);
            } else if message["id"] == id {
                return message;
            }
        }
    }

    /// Asks for what must be had.
    #[track_caller]
    pub(crate) fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert_eq!(answer["error"], Value::Null, "{method}");
        answer["result"].take()
    }

    /// Asks for what can't be had, and gives the error's code.
    #[track_caller]
    pub(crate) fn refusal(&mut self, method: &str, params: Value) -> i64 {
        let answer = self.ask(method, params);
        answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{method}: {answer}"))
    }

    /// The text that a tool gives, and whether it is one that says what is wrong.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let result = self.result("tools/call", json!({"name": tool, "arguments": arguments}));
        let text = result["content"][0]["text"].as_str().expect("a tool gives a text").to_owned();
        (text, result["isError"] == true)
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads");
    }

    fn read(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.stdout.read_line(&mut line).expect("the server writes UTF-8");
        (read > 0).then(|| serde_json::from_str(&line).expect("the server writes only JSON"))
    }

    /// Waits for a notification of a method.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, method: &str) -> Value {
        self.wait_until(|told| told["method"] == method)
    }

    /// Waits for a notification.
    #[track_caller]
    pub(crate) fn wait_until(&mut self, is_meant: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(told) = self.told.iter().find(|told| is_meant(told)) {
                return told.clone();
            }
            let message = self.read().expect("the server still speaks");
            if message["method"].is_string() {
                self.told.push(message);
            }
        }
    }

    pub(crate) fn has_heard(&self, method: &str) -> bool {
        self.told.iter().any(|told| told["method"] == method)
    }

    /// Waits for the begin of an answer, and leaves it unread.
    pub(crate) fn wait_for_bytes(&mut self) {
        self.stdout.fill_buf().expect("the server still speaks");
    }

    pub(crate) fn terminate(&self) {
        terminate(&self.server);
    }

    /// Closes stdin, and gives the exit code.
    pub(crate) fn close(mut self) -> Option<i32> {
        self.stdin = None;
        self.wait()
    }

    /// Waits for the end of the server, and gives its exit code.
    pub(crate) fn wait(mut self) -> Option<i32> {
        self.server.wait().expect("the server ends").code()
    }
}

/// Tells a process to end.
pub(crate) fn terminate(process: &Child) {
    let kill = Command::new("kill").args(["-TERM", &process.id().to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()), "the process can be told to end");
}

impl Drop for Client {
    fn drop(&mut self) {
        // It has ended already if it was closed.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
