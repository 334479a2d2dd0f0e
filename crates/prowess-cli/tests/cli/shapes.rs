//! The JSON of each command: the keys are a contract, and the values say what happened.

use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::harness::{prowess, tree};

#[track_caller]
fn keys(value: &Value, expected: &str) {
    let keys: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys.join(" "), expected);
}

#[track_caller]
fn answer(tree: &Tree, arguments: &[&str]) -> Value {
    let ran = prowess(&tree.at("project"), &[arguments, &["--json"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.json()
}

#[test]
fn list() {
    // The home is beside the project, not in it.
    let tree = tree();
    let home = tree.at("home");
    let answer = answer(&tree, &["list", "--home", home.to_str().unwrap()]);
    keys(&answer, "roots skills shadowed invalid duplicates diagnostics scan");
    keys(&answer["roots"][0], "path scope rank exists");
    keys(
        &answer["skills"][0],
        "id name description scope location directory catalog_tokens body_bytes visibility user_invocable",
    );
    keys(&answer["shadowed"][0], "id name location winner");
    keys(&answer["invalid"][0], "location code");
    keys(&answer["diagnostics"][0], "code severity path line column message help related");
    keys(&answer["scan"], "directories skill_files limits_hit elapsed_us");

    let directory = tree.at("project/.agents/skills/commit-message");
    let winner = directory.join("SKILL.md");
    let skill =
        answer["skills"].as_array().unwrap().iter().find(|skill| skill["name"] == "commit-message").unwrap();
    assert_eq!(skill["description"], "Does commit-message. Use when asked.");
    assert_eq!((&skill["directory"], &skill["location"]), (&json!(directory), &json!(winner)));
    assert_eq!((&skill["body_bytes"], &skill["visibility"]), (&json!(19), &json!("listed")));
    assert_eq!(
        answer["shadowed"],
        json!([{
            "id": "user:commit-message", "name": "commit-message", "winner": winner,
            "location": home.join(".agents/skills/commit-message/SKILL.md"),
        }])
    );
    assert_eq!(answer["invalid"][0]["code"], "missing-description");
    let states = ["skills", "shadowed", "duplicates", "invalid"];
    let in_a_state: usize = states.iter().map(|state| answer[state].as_array().unwrap().len()).sum();
    assert_eq!(answer["scan"]["skill_files"], json!(in_a_state));
}

#[test]
fn duplicates_and_limits_of_list() {
    let tree = Tree::new().skill("a/pdf").skill("b/pdf").skill("b/deep/inside");
    let ran = prowess(tree.path(), &["list", "--json", "--root", "a=a", "--root", "b=b", "--max-depth", "1"]);
    let answer = ran.json();
    assert_eq!(
        answer["duplicates"],
        json!([{"location": tree.at("b/pdf/SKILL.md"), "of": tree.at("a/pdf/SKILL.md")}])
    );
    keys(&answer["scan"]["limits_hit"][0], "limit path");
}

#[test]
fn catalog() {
    let tree = tree();
    let whole = answer(&tree, &["catalog"]);
    keys(&whole, "text tokens body_tokens skills omitted");
    keys(&whole["skills"][0], "id tokens share shown");
    assert_eq!(whole["text"], prowess(&tree.at("project"), &["catalog"]).stdout);
    assert_eq!((&whole["omitted"], &whole["skills"][0]["shown"]), (&json!(0), &json!("full")));

    let cut = answer(&tree, &["catalog", "--budget", "100", "--pin", "inside"]);
    assert!(cut["tokens"].as_u64() <= Some(100), "{cut}");
    assert!(cut["text"].as_str().unwrap().contains("<name>inside</name>"), "{cut}");
}

#[test]
fn the_forms_of_a_catalog() {
    let tree = tree();
    let catalog =
        |arguments: &[&str]| prowess(&tree.at("project"), &[&["catalog"], arguments].concat()).stdout;
    assert!(catalog(&[]).contains("<name>commit-message</name>"));
    assert!(catalog(&["--format", "markdown"]).contains("commit-message"));
    assert!(catalog(&["--format", "json"]).contains("\"commit-message\""));
    assert!(catalog(&["--style", "tool"]).contains("activate_skill"));
    let empty = Tree::new();
    assert_eq!(prowess(empty.path(), &["catalog"]).stdout, "");
    for (provider, name) in [
        ("openai", "/0/function/name"),
        ("anthropic", "/0/name"),
        ("gemini", "/0/functionDeclarations/0/name"),
        ("mcp", "/0/name"),
    ] {
        let definitions: Value = serde_json::from_str(&catalog(&["--tools", provider])).unwrap();
        assert_eq!(definitions.pointer(name), Some(&json!("activate_skill")), "{provider}: {definitions}");
    }
}

#[test]
fn cost() {
    let tree = tree();
    let answer = answer(&tree, &["cost", "--turns", "3"]);
    keys(&answer, "tokens frame_tokens body_tokens skills session");
    keys(&answer["skills"][0], "id tokens share body_tokens outsized");
    let tokens = answer["tokens"].as_u64().unwrap();
    let bodies = answer["body_tokens"].as_u64().unwrap();
    assert_eq!(
        answer["session"],
        json!({
            "turns": 3, "catalog_tokens": 3 * tokens, "body_tokens_once": bodies, "body_tokens_every_turn": 3 * bodies,
        })
    );
}

#[test]
fn any_number_of_turns_has_a_cost() {
    let tree = tree();
    for turns in ["0", "1", &usize::MAX.to_string()] {
        let ran = prowess(&tree.at("project"), &["cost", "--turns", turns]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(answer(&tree, &["cost", "--turns", turns])["session"]["turns"].to_string(), turns);
    }
}

#[test]
fn activate() {
    let tree = tree();
    let answer = answer(&tree, &["activate", "commit-message"]);
    keys(&answer, "status id digest directory text tokens metadata resources resources_total");
    keys(&answer["metadata"], "protected skill digest");
    assert_eq!((&answer["status"], &answer["id"]), (&json!("new"), &json!("project:commit-message")));
    assert_eq!(answer["directory"], json!(tree.at("project/.agents/skills/commit-message")));
    assert_eq!(answer["resources"], json!(["assets/logo.bin", "references/areas.md"]));
    assert_eq!((&answer["resources_total"], &answer["metadata"]["protected"]), (&json!(2), &json!(true)));
    assert!(answer["digest"].as_str().unwrap().starts_with("sha256:"));
    assert_eq!(answer["text"], prowess(&tree.at("project"), &["activate", "commit-message"]).stdout);
}

#[test]
fn a_skill_is_asked_for_in_many_ways() {
    let tree = tree();
    let home = tree.at("home");
    let id =
        |query: &str| answer(&tree, &["activate", query, "--home", home.to_str().unwrap()])["id"].clone();
    for query in [
        "commit-message",
        "project:commit-message",
        "Commit Message",
        ".agents/skills/commit-message",
        "./.agents/skills/commit-message/SKILL.md",
    ] {
        assert_eq!(id(query), "project:commit-message", "{query}");
    }
    assert_eq!(id("user:commit-message"), "user:commit-message");
    assert_eq!(id("../home/.agents/skills/commit-message"), "user:commit-message");
    assert_eq!(id("by-hand"), "project:by-hand");
}

#[test]
fn arguments_stand_behind_the_body() {
    let tree = tree();
    let ran = prowess(&tree.at("project"), &["activate", "by-hand", "--", "only", "--json", "<files>"]);
    assert!(ran.stdout.contains("Do by-hand.\n"));
    assert!(ran.stdout.ends_with("<skill_arguments>only --json <files></skill_arguments>\n"), "{ran:?}");
}

#[test]
fn resource() {
    let tree = tree();
    let answer =
        answer(&tree, &["resource", "commit-message", "references/areas", "--offset", "7", "--length", "5"]);
    keys(&answer, "skill path location offset length size text");
    assert_eq!((&answer["path"], &answer["text"]), (&json!("references/areas.md"), &json!("\u{1b}[31m")));
    assert_eq!((&answer["offset"], &answer["length"], &answer["size"]), (&json!(7), &json!(5), &json!(17)));
}

#[test]
fn a_pipe_gets_the_bytes_of_a_resource() {
    use crate::harness::command;
    let tree = tree();
    let output =
        command(&tree.at("project"), &["resource", "commit-message", "assets/logo.bin"]).output().unwrap();
    assert_eq!(output.stdout, [0, 255, 13, 10, 27]);
    let part = ["resource", "commit-message", "assets/logo.bin", "--offset", "1", "--length", "2"];
    assert_eq!(command(&tree.at("project"), &part).output().unwrap().stdout, [255, 13]);
}

#[test]
fn select() {
    let tree = tree();
    let chosen = answer(&tree, &["select", "--offline", "write a commit message"]);
    keys(&chosen, "choice runs model offline");
    assert_eq!((&chosen["choice"], &chosen["offline"]), (&json!("commit-message"), &json!(true)));
    assert_eq!(chosen["runs"], json!([{"name": "commit-message", "count": 1}]));
    assert_eq!(answer(&tree, &["select", "--offline", "zebra"])["choice"], Value::Null);
    let ran = prowess(&tree.at("project"), &["select", "--offline", "zebra"]);
    assert!(ran.stdout.contains("not a judgement"), "{ran:?}");
}

#[test]
fn demo() {
    let answer = answer(&tree(), &["demo"]);
    keys(&answer, "skills choice checks");
    let checks = answer["checks"].as_array().unwrap();
    assert!(checks.iter().all(|check| check["holds"] == true), "{answer}");
    assert_eq!((checks.len(), &answer["choice"]), (8, &json!("commit-message")));
}

#[test]
fn a_check_that_does_not_hold_ends_with_1() {
    let tree = tree();
    let ran = prowess(tree.path(), &["demo", "zebra", "--json"]);
    let red = ran.json()["checks"].as_array().unwrap().iter().filter(|check| check["holds"] == false).count();
    assert_eq!((ran.code, red), (1, 2));
}

#[test]
fn json_holds_nothing_that_a_terminal_acts_on() {
    let description = "description: \"\\e[31m \\x7f \\x9b \\u202e 表格\"";
    let tree =
        Tree::new().with("a/odd/SKILL.md", format!("---\nname: odd\n{description}\n---\n").as_str().into());
    let ran = prowess(tree.path(), &["list", "--json", "--root", "a=a"]);
    assert_eq!(ran.json()["skills"][0]["description"], "\u{1b}[31m \u{7f} \u{9b} \u{202e} 表格");
    let raw = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
    assert!(!ran.stdout.contains(raw) && ran.stdout.contains("表格"), "{}", ran.stdout);
    let words = prowess(tree.path(), &["list", "-v", "--root", "a=a"]);
    assert!(!words.stdout.contains(raw) && !words.stderr.contains(raw), "{words:?}");
}

#[test]
fn check() {
    let tree = tree();
    let check = |more: &[&str]| prowess(&tree.at("project"), &[&["check", "--json"], more].concat());
    let ran = check(&[]);
    let answer = ran.json();
    keys(&answer, "diagnostics files errors warnings");
    keys(&answer["diagnostics"][0], "code severity path line column message help related");
    assert_eq!((ran.code, &answer["errors"]), (1, &json!(1)));
    assert_eq!(check(&["--fail-on", "never"]).code, 0);
    let fine = check(&[".agents/skills/commit-message"]);
    assert_eq!((fine.code, &fine.json()["files"]), (0, &json!(1)), "{fine:?}");
    let missing = check(&["nowhere"]);
    assert_eq!((missing.code, &missing.json()["error"]["code"]), (3, &json!("io")));
}

#[test]
fn why() {
    let tree = tree();
    let home = tree.at("home");
    let answer = answer(&tree, &["why", "commit-message", "--home", home.to_str().unwrap()]);
    keys(&answer, "query entries near");
    keys(&answer["entries"][0], "location id state code reason help");
    let entries = answer["entries"].as_array().unwrap();
    let states: Vec<&Value> = entries.iter().map(|entry| &entry["state"]).collect();
    assert_eq!(states, ["loaded", "shadowed"]);
}
