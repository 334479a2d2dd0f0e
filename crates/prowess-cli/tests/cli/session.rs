//! Sessions in files: activation, compaction, and what becomes of them when something is wrong.

use std::fs;

use prowess_testkit::{Node, Tree};
use serde_json::{Value, json};
use snapbox::{Data, assert_data_eq, file};

use crate::harness::{Ran, command, fixtures, prowess, run};
use crate::human::placed;

const SESSION: &str = "s.json";

/// A project with three skills, in which the commands run.
fn tree() -> Tree {
    ["alpha", "beta", "gamma"].into_iter().fold(Tree::new(), |tree, name| tree.with(skill(name), body(name)))
}

fn skill(name: &str) -> String {
    format!(".agents/skills/{name}/SKILL.md")
}

fn body(name: &str) -> Node {
    let lines = format!("Step of {name}.\n").repeat(40);
    Node::Text(format!("---\nname: {name}\ndescription: Does {name}. Use when asked.\n---\n{lines}"))
}

/// Runs a command line whose words are separated by blanks.
fn ran(tree: &Tree, line: &str) -> Ran {
    prowess(tree.path(), &line.split(' ').collect::<Vec<_>>())
}

#[track_caller]
fn done(tree: &Tree, line: &str) -> Ran {
    let ran = ran(tree, line);
    assert_eq!(ran.code, 0, "{line}: {ran:?}");
    ran
}

fn activate(tree: &Tree, name: &str, placement: &str) -> Value {
    done(tree, &format!("activate {name} --json --session {SESSION} --placement {placement}")).json()
}

/// Each skill of the session: its name, its standing, the state of its text.
fn standings(tree: &Tree) -> Vec<String> {
    let answer = done(tree, &format!("session {SESSION} --json")).json();
    let skills = answer["skills"].as_array().unwrap().iter();
    let mut lines: Vec<String> = skills
        .map(|skill| {
            let word = |key: &str| skill[key].as_str().unwrap_or("-").to_owned();
            let stub = if skill["stub"] == true { " stub" } else { "" };
            format!("{} {} {}{stub}", word("name"), word("standing"), word("state"))
        })
        .collect();
    lines.sort();
    lines
}

/// A call with its answer, in OpenAI's form.
fn answered(placement: &str, text: &str) -> [Value; 2] {
    let function = json!({"name": "activate_skill", "arguments": "{}"});
    [
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": placement, "type": "function", "function": function},
        ]}),
        json!({"role": "tool", "tool_call_id": placement, "content": text}),
    ]
}

fn said(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

/// A conversation of the bodies that were delivered, and of talk behind them.
fn conversation(deliveries: &[(&str, &Value)]) -> Value {
    let mut messages = vec![said("system", "You are an agent."), said("user", "Begin.")];
    for (placement, delivery) in deliveries {
        messages.extend(answered(placement, delivery["text"].as_str().unwrap()));
    }
    for turn in 0..6 {
        messages.push(said("assistant", &format!("Answer {turn}. {}", "word ".repeat(50))));
        messages.push(said("user", &format!("Question {turn}?")));
    }
    messages.into()
}

fn write(tree: &Tree, path: &str, value: &Value) {
    fs::write(tree.at(path), value.to_string()).unwrap();
}

const COMPACT: &str = "compact --messages m.json --session s.json --keep 100 --json --budget";

#[test]
fn a_body_that_is_there_is_not_delivered_twice() {
    let tree = tree();
    assert_eq!(activate(&tree, "alpha", "c1")["status"], "new");
    assert_eq!(activate(&tree, "alpha", "c2")["status"], "already-resident");
    fs::write(tree.at(skill("alpha")), "---\nname: alpha\ndescription: New.\n---\nOther.\n").unwrap();
    let changed = activate(&tree, "alpha", "c3");
    assert_eq!(changed["status"], "changed");
    assert!(changed["text"].as_str().unwrap().contains("Other."));
    assert_eq!(standings(&tree), ["alpha active resident"]);
}

#[test]
fn a_compaction_puts_back_what_fits_and_leaves_a_stub_of_the_rest() {
    let tree = tree();
    let (alpha, beta) = (activate(&tree, "alpha", "c1"), activate(&tree, "beta", "c2"));
    write(&tree, "m.json", &conversation(&[("c1", &alpha), ("c2", &beta)]));
    fs::write(tree.at("sum.txt"), "The user asked six questions.").unwrap();
    let answer = done(&tree, &format!("{COMPACT} 300 --summary sum.txt")).json();
    let keys: Vec<&String> = answer.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["compaction", "conversation"]);
    assert_eq!(standings(&tree), ["alpha active - stub", "beta active resident"]);
    let text = answer["conversation"].to_string();
    assert!(text.contains("The user asked six questions."), "{text}");
    assert_eq!((text.matches("Step of beta.").count(), text.matches("Step of alpha.").count()), (40, 0));
    assert_eq!(activate(&tree, "beta", "c3")["status"], "already-resident");
    assert_eq!(activate(&tree, "alpha", "c4")["status"], "new");
}

