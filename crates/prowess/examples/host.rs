//! The loop of an agent host, whole: load, disclose, answer the model's calls, and compact a conversation that has grown
//! too long. The model is scripted: it asks for skills, reads a file, calls a tool of the host's own, and answers.
//!
//! `cargo run --example host`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this program shows what happens")]

use prowess::activate::Request;
use prowess::compact::Budget;
use prowess::messages::Conversation;
use prowess::tokens::{Estimate, Tokenizer};
use prowess::tools::{self, Shape};
use prowess::{Catalog, CatalogOptions, Ledger, Library, LoadOptions, Roots};
use serde_json::{Value, json};

/// The tokens that this host's window holds, what of it a compaction leaves as it is, and what bodies may cost then.
const WINDOW: usize = 1_500;
const KEEP: usize = 300;
const BODIES: usize = 1_000;

/// What the scripted model says, turn by turn: the tool and its arguments, or the answer.
const SCRIPT: [(&str, &str); 9] = [
    ("activate_skill", r#"{"name": "commit-message"}"#),
    ("activate_skill", r#"{"name": "commit-message"}"#),
    ("read_skill_resource", r#"{"name": "commit-message", "path": "references/areas.md"}"#),
    ("git_diff", r#"{"path": "src"}"#),
    ("git_diff", r#"{"path": "tests"}"#),
    ("git_diff", r#"{"path": "docs"}"#),
    ("activate_skill", r#"{"name": "commit-message"}"#),
    ("git_diff", r#"{"path": "build"}"#),
    ("", "import: keep the time zone of a row"),
];

fn main() -> Result<(), prowess::Error> {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lab/fixtures");
    let roots = Roots::agents(format!("{fixtures}/project"), format!("{fixtures}/home"));
    let library = Library::load(&roots, &LoadOptions::new());
    for diagnostic in library.diagnostics() {
        eprintln!("{diagnostic}");
    }
    let catalog = Catalog::build(&library, &CatalogOptions::new().budget(4_000));
    println!("{}", catalog.summary());

    let tools = tools::definitions(&library, Shape::OpenAi);
    let mut ledger = Ledger::new();
    let mut messages = vec![
        json!({"role": "system", "content": catalog.text()}),
        json!({"role": "user", "content": "Write a commit message for what I have staged."}),
    ];
    for turn in 0.. {
        let conversation = Conversation::new(messages.clone().into(), Shape::OpenAi)?;
        ledger.reconcile(conversation.present());
        let reply = scripted_model(turn, &tools, &messages);
        messages.push(reply.clone());
        let Some(call) = reply["tool_calls"].get(0) else {
            println!("answer: {}", reply["content"]);
            break;
        };
        let id = call["id"].as_str().unwrap_or_default();
        let tool = call["function"]["name"].as_str().unwrap_or_default();
        let text = match library.request(tool, &call["function"]["arguments"]) {
            None => "+ a line of the diff\n".repeat(50),
            Some(request) if is_allowed(&request) => request.deliver(&mut ledger, id).into_text(),
            Some(request) => request.deny("the user said no").into_text(),
        };
        let first_line = text.lines().next().unwrap_or_default();
        println!("{id} {tool}: {} tokens, begins {first_line:?}", Estimate.count(&text));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": text}));
        if tokens(&messages) > WINDOW {
            messages = compact(messages, &mut ledger)?;
        }
    }
    for skill in ledger.skills() {
        let place = skill.current.map(|receipt| (receipt.state.as_str(), receipt.placement.as_str()));
        println!("{}: {}, {place:?}, had read {:?}", skill.id, skill.standing.as_str(), skill.reads);
    }
    Ok(())
}

/// Puts a summary in the place of what is old. If the summariser fails, nothing has changed yet.
fn compact(messages: Vec<Value>, ledger: &mut Ledger) -> Result<Vec<Value>, prowess::Error> {
    println!("-- {} messages, {} tokens: too long", messages.len(), tokens(&messages));
    let conversation = Conversation::new(messages.into(), Shape::OpenAi)?;
    ledger.reconcile(conversation.present());
    let plan = conversation.plan(ledger, conversation.cut(KEEP), Budget::total(BODIES));
    let compaction = plan.compaction();
    println!("   for the summariser: {}", compaction.hint().trim_end());
    for block in compaction.blocks() {
        println!("   back come {:?}: {} tokens", block.skills, block.tokens);
    }
    let summary = scripted_summary(conversation.leaving(&plan), compaction.hint());
    let value = conversation.rewrite(plan, &summary).commit(ledger);
    let messages = value.as_array().cloned().unwrap_or_default();
    println!("-- now {} messages, {} tokens", messages.len(), tokens(&messages));
    Ok(messages)
}

fn tokens(messages: &[Value]) -> usize {
    let contents = messages.iter().filter_map(|message| message["content"].as_str());
    contents.map(|text| Estimate.count(text)).sum()
}

/// Where a host asks its user.
fn is_allowed(request: &Request) -> bool {
    request.skill().is_none_or(|skill| skill.scope().as_str() == "project")
}

/// Where a host calls its model.
fn scripted_model(turn: usize, _tools: &[Value], _messages: &[Value]) -> Value {
    match SCRIPT[turn] {
        ("", answer) => json!({"role": "assistant", "content": answer}),
        (tool, arguments) => {
            let function = json!({"name": tool, "arguments": arguments});
            let call = json!({"id": format!("call-{turn}"), "type": "function", "function": function});
            json!({"role": "assistant", "tool_calls": [call]})
        }
    }
}

/// Where a host asks a model for a summary.
fn scripted_summary(leaving: &[Value], _hint: &str) -> String {
    let calls = leaving.iter().filter(|message| message["role"] == "tool").count();
    format!("The user wants a commit message. {calls} tools have been called; the diff is of the importer.")
}
