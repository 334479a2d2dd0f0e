use prowess_testkit::{Node, Tree};
use serde_json::{Value, json};

use crate::client::{CURRENT, Client, LEGACY};
use crate::{skill, tree};

/// The server answers as if the bytes had not come.
#[track_caller]
fn check(bytes: &[u8]) {
    let tree = tree();
    for is_first in [true, false] {
        let mut client = Client::spawn(tree.path(), &[]);
        if is_first {
            client.write(bytes);
        }
        client.initialize();
        if !is_first {
            client.write(bytes);
        }
        assert!(client.call("activate_skill", json!({"name": "forms"})).0.contains("\nBody.\n"));
        assert_eq!(client.close(), Some(0));
    }
}

#[test]
fn garbage_is_passed_over() {
    check(b"\n\n");
    check(b"hello\n");
    check(b"\xff\xfe\x00\n");
    check(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\n");
    check(b"[]\n");
    check(b"{}\n");
    check(b"null\n");
    check(b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/list\"}\n");
    check(b"{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"tools/list\"}\n");
    check("[".repeat(100_000).as_bytes().iter().chain(b"\n").copied().collect::<Vec<u8>>().as_slice());
}

#[test]
fn notifications_and_answers_nobody_asked_for_are_passed_over() {
    check(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":99}}\n");
    check(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nonsense\"}\n");
    check(b"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n");
}

#[test]
fn a_message_of_100_mb_is_passed_over() {
    let mut message = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":""#.to_vec();
    message.resize(100_000_000, b'x');
    message.extend(b"\"}}\n");
    check(&message);
}

#[test]
fn half_a_frame_ends_the_server_without_an_error() {
    let tree = tree();
    let mut client = Client::start(&tree, LEGACY, &[]);
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"me");
    assert_eq!(client.close(), Some(0));
    let client = Client::spawn(tree.path(), &[]);
    assert_eq!(client.close(), Some(0));
}

/// Of each method that is served, parameters that are wrong, and what a message says of them.
pub(crate) fn malformed(revision: &str) -> Vec<(&'static str, Value, &'static str)> {
    let text = "expected a string";
    let mut malformed = vec![
        ("tools/call", json!({}), "missing field `name`"),
        ("tools/call", json!({"name": 5}), text),
        ("tools/call", json!({"name": "list_skills", "arguments": [1]}), "expected a map"),
        ("prompts/get", json!({}), "missing field `name`"),
        ("prompts/get", json!({"name": [], "arguments": {}}), text),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "a"}}),
            "missing field `argument`",
        ),
        ("skills/get", json!({}), "missing field `uri`"),
        ("resources/read", json!({}), "missing field `uri`"),
        ("resources/read", json!({"uri": 5}), text),
        ("resources/directory/read", json!({}), "missing field `uri`"),
    ];
    if revision == CURRENT {
        malformed.push(("subscriptions/listen", json!({}), "missing field `notifications`"));
    } else {
        malformed.push(("resources/subscribe", json!({}), "missing field `uri`"));
        malformed.push(("resources/unsubscribe", json!({"uri": {}}), text));
    }
    malformed
}

#[test]
fn wrong_parameters_are_told_from_unknown_methods() {
    for revision in [LEGACY, CURRENT] {
        let tree = tree();
        let mut client = Client::start(&tree, revision, &[]);
        for (method, params, said) in malformed(revision) {
            let error = client.ask(method, params)["error"].take();
            let is_said =
                error["message"].as_str().is_some_and(|text| text.contains(said) && text.contains(method));
            assert!(error["code"] == -32602 && is_said, "{revision} {method}: {error}");
        }
        let mut unknown = vec!["nonsense/method", "logging/setLevel", "tasks/get"];
        match revision {
            CURRENT => unknown.extend(["initialize", "resources/subscribe", "resources/unsubscribe"]),
            _ => unknown.push("subscriptions/listen"),
        }
        for method in unknown {
            assert_eq!(client.refusal(method, json!({"nonsense": 1})), -32601, "{revision} {method}");
        }
        assert!(!client.call("list_skills", json!({})).1);
    }
}

#[test]
fn ten_thousand_skills_are_served() {
    let many = (0..10_000).map(|number| {
        let name = format!("skill-{number:05}");
        (format!("project/.agents/skills/{name}/SKILL.md"), skill(&name, ""))
    });
    let tree = Tree::of(many).with("project/.git", Node::Directory).with("home", Node::Directory);
    let mut client = Client::start(&tree, LEGACY, &[]);
    let tools = client.result("tools/list", json!({}));
    assert!(tools.to_string().len() < 100_000);
    assert_eq!(tools["tools"][0]["inputSchema"]["properties"]["name"]["enum"], Value::Null);
    assert!(client.call("activate_skill", json!({"name": "skill-09999"})).0.contains("\nBody.\n"));
    let first = client.result("prompts/list", json!({}));
    let second = client.result("prompts/list", json!({"cursor": first["nextCursor"]}));
    let last =
        first["prompts"].as_array().and_then(|prompts| prompts.last()).map(|prompt| prompt["name"].clone());
    assert_eq!(last, Some("skill-00199".into()));
    assert_eq!(second["prompts"][0]["name"], "skill-00200");
    let skills = client.result("skills/list", json!({}));
    let next = client.result("skills/list", json!({"cursor": skills["nextCursor"]}));
    assert_eq!(skills["skills"].as_array().map(Vec::len), Some(200));
    assert_eq!(next["skills"][0]["uri"], "skill://skill-00200/SKILL.md");
}
