//! `run`: a prompt to its end, and what happens on the way.

use std::collections::BTreeSet;

use prowess::activate::{Delivery, Status};
use prowess::text::grouped;
use prowess::{Catalog, Ledger, Origin};
use prowess_select::agent::{Agent, Conversation, Event, Host, Outcome};
use prowess_select::model::{Delta, ToolCall, Usage};
use serde_json::{Value, json};

use super::args::RunArgs;
use super::interrupt::Interrupt;
use super::{Opened, Purpose, open, retry_note, show_request};
use crate::commands::tell_problems;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{CYAN, DIM, Output, YELLOW, safe};
use crate::session::{SessionFile, tell};

pub(crate) fn run(context: &Context, args: &RunArgs, output: &mut Output) -> Result<(), Failure> {
    let Opened { provider, label } = open(&args.model, Purpose::unless(args.show_request))?;
    let options = context.budgeted(args.budget);
    let mut agent =
        Agent::new(&provider, &context.library).catalog_options(&options).max_turns(args.max_turns as usize);
    if let Some(system) = &args.system {
        agent = agent.system(system);
    }
    let mut file = args.session.as_deref().map(SessionFile::lock).transpose()?;
    let mut conversation = match &file {
        Some(file) => resume(context, file, output)?,
        None => Conversation::new(),
    };
    if args.show_request {
        return show_request(&provider, &agent.first_turn(&conversation, &args.prompt), output);
    }
    tell_problems(context, output);
    let mut terminal = Terminal::new(context, output);
    let outcome = agent.run(&mut conversation, &args.prompt, &mut terminal);
    let is_done = outcome.is_ok();
    terminal.finish(agent.catalog(), outcome, &label)?;
    match &mut file {
        Some(file) if is_done => {
            file.set_conversation(conversation.to_json());
            file.save_after(&conversation.ledger, output, |_| Ok(()))
        }
        _ => Ok(()),
    }
}

/// Takes up the conversation of a session: its messages, and a ledger that goes by them alone.
fn resume(context: &Context, file: &SessionFile, output: &mut Output) -> Result<Conversation, Failure> {
    let snapshot = file.read()?;
    let mut conversation = match file.conversation() {
        Some(saved) => Conversation::from_json(saved, Ledger::new())?,
        None => Conversation::new(),
    };
    let (ledger, report) = Ledger::restore(snapshot, &context.library, conversation.placements());
    tell(&report, output);
    conversation.ledger = ledger;
    Ok(conversation)
}

/// Shows a run while it happens: the answer on stdout, everything else on stderr.
struct Terminal<'a> {
    context: &'a Context,
    output: &'a mut Output,
    interrupt: Interrupt,
    /// Whether stdout stands within a line.
    is_mid_line: bool,
    broken_pipe: Option<Failure>,
    turns: usize,
    usage: Usage,
    activations: Vec<Value>,
    resources: usize,
    body_tokens: usize,
    bodies: BTreeSet<String>,
}

impl<'a> Terminal<'a> {
    fn new(context: &'a Context, output: &'a mut Output) -> Self {
        Self {
            context,
            output,
            interrupt: Interrupt::listen(),
            is_mid_line: false,
            broken_pipe: None,
            turns: 0,
            usage: Usage::default(),
            activations: Vec::new(),
            resources: 0,
            body_tokens: 0,
            bodies: BTreeSet::new(),
        }
    }

    fn text(&mut self, text: &str) {
        if self.output.is_json() || text.is_empty() {
            return;
        }
        if let Err(error) = self.output.exact(text.as_bytes()) {
            self.broken_pipe.get_or_insert(error.into());
        }
        self.is_mid_line = !text.ends_with('\n');
    }

    fn note(&mut self, note: &str) {
        if self.is_mid_line {
            self.text("\n");
        }
        self.output.note(note);
    }

