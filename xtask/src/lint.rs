//! `cargo xtask lint`: what a reader should never have to point out.

use crate::step::{self, Failure, cargo};

/// Runs clippy, the formatter's check and the documentation's build, each of them strict.
pub(crate) fn run() -> Result<(), Failure> {
    step::run(&mut cargo(&["fmt", "--all", "--check"]))?;
    step::run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    step::run(cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
}
