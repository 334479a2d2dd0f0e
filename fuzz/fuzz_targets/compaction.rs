//! Conversations in the shapes of OpenAI and Anthropic, compacted: refused, or accepted by their provider ever after.
//!
//! An input that is JSON is a conversation; any other one says which messages make up one.
#![no_main]

#[path = "../../crates/prowess/tests/support/provider.rs"]
mod provider;

use std::sync::LazyLock;

use libfuzzer_sys::arbitrary::{self, Unstructured};
use libfuzzer_sys::fuzz_target;
use provider::{anthropic_fault, openai_fault};
use prowess::compact::Budget;
use prowess::messages::Conversation;
use prowess::tools::Shape;
use prowess::{ErrorKind, Ledger, Library, Origin};
use serde_json::{Value, json};

static LIBRARY: LazyLock<Library> = LazyLock::new(prowess_fuzz::three_skills);

fuzz_target!(|bytes: &[u8]| {
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        for shape in [Shape::OpenAi, Shape::Anthropic] {
            compact(&mut Talk::new(shape), value.clone(), 1, 500, "Summary.");
        }
        return;
    }
    // What ends too early is what there is.
    let _ = made_up(&mut Unstructured::new(bytes));
});

fn made_up(input: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let shape = if input.arbitrary()? { Shape::OpenAi } else { Shape::Anthropic };
    let mut talk = Talk::new(shape);
    for _ in 0..3 {
        for _ in 0..input.int_in_range(0..=12)? {
            talk.add(input)?;
        }
        let (cut, budget) = (input.int_in_range(0..=20)?, input.int_in_range(0..=3_000)?);
        let summary = if input.arbitrary()? { "" } else { "What was done." };
        let messages = std::mem::take(&mut talk.messages);
        let value =
            if input.ratio(1, 4)? { json!({"model": "m", "messages": messages}) } else { messages.into() };
        match compact(&mut talk, value, cut, budget, summary) {
            Some(messages) => talk.messages = messages,
            None => return Ok(()),
        }
    }
    Ok(())
}

/// The messages after a compaction; none if the conversation was refused.
fn compact(talk: &mut Talk, value: Value, cut: usize, budget: usize, summary: &str) -> Option<Vec<Value>> {
    let conversation = match Conversation::new(value, talk.shape) {
        Ok(conversation) => conversation,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Usage);
            return None;
        }
    };
    talk.ledger.reconcile(conversation.present());
    let cut = if cut > 15 { conversation.cut(cut * 20) } else { cut };
    let plan = conversation.plan(&talk.ledger, cut, Budget::total(budget));
    assert!(conversation.leaving(&plan).len() <= cut);
    let value = conversation.rewrite(plan, summary).commit(&mut talk.ledger);
    let messages = value.as_array().or_else(|| value["messages"].as_array()).expect("messages").clone();
    let fault =
        if talk.shape == Shape::OpenAi { openai_fault(&messages) } else { anthropic_fault(&messages) };
    assert_eq!(fault, None, "{messages:#?}");
    let again = Conversation::new(value, talk.shape).expect("what was written is read");
    assert_eq!(again.messages(), messages);
    talk.ledger.reconcile(again.present());
    Some(messages)
}

struct Talk {
    shape: Shape,
    ledger: Ledger,
    messages: Vec<Value>,
    ids: usize,
}

impl Talk {
    fn new(shape: Shape) -> Self {
        Self { shape, ledger: Ledger::new(), messages: Vec::new(), ids: 0 }
    }

    /// Adds a step as a host makes it, or something that no host should.
    fn add(&mut self, input: &mut Unstructured<'_>) -> arbitrary::Result<()> {
        let name = *input.choose(&["pdf", "long", "ship", "none"])?;
        match input.int_in_range(0..=11)? {
            0..=2 => self.activate(name),
            3 => self.work(input.arbitrary()?),
            4 => self.user_text(name),
            5 => self.messages.push(json!({"role": "assistant", "content": "Done."})),
            6 => drop(self.ledger.deactivate(&format!("user:{name}"))),
            7 => drop(self.ledger.finish(&format!("user:{name}"))),
            8 => self.ledger.pin(format!("user:{name}")),
            9 => drop(self.messages.pop()),
            _ => self.messages.push(odd(input)?),
        }
        Ok(())
    }