    fn delivered(&mut self, call: Option<&ToolCall>, origin: Origin, delivery: &Delivery) {
        let status = delivery.status();
        let tokens = self.context.tokenizer.count(delivery.text());
        if status == Status::Resource {
            self.resources += 1;
            let what = call.map_or(String::new(), |call| short(&call.arguments));
            return self.note(&format!("{CYAN}read{CYAN:#} {what}  {DIM}{} tokens{DIM:#}", grouped(tokens)));
        }
        let Some(activation) = delivery.activation() else {
            let why = delivery.error().map_or_else(String::new, ToString::to_string);
            return self.note(&format!("{YELLOW}denied{YELLOW:#} {}", safe(&why)));
        };
        let id = activation.skill.id();
        if delivery.is_protected() {
            self.body_tokens += tokens;
            self.bodies.insert(id.to_owned());
        }
        let origin = if origin == Origin::User { "user" } else { "model" };
        self.note(&format!(
            "{CYAN}activated{CYAN:#} {}  {DIM}by the {origin}: {}, {} tokens{DIM:#}",
            safe(id),
            status.as_str(),
            grouped(tokens)
        ));
        self.activations.push(json!({
            "id": id, "origin": origin, "status": status.as_str(), "tokens": tokens, "digest": activation.digest,
        }));
    }

    fn finish(
        mut self,
        catalog: &Catalog,
        outcome: Result<Outcome, prowess_select::Error>,
        label: &str,
    ) -> Result<(), Failure> {
        if let Some(failure) = self.broken_pipe.take() {
            return Err(failure);
        }
        if self.is_mid_line {
            self.text("\n");
        }
        if !self.output.is_json() {
            self.note(&self.cost(catalog, label));
        }
        let outcome = outcome?;
        if self.output.is_json() {
            self.output.json(&json!({
                "answer": outcome.answer, "model": label, "turns": outcome.turns,
                "activations": self.activations, "resources_read": self.resources,
                "catalog_tokens": catalog.tokens(), "body_tokens": self.body_tokens,
                "usage": {"input": outcome.usage.input, "output": outcome.usage.output},
            }))?;
        }
        Ok(())
    }

    fn cost(&self, catalog: &Catalog, label: &str) -> String {
        let turns = self.turns;
        let times = if turns == 1 { "1 turn".to_owned() } else { format!("{} turns", grouped(turns)) };
        let bodies = if self.bodies.is_empty() {
            "no body".to_owned()
        } else {
            let names: Vec<String> = self.bodies.iter().map(|id| safe(id)).collect();
            format!("bodies {} tokens, once ({})", grouped(self.body_tokens), names.join(", "))
        };
        let count = |tokens: u64| grouped(usize::try_from(tokens).unwrap_or(usize::MAX));
        format!(
            "{DIM}{times} of {}; catalog {} tokens a turn, {} in all; {bodies}; the endpoint counted {} in and {} out{DIM:#}",
            safe(label),
            grouped(catalog.tokens()),
            grouped(catalog.tokens().saturating_mul(turns)),
            count(self.usage.input),
            count(self.usage.output)
        )
    }
}

impl Host for Terminal<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Asked(turn) => self.turns = turn,
            Event::Delta(Delta::Text(text)) => self.text(text),
            Event::Delta(delta) => {
                if let Some(note) = retry_note(delta) {
                    self.note(&note);
                }
            }
            Event::Replied(usage) => self.usage += usage,
            Event::Delivered { call, origin, delivery } => self.delivered(call, origin, delivery),
            Event::Called { call, .. } => {
                self.note(&format!("{YELLOW}no tool{YELLOW:#} {}", short(&call.tool)));
            }
            _ => {}
        }
    }

    fn is_cancelled(&self) -> bool {
        self.interrupt.is_set() || self.broken_pipe.is_some()
    }
}

/// What a model wrote, on a part of a line.
fn short(text: &str) -> String {
    const SHOWN: usize = 80;
    let start: String = text.chars().take(SHOWN).collect();
    safe(&start)
}
