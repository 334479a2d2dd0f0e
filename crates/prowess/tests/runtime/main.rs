//! The library from a load to the text that a model reads, on real trees and in memory.

mod collisions;
mod common;
mod determinism;
mod lookup;
mod states;
mod visibility;
