use std::ops::ControlFlow;

use prowess::activate::Request;
use prowess::{Origin, mention};

use super::{Agent, Conversation, Event, Host, Outcome, Until, join};
use crate::error::{Error, ErrorKind};
use crate::model::{Form, Message, Reply, Stop, Tool, ToolCall, Turn};

/// How often in a row a model may make the same calls.
const MAX_SAME: usize = 3;

/// A run that is under way.
pub(super) struct Running<'r, 'a> {
    agent: &'r Agent<'a>,
    conversation: &'r mut Conversation,
    host: &'r mut dyn Host,
    outcome: Outcome,
    last_calls: Vec<(String, String)>,
    same: usize,
    is_activated: bool,
}

impl<'r, 'a> Running<'r, 'a> {
    pub(super) fn new(
        agent: &'r Agent<'a>,
        conversation: &'r mut Conversation,
        host: &'r mut dyn Host,
    ) -> Self {
        Self {
            agent,
            conversation,
            host,
            outcome: Outcome::default(),
            last_calls: Vec::new(),
            same: 0,
            is_activated: false,
        }
    }

    /// Places what the prompt mentions, then the prompt.
    pub(super) fn begin(&mut self, prompt: &str) {
        self.reconcile();
        for mention in mention::find(self.agent.library, prompt) {
            let request = self.agent.library.activate(mention.skill.id(), Origin::User);
            let id = self.conversation.place();
            let text = self.deliver(request.with_arguments(&mention.arguments), &id, None);
            self.conversation.messages.push(Message::User { id, text });
        }
        let id = self.conversation.place();
        let text = prompt.to_owned();
        self.conversation.messages.push(Message::User { id, text });
    }

    pub(super) fn run(mut self) -> Result<Outcome, Error> {
        while self.outcome.turns < self.agent.max_turns {
            if self.agent.until == Until::Activated && self.is_activated {
                return Ok(self.outcome);
            }
            let reply = self.ask()?;
            self.outcome.answer.clone_from(&reply.text);
            let calls = reply.calls.clone();
            self.conversation.messages.push(Message::Assistant(reply));
            if calls.is_empty() {
                return Ok(self.outcome);
            }
            let guarded = self.guard(&calls);
            for call in &calls {
                self.answer(call);
            }
            guarded?;
        }
        if self.agent.until == Until::Activated && self.is_activated {
            return Ok(self.outcome);
        }
        let turns = self.outcome.turns;
        let message = format!("the model came to no end within {turns} turns");
        Err(Error::new(ErrorKind::Endless, message).with_help("allow more of them"))
    }

    /// The next request.
    pub(super) fn turn(&self) -> Turn {
        let mut tools = Tool::of_library(self.agent.library);
        tools.extend(self.host.tools());
        Turn {
            system: join(&self.agent.system, self.agent.catalog.text()),
            messages: self.conversation.messages.clone(),
            tools,
            form: Form::Free,
        }
    }

    fn reconcile(&mut self) {
        let present: Vec<String> = self.conversation.placements().map(str::to_owned).collect();
        self.conversation.ledger.reconcile(present);
    }

    fn ask(&mut self) -> Result<Reply, Error> {
        self.reconcile();
        if self.host.is_cancelled() {
            return Err(Error::cancelled());
        }
        self.outcome.turns += 1;
        self.host.event(Event::Asked(self.outcome.turns));
        let turn = self.turn();
        let host = &mut *self.host;
        let mut reply = self.agent.model.reply(&turn, &mut |delta| {
            host.event(Event::Delta(delta));
            if host.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.outcome.usage += reply.usage;
        self.host.event(Event::Replied(reply.usage));
        usable(&reply)?;
        self.name_calls(&mut reply);
        Ok(reply)
    }

    /// Gives each call an id that no other has: some endpoints give none, some the same one every turn.
    fn name_calls(&mut self, reply: &mut Reply) {
        let mut seen: Vec<String> = Vec::new();
        for call in &mut reply.calls {
            if call.id.is_empty() || seen.contains(&call.id) || self.conversation.is_taken(&call.id) {
                call.id = self.conversation.place();
            }
            seen.push(call.id.clone());
        }
    }

    fn guard(&mut self, calls: &[ToolCall]) -> Result<(), Error> {
        let made = calls.iter().map(|call| (call.tool.clone(), call.arguments.clone())).collect();
        self.same = if made == self.last_calls { self.same + 1 } else { 1 };
        self.last_calls = made;
        if self.same < MAX_SAME {
            return Ok(());
        }
        let tool = calls.first().map_or("", |call| call.tool.as_str());
        let message = format!("the model called `{tool}` with the same arguments {MAX_SAME} times in a row");
        Err(Error::new(ErrorKind::Endless, message).with_help("try another model, or another description"))
    }

    /// Answers a call, so that each has its result, whatever it was.
    fn answer(&mut self, call: &ToolCall) {
        let text = match self.agent.library.request(&call.tool, &call.arguments) {
            Some(request) => self.deliver(request, &call.id, Some(call)),
            None => self.call(call),
        };
        self.conversation.messages.push(Message::ToolResult {
            id: call.id.clone(),
            tool: call.tool.clone(),
            text,
        });
    }

    fn call(&mut self, call: &ToolCall) -> String {
        let result = self.host.call(call);
        let is_known = result.is_some();
        self.host.event(Event::Called { call, is_known });
        result.unwrap_or_else(|| format!("There is no tool `{}`.\n", crate::by_model::start(&call.tool)))
    }

    fn deliver(&mut self, request: Request, placement: &str, call: Option<&ToolCall>) -> String {
        let origin = if call.is_some() { Origin::Model } else { Origin::User };
        let delivery = match self.host.permit(&request, origin) {
            Ok(()) => request.deliver(&mut self.conversation.ledger, placement),
            Err(reason) => request.deny(reason),
        };
        self.is_activated |= delivery.activation().is_some();
        self.host.event(Event::Delivered { call, origin, delivery: &delivery });
        delivery.into_text()
    }
}

/// An answer that says nothing, or that the limit cut, is none.
fn usable(reply: &Reply) -> Result<(), Error> {
    let is_empty = reply.calls.is_empty() && reply.text.trim().is_empty();
    match reply.stop {
        Stop::Refusal => Err(Error::model("the model refused to answer")),
        Stop::Length if is_empty || !reply.calls.is_empty() => {
            let message = "the answer was cut at the limit of output tokens before it said anything";
            Err(Error::new(ErrorKind::Model, message).with_help("allow more of them"))
        }
        _ if is_empty => {
            Err(Error::model("the model's answer is empty").with_help("try again, or another model"))
        }
        _ => Ok(()),
    }
}
