use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use prowess::activate::digest;
use prowess::tokens::{Estimate, Tokenizer};
use prowess::{CatalogOptions, Library, Origin};

use super::{Attempt, Prompt};
use crate::agent::{Agent, Conversation, Event, Host, Until};
use crate::error::{Error, ErrorKind};
use crate::model::{Message, Model, Turn, Usage};
use crate::{ByModel, Method, Request};

/// After so many attempts that all errored, nothing more is spent.
const HOPELESS: usize = 10;

/// A model, the skills it may choose from, and how it is asked.
pub struct Experiment<'a> {
    model: &'a dyn Model,
    library: &'a Library,
    catalog: CatalogOptions,
    label: String,
    method: Method,
    runs: u32,
    jobs: usize,
    max_turns: usize,
}

/// What an experiment will cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// Attempts that are still to be made.
    pub attempts: usize,
    /// Attempts that are there already.
    pub done: usize,
    /// The most requests they can come to.
    pub most_requests: usize,
    /// Tokens of the first request of each attempt, estimated. Most attempts need no second one.
    pub input_tokens: usize,
}

impl std::fmt::Debug for Experiment<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Experiment")
            .field("label", &self.label)
            .field("method", &self.method)
            .field("runs", &self.runs)
            .finish_non_exhaustive()
    }
}

impl<'a> Experiment<'a> {
    /// Three runs of each prompt, one at a time, by the tool, 4 turns at most.
    #[must_use]
    pub fn new(model: &'a dyn Model, library: &'a Library) -> Self {
        Self {
            model,
            library,
            catalog: CatalogOptions::new(),
            label: model.name().to_owned(),
            method: Method::Tool,
            runs: 3,
            jobs: 1,
            max_turns: 4,
        }
    }

    /// The name that the results are kept under, beside everything that the model sees.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// How the catalog is built; always in the tool style.
    #[must_use]
    pub fn catalog_options(mut self, options: CatalogOptions) -> Self {
        self.catalog = options;
        self
    }

    /// How the model is asked. By the tool, the whole run counts: what it reads before it activates is no failure.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// How often each prompt is run; at least once.
    #[must_use]
    pub fn runs(mut self, runs: u32) -> Self {
        self.runs = runs.max(1);
        self
    }

