//! The server over HTTP, by a client that writes bytes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use prowess::source::{ByteRange, Disk, Part, Prefix, Resources, Scan, ScanOptions, Source, Stamp};
use prowess::{Error, Library, LoadOptions, Roots};
use prowess_mcp::{HttpOptions, Options, serve_http};
use prowess_testkit::{Node, Tree};
use serde_json::{Value, json};

use crate::client::{CURRENT, LEGACY, terminate};
use crate::hostile::malformed;
use crate::{skill, tree};

struct Server {
    process: Option<Child>,
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
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("stdout is a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("the server says where it is");
        let address = line.trim().trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        Self { process: Some(process), address }
    }

    /// Starts one on a thread of this process, with options that the executable does not have.
    fn here(tree: &Tree, load: &LoadOptions, options: impl FnOnce(HttpOptions) -> HttpOptions) -> Self {
        let library = Library::load(&Roots::agents(tree.at("project"), tree.at("home")), load);
        let options = options(HttpOptions::new(([127, 0, 0, 1], 0).into()));
        let (sender, address) = mpsc::channel();
        thread::spawn(move || {
            let server = prowess_mcp::Server::new(library, Options::new());
            serve_http(server, options, |address| sender.send(address).expect("the test waits"))
        });
        let address = address.recv().expect("the server says where it is");
        Self { process: None, address: address.to_string() }
    }

    /// Tells the process to end.
    #[cfg(unix)]
    fn terminate(&self) {
        terminate(self.process.as_ref().expect("a process of its own"));
    }

    /// Waits for the end of the process, and gives its exit code.
    #[cfg(unix)]
    fn wait(&mut self) -> Option<i32> {
        self.process.as_mut().expect("a process of its own").wait().expect("the server ends").code()
    }

    /// Opens a session of the revision that has them, and gives its id.
    fn open(&self) -> String {
        let answer = self.post("/mcp", &[], initialize().as_bytes()).1;
        let session = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        session.expect("an answer names its session").to_owned()
    }

    /// The status of a request in a session.
    fn ping(&self, session: &str) -> u16 {
        let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}).to_string();
        self.post("/mcp", &[("Mcp-Session-Id", session)], ping.as_bytes()).0
    }

    /// Sends a request, and gives the connection.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
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
        stream
    }

    fn post(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
        self.exchange("POST", path, headers, body)
    }

    /// Sends a request, and gives the status and what came back.
    fn exchange(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
        let mut stream = self.send(method, path, headers, body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.expect("an answer has a status"), answer)
    }

    /// Sends a request of the current revision, and gives the connection.
    fn ask(&self, method: &str, mut params: Value) -> TcpStream {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": CURRENT,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let headers = [("MCP-Protocol-Version", CURRENT), ("Mcp-Method", method), ("Mcp-Name", &name)];
        self.send("POST", "/mcp", &headers, body.as_bytes())
    }

    /// Calls a method of the current revision, and gives its answer.
    fn call(&self, method: &str, params: Value) -> Value {
        let mut answer = String::new();
        self.ask(method, params).read_to_string(&mut answer).expect("an answer is UTF-8");
        last_message(&answer)
    }
}

/// The last JSON in an answer.
#[track_caller]
fn last_message(answer: &str) -> Value {
    let lines = answer.lines().rev();
    let json = lines.filter_map(|line| line.find("{\"jsonrpc\"").map(|start| &line[start..])).next();
    serde_json::from_str(json.unwrap_or_else(|| panic!("no JSON: {answer}"))).expect("it is JSON")
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            // It may have ended.
            let _ = process.kill();
            let _ = process.wait();
        }
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
    let body = initialize();
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

