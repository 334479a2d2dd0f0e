//! What the tests of conversations share.

#![allow(dead_code, reason = "each test uses a part of it")]

pub(crate) mod model;
pub(crate) mod provider;
pub(crate) mod random;
pub(crate) mod skills;
pub(crate) mod talk;

pub(crate) use provider::{anthropic_fault, openai_fault};