    /// How many run at a time; at least one.
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs.max(1);
        self
    }

    /// What the results of this experiment are known by: whoever asks another model, shows another catalog or asks in
    /// another way has another experiment.
    #[must_use]
    pub fn id(&self) -> String {
        let turn = format!("{:?}", self.first_turn(""));
        digest(format!("{}\n{}\n{turn}", self.label, self.method.as_str()).as_bytes())
    }

    /// What is still to be done for these prompts.
    #[must_use]
    pub fn plan(&self, prompts: &[Prompt], done: &[Attempt]) -> Plan {
        let tasks = self.tasks(prompts, done);
        let frame = tokens(&self.first_turn(""));
        let turns = if self.is_by_tool() { self.max_turns } else { 1 };
        Plan {
            attempts: tasks.len(),
            done: prompts.len() * self.runs as usize - tasks.len(),
            most_requests: tasks.len() * turns,
            input_tokens: tasks.iter().map(|(prompt, _)| frame + Estimate.count(&prompt.text)).sum(),
        }
    }

    /// Makes the attempts that are not done, and gives back all. Each goes to `on` when it is there, in whatever order;
    /// if that breaks, no new one is begun.
    ///
    /// # Errors
    /// Everything errored, ten attempts long: then the setup is at fault. What was there before is not lost, since `on`
    /// has heard of it.
    pub fn run(
        &self,
        prompts: &[Prompt],
        done: &[Attempt],
        on: &mut dyn FnMut(&Attempt) -> ControlFlow<()>,
    ) -> Result<Vec<Attempt>, Error> {
        let tasks = self.tasks(prompts, done);
        let mut attempts = self.wanted(prompts, done);
        let mut outcome = Ok(());
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            // Without a buffer: when nothing more is to be spent, no more than the jobs are under way.
            let (sender, receiver) = mpsc::sync_channel(0);
            for _ in 0..self.jobs.min(tasks.len()) {
                let (sender, tasks, next, is_over) = (sender.clone(), &tasks, &next, &is_over);
                scope.spawn(move || {
                    while !is_over.load(Ordering::SeqCst)
                        && let Some((prompt, run)) = tasks.get(next.fetch_add(1, Ordering::SeqCst))
                        && let Some(attempt) = self.attempt(prompt, *run, is_over)
                        && sender.send(attempt).is_ok()
                    {}
                });
            }
            drop(sender);
            for attempt in receiver {
                if on(&attempt).is_break() {
                    is_over.store(true, Ordering::SeqCst);
                }
                attempts.push(attempt);
                if let Err(error) = hopeful(&attempts) {
                    is_over.store(true, Ordering::SeqCst);
                    outcome = Err(error);
                }
            }
        });
        outcome?;
        attempts.sort_by(|a, b| (&a.prompt, a.run).cmp(&(&b.prompt, b.run)));
        Ok(attempts)
    }

    /// What is done of what these prompts and so many runs ask for.
    fn wanted(&self, prompts: &[Prompt], done: &[Attempt]) -> Vec<Attempt> {
        let wanted: HashSet<&str> = prompts.iter().map(|prompt| prompt.id.as_str()).collect();
        let is_wanted =
            |attempt: &&Attempt| wanted.contains(attempt.prompt.as_str()) && attempt.run < self.runs;
        done.iter().filter(is_wanted).cloned().collect()
    }

    fn tasks<'p>(&self, prompts: &'p [Prompt], done: &[Attempt]) -> Vec<(&'p Prompt, u32)> {
        let done: HashSet<(&str, u32)> =
            done.iter().map(|attempt| (attempt.prompt.as_str(), attempt.run)).collect();
        // All prompts once, then all of them again: an interrupted run has seen each.
        let all = (0..self.runs).flat_map(|run| prompts.iter().map(move |prompt| (prompt, run)));
        all.filter(|(prompt, run)| !done.contains(&(prompt.id.as_str(), *run))).collect()
    }

    fn is_by_tool(&self) -> bool {
        matches!(self.method, Method::Auto | Method::Tool)
    }

    fn agent(&self) -> Agent<'_> {
        Agent::new(self.model, self.library)
            .catalog_options(&self.catalog)
            .max_turns(self.max_turns)
            .until(Until::Activated)
    }

    fn request(&self, prompt: &str) -> Request {
        Request::with_catalog(self.library, &self.catalog, prompt)
    }

    fn first_turn(&self, prompt: &str) -> Turn {
        if self.is_by_tool() {
            self.agent().first_turn(&Conversation::new(), prompt)
        } else {
            ByModel::new(self.model, self.method).turn(&self.request(prompt))
        }
    }

    /// One run; none if it was given up.
    fn attempt(&self, prompt: &Prompt, run: u32, is_over: &AtomicBool) -> Option<Attempt> {
        let start = Instant::now();
        let mut watch = Watch {
            library: self.library,
            is_over,
            turns: 0,
            usage: Usage::default(),
            activated: Vec::new(),
        };
        let outcome = if self.is_by_tool() {
            let run = self.agent().run(&mut Conversation::new(), &prompt.text, &mut watch);
            run.map(drop).or_else(|error| {
                // Whoever goes round in circles has not activated anything, or has: either counts.
                let is_over = error.kind() == ErrorKind::Endless || !watch.activated.is_empty();
                if is_over { Ok(()) } else { Err(error) }
            })
        } else {
            self.choose(&prompt.text, &mut watch)
        };
        let errored = match outcome {
            Err(error) if error.kind() == ErrorKind::Cancelled => return None,
            outcome => outcome.err().map(|error| error.to_string()),
        };
        Some(Attempt {
            prompt: prompt.id.clone(),
            run,
            activated: watch.activated,
            errored,
            turns: watch.turns,
            usage: watch.usage,
            elapsed_ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    }

    fn choose(&self, prompt: &str, watch: &mut Watch<'_>) -> Result<(), Error> {
        watch.turns = 1;
        let chooser = ByModel::new(self.model, self.method);
        let (choice, reply) = chooser.choose(&self.request(prompt), &mut |_| {
            if watch.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        watch.usage = reply.usage;
        watch.activated.extend(choice.skill);
        Ok(())
    }
}

/// Remembers what a model did.
struct Watch<'a> {
    library: &'a Library,
    is_over: &'a AtomicBool,
    turns: usize,
    usage: Usage,
    activated: Vec<String>,
}

impl Host for Watch<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Asked(turn) => self.turns = turn,
            Event::Replied(usage) => self.usage += usage,
            Event::Delivered { origin: Origin::Model, delivery, .. } => {
                let skill = delivery.activation().map(|activation| &activation.skill);
                let name = skill.map(|skill| self.library.call_name(skill).to_owned());
                self.activated.extend(name.filter(|name| !self.activated.contains(name)));
            }
            _ => {}
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }
}

fn tokens(turn: &Turn) -> usize {
    let tools = turn
        .tools
        .iter()
        .map(|tool| Estimate.count(&format!("{}{}{}", tool.name, tool.description, tool.parameters)));
    let messages = turn.messages.iter().map(|message| match message {
        Message::User { text, .. } | Message::ToolResult { text, .. } => Estimate.count(text),
        Message::Assistant(reply) => Estimate.count(&reply.text),
    });
    Estimate.count(&turn.system) + tools.chain(messages).sum::<usize>()
}

fn hopeful(attempts: &[Attempt]) -> Result<(), Error> {
    let errors: Option<Vec<&str>> = attempts.iter().map(|attempt| attempt.errored.as_deref()).collect();
    match errors.as_deref() {
        Some([.., last]) if attempts.len() >= HOPELESS => Err(Error::new(
            ErrorKind::Model,
            format!("the first {HOPELESS} attempts all failed, the last one: {last}"),
        )),
        _ => Ok(()),
    }
}
