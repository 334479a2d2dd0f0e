//! The server over HTTP, by a client that writes bytes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::client::CURRENT;
use crate::tree;

struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(tree: &Tree, options: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_prowess-mcp"))
            .args(["--quiet", "--http", "127.0.0.1:0", "--enterprise", "/no/such/directory", "--project"])
            .arg(tree.at("project"))
            .arg("--home")
            .arg(tree.at("home"))
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("stdout is a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("the server says where it is");
        let address = line.trim().trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        Self { process, address }
    }

    /// Sends the body, and gives the status and what came back.
    fn post(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        let mut head =
            format!("POST {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        let usual = [
            ("Host", "localhost"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        let usual = usual.into_iter().filter(|(name, _)| headers.iter().all(|(other, _)| other != name));
        for (name, value) in usual.chain(headers.iter().copied()) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).expect("the server reads");
        // A server that refuses a request need not read it whole.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.expect("an answer has a status"), answer)
    }

    /// Calls a method of the current revision, and gives its answer.
    fn call(&self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": CURRENT,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let headers = [("MCP-Protocol-Version", CURRENT), ("Mcp-Method", method), ("Mcp-Name", &name)];
        let (status, answer) = self.post("/mcp", &headers, body.as_bytes());
        assert_eq!(status, 200, "{answer}");
        let json = answer.lines().find_map(|line| line.find("{\"jsonrpc\"").map(|start| &line[start..]));
        serde_json::from_str(json.expect("an answer holds JSON")).expect("it is JSON")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn skills_are_served_over_http() {
    let tree = tree();
    let server = Server::start(&tree, &[]);
    let list = server.call("skills/list", json!({}));
    assert_eq!(list["result"]["skills"][0]["uri"], "skill://forms/SKILL.md");
    let call = json!({"name": "activate_skill", "arguments": {"name": "forms"}});
    let text = server.call("tools/call", call)["result"]["content"][0]["text"].take();
    assert!(text.as_str().is_some_and(|text| text.contains("\nBody.\n")), "{text}");
}

#[test]
fn only_who_may_gets_in() {
    #[track_caller]
    fn check(server: &Server, path: &str, headers: &[(&str, &str)], body: &[u8], expected: u16) {
        assert_eq!(server.post(path, headers, body).0, expected, "{path} {headers:?}");
    }
    let client = json!({"name": "test", "version": "0"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string();
    let tree = tree();
    let server =
        &Server::start(&tree, &["--allow-host", "skills.test", "--allow-origin", "https://app.test:443"]);
    // A session's stream would stay open, so these are refused before there is one, or are over at once.
    check(server, "/mcp", &[("Host", "evil.test")], body.as_bytes(), 403);
    check(server, "/mcp", &[("Origin", "http://evil.test")], body.as_bytes(), 403);
    check(server, "/mcp", &[("Origin", "null")], body.as_bytes(), 403);
    check(server, "/", &[], body.as_bytes(), 404);
    check(server, "/mcp", &[("Accept", "text/plain")], body.as_bytes(), 406);
    check(server, "/mcp", &[], &vec![b'x'; 5_000_000], 413);
    check(server, "/mcp", &[], b"{{", 415);
    check(server, "/mcp", &[("Mcp-Session-Id", "nonsense")], body.as_bytes(), 404);
    for headers in
        [[("Host", "skills.test")], [("Origin", "https://app.test")], [("Origin", "http://localhost:6274")]]
    {
        check(server, "/mcp", &headers, body.as_bytes(), 200);
    }
    assert!(server.call("tools/list", json!({}))["result"]["tools"].is_array());
}
