//! The command line as its users meet it: arguments and a tree in, exit code and output out.

#![expect(clippy::unwrap_used, reason = "a test that can't go on panics")]

mod check;
mod completions;
mod failures;
mod harness;
mod human;
#[cfg(unix)]
mod mcp;
#[cfg(feature = "select")]
mod models;
mod options;
mod session;
mod shapes;
mod trust;
mod why;
