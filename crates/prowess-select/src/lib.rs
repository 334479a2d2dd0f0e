//! Selection of a skill for a prompt, by a model; the agent loop around it; and the measurement of descriptions.
//!
//! The model chooses; the runtime never does. Three things are built on the one trait [`Model`]:
//!
//! 1. [`ByModel`] asks a model which skill fits a prompt, and nothing else. It is a [`Selector`], as is the
//!    [`WordMatch`], which lets the flow run without a network and is no judgement.
//! 2. [`Agent`] runs a prompt to its end: catalog, activation, resources, answer.
//! 3. [`eval`] measures whether descriptions trigger, over many prompts and several runs of each.
//!
//! A host that has a model already implements [`Model`] for it. With the feature `providers` (on by default) there is
//! `Provider`: Anthropic, OpenAI and whatever speaks its form, Gemini. It is the only part of Prowess that opens a
//! socket.
//!
//! # What it does not do
//!
//! It reads no environment variable and prints nothing: keys, endpoints and proxies are arguments. It runs no script and
//! no command of a skill. It keeps no conversation on disk.

#![forbid(unsafe_code)]

pub mod agent;
mod by_model;
pub mod error;
pub mod eval;
pub mod model;
#[cfg(feature = "providers")]
pub mod provider;
pub mod selection;
mod word_match;

pub use agent::Agent;
pub use by_model::{ByModel, Method};
pub use error::{Error, ErrorKind};
pub use model::Model;
#[cfg(feature = "providers")]
pub use provider::Provider;
pub use selection::{Choice, Request, Selector};
pub use word_match::WordMatch;

#[cfg(test)]
mod testing;
