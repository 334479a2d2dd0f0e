//! `cargo xtask test-model`: every command that asks a model, against a real one.
//!
//! The model is small. Whether it is right is printed and not asserted; what is asserted is the flow: that it answers,
//! that it activates a skill at least once, and that the body is in the request that follows.

mod relay;
mod setup;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

use prowess_testkit::peer::Peer;
use serde_json::Value;

use crate::step::{self, Failure, cargo};

const SKILLS: [&str; 6] =
    ["--project", "lab/fixtures/project", "--home", "lab/fixtures/home", "--enterprise", "lab/fixtures/none"];
/// What `run` is asked, until an activation has been seen, and once more.
const PROMPTS: [&str; 4] = [
    "Write a commit message for this change: the parser no longer drops the last line of a file.",
    "Which fields does the PDF form order.pdf have?",
    "Write the release notes for version 2.0.",
    "Fill in the PDF form visa.pdf with my name.",
];
const TRIGGERS: &str = "crates/prowess-select/tests/data/triggers.yaml";
/// What an activation puts into the next request: a body, or a note in its stead.
const BODY: &str = "<skill_content name=";
const ANSWERS: [&str; 3] = [BODY, "is in this conversation already", "Nothing was delivered"];
/// Enough for a call, and not for an essay.
const MAX_OUTPUT: &str = "128";

/// Runs all of it; says that it is skipped where no model can be had.
pub(crate) fn run(kind: Option<&str>) -> Result<(), Failure> {
    let kinds: Vec<&'static str> =
        setup::KINDS.into_iter().filter(|own| kind.is_none_or(|kind| kind == *own)).collect();
    let started = Instant::now();
    let (kind, server) = match setup::start(&kinds) {
        Ok(started) => started,
        Err(why) => {
            println!("skipped, for there is no model: {why}");
            return Ok(());
        }
    };
    step::run(&mut cargo(&["build", "-p", "prowess-cli", "-p", "prowess-lab"]))?;
    let seconds = || started.elapsed().as_secs();
    println!("{kind} is ready after {} s", seconds());
    let seen = all(&relay::start(&server.address))?;
    let Seen { attempts, errored, activations, .. } = seen;
    println!("\n{attempts} attempts, {errored} errored, {activations} activations; {} s in all", seconds());
    seen.verdict()
}

fn all(relay: &Peer) -> Result<Seen, Failure> {
    let mut seen = Seen::default();
    select(relay, &mut seen)?;
    runs(relay, &mut seen)?;
    for method in ["tool", "schema"] {
        eval(relay, method, &mut seen)?;
    }
    chosen("demo --model", prowess(relay, &["demo"])?, "2. Selection: the model chooses\n")?;
    lab(relay)?;
    Ok(seen)
}

/// What decides whether the flow works.
#[derive(Default)]
struct Seen {
    attempts: usize,
    errored: usize,
    activations: usize,
    lost_bodies: usize,
}

impl Seen {
    fn verdict(&self) -> Result<(), Failure> {
        if self.lost_bodies > 0 {
            return Err(Failure::new(format!(
                "{} activated bodies were not in the next request",
                self.lost_bodies
            )));
        }
        if self.activations == 0 {
            return Err(Failure::new("no run activated a skill"));
        }
        if self.errored * 10 > self.attempts {
            return Err(Failure::new(format!("{} of {} attempts errored", self.errored, self.attempts)));
        }
        Ok(())
    }
}

/// A program that was built, in the workspace's directory.
fn program(name: &str) -> Result<Command, Failure> {
    let mut command = Command::new(step::built(name)?);
    command.current_dir(step::workspace());
    Ok(command)
}

fn prowess(relay: &Peer, arguments: &[&str]) -> Result<Command, Failure> {
    let mut command = program("prowess")?;
    let endpoint = format!("{}/v1", relay.url());
    command.args(arguments).args(SKILLS).args([
        "--endpoint",
        &endpoint,
        "--timeout",
        "300",
        "--temperature",
        "0",
    ]);
    Ok(command)
}

