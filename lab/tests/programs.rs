//! The solution and the starter, as they are run.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;

const SOLUTION: &str = env!("CARGO_BIN_EXE_solution");
const STARTER: &str = env!("CARGO_BIN_EXE_starter");

#[test]
fn the_solution_is_green() {
    check(SOLUTION, None, 0, "choice: commit-message (an offline word match, not a judgement", 8);
}

#[test]
fn the_starter_is_red() {
    check(STARTER, None, 1, "4 loaded, 0 shadowed, 0 rejected", 0);
}

#[test]
fn the_checks_are_those_of_the_demo() {
    let demo = include_str!("../../crates/prowess-cli/src/demo/checks.rs");
    let titles: Vec<&str> = demo.lines().filter_map(|line| line.trim().strip_prefix("title: ")).collect();
    let output = run(SOLUTION, None);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let shown = text.lines().filter_map(|line| line.strip_prefix("✓ ")?.split_once("  "));
    let shown: Vec<String> = shown.map(|(_, title)| format!("\"{title}\",")).collect();
    assert_eq!(shown, titles);
}

#[test]
fn the_readme_shows_what_is_printed() {
    let readme = include_str!("../README.md");
    let output = run(SOLUTION, None);
    for line in String::from_utf8_lossy(&output.stdout).lines().filter(|line| line.starts_with('✓')) {
        assert!(readme.lines().any(|shown| shown == line), "{line}");
    }
}

#[test]
fn the_solution_is_short() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("solution");
    let files = std::fs::read_dir(directory).unwrap();
    let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    let lines: Vec<usize> = texts.map(|text| text.lines().count()).collect();
    assert!(lines.len() == 6 && lines.iter().sum::<usize>() < 400, "{lines:?}");
}

#[test]
fn only_one_file_knows_the_network() {
    for file in ["parse", "scan", "catalog", "activate", "main"] {
        for program in ["solution", "starter"] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(program).join(file).with_extension("rs");
            assert!(!std::fs::read_to_string(&path).unwrap().contains("net::"), "{}", path.display());
        }
    }
}

#[test]
fn an_endpoint_chooses() {
    let whole = |text: &str| {
        let body = reply(text);
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    };
    let choices = [
        ("release-notes", "choice: release-notes (default at", 0, 8),
        ("The skill is `pdf-forms`.", "choice: pdf-forms (", 0, 8),
        ("none", "choice: none (", 1, 6),
        ("commit-message or pdf-forms", "choice: none (", 1, 6),
    ];
    for (answer, expected, code, green) in choices {
        check(SOLUTION, Some(scripted(whole(answer))), code, expected, green);
    }
}

#[test]
fn a_reply_may_come_in_chunks() {
    let body = reply("pdf-forms, für PDF");
    // The first chunk ends within a character.
    let (first, second) = body.as_bytes().split_at(body.find('ü').unwrap() + 1);
    let mut sent = b"HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n".to_vec();
    for chunk in [first, second, b""] {
        write!(sent, "{:x}\r\n", chunk.len()).unwrap();
        sent.extend(chunk);
        sent.extend(b"\r\n");
    }
    check(SOLUTION, Some(scripted(sent)), 0, "answered \"pdf-forms, für PDF\"", 8);
}

#[test]
fn an_endpoint_that_fails_is_said_and_the_word_match_steps_in() {
    let dead = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    };
    let broken = [
        (dead.clone(), format!("not a judgement: {dead} failed: ")),
        (scripted("HTTP/1.1 500 Oops\r\n\r\nno model"), "no model".into()),
        (scripted("HTTP/1.1 200 OK\r\n\r\n{}"), "the reply has no text".into()),
        (scripted("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), "not a judgement".into()),
        (scripted("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), "not a judgement".into()),
        (scripted(""), "not a judgement".into()),
        ("ftp://127.0.0.1".into(), "does not begin with http://".into()),
    ];
    for (endpoint, expected) in broken {
        check(SOLUTION, Some(endpoint), 0, &expected, 8);
    }
}

#[track_caller]
fn check(program: &str, endpoint: Option<String>, code: i32, expected: &str, green: usize) {
    let output = run(program, endpoint);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains(expected), "{expected}:\n{text}");
    assert_eq!((output.status.code(), text.matches('✓').count()), (Some(code), green), "{text}");
    assert_eq!(text.matches('✗').count(), 8 - green);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

fn run(program: &str, endpoint: Option<String>) -> Output {
    let mut command = Command::new(program);
    command.env_remove("LAB_ENDPOINT").env_remove("LAB_MODEL");
    // From anywhere: the fixtures are found all the same.
    command.current_dir(env!("CARGO_TARGET_TMPDIR")).envs(endpoint.map(|url| ("LAB_ENDPOINT", url)));
    command.output().unwrap()
}

fn reply(text: &str) -> String {
    serde_json::json!({"choices": [{"message": {"role": "assistant", "content": text}}]}).to_string()
}

/// An endpoint that answers one request with these bytes, once it has seen that the request holds what it should.
fn scripted(bytes: impl Into<Vec<u8>>) -> String {
    let (listener, bytes) = (TcpListener::bind("127.0.0.1:0").unwrap(), bytes.into());
    let endpoint = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while reader.read_line(&mut head).unwrap() > 2 {}
        assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        let request: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert!(request["messages"][0]["content"].as_str().unwrap().contains("<available_skills>"));
        assert_eq!(request["messages"][1]["role"], "user");
        reader.into_inner().write_all(&bytes).unwrap();
    });
    endpoint
}
