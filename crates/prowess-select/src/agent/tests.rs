use prowess::activate::Status;

use super::*;
use crate::model::{Message, Reply, Stop};
use crate::testing::{Scripted, calls, library, says};
use crate::{ErrorKind, Model};

const ACTIVATE: (&str, &str) = ("activate_skill", r#"{"name": "pdf"}"#);

/// Writes down what happens.
#[derive(Default)]
struct Log {
    lines: Vec<String>,
    denied: Option<String>,
    cancel_after: Option<usize>,
}

impl Host for Log {
    fn event(&mut self, event: Event<'_>) {
        self.lines.extend(match event {
            Event::Delivered { origin, delivery, .. } => {
                Some(format!("{origin:?} {}", delivery.status().as_str()))
            }
            Event::Called { call, is_known } => Some(format!("{} {is_known}", call.tool)),
            _ => None,
        });
    }

    fn permit(&mut self, _request: &Request, _origin: Origin) -> Result<(), String> {
        self.denied.clone().map_or(Ok(()), Err)
    }

    fn tools(&self) -> Vec<Tool> {
        vec![Tool::new("clock", "Tells the time.", serde_json::json!({"type": "object"}))]
    }

    fn call(&mut self, call: &ToolCall) -> Option<String> {
        (call.tool == "clock").then(|| "noon".to_owned())
    }

    fn is_cancelled(&self) -> bool {
        self.cancel_after.is_some_and(|lines| self.lines.len() >= lines)
    }
}

fn run(model: &dyn Model, prompt: &str, log: &mut Log) -> (Result<Outcome, Error>, Conversation) {
    let library = library(&[("pdf", "Fills forms."), ("commit", "Writes messages.")]);
    let mut conversation = Conversation::new();
    let outcome = Agent::new(model, &library).max_turns(5).run(&mut conversation, prompt, log);
    (outcome, conversation)
}

/// The results of tool calls, as the model gets to see them.
fn results(conversation: &Conversation) -> Vec<&str> {
    let result = |message: &Message| match message {
        Message::ToolResult { text, .. } => Some(text.clone()),
        _ => None,
    };
    let results = conversation.messages.iter();
    results.filter_map(|message| if result(message).is_some() { text(message) } else { None }).collect()
}

fn text(message: &Message) -> Option<&str> {
    match message {
        Message::User { text, .. } | Message::ToolResult { text, .. } => Some(text),
        Message::Assistant(reply) => Some(&reply.text),
    }
}

#[test]
fn an_activated_body_is_in_the_next_request_and_only_once() {
    let model = Scripted::new([calls(&[ACTIVATE]), calls(&[ACTIVATE]), says("Done.")]);
    let mut log = Log::default();
    let (outcome, conversation) = run(&model, "fill in this form", &mut log);
    assert_eq!(outcome.map(|outcome| (outcome.answer, outcome.turns)), Ok(("Done.".to_owned(), 3)));
    assert_eq!(log.lines, ["Model new", "Model already-resident"]);
    let asked = model.asked();
    let bodies = |turn: &crate::model::Turn| {
        let texts = turn.messages.iter().filter_map(text);
        texts.filter(|text| text.contains("The body of pdf.")).count()
    };
    assert_eq!(asked.iter().map(bodies).collect::<Vec<_>>(), [0, 1, 1]);
    // The prefix that caches go by does not change.
    assert!(asked.iter().all(|turn| turn.system == asked[0].system && turn.tools == asked[0].tools));
    assert_eq!(conversation.ledger.receipts().len(), 1);
}

#[test]
fn resources_are_read_and_other_tools_called() {
    let read = ("read_skill_resource", r#"{"name": "pdf", "path": "references/more.md"}"#);
    let model = Scripted::new([calls(&[ACTIVATE, read, ("clock", "{}")]), says("Done.")]);
    let mut log = Log::default();
    let (outcome, conversation) = run(&model, "fill", &mut log);
    outcome.unwrap();
    assert_eq!(log.lines, ["Model new", "Model resource", "clock true"]);
    let results = results(&conversation);
    assert!(results[1].contains("More of pdf.") && results[2] == "noon", "{results:?}");
    // The model gave one id to all three.
    let placements: std::collections::HashSet<&str> = conversation.placements().collect();
    assert_eq!(placements.len(), conversation.placements().count());
}

#[test]
fn what_the_model_makes_up_comes_back_as_a_text() {
    let model = Scripted::new([
        calls(&[("activate_skill", r#"{"name": "pfd"}"#), ("activate_skill", "{"), ("shell", "{}")]),
        says("Sorry."),
    ]);
    let mut log = Log::default();
    let (outcome, conversation) = run(&model, "fill", &mut log);
    outcome.unwrap();
    assert_eq!(log.lines, ["Model denied", "Model denied", "shell false"]);
    let results = results(&conversation);
    assert!(results[0].contains("did you mean `pdf`"));
    assert!(results[1].contains("must be a JSON object"));
    assert!(results[2].contains("no tool `shell`"));
}

#[test]
fn a_denial_reaches_the_model() {
    let model = Scripted::new([calls(&[ACTIVATE]), says("Then not.")]);
    let mut log = Log { denied: Some("not today".to_owned()), ..Log::default() };
    let (outcome, conversation) = run(&model, "fill", &mut log);
    outcome.unwrap();
    assert!(results(&conversation)[0].contains("not today"));
    assert!(conversation.ledger.receipts().is_empty());
}

#[test]
fn a_mention_activates_before_the_model_is_asked() {
    let model = Scripted::new([says("Done.")]);
    let mut log = Log::default();
    let (outcome, _) = run(&model, "/pdf form.pdf, then $commit", &mut log);
    outcome.unwrap();
    assert_eq!(log.lines, ["User new", "User new"]);
    let texts: Vec<String> = model.asked()[0].messages.iter().filter_map(text).map(str::to_owned).collect();
    assert!(texts[0].contains("The body of pdf.") && texts[0].contains("form.pdf, then $commit"));
    assert!(texts[1].contains("The body of commit."));
    assert_eq!(texts[2], "/pdf form.pdf, then $commit");
}

#[test]
fn a_conversation_goes_on() {
    let library = library(&[("pdf", "Fills forms.")]);
    let model = Scripted::new([calls(&[ACTIVATE]), says("One."), calls(&[ACTIVATE]), says("Two.")]);
    let agent = Agent::new(&model, &library);
    let (mut conversation, mut log) = (Conversation::new(), Log::default());
    agent.run(&mut conversation, "first", &mut log).unwrap();
    agent.run(&mut conversation, "second", &mut log).unwrap();
    assert_eq!(log.lines, ["Model new", "Model already-resident"]);
    // A host that cuts its history: the body comes again.
    conversation.messages.clear();
    let model = Scripted::new([calls(&[ACTIVATE]), says("Three.")]);
    Agent::new(&model, &library).run(&mut conversation, "third", &mut log).unwrap();
    assert_eq!(log.lines.last().map(String::as_str), Some(Status::New.as_str()).map(|_| "Model new"));
}

#[track_caller]
fn fails(replies: Vec<Result<Reply, Error>>, expected: &str) {
    let (outcome, conversation) = run(&Scripted::new(replies), "fill", &mut Log::default());
    let error = outcome.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Model | ErrorKind::Endless));
    assert!(error.to_string().contains(expected), "{error}");
    // Each call has its result, so that the conversation can go on.
    let made: usize = conversation
        .messages
        .iter()
        .map(|message| match message {
            Message::Assistant(reply) => reply.calls.len(),
            _ => 0,
        })
        .sum();
    assert_eq!(made, results(&conversation).len());
}

#[test]
fn every_run_comes_to_an_end() {
    let same = || calls(&[ACTIVATE]);
    fails(vec![same(), same(), same()], "the same arguments 3 times in a row");
    let other = || calls(&[("clock", "{}")]);
    fails(vec![same(), other(), same(), other(), same()], "no end within 5 turns");
    fails(vec![says("")], "empty");
    let stopped = |text: &str, stop| {
        let mut reply = Reply::new(text);
        reply.stop = stop;
        Ok(reply)
    };
    fails(vec![stopped("", Stop::Length)], "cut at the limit");
    fails(vec![stopped("No.", Stop::Refusal)], "refused");
}

#[test]
fn whoever_cancels_is_heard() {
    let model = Scripted::new([calls(&[ACTIVATE]), says("never heard")]);
    let mut log = Log { cancel_after: Some(1), ..Log::default() };
    let (outcome, conversation) = run(&model, "fill", &mut log);
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!((model.asked().len(), results(&conversation).len()), (1, 1));
}

#[test]
fn without_skills_there_is_neither_catalog_nor_tool() {
    let model = Scripted::new([says("Done.")]);
    Agent::new(&model, &library(&[])).run(&mut Conversation::new(), "fill", &mut Silent).unwrap();
    let turn = &model.asked()[0];
    assert_eq!((turn.system.as_str(), turn.tools.len()), (SYSTEM, 0));
}