fn output(command: &mut Command) -> Result<Output, Failure> {
    command.output().map_err(|error| Failure::new(format!("it did not start: {error}")))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn select(relay: &Peer, seen: &mut Seen) -> Result<(), Failure> {
    for method in ["tool", "schema", "text"] {
        let ran = output(&mut prowess(
            relay,
            &["select", PROMPTS[0], "--method", method, "--max-output", MAX_OUTPUT],
        )?)?;
        seen.attempts += 1;
        seen.errored += usize::from(!ran.status.success());
        println!(
            "\n$ prowess select '{}' --method {method}\n{}{}",
            PROMPTS[0],
            text(&ran.stderr),
            text(&ran.stdout)
        );
    }
    Ok(())
}

fn runs(relay: &Peer, seen: &mut Seen) -> Result<(), Failure> {
    for prompt in PROMPTS {
        let before = relay.received().len();
        let arguments = ["run", prompt, "--json", "--max-turns", "4", "--max-output", MAX_OUTPUT];
        let ran = output(&mut prowess(relay, &arguments)?)?;
        let shape: Value = serde_json::from_slice(&ran.stdout).unwrap_or_default();
        let received = relay.received();
        let last = received[before..].last().and_then(|request| serde_json::from_str(&request.body).ok());
        let last: Value = last.unwrap_or_default();
        let messages = last["messages"].as_array().map_or(&[] as &[_], Vec::as_slice);
        seen.attempts += 1;
        seen.errored += usize::from(!ran.status.success() && !is_endless(&shape));
        seen.activations += messages.iter().filter(|message| content(message).contains(BODY)).count();
        seen.lost_bodies += lost_bodies(messages);
        println!("\n$ prowess run '{prompt}'");
        transcript(messages);
        println!("{}", text(&ran.stdout).trim());
    }
    Ok(())
}

/// Whether the model went round in circles: so does a small one often, and `eval` does not call that an error either.
fn is_endless(shape: &Value) -> bool {
    let message = shape["error"]["message"].as_str().unwrap_or_default();
    ["times in a row", "came to no end"].iter().any(|sign| message.contains(sign))
}

fn content(message: &Value) -> &str {
    message["content"].as_str().unwrap_or_default()
}

/// The calls of `activate_skill` in a request that are answered by neither a body, nor a note that it is there, nor why
/// there is none.
fn lost_bodies(messages: &[Value]) -> usize {
    let calls = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    let activations = calls.filter(|call| call["function"]["name"] == "activate_skill");
    let is_answered = |call: &&Value| {
        let mut results = messages.iter().filter(|message| message["tool_call_id"] == call["id"]);
        results.any(|result| ANSWERS.iter().any(|sign| content(result).contains(sign)))
    };
    activations.filter(|call| !is_answered(call)).count()
}

/// The last request of a run holds everything that was said before.
fn transcript(messages: &[Value]) {
    for message in messages {
        let role = message["role"].as_str().unwrap_or_default();
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let part = |key: &str| call["function"][key].as_str().unwrap_or_default();
            println!("{role:>10} | {}({})", part("name"), part("arguments"));
        }
        let lines: Vec<&str> = content(message).lines().collect();
        for line in lines.iter().take(6) {
            println!("{role:>10} | {line}");
        }
        if lines.len() > 6 {
            println!("{role:>10} | ... {} more lines", lines.len() - 6);
        }
    }
}

fn eval(relay: &Peer, method: &str, seen: &mut Seen) -> Result<(), Failure> {
    let place = step::workspace().join("target/model");
    let (results, page) =
        (place.join(format!("eval-{method}.jsonl")), place.join(format!("eval-{method}.html")));
    // What an earlier run left behind would be taken for this one's.
    let _ = fs::remove_file(&results);
    let arguments =
        ["eval", TRIGGERS, "--runs", "1", "--jobs", "1", "--method", method, "--max-output", MAX_OUTPUT];
    let mut command = prowess(relay, &arguments)?;
    let ran = output(command.arg("--results").arg(&results).arg("--html").arg(&page))?;
    println!("\n$ prowess eval {TRIGGERS} --method {method}\n{}{}", text(&ran.stderr), text(&ran.stdout));
    let lines = lines(&results)?;
    seen.attempts += lines.len();
    seen.errored += lines.iter().filter(|line| line["errored"].is_string()).count();
    if lines.is_empty() {
        return Err(Failure::new("the evaluation has no results"));
    }
    Ok(())
}

fn lines(path: &Path) -> Result<Vec<Value>, Failure> {
    let text = fs::read_to_string(path);
    let text = text.map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

fn lab(relay: &Peer) -> Result<(), Failure> {
    let mut command = program("solution")?;
    command.env("LAB_ENDPOINT", format!("{}/v1", relay.url()));
    chosen("the lab's solution", command, " answered ")
}

/// Runs a program that lets a model choose. If the model chooses nothing, the program's checks fail, and that is the
/// model's affair.
fn chosen(what: &str, mut command: Command, sign: &str) -> Result<(), Failure> {
    let ran = output(&mut command)?;
    let said = text(&ran.stdout);
    let choice = said.lines().find(|line| line.starts_with("choice:")).unwrap_or_default();
    let checks = said.lines().filter(|line| line.contains('✓')).count();
    println!("\n{what}: {choice}\n{checks} of 8 checks are green");
    if said.contains(sign) && matches!(ran.status.code(), Some(0 | 1)) {
        return Ok(());
    }
    Err(Failure::new(format!("{what} did not ask the model: {}{said}", text(&ran.stderr))))
}