#[test]
fn a_budget_of_nothing_leaves_stubs() {
    let tree = tree();
    let alpha = activate(&tree, "alpha", "c1");
    write(&tree, "m.json", &conversation(&[("c1", &alpha)]));
    let answer = done(&tree, &format!("{COMPACT} 0")).json();
    assert!(!answer["conversation"].to_string().contains("Step of alpha."), "{answer}");
    assert_eq!(standings(&tree), ["alpha active - stub"]);
}

#[test]
fn only_what_the_session_knows_is_protected() {
    let tree = tree();
    let alpha = done(&tree, "activate alpha --json").json();
    write(&tree, "m.json", &conversation(&[("c1", &alpha)]));
    let ran = done(&tree, &format!("{COMPACT} 9000"));
    assert!(!ran.stdout.contains("Step of alpha."), "{}", ran.stdout);
    assert!(ran.stderr.contains("there is no session yet"), "{}", ran.stderr);
}

/// After an activation something happens to the skill; then the session is compacted.
#[track_caller]
fn check_compacted(happens: impl FnOnce(&Tree), says: &str, is_put_back: bool) {
    let tree = tree();
    let alpha = activate(&tree, "alpha", "c1");
    write(&tree, "m.json", &conversation(&[("c1", &alpha)]));
    happens(&tree);
    let ran = done(&tree, &format!("{COMPACT} 9000"));
    assert!(ran.stderr.contains(says), "{}", ran.stderr);
    assert_eq!(ran.stdout.contains("Step of alpha."), is_put_back, "{}", ran.stdout);
}

#[test]
fn a_skill_may_change_between_activation_and_compaction() {
    check_compacted(|_| {}, "put back: project:alpha", true);
    check_compacted(|tree| tree.remove(".agents/skills/alpha"), "`project:alpha`: it is gone", false);
    let rename = |tree: &Tree| {
        fs::write(tree.at(skill("alpha")), "---\nname: other\ndescription: D.\n---\nB\n").unwrap();
        fs::rename(tree.at(".agents/skills/alpha"), tree.at(".agents/skills/other")).unwrap();
    };
    check_compacted(rename, "`project:alpha`: it is gone", false);
    let edit = |tree: &Tree| {
        fs::write(tree.at(skill("alpha")), "---\nname: alpha\ndescription: D.\n---\nB\n").unwrap();
    };
    check_compacted(edit, "`project:alpha`: its file has changed since", true);
    let forbid = |tree: &Tree| {
        let text = "---\nname: alpha\ndescription: D.\ndisable-model-invocation: true\n---\nB\n";
        fs::write(tree.at(skill("alpha")), text).unwrap();
    };
    check_compacted(forbid, "`project:alpha`: a model may no longer see it", false);
}

#[cfg(unix)]
#[test]
fn a_skill_that_was_replaced_by_a_link_is_judged_by_what_it_leads_to() {
    let link = |to: &'static str| {
        move |tree: &Tree| {
            tree.remove(skill("alpha"));
            std::os::unix::fs::symlink(to, tree.at(skill("alpha"))).unwrap();
        }
    };
    check_compacted(link("../beta/SKILL.md"), "`project:alpha`: it is gone", false);
    check_compacted(link("nowhere"), "`project:alpha`: it is gone", false);
    check_compacted(link("/dev/null"), "`project:alpha`: it is gone", false);
}

