//! What `--print-config` prints, and that it works.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::client::Client;
use crate::tree;

fn run(directory: &std::path::Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prowess-mcp"));
    command.args(arguments).current_dir(directory).output().expect("the program starts")
}

#[test]
fn the_command_of_the_configuration_works_from_anywhere() {
    let tree = tree();
    let options =
        ["--project", "mcp/../project", "mcp", "--home=home", "--root", "+mine=home/.agents/skills"];
    let rest = ["--root", "project=project/.agents/skills", "--disable", "off", "--print-config", "--quiet"];
    std::fs::create_dir(tree.at("mcp")).expect("a directory can be made");
    let printed = run(tree.path(), &[options.as_slice(), &rest].concat());
    let config: Value = serde_json::from_slice(&printed.stdout).expect("it is JSON");
    let server = &config["mcpServers"]["prowess"];
    let at = |path: &str| tree.at(path).to_str().expect("a path in UTF-8").to_owned();
    let expected = [
        "--project".to_owned(),
        at("project"),
        "--home".to_owned(),
        at("home"),
        "--root".to_owned(),
        format!("+mine={}", at("home/.agents/skills")),
        "--root".to_owned(),
        format!("project={}", at("project/.agents/skills")),
        "--disable".to_owned(),
        "off".to_owned(),
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
    let printed = run("/".as_ref(), &["--http", "127.0.0.1:9", "--print-config"]);
    let config: Value = serde_json::from_slice(&printed.stdout).expect("it is JSON");
    let server = json!({"type": "http", "url": "http://127.0.0.1:9/mcp"});
    assert_eq!(config, json!({"mcpServers": {"prowess": server}}));
    assert_eq!(run("/".as_ref(), &["--http", "127.0.0.1:0", "--print-config"]).status.code(), Some(2));
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
