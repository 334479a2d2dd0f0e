//! The loop: catalog, the model's call, the body, the resources, the answer.

mod conversation;
mod json;
mod run;

pub use self::conversation::Conversation;
use self::run::Running;
use crate::error::Error;
use crate::model::{Delta, Model, Tool, ToolCall, Usage};
use prowess::activate::{Delivery, Request};
use prowess::catalog::Style;
use prowess::{Catalog, CatalogOptions, Library, Origin};

/// The beginning of the system prompt, unless a host has its own.
pub const SYSTEM: &str = "You are a helpful agent.";

/// The system prompt of an agent without one of its own: a sentence, then the catalog.
#[must_use]
pub fn system_prompt(catalog: &str) -> String {
    join(SYSTEM, catalog)
}

fn join(system: &str, catalog: &str) -> String {
    if catalog.is_empty() { system.to_owned() } else { format!("{system}\n\n{catalog}") }
}

/// Runs prompts with a model and a library.
///
/// 1. Skills that the user mentions as `/name` or `$name` are delivered before the model is asked.
/// 2. The model is asked, with the catalog in the system prompt and the tools. The ledger is reconciled with the
///    conversation before each request.
/// 3. Its calls of skill tools are permitted by the [`Host`], and delivered; other tools are the host's. An unknown
///    tool, a name that is no skill's, and arguments that are no JSON come back to the model as a text that says so.
/// 4. An answer without a call ends the run.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{Library, LoadOptions, Roots, source::Memory};
/// use prowess_select::agent::{Agent, Conversation, Event, Host};
/// use prowess_select::model::{Model, OnDelta, Reply, ToolCall, Turn};
/// use prowess_select::Error;
///
/// /// Activates the skill, then answers.
/// struct Scripted;
/// impl Model for Scripted {
///     fn name(&self) -> &str {
///         "scripted"
///     }
///     fn reply(&self, turn: &Turn, _on: OnDelta<'_>) -> Result<Reply, Error> {
///         Ok(match turn.messages.len() {
///             1 => Reply::new("").with_call(ToolCall::new("call-1", "activate_skill", r#"{"name": "pdf"}"#)),
///             _ => Reply::new("Done."),
///         })
///     }
/// }
///
/// /// Remembers what was activated.
/// #[derive(Default)]
/// struct Listener(Vec<String>);
/// impl Host for Listener {
///     fn event(&mut self, event: Event<'_>) {
///         if let Event::Delivered { delivery, .. } = event {
///             self.0.extend(delivery.activation().map(|activation| activation.skill.id().to_owned()));
///         }
///     }
/// }
///
/// let memory = Memory::new().with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills in forms.\n---\nFill.");
/// let roots = Roots::new().with("user", "/skills")?;
/// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
/// let mut host = Listener::default();
/// let outcome = Agent::new(&Scripted, &library).run(&mut Conversation::new(), "fill in this form", &mut host)?;
/// assert_eq!((outcome.answer.as_str(), outcome.turns), ("Done.", 2));
/// assert_eq!(host.0, ["user:pdf"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Agent<'a> {
    model: &'a dyn Model,
    library: &'a Library,
    catalog: Catalog,
    system: String,
    max_turns: usize,
    until: Until,
}

/// When a run is over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Until {
    /// When the model answers without calling anything.
    #[default]
    Answered,
    /// When a body was delivered, or at the answer: which skill it is is all that is asked.
    Activated,
}

impl std::fmt::Debug for Agent<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent")
            .field("model", &self.model.name())
            .field("max_turns", &self.max_turns)
            .finish_non_exhaustive()
    }
}

impl<'a> Agent<'a> {
    /// An agent with a catalog without a budget, [`SYSTEM`] before it, and 10 turns at most.
    #[must_use]
    pub fn new(model: &'a dyn Model, library: &'a Library) -> Self {
        Self {
            model,
            library,
            catalog: Catalog::build(library, &CatalogOptions::new().style(Style::Tool)),
            system: SYSTEM.to_owned(),
            max_turns: 10,
            until: Until::default(),
        }
    }

    /// A catalog of these options, but always in the tool style.
    #[must_use]
    pub fn catalog_options(mut self, options: &CatalogOptions) -> Self {
        self.catalog = Catalog::build(self.library, &options.clone().style(Style::Tool));
        self
    }

    /// What stands before the catalog.
    #[must_use]
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.system = text.into();
        self
    }

    /// How often the model is asked at most, for one prompt.
    #[must_use]
    pub fn max_turns(mut self, turns: usize) -> Self {
        self.max_turns = turns;
        self
    }

    /// When a run is over.
    #[must_use]
    pub fn until(mut self, until: Until) -> Self {
        self.until = until;
        self
    }

    /// The catalog that the model sees.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The first request of a run, as it would be sent, with the bodies of the skills that the prompt mentions. The
    /// conversation stays as it is.
    #[must_use]
    pub fn first_turn(&self, conversation: &Conversation, prompt: &str) -> crate::model::Turn {
        let mut conversation = conversation.clone();
        let mut host = Silent;
        let mut running = Running::new(self, &mut conversation, &mut host);
        running.begin(prompt);
        running.turn()
    }

    /// Runs a prompt to its end, and leaves what was said in the conversation, also if it fails.
    ///
    /// # Errors
    /// What kept the model from answering; that it answered nothing; that it made the same calls three times in a row;
    /// that it did not come to an end within its turns.
    pub fn run(
        &self,
        conversation: &mut Conversation,
        prompt: &str,
        host: &mut dyn Host,
    ) -> Result<Outcome, Error> {
        let mut running = Running::new(self, conversation, host);
        running.begin(prompt);
        running.run()
    }
}

/// What came of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// The model's last text.
    pub answer: String,
    /// How often the model was asked.
    pub turns: usize,
    /// What that cost, as the endpoint counts.
    pub usage: Usage,
}

/// What happens in a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The model is asked, for the `n`th time in this run.
    Asked(usize),
    /// A part of the answer, or a wait.
    Delta(Delta<'a>),
    /// A reply is complete.
    Replied(Usage),
    /// A request for a skill or one of its files was met or denied.
    Delivered {
        /// What was called, as the model wrote it; none if the user mentioned the skill.
        call: Option<&'a ToolCall>,
        /// Who asked.
        origin: Origin,
        /// What became of it.
        delivery: &'a Delivery,
    },
    /// A tool of the host's was called; none, if there is no such tool.
    Called {
        /// The call.
        call: &'a ToolCall,
        /// Whether the host knows the tool.
        is_known: bool,
    },
}

/// What a host adds to a run: every method has a default.
pub trait Host {
    /// Hears what happens.
    fn event(&mut self, _event: Event<'_>) {}

    /// Permits a request for a skill or a file, or denies it with a reason for the model.
    ///
    /// # Errors
    /// The reason.
    fn permit(&mut self, _request: &Request, _origin: Origin) -> Result<(), String> {
        Ok(())
    }

    /// The host's own tools.
    fn tools(&self) -> Vec<Tool> {
        Vec::new()
    }

    /// Calls one of the host's own tools; `None` if it is not one.
    fn call(&mut self, _call: &ToolCall) -> Option<String> {
        None
    }

    /// Whether the run is to end now. Asked whenever something arrives.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// A host that adds nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Host for Silent {}

#[cfg(test)]
mod tests;
