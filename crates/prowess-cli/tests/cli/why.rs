//! `why`: each way a skill can be lost, and what is said about it.

use prowess_testkit::{Node, Tree};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, file};

use crate::harness::{Ran, prowess};
use crate::human::placed;

fn text(name: &str, more: &str) -> Node {
    Node::Text(format!("---\nname: {name}\ndescription: Does {name}. Use when asked.\n{more}---\nDo it.\n"))
}

/// A project and a home in which a skill is lost in every way there is.
fn tree() -> Tree {
    let skills = "project/.agents/skills";
    let at = |path: &str| format!("{skills}/{path}/SKILL.md");
    Tree::new()
        .with(at("fine"), text("fine", ""))
        .with(at("twin"), text("twin", ""))
        .with("home/.agents/skills/twin/SKILL.md", text("twin", "license: MIT\n"))
        .with("home/.claude/skills/twin/SKILL.md", text("twin", ""))
        .with(at("broken"), Node::from("---\nname: broken\n---\n"))
        .with(at("by-hand"), text("by-hand", "disable-model-invocation: true\n"))
        .with(at("node_modules/pack/skipped"), text("skipped", ""))
        .with(at("1/2/3/4/5/too-deep"), text("too-deep", ""))
        .with(at("fine/examples/nested"), text("nested", ""))
        .with("project/.agent/skills/lookalike/SKILL.md", text("lookalike", ""))
        .with(format!("{skills}/drafts/README.md"), Node::from("Later.\n"))
        .with("outside/SKILL.md", text("outside", ""))
}

fn ask(tree: &Tree, arguments: &[&str]) -> Ran {
    let home = tree.at("home");
    let fixed = ["why", "--home", home.to_str().unwrap()];
    prowess(&tree.at("project"), &[&fixed[..], arguments].concat())
}

#[track_caller]
fn check(arguments: &[&str], expected: Value) {
    let tree = tree();
    let answer = ask(&tree, &[arguments, &["--json"]].concat()).json();
    let entries = answer["entries"].as_array().unwrap();
    for entry in entries {
        assert!(!entry["reason"].as_str().unwrap().is_empty() && !entry["help"].as_str().unwrap().is_empty());
    }
    let states: Value = entries.iter().map(|entry| json!([entry["state"], entry["code"]])).collect();
    assert_eq!(states, expected, "{arguments:?}");
}

#[test]
fn each_situation() {
    check(&["fine"], json!([["loaded", null]]));
    check(&["twin"], json!([["loaded", null], ["shadowed", "shadowed"], ["duplicate", "duplicate"]]));
    check(&["user:twin"], json!([["shadowed", "shadowed"]]));
    check(&["broken"], json!([["invalid", "missing-description"]]));
    check(&["fine", "--disable", "fine"], json!([["loaded", "hidden"]]));
    check(&["by-hand"], json!([["loaded", "user-only"]]));
    check(&["fine", "--budget", "60"], json!([["loaded", "budget"]]));
    check(&["skipped"], json!([["skipped", null]]));
    check(&["too-deep"], json!([["too-deep", "scan-limit"]]));
    check(&["nested"], json!([["nested", null]]));
    check(&["lookalike"], json!([["lookalike-root", "lookalike-root"]]));
    check(&["drafts"], json!([["no-skill-file", null]]));
    check(&["../outside"], json!([["outside-roots", null]]));
    check(&["../outside/SKILL.md"], json!([["outside-roots", null]]));
    check(&[".agents/skills/fine"], json!([["loaded", null]]));
    check(&["FI NE"], json!([["loaded", null]]));
    check(&["nothing-like-it"], json!([]));
    check(&["../outside/nowhere"], json!([]));
    check(&["/"], json!([]));
    check(&["."], json!([]));
}

/// Every situation as a person reads it, in one file.
#[test]
fn what_a_person_reads() {
    let tree = tree();
    let mut shown = String::new();
    for arguments in [
        &["fine"][..],
        &["twin"],
        &["broken"],
        &["fine", "--disable", "fine"],
        &["by-hand"],
        &["fine", "--budget", "60"],
        &["skipped"],
        &["too-deep"],
        &["nested"],
        &["lookalike"],
        &["drafts"],
        &["../outside"],
        &["fien"],
        &["nothing-like-it"],
        &["."],
    ] {
        let ran = ask(&tree, arguments);
        shown += &format!("$ prowess why {}\n{}{}", arguments.join(" "), ran.stdout, ran.stderr);
        shown += &format!("-> {}\n\n", ran.code);
    }
    assert_data_eq!(placed(&shown, tree.path()), file!["human/why.txt"].raw());
}

#[test]
fn a_name_that_nothing_bears_ends_with_1() {
    let tree = tree();
    let ran = ask(&tree, &["fien"]);
    assert!(ran.code == 1 && ran.stderr.contains("did you mean `fine`?"), "{ran:?}");
    let ran = ask(&tree, &["fien", "--json"]);
    assert_eq!((ran.code, &ran.json()["near"]), (1, &json!(["fine"])));
}

#[test]
fn an_empty_name_is_a_usage_error() {
    let tree = tree();
    for name in ["", " ", "\t\n"] {
        let ran = ask(&tree, &[name, "--json"]);
        assert_eq!((ran.code, &ran.json()["error"]["code"]), (2, &json!("usage")), "{name:?}");
    }
    assert_eq!(ask(&tree, &[]).code, 2);
}

#[test]
fn a_name_of_any_characters_is_answered() {
    let tree = tree();
    for name in ["\u{1b}[31m", "a/../../b", "*", "C:\\x", "~", "\u{202e}evil", &"x".repeat(100_000)] {
        let ran = ask(&tree, &[name]);
        assert!(
            ran.code == 1 && !ran.stderr.contains('\u{1b}') && !ran.stderr.contains('\u{202e}'),
            "{name:.20}"
        );
    }
}

#[test]
fn ten_thousand_candidates_are_all_told() {
    let directory = tree();
    for number in 0..10_000 {
        let place = directory.at(format!("many/{}/s{number}", number / 100));
        std::fs::create_dir_all(&place).unwrap();
        std::fs::write(place.join("SKILL.md"), format!("---\nname: same\ndescription: {number}\n---\n"))
            .unwrap();
    }
    let answer = ask(&directory, &["same", "--json", "--root", "a=../many"]).json();
    assert_eq!(answer["entries"].as_array().unwrap().len(), 10_000);
}
