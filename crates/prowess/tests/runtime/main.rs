//! The library from a load to the text that a model reads, on real trees and in memory.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests edit real files, and a failed one panics"
)]

mod activation;
mod catalog;
mod collisions;
mod common;
mod determinism;
mod discovery;
mod ledger;
mod lookup;
mod mentions;

mod resources;
mod states;
mod strangers;
mod swapped;
mod tools;
mod trust;
mod visibility;
