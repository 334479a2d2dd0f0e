//! Any bytes between the lines of an MCP client: the server writes nothing but messages of the protocol, and answers the
//! next request all the same.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use prowess::Library;
use prowess_mcp::{Options, Server, serve_lines};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::runtime::{Builder, Runtime};

const BEGIN: &[u8] = br#"
{"jsonrpc":"2.0","id":"begin","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"fuzz","version":"0"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;
const END: &[u8] = br#"
{"jsonrpc":"2.0","id":"the very end","method":"tools/call","params":{"name":"list_skills","arguments":{}}}
"#;

/// The id of the last request. No other message may have it.
const LAST: &str = "the very end";

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_current_thread().enable_all().max_blocking_threads(2).build().expect("a runtime")
});
static SKILLS: LazyLock<Library> = LazyLock::new(prowess_fuzz::three_skills);

fuzz_target!(|bytes: &[u8]| {
    if bytes.windows(LAST.len()).any(|window| window == LAST.as_bytes()) {
        return;
    }
    // Before the first request everything else is passed over, but a request that begins a session begins one.
    let begins = std::str::from_utf8(bytes).is_ok_and(|text| text.contains("method"));
    let first: &[u8] = if begins { b"" } else { bytes };
    RUNTIME.block_on(converse(&[first, BEGIN, bytes, END]));
});

async fn converse(said: &[&[u8]]) {
    let (client, server) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(server);
    // A server for each client, as over stdio: it ends with its client.
    let served = tokio::spawn(serve_lines(Server::new(SKILLS.clone(), Options::new()), read, write));
    let (heard, mut speak) = tokio::io::split(client);
    let said = said.concat();
    let speaking = tokio::spawn(async move { speak.write_all(&said).await.map(|()| speak) });
    let mut lines = BufReader::new(heard).lines();
    loop {
        let line = lines.next_line().await.expect("a pipe in memory").expect("an answer to the last request");
        let message: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(message["jsonrpc"], "2.0");
        if message["id"] == LAST {
            assert!(message["result"].is_object());
            break;
        }
        let is_answer = message.get("result").is_some() != message.get("error").is_some();
        assert!(is_answer != message["method"].is_string(), "{line}");
    }
    drop(speaking.await.expect("the writer").expect("the server reads"));
    drop(lines);
    served.await.expect("the server").expect("a session that ends");
}
