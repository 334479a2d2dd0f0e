//! The loop of an agent host, whole: load, disclose, and answer the model's calls. The model is scripted: it asks for a
//! skill, asks for it again, reads one of its files, calls a tool of the host's own, and answers.
//!
//! `cargo run --example host`

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a host talks to a person"
)]

use prowess::tools::{self, Shape};
use prowess::{Catalog, CatalogOptions, Ledger, Library, LoadOptions, Roots};
use serde_json::{Value, json};

/// What the scripted model says, turn by turn: the tool and its arguments, or the answer.
const SCRIPT: [(&str, &str); 5] = [
    ("activate_skill", r#"{"name": "commit-message"}"#),
    ("activate_skill", r#"{"name": "commit-message"}"#),
    (
        "read_skill_resource",
        r#"{"name": "commit-message", "path": "references/areas.md"}"#,
    ),
    ("git_diff", "{}"),
    ("", "import: keep the time zone of a row"),
];

fn main() {
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
    loop {
        ledger.reconcile(
            messages
                .iter()
                .filter_map(|message| message["tool_call_id"].as_str()),
        );
        let reply = scripted_model(&tools, &messages);
        messages.push(reply.clone());
        let Some(call) = reply["tool_calls"].get(0) else {
            break;
        };
        let (id, tool) = (
            call["id"].as_str().unwrap_or_default(),
            call["function"]["name"].as_str().unwrap_or_default(),
        );
        let text = match library.request(tool, &call["function"]["arguments"]) {
            None => "(the host's own tool ran)".to_owned(),
            Some(request) if is_allowed(&request) => request.deliver(&mut ledger, id).into_text(),
            Some(request) => request.deny("the user said no").into_text(),
        };
        println!(
            "{tool}: {} bytes, begins {:?}",
            text.len(),
            text.lines().next().unwrap_or_default()
        );
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": text}));
    }
    println!("answer: {}", messages[messages.len() - 1]["content"]);
    println!(
        "in the context: {:?}",
        ledger
            .receipts()
            .iter()
            .map(|receipt| &receipt.skill)
            .collect::<Vec<_>>()
    );
}

/// Where a host asks its user.
fn is_allowed(request: &prowess::activate::Request) -> bool {
    request
        .skill()
        .is_none_or(|skill| skill.scope().as_str() == "project")
}

fn scripted_model(_tools: &[Value], messages: &[Value]) -> Value {
    let turn = messages
        .iter()
        .filter(|message| message["role"] == "assistant")
        .count();
    match SCRIPT[turn] {
        ("", answer) => json!({"role": "assistant", "content": answer}),
        (tool, arguments) => {
            let function = json!({"name": tool, "arguments": arguments});
            json!({"role": "assistant", "tool_calls": [{"id": format!("call-{turn}"), "type": "function", "function": function}]})
        }
    }
}