#[test]
fn a_browser_hears_that_a_page_may_if_it_may() {
    #[track_caller]
    fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
        answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
    let tree = tree();
    let server = Server::start(&tree, &["--allow-origin", "https://app.test:443"]);
    let body = initialize();
    let preflight = [
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "content-type,mcp-protocol-version,mcp-session-id"),
    ];
    let allowed = "access-control-allow-origin";
    for origin in ["https://app.test", "http://localhost:6274"] {
        let headers = [&preflight[..], &[("Origin", origin)]].concat();
        let (status, answer) = server.exchange("OPTIONS", "/mcp", &headers, b"");
        assert_eq!((status, header(&answer, allowed)), (204, Some(origin)), "{answer}");
        assert_eq!(header(&answer, "access-control-allow-headers"), Some(preflight[1].1));
        assert!(header(&answer, "access-control-allow-methods").is_some_and(|all| all.contains("DELETE")));
        let (status, answer) = server.post("/mcp", &[("Origin", origin)], body.as_bytes());
        assert_eq!((status, header(&answer, allowed)), (200, Some(origin)), "{answer}");
        assert_eq!(header(&answer, "access-control-expose-headers"), Some("Mcp-Session-Id"));
        assert_eq!(header(&answer, "vary"), Some("Origin"));
    }
    let refused =
        [("https://evil.test", "localhost"), ("null", "localhost"), ("https://app.test", "evil.test")];
    for (origin, host) in refused {
        let headers = [&preflight[..], &[("Origin", origin), ("Host", host)]].concat();
        for (method, body) in [("OPTIONS", &b""[..]), ("POST", body.as_bytes())] {
            let (status, answer) = server.exchange(method, "/mcp", &headers, body);
            assert_eq!((status, header(&answer, allowed)), (403, None), "{origin} {answer}");
        }
    }
    let (status, answer) = server.exchange("OPTIONS", "/mcp", &[], b"");
    assert_eq!((status, header(&answer, allowed)), (405, None));
}

#[test]
fn garbage_and_half_a_request_concern_nobody_else() {
    let tree = tree();
    let server = Server::start(&tree, &[]);
    let half = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"jsonrpc\":";
    for bytes in [b"\x16\x03\x01\x02\x00\x01\xff".as_slice(), b"GET", b"\r\n\r\n", half] {
        let mut stream = TcpStream::connect(&server.address).expect("the server listens");
        stream.write_all(bytes).expect("the server reads");
        drop(stream);
        assert!(server.call("tools/list", json!({}))["result"]["tools"].is_array());
    }
    assert_eq!(server.call("nonsense/method", json!({}))["error"]["code"], -32601);
    let outside = json!({"uri": "skill://forms/%2e%2e/%2e%2e/secret.txt"});
    assert!(server.call("resources/read", outside)["error"]["code"].is_i64());
}

