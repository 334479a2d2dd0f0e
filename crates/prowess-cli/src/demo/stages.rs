//! The three stages, from files to the messages of a conversation.

use std::path::PathBuf;
use std::sync::Arc;

use prowess::source::Memory;
use prowess::tools::ACTIVATE_SKILL;
use prowess::{Catalog, CatalogOptions, Ledger, Library, LoadOptions, Roots};
use prowess_select::{Choice, Request, Selector};
use serde_json::json;

use super::fixtures::{self, HOME, PROJECT};
use crate::failure::Failure;

/// What a run begins with.
pub(super) struct Setup {
    pub(super) files: Vec<(PathBuf, String)>,
    /// Scope and directory, highest first.
    pub(super) roots: [(&'static str, &'static str); 2],
    pub(super) catalog: CatalogOptions,
}

impl Setup {
    pub(super) fn fixtures() -> Self {
        Self {
            files: fixtures::files(),
            roots: [("project", PROJECT), ("user", HOME)],
            catalog: CatalogOptions::new(),
        }
    }
}

/// What came out of a run.
pub(super) struct Run {
    pub(super) files: Vec<(PathBuf, String)>,
    pub(super) library: Library,
    pub(super) catalog: Catalog,
    pub(super) choice: Choice,
    /// The model that chose; none if a stand-in did.
    pub(super) chosen_by: Option<String>,
    pub(super) messages: Vec<Message>,
}

#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) role: Role,
    pub(super) text: String,
    /// The runtime's marker: the text holds a body and must survive compaction.
    pub(super) is_protected: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    System,
    User,
    Assistant,
    Tool,
}

impl Role {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

impl Run {
    pub(super) fn prompt(&self) -> &str {
        self.messages.iter().find(|message| message.role == Role::User).map_or("", |message| &message.text)
    }
}

/// Load, disclose, choose, and activate the choice twice: the second time nothing may be added.
pub(super) fn run(setup: &Setup, selector: &dyn Selector, prompt: &str) -> Result<Run, Failure> {
    let mut roots = Roots::new();
    for (scope, directory) in setup.roots {
        roots = roots.with(scope, directory)?;
    }
    let memory: Memory = setup.files.iter().cloned().collect();
    let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
    let catalog = Catalog::build(&library, &setup.catalog);
    let choice = selector.select(&Request::new(&library, prompt))?;
    let mut messages = vec![plain(Role::System, catalog.text()), plain(Role::User, prompt)];
    if let Some(name) = &choice.skill {
        let mut ledger = Ledger::new();
        for placement in ["call-1", "call-2"] {
            activate(&library, &mut ledger, name, placement, &mut messages);
        }
    }
    Ok(Run {
        files: setup.files.clone(),
        library,
        catalog,
        choice,
        chosen_by: selector.is_judgement().then(|| selector.name().to_owned()),
        messages,
    })
}

/// The model's call of the tool, and its result.
fn activate(
    library: &Library,
    ledger: &mut Ledger,
    name: &str,
    placement: &str,
    messages: &mut Vec<Message>,
) {
    let arguments = json!({"name": name});
    messages.push(plain(Role::Assistant, &format!("{ACTIVATE_SKILL}({arguments})")));
    if let Some(request) = library.request(ACTIVATE_SKILL, &arguments) {
        let delivery = request.deliver(ledger, placement);
        let is_protected = delivery.is_protected();
        messages.push(Message { role: Role::Tool, text: delivery.into_text(), is_protected });
    }
}

fn plain(role: Role, text: &str) -> Message {
    Message { role, text: text.to_owned(), is_protected: false }
}
