//! What the tests of several modules need.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use prowess::source::Memory;
use prowess::{Library, LoadOptions, Roots};

use crate::Error;
use crate::model::{Delta, Model, OnDelta, Reply, ToolCall, Turn};

/// A library of skills with these names and descriptions, in memory.
pub(crate) fn library(skills: &[(&str, &str)]) -> Library {
    let memory = skills.iter().fold(Memory::new(), |memory, (name, description)| {
        memory
            .with(
                format!("/skills/{name}/SKILL.md"),
                format!("---\nname: {name}\ndescription: {description}\n---\nThe body of {name}.\n"),
            )
            .with(format!("/skills/{name}/references/more.md"), format!("More of {name}.\n"))
    });
    let roots = Roots::new().with("user", "/skills").unwrap();
    Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)))
}

/// A model that answers from a script, and remembers what it was asked.
pub(crate) struct Scripted {
    replies: Mutex<VecDeque<Result<Reply, Error>>>,
    asked: Mutex<Vec<Turn>>,
}

impl Scripted {
    pub(crate) fn new(replies: impl IntoIterator<Item = Result<Reply, Error>>) -> Self {
        Self { replies: Mutex::new(replies.into_iter().collect()), asked: Mutex::default() }
    }

    pub(crate) fn asked(&self) -> Vec<Turn> {
        self.asked.lock().unwrap().clone()
    }
}

impl Model for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn reply(&self, turn: &Turn, on: OnDelta<'_>) -> Result<Reply, Error> {
        self.asked.lock().unwrap().push(turn.clone());
        let reply = self.replies.lock().unwrap().pop_front().expect("a longer script")?;
        if on(Delta::Text(&reply.text)).is_break() {
            return Err(Error::cancelled());
        }
        Ok(reply)
    }
}

/// A reply that calls tools: names and arguments.
pub(crate) fn calls(calls: &[(&str, &str)]) -> Result<Reply, Error> {
    let call = |reply: Reply, (tool, arguments): &(&str, &str)| {
        reply.with_call(ToolCall::new("same", *tool, *arguments))
    };
    Ok(calls.iter().fold(Reply::new(""), call))
}

pub(crate) fn says(text: &str) -> Result<Reply, Error> {
    Ok(Reply::new(text))
}