#[test]
fn wrong_parameters_are_told_from_unknown_methods() {
    let tree = tree();
    let server = Server::start(&tree, &[]);
    for (method, params, said) in malformed(CURRENT) {
        let mut answer = String::new();
        server.ask(method, params).read_to_string(&mut answer).expect("an answer is UTF-8");
        let error = last_message(&answer)["error"].take();
        assert!(answer.starts_with("HTTP/1.1 200"), "{method}: {answer}");
        assert!(error["code"] == -32602 && error["message"].to_string().contains(said), "{method}: {error}");
    }
    let session = server.open();
    for (method, params, said) in malformed(LEGACY) {
        let body = json!({"jsonrpc": "2.0", "id": 3, "method": method, "params": params}).to_string();
        let (status, answer) = server.post("/mcp", &[("Mcp-Session-Id", &session)], body.as_bytes());
        let error = last_message(&answer)["error"].take();
        assert_eq!((status, &error["code"]), (200, &json!(-32602)), "{method}: {error}");
        assert!(error["message"].to_string().contains(said), "{method}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn an_answer_in_flight_is_finished_when_the_server_is_to_end() {
    let text = "x".repeat(12_000_000);
    let tree = tree().with("project/.agents/skills/forms/big.txt", Node::Text(text));
    let mut server = Server::start(&tree, &[]);
    let mut slow = server.ask("resources/read", json!({"uri": "skill://forms/big.txt"}));
    let mut answer = vec![0; 1000];
    slow.read_exact(&mut answer).expect("an answer has begun");
    server.terminate();
    while TcpStream::connect(&server.address).is_ok() {}
    slow.read_to_end(&mut answer).expect("the answer goes on");
    let read = answer.iter().filter(|byte| **byte == b'x').count();
    assert!((12_000_000..12_001_000).contains(&read), "{read}");
    assert!(String::from_utf8_lossy(&answer).trim_end().ends_with("0"), "its last chunk has come");
    assert_eq!(server.wait(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_listener_hears_of_changes_and_of_the_end() {
    let tree = tree();
    let mut server = Server::start(&tree, &[]);
    let listener = server.ask("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let mut lines = BufReader::new(listener).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("notifications/subscriptions/acknowledged")));
    let _tree = tree.with("project/.agents/skills/new/SKILL.md", skill("new", ""));
    assert!(lines.any(|line| line.contains("notifications/tools/list_changed")));
    server.terminate();
    let end = last_message(&lines.collect::<Vec<_>>().join("\n"));
    assert_eq!(end["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1, "{end}");
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn a_session_ends_when_its_client_says_so() {
    let tree = tree();
    let server = Server::start(&tree, &[]);
    let session = server.open();
    assert_eq!(server.ping(&session), 200);
    // Of the successes, the Python SDK takes 202 for a failure.
    assert_eq!(server.exchange("DELETE", "/mcp", &[("Mcp-Session-Id", &session)], b"").0, 204);
    assert_eq!(server.ping(&session), 404);
}

#[test]
fn a_session_lasts_as_long_as_its_server_is_told() {
    let tree = tree();
    let lasting = Server::here(&tree, &LoadOptions::new(), |options| options);
    let brief = Server::here(&tree, &LoadOptions::new(), |options| options.expiry(Duration::from_millis(50)));
    let (kept, ended) = (lasting.open(), brief.open());
    let headers = [("Mcp-Session-Id", ended.as_str()), ("Accept", "text/event-stream")];
    // The stream of a session ends with it; one that has ended has none.
    brief.exchange("GET", "/mcp", &headers, b"");
    assert_eq!(brief.ping(&ended), 404);
    assert_eq!(lasting.ping(&kept), 200);
}

#[test]
fn with_too_many_sessions_the_one_that_was_silent_longest_ends() {
    let tree = tree();
    let server = Server::here(&tree, &LoadOptions::new(), |options| options.max_sessions(2));
    let (first, second) = (server.open(), server.open());
    assert_eq!(server.ping(&first), 200);
    let third = server.open();
    assert_eq!([&first, &second, &third].map(|session| server.ping(session)), [200, 404, 200]);
}

/// A disk on which it takes until the gate is opened to look at files called `slow.md`.
#[derive(Debug)]
struct SlowDisk {
    reached: mpsc::Sender<()>,
    gate: Mutex<mpsc::Receiver<()>>,
}

impl Source for SlowDisk {
    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        Disk.real_path(path)
    }

    fn scan(&self, root: &Path, options: &ScanOptions) -> Scan {
        Disk.scan(root, options)
    }

    fn read_prefix(&self, file: &Path, max: usize) -> Result<Prefix, Error> {
        Disk.read_prefix(file, max)
    }

    fn resources(&self, directory: &Path, cap: usize) -> Resources {
        Disk.resources(directory, cap)
    }

    fn read_resource(&self, directory: &Path, resource: &str, range: ByteRange) -> Result<Part, Error> {
        Disk.read_resource(directory, resource, range)
    }

    fn stamp(&self, file: &Path) -> Option<Stamp> {
        if file.ends_with("slow.md") {
            self.reached.send(()).expect("the test waits");
            self.gate.lock().expect("nobody panics").recv().expect("the gate is opened");
        }
        Disk.stamp(file)
    }
}

#[test]
fn who_subscribes_to_files_of_a_slow_disk_holds_up_nobody_else() {
    let tree = tree();
    let (reached, is_reached) = mpsc::channel();
    let (open, gate) = mpsc::channel();
    let disk = SlowDisk { reached, gate: Mutex::new(gate) };
    let server = Server::here(&tree, &LoadOptions::new().source(Arc::new(disk)), |options| options);
    let files = json!({"resourceSubscriptions": ["skill://forms/slow.md"]});
    let listener = server.ask("subscriptions/listen", json!({"notifications": files}));
    is_reached.recv().expect("the file is looked at");
    assert!(server.call("tools/list", json!({}))["result"]["tools"].is_array());
    assert_eq!(server.ping(&server.open()), 200);
    open.send(()).expect("the disk waits");
    let mut lines = BufReader::new(listener).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("notifications/subscriptions/acknowledged")));
}

/// A request of the revision that has sessions.
fn initialize() -> String {
    let client = json!({"name": "test", "version": "0"});
    let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string()
}
