//! `cargo xtask fuzz`: every fuzz target for a bounded time.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::step::{self, Failure, cargo};

const VERSION: &str = "0.13.2";
const TARGETS: [&str; 8] =
    ["parse", "split", "yaml", "mention", "catalog", "compaction", "session", "mcp_frame"];
/// How long each target runs unless told otherwise.
const SECONDS: u64 = 60;
/// An input that takes longer is a finding.
const SLOWEST: u64 = 10;
/// How much of what a target said last is shown when it fails.
const TAIL: usize = 40;

/// Installs cargo-fuzz below `target`, once, writes the seeds, and runs the given targets, or all of them.
///
/// With a nightly toolchain the address sanitizer watches; without one, or with `--sanitizer none`, it does not.
pub(crate) fn run(arguments: &[&str]) -> Result<(), Failure> {
    let (sanitizer, arguments) = match arguments {
        ["--sanitizer", sanitizer @ ("none" | "address"), rest @ ..] => (*sanitizer, rest),
        rest => (if has_nightly() { "address" } else { "none" }, rest),
    };
    let (seconds, targets) = match arguments.split_first() {
        Some((first, rest)) if first.parse::<u64>().is_ok() => (first.parse().unwrap_or(SECONDS), rest),
        _ => (SECONDS, arguments),
    };
    if let Some(unknown) = targets.iter().find(|target| !TARGETS.contains(target)) {
        return Err(Failure {
            code: 2,
            message: format!("no target `{unknown}`; there are {}", TARGETS.join(", ")),
        });
    }
    let program = step::tool("cargo-fuzz", VERSION)?;
    step::run(&mut cargo(&[
        "run",
        "--manifest-path",
        "fuzz/Cargo.toml",
        "--target-dir",
        "target/fuzz",
        "--example",
        "seeds",
    ]))?;
    let targets = if targets.is_empty() { &TARGETS } else { targets };
    let outcomes: Vec<(&str, Outcome)> = targets
        .iter()
        .map(|target| Ok((*target, fuzz(&program, target, seconds, sanitizer)?)))
        .collect::<Result<_, Failure>>()?;
    println!("{:<12}{:>14}  OUTCOME, sanitizer: {sanitizer}", "TARGET", "EXECUTIONS");
    for (target, outcome) in &outcomes {
        let word = if outcome.is_clean { "no crash, no time-out" } else { "found something" };
        println!("{target:<12}{:>14}  {word}", outcome.executions);
    }
    match outcomes.iter().all(|(_, outcome)| outcome.is_clean) {
        true => Ok(()),
        false => Err(Failure::new("what was found lies in fuzz/artifacts")),
    }
}

struct Outcome {
    executions: u64,
    is_clean: bool,
}

fn has_nightly() -> bool {
    let mut nightly = Command::new("cargo");
    nightly.args(["+nightly", "--version"]).env_remove("RUSTUP_TOOLCHAIN");
    nightly.stdout(Stdio::null()).stderr(Stdio::null());
    nightly.status().is_ok_and(|status| status.success())
}

/// Runs one target. What it says is kept, and shown if it finds something.
fn fuzz(program: &Path, target: &str, seconds: u64, sanitizer: &str) -> Result<Outcome, Failure> {
    let mut command = Command::new(program);
    command
        .args(["fuzz", "run", "--sanitizer", sanitizer, target, "--"])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-timeout={SLOWEST}"))
        .arg("-print_final_stats=1")
        .current_dir(step::workspace())
        // The toolchain by its name, not the one that runs us.
        .env_remove("CARGO")
        .env("RUSTUP_TOOLCHAIN", if sanitizer == "none" { "stable" } else { "nightly" });
    println!("$ cargo fuzz run --sanitizer {sanitizer} {target} -- -max_total_time={seconds}");
    let mut child = command
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| Failure::new(format!("cargo-fuzz did not start: {error}")))?;
    let mut said = Vec::new();
    let stderr = child.stderr.take().into_iter();
    for line in stderr.flat_map(|stderr| BufReader::new(stderr).split(b'\n')).map_while(Result::ok) {
        said.push(String::from_utf8_lossy(&line).into_owned());
    }
    let status = child.wait().map_err(|error| Failure::new(format!("cargo-fuzz was lost: {error}")))?;
    if !status.success() {
        let tail = said.iter().skip(said.len().saturating_sub(TAIL));
        tail.for_each(|line| println!("{line}"));
    }
    let count = |line: &String| line.strip_prefix("stat::number_of_executed_units:")?.trim().parse().ok();
    let executions = said.iter().find_map(count).unwrap_or(0);
    Ok(Outcome { executions, is_clean: status.success() && executions > 0 })
}
