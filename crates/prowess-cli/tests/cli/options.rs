//! The global options.

use serde_json::{Value, json};

use crate::harness::{command, prowess, run, tree};

/// The ids that load, with what is asked of the command line.
#[track_caller]
fn check(arguments: &str, expected: &[&str]) {
    let tree = tree();
    let options: Vec<&str> = arguments.split_whitespace().collect();
    let before = prowess(tree.path(), &[&options[..], &["list", "--json"]].concat());
    let after = prowess(tree.path(), &[&["list", "--json"], &options[..]].concat());
    let ids = |answer: &Value| -> Vec<Value> {
        answer["skills"].as_array().unwrap().iter().map(|skill| skill["id"].clone()).collect()
    };
    let (before, after) = (before.json(), after.json());
    assert_eq!(ids(&before), expected);
    assert_eq!(without_time(before), without_time(after), "options may stand before and after the command");
}

fn without_time(mut answer: Value) -> Value {
    answer["scan"]["elapsed_us"] = Value::Null;
    answer
}

#[test]
fn roots_come_from_places_or_are_given() {
    check("", &["user:commit-message"]);
    check("--home nowhere", &[]);
    check(
        "--project project",
        &["project:by-hand", "project:by-model", "project:commit-message", "project:inside", "project:large"],
    );
    check(
        "--project project --preset claude",
        &["project:by-hand", "project:by-model", "user:commit-message", "project:inside", "project:large"],
    );
    check("--project nowhere", &["user:commit-message"]);
    check("--enterprise a", &["user:commit-message", "enterprise:pdf"]);
    check("--root tools=a", &["tools:pdf"]);
    check("--root one=a --root two=b", &["one:pdf"]);
    check("--root one=a --root +two=b", &["one:pdf", "two:pdf"]);
    check("--root none=nowhere", &[]);
}

#[test]
fn a_limit_that_is_hit_is_said() {
    let tree = tree();
    let limits = |option: &str, limit: &str| {
        let ran = prowess(tree.path(), &["list", "--json", "--project", "project", option, limit]);
        let answer = ran.json();
        assert_eq!(ran.code, 0);
        (answer["scan"]["limits_hit"].as_array().unwrap().len(), answer["skills"].as_array().unwrap().len())
    };
    assert_eq!(limits("--max-depth", "3"), (0, 5));
    assert_eq!(limits("--max-depth", "1").1, 4);
    assert!(limits("--max-depth", "1").0 > 0);
    assert!(limits("--max-directories", "1").0 > 0);
}

#[test]
fn a_disabled_skill_is_hidden_and_takes_no_name() {
    let tree = tree();
    let answer = prowess(
        tree.path(),
        &["list", "--json", "--project", "project", "--disable", "project:commit-*", "--disable", "inside"],
    )
    .json();
    let visibility: Vec<(&Value, &Value)> = answer["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| (&skill["id"], &skill["visibility"]))
        .collect();
    assert!(visibility.contains(&(&json!("user:commit-message"), &json!("listed"))), "{visibility:?}");
    assert!(visibility.contains(&(&json!("project:inside"), &json!("hidden"))), "{visibility:?}");
}

#[test]
fn tokens_are_estimated_or_counted() {
    let tree = tree();
    let text = prowess(tree.path(), &["catalog"]).stdout;
    let tokens = |how| prowess(tree.path(), &["catalog", "--json", "--tokens", how]).json()["tokens"].clone();
    assert!(tokens("o200k").as_u64() > Some(20));
    assert_ne!(tokens("o200k"), tokens("estimate"));
    assert!(tokens("estimate").as_u64().unwrap().abs_diff(text.len() as u64 / 4) < 5);
}

#[test]
fn stderr_says_as_much_as_is_wanted() {
    let tree = tree();
    let said = |option: &[&str]| {
        let ran = prowess(
            &tree.at("project"),
            &[
                &[
                    "list",
                    "--home",
                    "../home",
                    "--root",
                    "x=.agents/skills",
                    "--root",
                    "y=../home/.agents/skills",
                ],
                option,
            ]
            .concat(),
        );
        assert_eq!(ran.code, 0);
        let has = |severity: &str| ran.stderr.contains(severity);
        [has("error["), has("warning["), has("info[")]
    };
    assert_eq!(said(&["-q"]), [true, false, false]);
    assert_eq!(said(&[]), [true, true, false]);
    let ran = prowess(tree.path(), &["catalog", "--quiet"]);
    assert_eq!(ran.stderr, "");
}

#[test]
fn verbose_tells_mere_information() {
    let tree = prowess_testkit::Tree::new().skill("a/pdf").skill("b/pdf");
    let ran = prowess(tree.path(), &["list", "-v", "--root", "a=a", "--root", "b=b"]);
    assert!(ran.stderr.contains("info[duplicate]"), "{ran:?}");
    let ran = prowess(tree.path(), &["list", "--root", "a=a", "--root", "b=b"]);
    assert_eq!(ran.stderr, "");
}

#[test]
fn colour_is_for_terminals_unless_it_is_asked_for() {
    let tree = tree();
    for command in ["list", "cost", "demo"] {
        let has_colour = |color: &[&str]| {
            let ran = prowess(tree.path(), &[&[command], color].concat());
            ran.stdout.contains('\u{1b}')
        };
        assert!(!has_colour(&[]));
        assert!(!has_colour(&["--color", "never"]));
        assert!(has_colour(&["--color", "always"]));
    }
}

#[test]
fn a_place_that_is_not_there_is_said_and_no_failure() {
    let tree = tree();
    let ran = prowess(tree.path(), &["list", "--project", "projcet"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("no directory: projcet"), "{ran:?}");
}

#[test]
fn without_a_home_only_the_project_counts() {
    let tree = tree();
    for home in ["", "relative"] {
        let mut command = command(&tree.at("project"), &["list", "--json"]);
        let ran = run(command.env("HOME", home).stdout(std::process::Stdio::piped()));
        assert_eq!(ran.code, 0);
        let scopes: Vec<Value> =
            ran.json()["roots"].as_array().unwrap().iter().map(|root| root["scope"].clone()).collect();
        if home == "relative" {
            assert_eq!(scopes, ["enterprise", "project", "project"]);
        }
        let relative = |root: &Value| !std::path::Path::new(root["path"].as_str().unwrap()).is_absolute();
        assert!(!ran.json()["roots"].as_array().unwrap().iter().any(relative));
    }
}
