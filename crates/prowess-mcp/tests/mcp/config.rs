//! What `--print-config` prints, and that it works.

use std::process::{Command, Output, Stdio};

use prowess_testkit::Node;
use serde_json::{Value, json};

use crate::client::Client;
use crate::tree;

fn run(directory: &std::path::Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prowess-mcp"));
    command.args(arguments).current_dir(directory).stdin(Stdio::null()).output().expect("the program starts")
}

#[test]
fn the_command_of_the_configuration_works_from_anywhere() {
    let tree = tree();
    let options =
        ["--project", "mcp/../project", "mcp", "--home=home", "--root", "+mine=home/.agents/skills"];
    let rest = [
        "--root",
        "project=project/.agents/skills",
        "--disable",
        "off",
        "--disable=-foo",
        "--print-config",
        "--quiet",
    ];
    std::fs::create_dir(tree.at("mcp")).expect("a directory can be made");
    let printed = run(tree.path(), &[options.as_slice(), &rest].concat());
    let config: Value = serde_json::from_slice(&printed.stdout).expect("it is JSON");
    let server = &config["mcpServers"]["prowess"];
    let at = |path: &str| tree.at(path).to_str().expect("a path in UTF-8").to_owned();
    let expected = [
        format!("--project={}", at("project")),
        format!("--home={}", at("home")),
        format!("--root=+mine={}", at("home/.agents/skills")),
        format!("--root=project={}", at("project/.agents/skills")),
        "--disable=off".to_owned(),
        "--disable=-foo".to_owned(),
        "--quiet".to_owned(),
    ];
    let arguments: Vec<String> = serde_json::from_value(server["args"].clone()).expect("arguments are texts");
    let sorted = |mut all: Vec<String>| {
        all.sort();
        all
    };
    assert_eq!(sorted(arguments.clone()), sorted(expected.into()));
    let mut command = Command::new(server["command"].as_str().expect("a program"));
    let mut client = Client::of(command.args(arguments).current_dir("/"));
    client.initialize();
    assert!(client.call("activate_skill", json!({"name": "lint"})).0.contains("\nBody.\n"));
}

#[test]
fn the_configuration_of_a_server_over_http_is_its_url() {
    #[track_caller]
    fn check(arguments: &[&str], expected: Option<&str>) {
        let printed = run("/".as_ref(), &[arguments, &["--print-config"]].concat());
        let config: Option<Value> = serde_json::from_slice(&printed.stdout).ok();
        let server = |url| json!({"mcpServers": {"prowess": {"type": "http", "url": url}}});
        assert_eq!(config, expected.map(server), "{arguments:?}");
        assert_eq!(printed.status.code(), Some(if expected.is_some() { 0 } else { 2 }));
    }
    check(&["--http", "127.0.0.1:9"], Some("http://127.0.0.1:9/mcp"));
    check(&["--http", "[::1]:9"], Some("http://[::1]:9/mcp"));
    check(&["--http", "127.0.0.1:0"], None);
    check(&["--http", "0.0.0.0:9"], None);
    let named = |host, expected| check(&["--http", "0.0.0.0:9", "--allow-host", host], Some(expected));
    named("skills.test", "http://skills.test:9/mcp");
    named("skills.test:80", "http://skills.test:80/mcp");
    named("192.0.2.1", "http://192.0.2.1:9/mcp");
    named("2001:db8::1", "http://[2001:db8::1]:9/mcp");
}

#[test]
fn a_configuration_that_would_not_start_is_not_printed() {
    for wrong in [["--root", "bad"], ["--disable", "["], ["--trust", "maybe"]] {
        let printed = run("/".as_ref(), &[&wrong[..], &["--home", "/none", "--print-config"]].concat());
        assert_eq!((printed.status.code(), printed.stdout.as_slice()), (Some(2), &b""[..]), "{wrong:?}");
    }
}

#[test]
fn what_is_wrong_with_skills_is_said_at_the_start() {
    let many =
        (0..30).map(|number| (format!("project/.agents/skills/no-{number}/SKILL.md"), Node::from("x")));
    let tree = many.fold(tree(), |tree, (path, node)| tree.with(path, node));
    let said = |options: &[&str]| {
        let places = ["--enterprise", "/none", "--project", "project", "--home", "home"];
        let output = run(tree.path(), &[&places, options].concat());
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b""[..]));
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    let text = said(&[]);
    let errors = text.lines().filter(|line| line.contains("error[missing-frontmatter]: ")).count();
    assert_eq!(errors, 20, "{text}");
    assert!(text.contains("skill `project:Upper Case` is not in `skills/list`: "), "{text}");
    let quiet = said(&["--quiet"]);
    assert!(!quiet.contains("Upper Case"), "{quiet}");
    // Ten of those, and the one of the tree.
    assert!(quiet.contains("\nand 11 more: `prowess check`"), "{quiet}");
    assert!(text.contains("more: `prowess check`") && !text.contains("and 11 more"), "{text}");
}

#[test]
fn wrong_options_end_the_program_with_what_is_wrong() {
    let printed = run("/".as_ref(), &["--root", "nonsense"]);
    assert_eq!((printed.status.code(), printed.stdout.as_slice()), (Some(2), &b""[..]));
    assert!(String::from_utf8_lossy(&printed.stderr).contains("--root SCOPE=DIR"));
    let printed = run("/".as_ref(), &["--json", "--root", "nonsense"]);
    let error: Value = serde_json::from_slice(&printed.stdout).expect("it is JSON");
    assert_eq!(error["error"]["code"], "usage");
}