    fn activate(&mut self, name: &str) {
        self.ids += 1;
        let id = format!("c{}", self.ids);
        let delivery = LIBRARY.activate(name, Origin::Model).deliver(&mut self.ledger, &*id);
        self.turn(&[(id, delivery.into_text())]);
    }

    fn work(&mut self, length: u8) {
        self.ids += 2;
        let answer = "output ".repeat(length.into());
        self.turn(&[(format!("c{}", self.ids - 1), answer), (format!("c{}", self.ids), "x".to_owned())]);
    }

    fn user_text(&mut self, name: &str) {
        let delivery = LIBRARY.activate(name, Origin::User).deliver(&mut self.ledger, "draft");
        let text = delivery.into_text();
        self.ledger.relocate("draft", prowess::messages::placement(&text));
        self.messages.push(json!({"role": "user", "content": text}));
    }

    /// Calls and their answers.
    fn turn(&mut self, answers: &[(String, String)]) {
        if self.shape == Shape::OpenAi {
            let function = json!({"name": "t", "arguments": "{}"});
            let calls: Vec<Value> = answers
                .iter()
                .map(|(id, _)| json!({"id": id, "type": "function", "function": function}))
                .collect();
            self.messages.push(json!({"role": "assistant", "content": null, "tool_calls": calls}));
            let answer =
                |(id, text): &(String, String)| json!({"role": "tool", "tool_call_id": id, "content": text});
            self.messages.extend(answers.iter().map(answer));
            return;
        }
        let call =
            |(id, _): &(String, String)| json!({"type": "tool_use", "id": id, "name": "t", "input": {}});
        let answer = |(id, text): &(String, String)| json!({"type": "tool_result", "tool_use_id": id, "content": text});
        let calls: Vec<Value> = answers.iter().map(call).collect();
        let answers: Vec<Value> = answers.iter().map(answer).collect();
        self.messages.push(json!({"role": "assistant", "content": calls}));
        self.messages.push(json!({"role": "user", "content": answers}));
    }
}

/// A message of a known role with whatever in it.
fn odd(input: &mut Unstructured<'_>) -> arbitrary::Result<Value> {
    let role = *input.choose(&["system", "developer", "user", "assistant", "tool"])?;
    let id = *input.choose(&["c1", "c2", "c3", "odd"])?;
    let mut parts = Vec::new();
    for _ in 0..input.int_in_range(0..=3)? {
        parts.push(match input.int_in_range(0..=6)? {
            0 => json!({"type": "text", "text": "Some text."}),
            1 => json!({"type": "text", "text": " "}),
            2 => json!({"type": "tool_use", "id": id, "name": "t", "input": {}}),
            3 => json!({"type": "tool_result", "tool_use_id": id, "content": "x"}),
            4 => json!({"type": "tool_result", "tool_use_id": id}),
            5 => json!({"type": "image", "source": {}}),
            _ => json!({"type": "text"}),
        });
    }
    let content = match input.int_in_range(0..=3)? {
        0 => "Text.".into(),
        1 => "".into(),
        2 => Value::Null,
        _ => parts.into(),
    };
    let mut message = json!({"role": role, "content": content});
    if input.ratio(1, 3)? {
        message["tool_call_id"] = id.into();
    }
    if input.ratio(1, 3)? {
        let call = json!({"id": id, "type": "function", "function": {"name": "t", "arguments": "{}"}});
        message["tool_calls"] = vec![call; input.int_in_range(0..=2)?].into();
    }
    Ok(message)
}
