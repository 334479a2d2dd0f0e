//! The MCP Inspector's command line.

use std::fs;
use std::path::Path;
use std::thread;

use prowess_testkit::Tree;
use serde_json::Value;

use super::install::Node;
use super::served::{Server, command, tree};
use crate::step::Failure;

/// What is asked, where in the answer a text stands, and what it holds.
const QUESTIONS: [(&[&str], &str, &str); 9] = [
    (&["tools/list", "--strict"], "/result/tools/0/name", "activate_skill"),
    (
        &["tools/call", "--tool-name", "activate_skill", "--tool-arg", "name=forms"],
        "/result/content/0/text",
        "\nFill them in.\n",
    ),
    (&["resources/list"], "/result/resources/0/uri", "skill://forms/SKILL.md"),
    (
        &["resources/read", "--uri", "skill://forms/references/fields.md"],
        "/result/contents/0/text",
        "Fields\n",
    ),
    (&["prompts/list"], "/result/prompts/0/name", "forms"),
    (
        &["prompts/get", "--prompt-name", "forms", "--prompt-args", "arguments=a.pdf"],
        "/result/messages/0/content/text",
        "<skill_arguments>a.pdf</skill_arguments>",
    ),
    (&["resources/directory/read", "--uri", "skill://forms"], "/result/resources/1/name", "references"),
    (&["skills/list", "--verify", "--require-digests"], "/outcome", "verified"),
    (&["skills/get", "--uri", "skill://forms/SKILL.md", "--verify"], "/outcome", "verified"),
];

/// Asks over stdio, as the configuration says that the server prints, in the older revision; and over HTTP in the newer.
pub(super) fn run(program: &Path, node: &Node) -> Result<(), Failure> {
    let tree = tree();
    let printed = command(program, &tree).arg("--print-config").output();
    let config = tree.at("config.json");
    printed
        .and_then(|printed| fs::write(&config, printed.stdout))
        .map_err(|error| Failure::new(format!("no configuration: {error}")))?;
    let server = Server::start(program, &tree)?;
    let stdio = ["--config", &config.to_string_lossy(), "--server", "prowess", "--protocol-era", "legacy"];
    let http = ["--server-url", &server.url, "--transport", "http", "--protocol-era", "modern"];
    thread::scope(|scope| {
        let http = scope.spawn(|| ask_all(node, &tree, &http));
        ask_all(node, &tree, &stdio)
            .and(http.join().unwrap_or_else(|_| Err(Failure::new("the Inspector's thread ended"))))
    })?;
    println!("Inspector: {} answers over stdio and over HTTP, as they should be", QUESTIONS.len());
    Ok(())
}

fn ask_all(node: &Node, tree: &Tree, target: &[&str]) -> Result<(), Failure> {
    for (question, place, expected) in QUESTIONS {
        let mut inspector = node.package("inspector");
        // It keeps files of its own there.
        inspector.env("HOME", tree.at("home"));
        inspector.args(["--cli", "--format", "json", "--quiet"]).args(target).arg("--method").args(question);
        let said = inspector.output().map_err(|error| Failure::new(format!("no Inspector: {error}")))?;
        let answer: Value = serde_json::from_slice(&said.stdout).unwrap_or_default();
        let found = answer.pointer(place).and_then(Value::as_str);
        if !said.status.success() || !found.is_some_and(|found| found.contains(expected)) {
            let said = [said.stdout, said.stderr].concat();
            return Err(Failure::new(format!(
                "the Inspector with {target:?}, asked for {question:?}, has no {expected:?} at {place}: {}",
                String::from_utf8_lossy(&said)
            )));
        }
    }
    Ok(())
}
