//! Commands that ask a model, against a server that answers from a script.

use std::fs;
use std::path::Path;
use std::sync::mpsc;

use prowess_testkit::peer::{Peer, Received, Response};
use serde_json::{Value, json};

use crate::harness::{Ran, command, prowess, run, tree};

const SECRET: &str = "sk-very-secret";
const TRIGGERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../prowess-select/tests/data/triggers.yaml");

/// What a model says, as a stream.
fn says(text: &str) -> Response {
    let event = json!({"choices": [{"delta": {"content": text}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 10, "completion_tokens": 2}});
    Response::events(&[&event.to_string(), "[DONE]"])
}

fn calls(tool: &str, arguments: &str) -> Response {
    let call = json!({"index": 0, "id": "call", "function": {"name": tool, "arguments": arguments}});
    let event = json!({"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]});
    Response::events(&[&event.to_string(), "[DONE]"])
}

fn activates(name: &str) -> Response {
    calls("activate_skill", &json!({"name": name}).to_string())
}

/// Activates the skill once, then answers.
fn agent(before: usize, _request: &Received) -> Response {
    if before == 0 { activates("commit-message") } else { says("fix: \u{1b}[31mparser") }
}

fn ask(directory: &Path, peer: &Peer, arguments: &[&str]) -> Ran {
    let endpoint = peer.url();
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--endpoint", &endpoint]).collect();
    prowess(directory, &arguments)
}

#[test]
fn select_prints_the_choice_and_its_distribution() {
    let tree = tree();
    let directory = tree.at("project");
    let peer = Peer::start(|before, _| match before % 3 {
        0 | 1 => activates("commit-message"),
        _ => says("No skill."),
    });
    let one = ask(&directory, &peer, &["select", "commit this"]);
    assert!(one.stdout.starts_with("commit-message  (called activate_skill; http://127.0.0.1:"), "{one:?}");
    let chosen = ask(&directory, &peer, &["select", "commit this", "--runs", "5", "--json"]).json();
    assert_eq!((&chosen["choice"], &chosen["offline"]), (&json!("commit-message"), &json!(false)));
    assert_eq!(chosen["runs"], json!([{"name": "commit-message", "count": 3}, {"name": null, "count": 2}]));
    let body: Value = serde_json::from_str(&peer.received()[0].body).unwrap();
    assert_eq!(body["tools"].as_array().map(Vec::len), Some(1));
    assert_eq!(body["messages"][1], json!({"role": "user", "content": "commit this"}));
}

#[test]
fn a_request_that_is_shown_is_the_one_that_is_sent() {
    let tree = tree();
    let directory = tree.at("project");
    let peer = Peer::start(|_, _| says("none"));
    for arguments in [
        &["select", "commit this"][..],
        &["select", "commit this", "--method", "schema"],
        &["select", "commit this", "--method", "text", "--temperature", "0.5", "--max-output", "9"],
        &["run", "/by-hand now"],
    ] {
        let shown = ask(&directory, &peer, &[arguments, &["--show-request"]].concat());
        let sent = peer.received().len();
        ask(&directory, &peer, arguments);
        let received = peer.received();
        let (head, body) = shown.stdout.split_once("\n\n").unwrap();
        assert_eq!(body, format!("{}\n", received[sent].body));
        assert!(head.starts_with(&format!("POST {}{}\n", peer.url(), received[sent].path)), "{head}");
    }
}

#[test]
fn run_shows_each_activation_and_puts_the_body_into_the_next_request() {
    let tree = tree();
    let peer = Peer::start(agent);
    let ran = ask(&tree.at("project"), &peer, &["run", "commit this"]);
    // A pipe gets what the model said; a terminal would get it escaped.
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "fix: \u{1b}[31mparser\n"));
    assert!(ran.stderr.contains("activated project:commit-message  by the model: new"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("2 turns of") && ran.stderr.contains("once (project:commit-message)"),
        "{}",
        ran.stderr
    );
    let bodies: Vec<bool> =
        peer.received().iter().map(|request| request.body.contains("Do commit-message.")).collect();
    assert_eq!(bodies, [false, true]);

    let peer = Peer::start(agent);
    let shape = ask(&tree.at("project"), &peer, &["run", "commit this", "--json"]).json();
    assert_eq!((&shape["answer"], &shape["turns"]), (&json!("fix: \u{1b}[31mparser"), &json!(2)));
    assert_eq!(shape["activations"][0]["id"], "project:commit-message");
    assert_eq!(shape["usage"], json!({"input": 10, "output": 2}));
}

#[test]
fn a_session_goes_on_where_the_last_run_ended() {
    let tree = tree();
    let directory = tree.at("project");
    let peer = Peer::start(|before, _| match before {
        0 | 2 => activates("commit-message"),
        3 => says("x").cut(150),
        _ => says("Done."),
    });
    let run = |prompt: &str| ask(&directory, &peer, &["run", prompt, "--session", "s.json"]);
    assert_eq!(run("commit this").code, 0);
    let saved = fs::read(tree.at("project/s.json")).unwrap();
    let failed = run("and that");
    assert_eq!(failed.code, 3, "{failed:?}");
    assert!(
        fs::read(tree.at("project/s.json")).unwrap() == saved,
        "a run that fails leaves the session as it was"
    );
    assert!(failed.stderr.contains("already-resident"), "{}", failed.stderr);

    assert_eq!(run("and that").code, 0);
    let body = peer.received().last().unwrap().body.clone();
    assert!(body.contains("commit this") && body.contains("and that"), "{body}");
    assert_eq!(body.matches("Do commit-message.").count(), 1);
    let shown = prowess(&directory, &["session", "s.json", "--json"]).json();
    assert_eq!(
        (&shown["skills"][0]["id"], &shown["skills"][0]["state"]),
        (&json!("project:commit-message"), &json!("resident"))
    );
    prowess(&directory, &["activate", "by-hand", "--session", "s.json"]);
    run("thanks");
    assert!(peer.received().last().unwrap().body.contains("and that"));
}

#[test]
fn a_mention_activates_what_a_model_may_not() {
    let tree = tree();
    let peer = Peer::start(|_, _| says("Done."));
    let ran = ask(&tree.at("project"), &peer, &["run", "/by-hand now"]);
    assert!(ran.stderr.contains("activated project:by-hand  by the user: new"), "{}", ran.stderr);
    assert!(peer.received()[0].body.contains("Do by-hand."));
}

#[track_caller]
fn fails(response: Response, arguments: &[&str], expected: (i32, &str, &str)) {
    let tree = tree();
    let peer = Peer::start(move |_, _| response.clone());
    let ran = ask(&tree.at("project"), &peer, &[arguments, &["--json"]].concat());
    let error = &ran.json()["error"];
    let message = error["message"].as_str().unwrap();
    assert_eq!((ran.code, error["code"].as_str().unwrap()), (expected.0, expected.1), "{ran:?}");
    assert!(message.contains(expected.2), "{message}");
}

#[test]
fn what_a_model_does_wrong_ends_with_a_message_and_its_exit_code() {
    let run = &["run", "commit this"][..];
    fails(says(""), run, (3, "model", "empty"));
    fails(activates("commit-message"), run, (3, "model", "3 times in a row"));
    fails(calls("activate_skill", "{"), run, (3, "model", "3 times in a row"));
    fails(
        activates("commit-message"),
        &["run", "commit this", "--max-turns", "2"],
        (3, "model", "no end within 2 turns"),
    );
    fails(Response::json(401, "{}"), run, (3, "model", "none is set"));
    fails(Response::json(413, "{}"), run, (3, "model", "budget"));
    fails(says("x").cut(150), run, (3, "network", "broke off"));
    let select = &["select", "commit this"][..];
    fails(activates("no-such-skill"), select, (3, "model", "no skill is named `no-such-skill`"));
    fails(calls("activate_skill", "{"), select, (3, "model", "JSON"));
    fails(Response::json(200, "[]"), select, (3, "model", "the answer is none"));
}

#[test]
fn what_is_not_set_is_said() {
    let tree = tree();
    let check = |arguments: &[&str], expected: &str| {
        let mut command = command(&tree.at("project"), arguments);
        for variable in ["OPENAI_API_KEY", "OPENAI_BASE_URL", "GEMINI_API_KEY", "GOOGLE_API_KEY"] {
            command.env_remove(variable);
        }
        let ran = run(command.stdout(std::process::Stdio::piped()));
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    };
    check(&["select", "x"], "`--model PROVIDER/NAME`");
    check(&["run", "x", "--model", "openai/gpt"], "set OPENAI_API_KEY");
    check(&["run", "x", "--model", "gemini/pro"], "set GEMINI_API_KEY or GOOGLE_API_KEY");
    check(&["run", "x", "--model", "gpt"], "names no provider");
    check(&["run", "x", "--model", "nobody/gpt"], "names no provider");
    check(&["run", "x", "--endpoint", "localhost:80"], "is no address");
    check(
        &["run", "x", "--model", "openai/gpt", "--key-env", "NO_SUCH_VARIABLE"],
        "`NO_SUCH_VARIABLE` holds no key",
    );
    check(&["eval", TRIGGERS], "`--model PROVIDER/NAME`");
}

#[test]
fn a_key_goes_to_its_provider_and_nowhere_else() {
    let tree = tree();
    // An endpoint that repeats the key in its error.
    let peer = Peer::start(|_, request| {
        let message = format!("wrong key in {:?}", request.headers);
        Response::json(401, &json!({"error": {"message": message}}).to_string())
    });
    let check = |variable: &str, base: &str, arguments: &[&str], header: Option<(&str, &str)>| {
        let before = peer.received().len();
        let mut command = command(&tree.at("project"), arguments);
        command.env(variable, SECRET).env(base, peer.url());
        let ran = run(command.stdout(std::process::Stdio::piped()));
        assert!(!format!("{ran:?}").contains(SECRET), "{ran:?}");
        let received = &peer.received()[before];
        match header {
            Some((name, value)) => assert_eq!(received.header(name), Some(value)),
            None => assert!(!format!("{received:?}").contains(SECRET)),
        }
    };
    let bearer = format!("Bearer {SECRET}");
    let url = peer.url();
    check(
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        &["run", "x", "--model", "openai/m"],
        Some(("authorization", &bearer)),
    );
    check(
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        &["run", "x", "--model", "anthropic/m"],
        Some(("x-api-key", SECRET)),
    );
    check(
        "GOOGLE_API_KEY",
        "GEMINI_BASE_URL",
        &["run", "x", "--model", "gemini/m"],
        Some(("x-goog-api-key", SECRET)),
    );
    let elsewhere = ["run", "x", "--model", "openai/m", "--endpoint", &url];
    check("OPENAI_API_KEY", "NOTHING", &elsewhere, None);
    let with_key = [&elsewhere[..], &["--key-env", "MINE"]].concat();
    check("MINE", "NOTHING", &with_key, Some(("authorization", &bearer)));
}

/// Chooses by words, in the way an endpoint without tools would be asked.
fn by_words(_before: usize, request: &Received) -> Response {
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let prompt = body["messages"][1]["content"].as_str().unwrap().to_lowercase();
    let words = [
        ("commit", "commit-message"),
        ("pdf", "pdf-forms"),
        ("table", "table-cleanup"),
        ("api", "api-reference"),
    ];
    let name = words.iter().find(|(word, _)| prompt.contains(word)).map_or("none", |(_, name)| name);
    says(&json!({"skill": name}).to_string())
}

#[test]
fn eval_killed_and_resumed_prints_the_same() {
    let tree = tree();
    let directory = tree.at("project");
    let arguments = ["eval", TRIGGERS, "--method", "schema", "--runs", "2", "--json", "--model", "openai/m"];
    let measured = |peer: &Peer, more: &[&str]| {
        let mut report = ask(&directory, peer, &[&arguments[..], more].concat()).json();
        report.as_object_mut().unwrap().remove("elapsed_ms");
        report
    };
    let whole = measured(&Peer::start(by_words), &[]);
    assert_eq!((&whole["counted"], &whole["errored"]["count"]), (&json!(80), &json!(0)));

    let results = tree.at("results.jsonl");
    let results = ["--results", results.to_str().unwrap()];
    let (sender, receiver) = mpsc::channel();
    let endpoint = Peer::start(move |before, request| {
        let _ = sender.send(());
        by_words(before, request)
    });
    let url = endpoint.url();
    let mut child =
        command(&directory, &[&arguments[..], &results, &["--endpoint", &url, "--jobs", "1"]].concat())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
    receiver.iter().take(12).for_each(drop);
    child.kill().unwrap();
    child.wait().unwrap();
    let made = fs::read_to_string(results[1]).unwrap().lines().count();
    assert!((1..80).contains(&made), "{made}");

    let endpoint = Peer::start(by_words);
    assert_eq!(measured(&endpoint, &results), whole);
    assert!(endpoint.received().len() < 80, "{}", endpoint.received().len());
    // Everything is there: nothing is asked any more.
    let silent = Peer::start(|_, _| Response::json(500, "{}"));
    assert_eq!(measured(&silent, &results), whole);
    assert!(silent.received().is_empty());
}

#[test]
fn eval_says_what_it_will_cost_and_writes_its_page() {
    let tree = tree();
    let directory = tree.at("project");
    let peer = Peer::start(by_words);
    let plan = ask(&directory, &peer, &["eval", TRIGGERS, "--dry-run", "--tag", "plain", "--json"]).json();
    assert_eq!((&plan["attempts"], &plan["most_requests"]), (&json!(48), &json!(192)));
    assert!(peer.received().is_empty());

    let page = tree.at("page.html");
    let ran = ask(
        &directory,
        &peer,
        &[
            "eval",
            TRIGGERS,
            "--method",
            "schema",
            "--runs",
            "1",
            "--split",
            "held-out",
            "--html",
            page.to_str().unwrap(),
        ],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout.contains("PROMPT THAT FAILS") && ran.stdout.contains("attempts counted, 0 errored"),
        "{}",
        ran.stdout
    );
    assert!(fs::read_to_string(page).unwrap().contains("<circle"));
    let missing = ask(&directory, &peer, &["eval", "nowhere.yaml"]);
    assert_eq!(missing.code, 3);
    let empty = ask(&directory, &peer, &["eval", TRIGGERS, "--tag", "nobody"]);
    assert_eq!(empty.code, 2);
}

#[test]
fn eval_of_a_dead_endpoint_fails() {
    let tree = tree();
    let peer = Peer::start(|_, _| Response::json(404, r#"{"error": {"message": "no such model"}}"#));
    let ran = ask(&tree.at("project"), &peer, &["eval", TRIGGERS, "--json"]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (3, &json!("model")));
}

#[test]
fn demo_lets_a_model_choose() {
    let tree = tree();
    let peer = Peer::start(|_, _| activates("pdf-forms"));
    let ran = ask(&tree.at("project"), &peer, &["demo", "fill this in"]);
    assert!(
        ran.stdout.contains("choice: pdf-forms  (called activate_skill; http://127.0.0.1:"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, 0);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_what_waits_for_a_silent_endpoint() {
    let tree = tree();
    let (sender, receiver) = mpsc::channel();
    let peer = Peer::start(move |_, _| {
        let _ = sender.send(());
        loop {
            std::thread::park();
        }
    });
    let arguments = ["run", "commit this", "--endpoint", &peer.url()];
    let child = command(&tree.at("project"), &arguments)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    receiver.recv().unwrap();
    let mut kill = std::process::Command::new("kill");
    assert!(kill.args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130));
    assert!(String::from_utf8(ended.stderr).unwrap().ends_with("interrupted\n"));
}
