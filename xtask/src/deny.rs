//! `cargo xtask deny`: whether the dependencies are what `deny.toml` allows.

use std::process::Command;

use crate::step::{self, Failure};

const VERSION: &str = "0.20.2";

/// The checks that need nothing but the lock file and the crates; `advisories` needs a database from the network.
const OFFLINE: [&str; 3] = ["licenses", "bans", "sources"];

/// Installs cargo-deny below `target`, once, and runs the given checks with it.
pub(crate) fn run(checks: &[&str]) -> Result<(), Failure> {
    let program = step::tool("cargo-deny", VERSION)?;
    let checks = if checks.is_empty() { &OFFLINE } else { checks };
    step::run(Command::new(program).arg("check").args(checks).current_dir(step::workspace()))
}
