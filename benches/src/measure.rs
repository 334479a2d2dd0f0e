//! Processor time and system calls, of this process and of others.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

/// What a run took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    /// User and system time, in milliseconds.
    pub(crate) cpu: f64,
    /// In milliseconds.
    pub(crate) wall: f64,
}

fn cpu(who: UsageWho) -> f64 {
    let usage = getrusage(who).expect("the system counts processor time");
    [usage.user_time(), usage.system_time()]
        .iter()
        .map(|time| time.tv_sec() as f64 * 1e3 + time.tv_usec() as f64 / 1e3)
        .sum()
}

/// Runs it in this process.
pub(crate) fn run<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let (start, before) = (Instant::now(), cpu(UsageWho::RUSAGE_SELF));
    let answer = work();
    let cpu = cpu(UsageWho::RUSAGE_SELF) - before;
    (answer, Cost { cpu, wall: millis(start.elapsed()) })
}

/// Runs a program to its end: its standard output, and what it and all that it started took.
pub(crate) fn run_program(command: &mut Command) -> io::Result<(String, Cost)> {
    let (start, before) = (Instant::now(), cpu(UsageWho::RUSAGE_CHILDREN));
    let output = command.stdin(Stdio::null()).output()?;
    let cpu = cpu(UsageWho::RUSAGE_CHILDREN) - before;
    let cost = Cost { cpu, wall: millis(start.elapsed()) };
    match output.status.success() {
        true => Ok((String::from_utf8_lossy(&output.stdout).into_owned(), cost)),
        false => {
            let said = String::from_utf8_lossy(&output.stderr);
            let first = said.lines().find(|line| line.contains("rror")).unwrap_or_default();
            Err(io::Error::other(format!("{}: {first}", output.status)))
        }
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// How many milliseconds of processor time one run takes, over as many runs as can be told from nothing.
pub(crate) fn one_of_many(mut work: impl FnMut()) -> f64 {
    let mut runs = 1;
    loop {
        let ((), cost) = run(|| (0..runs).for_each(|_| work()));
        if cost.cpu >= 50.0 {
            return cost.cpu / f64::from(runs);
        }
        runs *= 2;
    }
}

/// The median.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// How many system calls a program makes; `None` without `strace`.
pub(crate) fn system_calls(program: &Path, arguments: &[&str]) -> Option<i64> {
    let output =
        Command::new("strace").args(["-c", "-f", "--"]).arg(program).args(arguments).output().ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let total = said.lines().find(|line| line.ends_with(" total"))?;
    // % time, seconds, microseconds a call, calls, sometimes errors
    total.split_whitespace().nth(3)?.parse().ok()
}
