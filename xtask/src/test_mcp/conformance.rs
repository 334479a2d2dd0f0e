//! The official conformance tool: every scenario that it has for servers, in both revisions.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::thread;

use super::install::Node;
use super::served::{Server, skill, tree};
use super::sources;
use crate::step::Failure;

const REVISIONS: [&str; 2] = ["2026-07-28", "2025-11-25"];
/// The skills that the tool asks for as prompts.
const PROMPTS: [&str; 2] = ["test_simple_prompt", "test_prompt_with_arguments"];
/// Scenarios of an extension that the server does not have: no call takes long enough to be a task.
const NOT_ASKED: &str = "tasks-";

pub(super) fn run(program: &Path, node: &Node) -> Result<(), Failure> {
    let results = thread::scope(|scope| {
        let suites = REVISIONS.map(|revision| scope.spawn(move || suite(program, node, revision)));
        let extensions = scope.spawn(|| extensions(program, node));
        let all = suites.into_iter().chain([extensions]).map(|thread| thread.join());
        all.map(|result| result.unwrap_or_else(|_| Err(Failure::new("a thread panicked"))))
            .collect::<Vec<_>>()
    });
    for result in results {
        println!("conformance tool: {}", result?);
    }
    Ok(())
}

/// Every scenario of a revision, but for those of extensions.
fn suite(program: &Path, node: &Node, revision: &str) -> Result<String, Failure> {
    let tree = PROMPTS.iter().fold(tree(), |tree, name| {
        tree.with(format!("project/.agents/skills/{name}/SKILL.md"), skill(name, "Is asked for."))
    });
    let server = Server::start(program, &tree)?;
    let said = said(asking(node, &server, revision).args(["--suite", "all"]))?;
    Ok(format!("{revision}: {}", count(&said)))
}

/// How many scenarios passed: at the end the tool lists each with a mark, and then the failures that were expected.
fn count(said: &str) -> String {
    let asked = said.lines().filter(|line| line.starts_with(['✓', '✗'])).count();
    let excused = said.lines().filter_map(|line| line.strip_prefix("  ~ "));
    let (checks, wholly): (Vec<&str>, Vec<&str>) = excused.partition(|name| name.contains(':'));
    let partly: BTreeSet<_> = checks.iter().map(|check| check.split(':').next()).collect();
    format!(
        "{} scenarios pass, {} of them in part; {} need what expected-failures.yaml says",
        asked - wholly.len(),
        partly.len(),
        wholly.len(),
    )
}

/// The scenarios of extensions, which have no revision.
fn extensions(program: &Path, node: &Node) -> Result<String, Failure> {
    let tree = tree();
    let server = Server::start(program, &tree)?;
    let list = said(node.package("conformance").args(["list", "--server"]))?;
    let all = list.lines().filter_map(|line| line.trim().strip_prefix("- ")?.strip_suffix(" [extension]"));
    let (not_asked, asked): (Vec<&str>, Vec<&str>) = all.partition(|name| name.starts_with(NOT_ASKED));
    if asked.is_empty() {
        return Err(Failure::new("the conformance tool lists no scenario of an extension"));
    }
    for scenario in &asked {
        for revision in REVISIONS {
            said(asking(node, &server, revision).args(["--scenario", scenario, "--force"]))?;
        }
    }
    Ok(format!(
        "{} pass, in both revisions; {} of the Tasks extension are not asked",
        asked.join(", "),
        not_asked.len()
    ))
}

fn asking(node: &Node, server: &Server, revision: &str) -> Command {
    let mut tool = node.package("conformance");
    tool.args(["server", "--url", &server.url, "--spec-version", revision, "--expected-failures"]);
    tool.arg(sources().join("expected-failures.yaml"));
    tool
}

/// What a command says, if it ends well.
fn said(command: &mut Command) -> Result<String, Failure> {
    let output = command.output();
    let output =
        output.map_err(|error| Failure::new(format!("the conformance tool did not run: {error}")))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(said) } else { Err(Failure::new(said)) }
}
