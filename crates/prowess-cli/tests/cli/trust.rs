//! `trust`, `untrust`, and the option `--trust` of every command.

use std::fs;

use prowess_testkit::{Node, Tree};
use serde_json::{Value, json};

use crate::harness::{Ran, prowess};

fn tree() -> Tree {
    Tree::of([
        ("project/.git", Node::Directory),
        ("project/.agents/skills/theirs/SKILL.md", skill("theirs")),
        ("project/.agents/skills/theirs/scripts/run.sh", "echo 1".into()),
        ("project/.agents/skills/second/SKILL.md", skill("second")),
        ("home/.agents/skills/mine/SKILL.md", skill("mine")),
    ])
}

fn skill(name: &str) -> Node {
    Node::Text(format!("---\nname: {name}\ndescription: Does {name}. Use when asked.\n---\nDo {name}.\n"))
}

fn run(tree: &Tree, arguments: &[&str]) -> Ran {
    let home = tree.at("home");
    prowess(&tree.at("project"), &[&["--home", home.to_str().unwrap()], arguments].concat())
}

/// The skills in the catalog under these options.
fn listed(tree: &Tree, options: &[&str]) -> Vec<String> {
    let catalog = run(tree, &[&["catalog", "--json"], options].concat()).json();
    let skills = catalog["skills"].as_array().unwrap();
    skills.iter().map(|skill| skill["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_is_not_allowed_is_counted_and_listed_and_in_no_catalog() {
    let tree = tree();
    for (options, expected) in [
        (&[][..], &["user:mine", "project:second", "project:theirs"][..]),
        (&["--trust", "allow"], &["user:mine", "project:second", "project:theirs"]),
        (&["--trust", "ask"], &[]),
        (&["--trust", "deny"], &[]),
        (&["--trust", "ask", "--trust", "user=allow"], &["user:mine"]),
        (&["--trust", "project=deny"], &["user:mine"]),
    ] {
        assert_eq!(listed(&tree, options), expected, "{options:?}");
    }
    let ran = run(&tree, &["catalog", "--trust", "project=ask"]);
    assert!(
        ran.stderr.contains("2 skills are not trusted") && ran.stderr.contains("prowess trust"),
        "{ran:?}"
    );
    let list = run(&tree, &["list", "--json", "--trust", "project=ask"]).json();
    let visible = |skill: &Value| json!([skill["name"], skill["visibility"]]);
    let states: Value = list["skills"].as_array().unwrap().iter().map(visible).collect();
    assert_eq!(states, json!([["mine", "listed"], ["second", "untrusted"], ["theirs", "untrusted"]]));
}

#[test]
fn an_allowed_skill_is_handed_over_until_it_changes() {
    let tree = tree();
    let activate = || run(&tree, &["activate", "theirs", "--trust", "ask", "--json"]);
    let check_refused = || {
        let ran = activate();
        assert_eq!((ran.code, &ran.json()["error"]["code"]), (1, &json!("untrusted")));
    };
    check_refused();
    assert_eq!(run(&tree, &["trust", "theirs", "--json"]).json(), json!({"allowed": ["project:theirs"]}));
    assert_eq!(activate().json()["status"], "new");
    assert_eq!(listed(&tree, &["--trust", "ask"]), ["project:theirs"]);
    fs::write(tree.at("project/.agents/skills/theirs/scripts/run.sh"), "echo 2").unwrap();
    check_refused();
    let file = run(&tree, &["resource", "theirs", "scripts/run.sh", "--trust", "ask", "--json"]);
    assert_eq!(file.json()["error"]["code"], "untrusted");
    assert_eq!(run(&tree, &["trust", "theirs"]).stdout, "allowed project:theirs\n");
    assert_eq!(activate().code, 0);
    assert_eq!(run(&tree, &["untrust", "theirs"]).stdout, "revoked project:theirs\n");
    check_refused();
}

#[test]
fn all_at_once() {
    let tree = tree();
    let all = json!({"allowed": ["user:mine", "project:second", "project:theirs"]});
    assert_eq!(run(&tree, &["trust", "--all", "--json"]).json(), all);
    assert_eq!(run(&tree, &["trust", "--all", "--json"]).json(), json!({"allowed": []}));
    let list = run(&tree, &["trust", "--json"]).json();
    assert!(list["skills"].as_array().unwrap().iter().all(|skill| skill["trusted"] == true));
    assert_eq!(run(&tree, &["untrust", "--all", "--json"]).json(), json!({"revoked": 3}));
    assert!(run(&tree, &["trust"]).stdout.starts_with("untrusted (3)\n"));
}

#[test]
fn what_can_not_be_done_is_said() {
    let tree = tree();
    for (arguments, code, error) in [
        (&["trust", "nobody"][..], 1, "unknown-skill"),
        (&["untrust", "nobody"], 1, "unknown-skill"),
        (&["list", "--trust", "maybe"], 2, "usage"),
        (&["untrust"], 2, "usage"),
    ] {
        let ran = run(&tree, &[arguments, &["--json"]].concat());
        assert_eq!((ran.code, &ran.json()["error"]["code"]), (code, &json!(error)), "{arguments:?}");
    }
    let store = tree.at("home/.config/prowess/trust.json");
    fs::create_dir_all(store.parent().unwrap()).unwrap();
    fs::write(&store, "{\"prowess_trust\": 1, \"allowed\": [").unwrap();
    for arguments in [&["catalog", "--trust", "ask"][..], &["trust", "theirs"], &["untrust", "--all"]] {
        let ran = run(&tree, arguments);
        assert!(ran.code == 2 && ran.stderr.contains("trust.json"), "{ran:?}");
    }
    assert!(fs::read_to_string(&store).unwrap().ends_with('['), "a damaged store is kept");
    assert_eq!(run(&tree, &["catalog"]).code, 0, "who trusts everything needs no store");
}

#[cfg(unix)]
#[test]
fn what_can_not_be_trusted_is_said_and_left_out() {
    let tree = tree().with("project/.agents/skills/theirs/out", Node::Link("/".into()));
    let ran = run(&tree, &["trust", "theirs"]);
    assert!(ran.code == 1 && ran.stderr.contains("theirs/out` is a link"), "{ran:?}");
    let ran = run(&tree, &["trust", "--all"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "allowed user:mine\nallowed project:second\n"));
    assert!(
        ran.stderr.contains("project:theirs is not allowed") && ran.stderr.contains("theirs/out"),
        "{ran:?}"
    );
}

/// `script` gives the program a terminal and types what it is given.
#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_a_person_is_asked() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    let tree = tree();
    let line = format!(
        "{} --enterprise none --project {} --home {} --trust project=ask activate theirs",
        env!("CARGO_BIN_EXE_prowess"),
        tree.at("project").display(),
        tree.at("home").display()
    );
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    let Ok(mut child) = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
        println!("left out: no program `script` here");
        return;
    };
    child.stdin.take().unwrap().write_all(b"yes\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let screen = String::from_utf8_lossy(&output.stdout);
    assert!(screen.contains("Allow it as it is now?") && screen.contains("Do theirs."), "{screen}");
    assert_eq!(listed(&tree, &["--trust", "project=ask"]), ["user:mine", "project:theirs"]);
}
