//! What a ledger costs a host: reconciling before each request, and planning a compaction.
//!
//! `cargo bench -p prowess --bench ledger`

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use prowess::compact::Budget;
use prowess::messages::Conversation;
use prowess::source::Memory;
use prowess::tools::Shape;
use prowess::{Ledger, Library, LoadOptions, Origin, Roots};
use serde_json::{Value, json};

const SKILLS: usize = 50;
/// Half of the bodies fit.
const BUDGET: usize = 30_000;

/// A conversation of so many tool answers in which each of the skills was activated.
struct Session {
    ledger: Ledger,
    present: Vec<(String, String)>,
}

fn session(messages: usize) -> Session {
    let file = |skill: usize| {
        let body = format!("Step of skill {skill}.\n").repeat(4_900 / 20);
        let text = format!("---\nname: s{skill}\ndescription: Does one thing.\n---\n{body}");
        (format!("/s/s{skill}/SKILL.md"), text)
    };
    let memory: Memory = (0..SKILLS).map(file).collect();
    let roots = Roots::new().with("user", "/s").expect("a scope");
    let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
    let mut ledger = Ledger::new();
    let mut present = Vec::with_capacity(messages);
    for message in 0..messages {
        let placement = format!("call-{message}");
        let text = if message % (messages / SKILLS) == 0 {
            let skill = format!("s{}", message / (messages / SKILLS));
            let request = library.activate(&skill, Origin::Model);
            request.deliver(&mut ledger, &*placement).into_text()
        } else {
            "output of a tool\n".repeat(30)
        };
        present.push((placement, text));
    }
    ledger.reconcile(&present);
    Session { ledger, present }
}

fn conversation(present: &[(String, String)]) -> Value {
    let function = json!({"name": "tool", "arguments": "{}"});
    let turn = |(id, text): &(String, String)| {
        let call = json!({"id": id, "type": "function", "function": function});
        [
            json!({"role": "assistant", "content": null, "tool_calls": [call]}),
            json!({"role": "tool", "tool_call_id": id, "content": text}),
        ]
    };
    present.iter().flat_map(turn).collect()
}

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ledger");
    group.sample_size(20);
    for messages in [1_000, 10_000] {
        let Session { mut ledger, present } = session(messages);
        group.throughput(Throughput::Elements(messages as u64));
        let id = |what| BenchmarkId::new(what, messages);
        group.bench_function(id("reconcile placements"), |bencher| {
            bencher.iter(|| ledger.reconcile(present.iter().map(|(placement, _)| placement)));
        });
        group.bench_function(id("reconcile texts"), |bencher| bencher.iter(|| ledger.reconcile(&present)));
        group.bench_function(id("plan"), |bencher| {
            let leaving = || present.iter().take(messages * 9 / 10).map(|(placement, _)| placement);
            bencher.iter(|| black_box(ledger.plan_compaction(leaving(), Budget::total(BUDGET))));
        });
        let value = conversation(&present);
        group.bench_function(id("compact a conversation"), |bencher| {
            bencher.iter_with_large_drop(|| {
                let conversation = Conversation::new(value.clone(), Shape::OpenAi).expect("a conversation");
                let plan = conversation.plan(&ledger, conversation.cut(20_000), Budget::total(BUDGET));
                conversation.rewrite(plan, "What was done.")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
