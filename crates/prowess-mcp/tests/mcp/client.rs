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
    /// The methods of the notifications so far.
    pub(crate) told: Vec<String>,
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

    /// Asks, and gives the whole answer.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, mut params: Value) -> Value {
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
        loop {
            let message = self.read().expect("the server answers");
            match message["method"].as_str() {
                Some(method) => self.told.push(method.to_owned()),
                None if message["id"] == self.last => return message,
                None => {}
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
    pub(crate) fn wait_for(&mut self, method: &str) {
        while !self.told.iter().any(|told| told == method) {
            let message = self.read().expect("the server still speaks");
            self.told.extend(message["method"].as_str().map(str::to_owned));
        }
    }

    /// Closes stdin, and gives the exit code.
    pub(crate) fn close(mut self) -> Option<i32> {
        self.stdin = None;
        self.server.wait().expect("the server ends").code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It has ended already if it was closed.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