/// A session file with this text is refused by every command that takes one, and stays as it is.
#[track_caller]
fn check_damaged(bytes: &[u8], message: &str) {
    let tree = tree();
    write(&tree, "m.json", &conversation(&[]));
    fs::write(tree.at(SESSION), bytes).unwrap();
    for line in [
        "session s.json --json",
        "activate alpha --session s.json --json",
        "compact --messages m.json --session s.json --budget 9 --json",
        "session s.json --deactivate alpha --json",
    ] {
        let ran = ran(&tree, line);
        let error = &ran.json()["error"];
        assert_eq!((ran.code, &error["code"]), (2, &json!("usage")), "{line}: {ran:?}");
        let told = error["message"].as_str().unwrap();
        assert!(told.contains(message) && told.contains(SESSION), "{line}: {told}");
        assert_eq!(fs::read(tree.at(SESSION)).unwrap(), bytes, "{line}");
    }
}

#[test]
fn a_damaged_session_is_refused_and_kept() {
    let whole = tree();
    activate(&whole, "alpha", "c1");
    let bytes = fs::read(whole.at(SESSION)).unwrap();
    check_damaged(&bytes[..bytes.len() / 2], "the session is no JSON");
    check_damaged(&bytes[..bytes.len() - 1], "the session is no JSON");
    check_damaged(b"", "the session is no JSON");
    check_damaged(b"{\"prowess_session\": 1, \"a\": \"\xff\"}", "the session is no UTF-8");
    check_damaged(b"[]", "not a JSON object");
    check_damaged(b"{}", "`prowess_session` is missing");
    check_damaged(b"{\"prowess_session\": 2}", "of version 2; this program reads up to version 1");
    check_damaged(b"{\"prowess_session\": 1}", "the session is damaged");
}

#[test]
fn a_session_of_another_project_is_not_in_force_and_comes_back() {
    let tree = tree().with("elsewhere/.agents/skills/delta/SKILL.md", body("delta"));
    activate(&tree, "alpha", "c1");
    let ran = done(&tree, "activate delta --session s.json --project elsewhere");
    assert!(ran.stderr.contains("`project:alpha`: it is gone, and no longer in force"), "{ran:?}");
    assert_eq!(standings(&tree), ["alpha active resident", "delta withdrawn resident"]);
}

