//! The official conformance tool: every scenario that it has for servers, in both revisions.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::Duration;

use prowess_testkit::Tree;

use super::install::Node;
use super::served::{Server, skill, tree};
use super::{REVISIONS, sources};
use crate::step::Failure;

/// The skills that the tool asks for as prompts.
const PROMPTS: [&str; 2] = ["test_simple_prompt", "test_prompt_with_arguments"];
/// Between two edits of a skill.
const PAUSE: Duration = Duration::from_millis(300);
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
    let tree = PROMPTS.iter().fold(tree(), |tree, name| tree.with(path(name), skill(name, "Is asked for.")));
    let server = Server::start(program, &tree)?;
    let mut tool = asking(node, &server, revision);
    let (status, said) = while_editing(&tree, tool.args(["--suite", "all"]))
        .map_err(|error| Failure::new(format!("the conformance tool did not run: {error}")))?;
    let summary = said.split_once("=== SUMMARY ===").map_or(said.as_str(), |(_, summary)| summary);
    if !status.success() {
        return Err(Failure::new(format!("conformance in {revision}: {summary}")));
    }
    Ok(format!("{revision}: {}", count(summary)))
}

/// How many scenarios passed: the tool lists each with a mark, and behind it the failures that were expected.
fn count(summary: &str) -> String {
    let asked = summary.lines().filter(|line| line.starts_with(['✓', '✗'])).count();
    let excused = summary.lines().filter_map(|line| line.strip_prefix("  ~ "));
    let (checks, wholly): (Vec<&str>, Vec<&str>) = excused.partition(|name| name.contains(':'));
    let partly: BTreeSet<_> = checks.iter().map(|check| check.split(':').next()).collect();
    format!(
        "{} scenarios pass, {} of them in part; {} need what expected-failures.yaml says",
        asked - wholly.len(),
        partly.len(),
        wholly.len(),
    )
}

/// Runs the tool while a skill is added and edited, for it waits for such changes; gives what it said.
fn while_editing(tree: &Tree, tool: &mut Command) -> io::Result<(ExitStatus, String)> {
    let (edited, said) = (tree.at(path("edited")), tree.at("said"));
    fs::create_dir_all(edited.with_file_name(""))?;
    let mut running = tool.stdout(File::create(&said)?).spawn()?;
    let mut turn = 0;
    loop {
        if let Some(status) = running.try_wait()? {
            return Ok((status, fs::read_to_string(said)?));
        }
        fs::write(&edited, format!("---\nname: edited\ndescription: Is edited, {turn}.\n---\n"))?;
        turn += 1;
        thread::sleep(PAUSE);
    }
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

/// Where the tree has the skill of a name.
fn path(name: &str) -> String {
    format!("project/.agents/skills/{name}/SKILL.md")
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
