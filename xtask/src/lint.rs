//! `cargo xtask lint`: what a reader should never have to point out.

use crate::step::{self, Failure, cargo};

/// Runs clippy, the formatter's check and the documentation's build, each of them strict.
pub(crate) fn run() -> Result<(), Failure> {
    step::run(&mut cargo(&["fmt", "--all", "--check"]))?;
    let clippy = |what: &[&str]| {
        step::run(cargo(&["clippy"]).args(what).args(["--all-targets", "--", "-D", "warnings"]))
    };
    clippy(&["--workspace"])?;
    clippy(&["--manifest-path", "benches/Cargo.toml", "--target-dir", "target/benches"])?;
    step::run(cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
}
