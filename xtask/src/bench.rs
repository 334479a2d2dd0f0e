//! `cargo xtask bench`: how fast Prowess is, and how fast others are.

use crate::step::{self, Failure, cargo};

/// Builds the program and the benches, and runs those that are named, or all.
pub(crate) fn run(parts: &[&str]) -> Result<(), Failure> {
    step::run(&mut cargo(&["build", "--release", "--package", "prowess-cli"]))?;
    let run =
        ["run", "--release", "--manifest-path", "benches/Cargo.toml", "--target-dir", "target/benches", "--"];
    step::run(cargo(&run).arg(step::program("prowess", "release")).args(parts))
}