#[test]
fn processes_at_once_lose_nothing() {
    let names: Vec<String> = (0..8).map(|number| format!("skill-{number}")).collect();
    let tree = names.iter().fold(Tree::new(), |tree, name| tree.with(skill(name), body(name)));
    let children: Vec<_> = names
        .iter()
        .map(|name| {
            let line = ["activate", name, "--session", SESSION, "--quiet"];
            command(tree.path(), &line).stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let expected: Vec<String> = names.iter().map(|name| format!("{name} active resident")).collect();
    assert_eq!(standings(&tree), expected);
    let answer = done(&tree, "session s.json --json").json();
    let receipts = answer["receipts"].as_array().unwrap();
    let placements: std::collections::BTreeSet<&str> =
        receipts.iter().filter_map(|receipt| receipt["placement"].as_str()).collect();
    assert_eq!((receipts.len(), placements.len()), (8, 8), "each has a placement of its own");
}

#[test]
fn a_place_without_a_session_is_an_io_error() {
    let tree = tree();
    write(&tree, "m.json", &conversation(&[]));
    for line in [
        "session s.json",
        "session .agents",
        "activate alpha --session nowhere/s.json",
        "activate alpha --session .agents",
        "compact --messages m.json --session nowhere/s.json --budget 9",
        "compact --messages nowhere.json --session s.json --budget 9",
        "compact --messages m.json --session s.json --budget 9 --summary nowhere.txt",
    ] {
        let ran = ran(&tree, line);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{line}: {ran:?}");
        assert!(ran.stderr.contains("error: "), "{line}: {ran:?}");
    }
    let left: Vec<_> = fs::read_dir(tree.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name == SESSION || name == ".agents.lock"), "{left:?}");
}

#[test]
fn what_fails_leaves_no_session() {
    let tree = tree();
    assert_eq!(ran(&tree, "activate zeta --session s.json").code, 1);
    assert!(!tree.at(SESSION).exists());
    assert_eq!(ran(&tree, "activate alpha --placement c1").code, 2, "a placement needs a session");
}

#[cfg(target_os = "linux")]
#[test]
fn a_text_that_nobody_got_is_not_in_the_session() {
    let tree = tree();
    let alpha = activate(&tree, "alpha", "c1");
    write(&tree, "m.json", &conversation(&[("c1", &alpha)]));
    let before = fs::read(tree.at(SESSION)).unwrap();
    for line in
        ["activate beta --session s.json", "activate beta --session s.json --json", &format!("{COMPACT} 0")]
    {
        let words: Vec<&str> = line.split(' ').collect();
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        assert_eq!(run(command(tree.path(), &words).stdout(full)).code, 3, "{line}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        run(command(tree.path(), &words).stdout(writer));
        assert_eq!(fs::read(tree.at(SESSION)).unwrap(), before, "{line}");
    }
}

#[cfg(unix)]
#[test]
fn a_session_that_is_a_link_stays_one() {
    let tree =
        tree().with("kept/real.json", Node::from("")).with(SESSION, Node::Link("kept/real.json".into()));
    tree.remove("kept/real.json");
    fs::create_dir_all(tree.at("kept")).unwrap();
    done(&tree, "activate alpha --session kept/real.json --quiet");
    activate(&tree, "beta", "c2");
    assert!(tree.at(SESSION).is_symlink());
    assert_eq!(standings(&tree), ["alpha active resident", "beta active resident"]);
}

#[test]
fn finished_and_off() {
    let tree = tree();
    activate(&tree, "alpha", "c1");
    activate(&tree, "beta", "c2");
    let answer = done(&tree, "session s.json --finish alpha --deactivate project:beta --json").json();
    assert!(answer["notes"][0].as_str().unwrap().contains("Skill `beta` is turned off"), "{answer}");
    assert_eq!(standings(&tree), ["alpha finished resident", "beta off off"]);
    let refused = ran(&tree, "activate beta --origin model --session s.json --json");
    assert_eq!((refused.code, &refused.json()["error"]["code"]), (1, &json!("denied")), "{refused:?}");
    let note = activate(&tree, "beta", "c3");
    assert_eq!(note["status"], "already-resident", "the user turns it on again; its text is still there");
    assert_eq!(standings(&tree), ["alpha finished resident", "beta active resident"]);
}

/// A name that the session can't tell is refused, and nothing is written.
#[track_caller]
fn check_unknown(option: &str, code: &str, candidates: &[&str]) {
    let tree = tree();
    activate(&tree, "alpha", "c1");
    let before = fs::read(tree.at(SESSION)).unwrap();
    let ran = ran(&tree, &format!("session s.json --json {option}"));
    let error = &ran.json()["error"];
    assert_eq!((ran.code, &error["code"]), (1, &json!(code)), "{ran:?}");
    assert_eq!(error["candidates"], json!(candidates));
    assert_eq!(fs::read(tree.at(SESSION)).unwrap(), before);
}

#[test]
fn a_skill_that_the_session_does_not_know() {
    check_unknown("--finish gamma", "unknown-skill", &["project:alpha"]);
    check_unknown("--deactivate gamma", "unknown-skill", &["project:alpha"]);
    check_unknown("--finish zeta", "unknown-skill", &["project:alpha"]);
    check_unknown("--finish alpha --finish zeta", "unknown-skill", &["project:alpha"]);
}

#[test]
fn a_skill_that_is_gone_can_be_turned_off_by_its_name() {
    let tree = tree();
    activate(&tree, "alpha", "c1");
    tree.remove(".agents/skills/alpha");
    done(&tree, "session s.json --deactivate alpha");
    assert_eq!(standings(&tree), ["alpha off off"]);
}

/// The roles of the rewritten conversation, or the refusal.
#[track_caller]
fn check_messages(messages: Value, expected: Result<&[&str], &str>) {
    let tree = tree();
    write(&tree, "m.json", &messages);
    let ran = ran(&tree, "compact --messages m.json --session s.json --budget 0 --quiet --json");
    let answer = ran.json();
    match expected {
        Ok(roles) => {
            let messages = answer["conversation"].as_array().unwrap();
            let found: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
            assert_eq!((ran.code, &found[..]), (0, roles), "{answer}");
        }
        Err(part) => {
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(ran.code == 2 && message.contains(part), "{answer}");
            assert!(!tree.at(SESSION).exists());
        }
    }
}

#[test]
fn conversations_that_no_provider_takes() {
    let (question, answer) = (said("user", "Q"), said("assistant", "A"));
    let orphan = json!({"role": "tool", "tool_call_id": "c9", "content": "orphan"});
    let [call, result] = answered("c1", "R");
    check_messages(json!([question, answer]), Ok(&["user", "assistant"]));
    check_messages(json!([question, orphan, answer]), Ok(&["user", "assistant"]));
    check_messages(json!([question, call, question]), Ok(&["user", "user"]));
    check_messages(
        json!([question, call, result, result, answer]),
        Ok(&["user", "assistant", "tool", "assistant"]),
    );
    check_messages(
        json!([question, call, result, call, result]),
        Ok(&["user", "assistant", "tool", "assistant", "tool"]),
    );
    check_messages(json!([question, call]), Err("a tool call that is not answered: `c1`"));
    check_messages(json!([said("alien", "?")]), Err("`alien`"));
    check_messages(json!([]), Ok(&[]));
    check_messages(json!("text"), Err("array of messages"));
    check_messages(json!({"model": "m"}), Err("no array `messages`"));
    check_messages(json!([1]), Err("message 0"));
}

#[test]
fn a_conversation_of_ten_megabytes() {
    let tree = tree();
    let alpha = activate(&tree, "alpha", "c1");
    let mut messages = conversation(&[("c1", &alpha)]);
    let word = "word ".repeat(200);
    let talk = (0..10_000).map(|_| said("user", &word));
    messages.as_array_mut().unwrap().extend(talk);
    write(&tree, "m.json", &messages);
    let answer = done(&tree, &format!("{COMPACT} 9000")).json();
    let left = answer["conversation"].as_array().unwrap();
    assert!(left.len() < 10, "{}", left.len());
    assert_eq!(answer["conversation"].to_string().matches("Step of alpha.").count(), 40);
}

/// What a person reads of a session on the lab's fixtures, after an activation, a compaction and another activation.
#[track_caller]
fn check_human(arguments: &[&str], stdout: Data) {
    let (_tree, place) = fixtures();
    let run = |arguments: &[&str]| {
        let ran = prowess(&place, &[&["--project", "project"], arguments].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        ran
    };
    let first =
        run(&["activate", "commit-message", "--session", SESSION, "--placement", "call-1", "--json"]).json();
    run(&["activate", "pdf-forms", "--session", SESSION, "--placement", "call-2", "-q"]);
    fs::write(place.join("m.json"), conversation(&[("call-1", &first)]).to_string()).unwrap();
    run(&["compact", "--messages", "m.json", "--session", SESSION, "--budget", "600", "--keep", "100", "-q"]);
    run(&["activate", "release-notes", "--session", SESSION, "--placement", "call-3", "-q"]);
    run(&["session", SESSION, "--finish", "release-notes", "-q"]);
    let shown = placed(&run(arguments).stdout, &place);
    assert_data_eq!(without_digest(&shown), stdout.raw());
}

/// Without the digest of a text, which holds the path of the tree.
fn without_digest(shown: &str) -> String {
    let Some((before, digest)) = shown.split_once("text:") else {
        return shown.to_owned();
    };
    let rest = digest.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    format!("{before}text:{}{rest}", "0".repeat(digest.len() - rest.len()))
}

#[test]
fn what_a_person_reads() {
    check_human(&["session", SESSION], file!["human/session.txt"]);
    check_human(&["session", SESSION, "--timeline"], file!["human/timeline.txt"]);
}

#[test]
fn a_session_of_nothing() {
    let tree = tree();
    write(&tree, "m.json", &conversation(&[]));
    done(&tree, &format!("{COMPACT} 0"));
    assert_eq!(done(&tree, "session s.json").stdout, "no skill has been activated in this session\n");
    done(&tree, "session s.json --timeline");
}
