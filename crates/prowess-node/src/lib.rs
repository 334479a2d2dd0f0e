//! The native part of the npm package `prowess`: converts, calls the core, converts back.
//!
//! What touches the disk has a promise and, with the suffix `Sync`, a plain form. `types.d.ts` beside this directory has
//! the shapes of what goes in and out.

mod compaction;
mod convert;
mod job;
mod ledger;
mod library;
mod options;
mod questions;
mod request;

pub use self::ledger::placement;
