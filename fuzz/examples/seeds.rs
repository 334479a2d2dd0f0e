//! Writes what each target begins with into `fuzz/corpus`: the files of the conformance cases, and what they make up.

use std::fs;
use std::io;
use std::path::Path;

use prowess::compact::Budget;
use prowess::ledger::Texts;
use prowess::parse::parse;
use prowess::{Ledger, Origin};
use prowess_testkit::conformance::cases;
use serde_json::{Value, json};

/// Larger files are slow, and hold nothing that smaller ones don't.
const LARGEST: usize = 4096;

fn main() -> io::Result<()> {
    let all = cases();
    let files = all.iter().flat_map(|case| case.files()).filter(|(path, _)| path.ends_with(".md"));
    let files: Vec<Vec<u8>> = files.map(|(_, bytes)| bytes).filter(|bytes| bytes.len() <= LARGEST).collect();
    write("parse", &files)?;
    write("split", files.iter().map(|file| [&[40, 0], file.as_slice()].concat()))?;
    write("yaml", files.iter().map(|file| file[parse(file, Path::new("d/SKILL.md")).yaml].to_vec()))?;
    write("catalog", files.chunks(3).map(catalog))?;
    write("mention", MENTIONS)?;
    write("session", sessions())?;
    write("compaction", conversations().map(|value| value.to_string()))?;
    write("mcp_frame", frames().map(|value| value.to_string()))
}

fn write(target: &str, inputs: impl IntoIterator<Item = impl AsRef<[u8]>>) -> io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    fs::create_dir_all(&corpus)?;
    for (number, input) in inputs.into_iter().enumerate() {
        fs::write(corpus.join(format!("seed-{number:03}")), input)?;
    }
    Ok(())
}

const MENTIONS: [&str; 6] = [
    "/pdf form.pdf in $PATH",
    "$two words, then /two words more!",
    "a/b \\$pdf $pdf-forms. /model-only",
    "/user:pdf and $user:r\u{e9}sum\u{e9}",
    "\u{3000}/表格。 x",
    " /x!!!!!!!!!!!!!!!!!!! $a.b",
];

/// Some skills' names, descriptions and directories.
fn catalog(files: &[Vec<u8>]) -> String {
    let parsed = files.iter().map(|file| parse(file, Path::new("d/SKILL.md")).frontmatter);
    parsed.map(|skill| format!("{}\0{}\0{0}\0", skill.name, skill.description)).collect()
}

/// A session after each of its steps.
fn sessions() -> Vec<String> {
    let library = prowess_fuzz::three_skills();
    let mut ledger = Ledger::new();
    let mut saved = Vec::new();
    for (number, name) in ["pdf", "long", "pdf", "ship"].into_iter().enumerate() {
        let _ = library.activate(name, Origin::User).deliver(&mut ledger, format!("c{number}"));
        saved.push(ledger.snapshot(Texts::Included).to_json());
    }
    ledger.reconcile(["c0", "c1"]);
    ledger.pin("user:long");
    ledger.place_catalog("system");
    saved.push(ledger.snapshot(Texts::Included).to_json());
    let compaction = ledger.plan_compaction(["c0", "c1"], Budget::total(100));
    let placements = vec!["summary"; compaction.blocks().len()];
    ledger.commit(compaction, placements);
    let _ = ledger.deactivate("user:pdf");
    saved.push(ledger.snapshot(Texts::Included).to_json());
    saved.push(ledger.snapshot(Texts::LeftOut).to_json());
    saved
}

fn conversations() -> impl Iterator<Item = Value> {
    let function = json!({"name": "t", "arguments": "{}"});
    let calls = json!([{"id": "a", "type": "function", "function": function}, {"id": "b", "type": "function", "function": function}]);
    let tool = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "An answer."});
    let user = |text: &str| json!({"role": "user", "content": text});
    let uses = json!([{"type": "text", "text": "Let me see."}, {"type": "tool_use", "id": "a", "name": "t", "input": {}}]);
    let results = json!([{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "x"}]}, {"type": "text", "text": "And?"}]);
    let said = |content: Value| json!({"role": "assistant", "content": content});
    [
        json!([{"role": "system", "content": "You are."}, user("Begin."), {"role": "assistant", "content": null, "tool_calls": calls}, tool("a"), tool("b"), user("More.")]),
        json!([tool("a"), {"role": "assistant", "tool_calls": calls}, tool("b"), user("x"), tool("a")]),
        json!({"model": "m", "system": "You are.", "messages": [user("Begin."), said(uses.clone()), {"role": "user", "content": results}, said("Done.".into())]}),
        json!([said(uses.clone()), said(uses), user("x"), {"role": "user", "content": results}, user("")]),
    ]
    .into_iter()
}

/// A request or notification of each kind.
fn frames() -> impl Iterator<Item = Value> {
    let uri = json!({"uri": "skill://pdf/SKILL.md"});
    let prompt = json!({"type": "ref/prompt", "name": "pdf"});
    let template = json!({"type": "ref/resource", "uri": "skill://{name}/{path}"});
    let requests = [
        (
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "0"}}),
        ),
        ("ping", json!({})),
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "activate_skill", "arguments": {"name": "pdf"}})),
        (
            "tools/call",
            json!({"name": "read_skill_resource", "arguments": {"name": "pdf", "path": "notes.md", "offset": 1}}),
        ),
        ("tools/call", json!({"name": "why_skill", "arguments": {"name": "pdf"}})),
        ("prompts/list", json!({"cursor": "x"})),
        ("prompts/get", json!({"name": "pdf", "arguments": {"arguments": "x"}})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", uri.clone()),
        ("resources/directory/read", json!({"uri": "skill://pdf/"})),
        ("resources/subscribe", uri.clone()),
        ("skills/list", json!({})),
        ("skills/get", uri),
        ("completion/complete", json!({"ref": prompt, "argument": {"name": "arguments", "value": "n"}})),
        (
            "completion/complete",
            json!({"ref": template, "argument": {"name": "path", "value": "n"}, "context": {"arguments": {"name": "pdf"}}}),
        ),
        ("logging/setLevel", json!({"level": "debug"})),
        ("server/discover", json!({})),
    ];
    let requests = requests.into_iter().enumerate().map(
        |(id, (method, params))| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}),
    );
    let told = [
        ("notifications/initialized", json!({})),
        ("notifications/cancelled", json!({"requestId": "end"})),
        ("notifications/roots/list_changed", json!({})),
    ];
    let told = told
        .into_iter()
        .map(|(method, params)| json!({"jsonrpc": "2.0", "method": method, "params": params}));
    let answers = [
        json!({"jsonrpc": "2.0", "id": 0, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 0, "error": {"code": -1, "message": "x"}}),
    ];
    requests.chain(told).chain(answers)
}
