//! The one JSON shape of every report. It is public API: faces print it, other programs rely on it.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::activate::Delivery;
use crate::catalog::{Catalog, Entry};
use crate::compact::Compaction;
use crate::diagnostic::{Diagnostic, Severity};
use crate::error::Error;
use crate::explain::Explanation;
use crate::ledger::{Ledger, Restored};
use crate::library::{Library, LoadedRoot, Reload, ScanReport};
use crate::mention::Mention;
use crate::parse::Frontmatter;
use crate::skill::{Skill, display_path};
use crate::source::Part;
use crate::tokens::Tokenizer;
use crate::value::Value;

/// Everything a load found: roots, skills, shadowed copies, invalid files, duplicates, diagnostics, what the scan touched.
///
/// `catalog` gives each skill's cost; `elapsed` is how long the load took.
#[must_use]
pub fn list(library: &Library, catalog: &Catalog, elapsed: Duration) -> Json {
    let costs: HashMap<&str, usize> =
        catalog.entries().iter().map(|entry| (entry.id.as_str(), entry.tokens)).collect();
    let skills = library.skills().iter().map(|item| skill(item, costs.get(item.id()).copied().unwrap_or(0)));
    let shadowed = library.shadowed().iter().map(|shadowed| {
        json!({
            "id": shadowed.skill.id(),
            "name": shadowed.skill.name(),
            "location": display_path(shadowed.skill.location()),
            "winner": display_path(&shadowed.winner),
        })
    });
    let invalid = library
        .invalid()
        .iter()
        .map(|invalid| json!({"location": display_path(&invalid.location), "code": invalid.code.as_str()}));
    let duplicates = library
        .duplicates()
        .iter()
        .map(|copy| json!({"location": display_path(&copy.location), "of": display_path(&copy.of)}));
    json!({
        "roots": library.roots().iter().map(root).collect::<Json>(),
        "skills": skills.collect::<Json>(),
        "shadowed": shadowed.collect::<Json>(),
        "invalid": invalid.collect::<Json>(),
        "duplicates": duplicates.collect::<Json>(),
        "diagnostics": library.diagnostics().iter().map(diagnostic).collect::<Json>(),
        "scan": scan(library.scan(), elapsed),
    })
}

fn root(loaded: &LoadedRoot) -> Json {
    json!({
        "path": display_path(&loaded.root.path),
        "scope": loaded.root.scope.as_str(),
        "rank": loaded.root.rank,
        "exists": loaded.exists,
    })
}

fn scan(report: &ScanReport, elapsed: Duration) -> Json {
    let limits =
        report.limits_hit.iter().map(|hit| json!({"limit": hit.limit, "path": display_path(&hit.path)}));
    json!({
        "directories": report.directories,
        "skill_files": report.skill_files,
        "limits_hit": limits.collect::<Json>(),
        "elapsed_us": u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
    })
}

fn skill(skill: &Skill, catalog_tokens: usize) -> Json {
    json!({
        "id": skill.id(),
        "name": skill.name(),
        "description": skill.description(),
        "scope": skill.scope().as_str(),
        "location": display_path(skill.location()),
        "directory": display_path(skill.directory()),
        "catalog_tokens": catalog_tokens,
        "body_bytes": skill.body_bytes(),
        "visibility": skill.visibility().as_str(),
        "user_invocable": skill.frontmatter().user_invocable,
    })
}

/// One diagnostic. Without a place in the file, `line` and `column` are null.
#[must_use]
pub fn diagnostic(diagnostic: &Diagnostic) -> Json {
    json!({
        "code": diagnostic.code.as_str(),
        "severity": diagnostic.severity.as_str(),
        "path": display_path(&diagnostic.path),
        "line": diagnostic.span.map(|span| span.line),
        "column": diagnostic.span.map(|span| span.column),
        "message": diagnostic.message,
        "help": diagnostic.help,
        "related": diagnostic.related.iter().map(|path| display_path(path)).collect::<Vec<_>>(),
    })
}

/// A catalog's text, its costs in tokens, and what became of each skill.
#[must_use]
pub fn catalog(catalog: &Catalog) -> Json {
    let skills = catalog.entries().iter().map(|entry| {
        json!({
            "id": entry.id,
            "tokens": entry.tokens,
            "share": share(catalog, entry),
            "shown": entry.shown.as_str(),
        })
    });
    json!({
        "text": catalog.text(),
        "tokens": catalog.tokens(),
        "body_tokens": catalog.body_tokens(),
        "skills": skills.collect::<Json>(),
        "omitted": catalog.omitted(),
    })
}

/// A catalog's costs over a session of so many turns, in tokens: the catalog is paid every turn, a body once.
#[must_use]
pub fn cost(catalog: &Catalog, turns: usize) -> Json {
    let outsized: Vec<&str> = catalog.outsized().map(|entry| entry.id.as_str()).collect();
    let skills = catalog.entries().iter().map(|entry| {
        json!({
            "id": entry.id,
            "tokens": entry.tokens,
            "share": share(catalog, entry),
            "body_tokens": entry.body_tokens,
            "outsized": outsized.contains(&entry.id.as_str()),
        })
    });
    json!({
        "tokens": catalog.tokens(),
        "frame_tokens": catalog.frame_tokens(),
        "body_tokens": catalog.body_tokens(),
        "skills": skills.collect::<Json>(),
        "session": {
            "turns": turns,
            "catalog_tokens": catalog.tokens().saturating_mul(turns),
            "body_tokens_once": catalog.body_tokens(),
            "body_tokens_every_turn": catalog.body_tokens().saturating_mul(turns),
        },
    })
}

/// A part of a resource; `text` is null if it is not UTF-8.
#[must_use]
pub fn resource(skill: &Skill, part: &Part) -> Json {
    json!({
        "skill": skill.id(),
        "path": part.path,
        "location": display_path(&skill.directory().join(&part.path)),
        "offset": part.offset,
        "length": part.bytes.len(),
        "size": part.size,
        "text": std::str::from_utf8(&part.bytes).ok(),
    })
}

/// Rounded to a hundredth of a percent.
fn share(catalog: &Catalog, entry: &Entry) -> f64 {
    (catalog.share(entry) * 10_000.0).round() / 10_000.0
}

/// What became of a request: its status, the text for the model, and what that costs. Of a body also what it was read from,
/// with the marker for the host as `metadata`; of what was refused also the [`error`].
#[must_use]
pub fn delivery(delivery: &Delivery, tokenizer: &dyn Tokenizer) -> Json {
    let (status, tokens) = (delivery.status().as_str(), tokenizer.count(delivery.text()));
    let Some(activation) = delivery.activation() else {
        let mut shape = json!({"status": status, "text": delivery.text(), "tokens": tokens});
        if let Some(refused) = delivery.error() {
            shape["error"] = error(refused)["error"].take();
        }
        return shape;
    };
    json!({
        "status": status,
        "id": activation.skill.id(),
        "digest": activation.digest,
        "directory": display_path(activation.skill.directory()),
        "text": delivery.text(),
        "tokens": tokens,
        "metadata": {
            "protected": delivery.is_protected(),
            "skill": activation.skill.id(),
            "digest": activation.digest,
        },
        "resources": activation.resources.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
        "resources_total": activation.resources_total,
    })
}

/// The skills that a prompt mentions, with each mention as it stands in the prompt.
#[must_use]
pub fn mentions(mentions: &[Mention], prompt: &str) -> Json {
    let mentions = mentions.iter().map(|mention| {
        json!({
            "id": mention.skill.id(),
            "mention": prompt.get(mention.span.clone()),
            "arguments": mention.arguments,
        })
    });
    mentions.collect()
}

/// What became of every `SKILL.md` that bears a name.
#[must_use]
pub fn explanation(explanation: &Explanation) -> Json {
    let entries = explanation.findings.iter().map(|finding| {
        json!({
            "location": display_path(&finding.location),
            "id": finding.id,
            "state": finding.state.as_str(),
            "code": finding.code,
            "reason": finding.reason,
            "help": finding.help,
        })
    });
    json!({"query": explanation.query, "entries": entries.collect::<Json>(), "near": explanation.near})
}

/// The findings of a check over so many `SKILL.md` files.
#[must_use]
pub fn check(diagnostics: &[Diagnostic], files: usize) -> Json {
    let count = |severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    json!({
        "diagnostics": diagnostics.iter().map(diagnostic).collect::<Json>(),
        "files": files,
        "errors": count(Severity::Error),
        "warnings": count(Severity::Warning),
    })
}

/// A compaction: what to place, what to tell the summariser, what it costs in tokens.
#[must_use]
pub fn compaction(compaction: &Compaction) -> Json {
    let blocks = compaction.blocks().iter().map(|block| {
        json!({
            "kind": block.kind.as_str(),
            "skills": block.skills,
            "text": block.text,
            "tokens": block.tokens,
        })
    });
    let stale = compaction
        .stale()
        .iter()
        .map(|stale| json!({"placement": stale.placement(), "skill": stale.skill(), "note": stale.note()}));
    json!({
        "blocks": blocks.collect::<Json>(),
        "reattached": compaction.reattached().collect::<Vec<_>>(),
        "stubs": compaction.stubs().collect::<Vec<_>>(),
        "stale": stale.collect::<Json>(),
        "hint": compaction.hint(),
        "catalog_leaves": compaction.catalog_leaves(),
        "kept_tokens": compaction.kept_tokens(),
        "reattached_tokens": compaction.reattached_tokens(),
    })
}

/// A session: each skill, the most recently used first, with its texts in the conversation and what they cost; and every
/// receipt in the order of time, for a timeline.
#[must_use]
pub fn session(ledger: &Ledger, tokenizer: &dyn Tokenizer) -> Json {
    let skills = ledger.skills().into_iter().map(|skill| {
        json!({
            "id": skill.id,
            "name": skill.name,
            "standing": skill.standing.as_str(),
            "in_force": skill.is_in_force,
            "state": skill.current.map(|receipt| receipt.state.as_str()),
            "placement": skill.current.map(|receipt| receipt.placement.as_str()),
            "digest": skill.current.map(|receipt| receipt.digest.as_str()),
            "tokens": skill.current.map_or(0, |receipt| tokenizer.count(&receipt.text)),
            "stub": skill.has_stub,
            "pinned": skill.is_pinned,
            "reads": skill.reads,
        })
    });
    let receipts = ledger.receipts().iter().map(|receipt| {
        json!({
            "skill": receipt.skill,
            "kind": receipt.kind.as_str(),
            "state": receipt.state.as_str(),
            "placement": receipt.placement,
            "turn": receipt.turn,
            "tokens": tokenizer.count(&receipt.text),
        })
    });
    json!({
        "skills": skills.collect::<Json>(),
        "receipts": receipts.collect::<Json>(),
        "catalog_present": ledger.has_catalog(),
    })
}

/// What a reload found different, by the skills' ids.
#[must_use]
pub fn reload(reload: &Reload) -> Json {
    json!({"added": reload.added, "changed": reload.changed, "removed": reload.removed})
}

/// What a restore found, by the skills' ids: `same`, `changed`, `gone` or `not-visible`.
#[must_use]
pub fn restored(report: &BTreeMap<String, Restored>) -> Json {
    report.iter().map(|(id, restored)| (id.clone(), restored.as_str().into())).collect::<Map<_, _>>().into()
}

/// A failure: `{"error": {"code", "message", "candidates"}}`.
#[must_use]
pub fn error(error: &Error) -> Json {
    failure(error.kind().as_str(), &error.to_string(), error.candidates())
}

/// A failure that is not this crate's, such as a face's own.
#[must_use]
pub fn failure(code: &str, message: &str, candidates: &[String]) -> Json {
    json!({"error": {"code": code, "message": message, "candidates": candidates}})
}

/// Every top-level entry of a frontmatter, as its author wrote it, whether this crate knows the key or not.
///
/// ```
/// let file = b"---\nname: notes\ndescription: >\n  Sorts\n  notes.\nx-team: [a, b]\n---\n";
/// let parsed = prowess::parse::parse(file, std::path::Path::new("notes/SKILL.md"));
/// let json = prowess::json::frontmatter(&parsed.frontmatter);
/// assert_eq!(json, serde_json::json!({"name": "notes", "description": "Sorts notes.\n", "x-team": ["a", "b"]}));
/// ```
#[must_use]
pub fn frontmatter(frontmatter: &Frontmatter) -> Json {
    let entries = frontmatter.entries.iter().map(|(key, item)| (key.clone(), value(item)));
    Json::Object(entries.collect::<Map<_, _>>())
}

/// A frontmatter value. Plain scalars are typed as YAML 1.2's core schema has it: `1.10` is a number, `yes` a string.
///
/// ```
/// use prowess::{json, value::Value};
///
/// let value = Value::List(vec![Value::Plain("1.5".into()), Value::Text("1.5".into()), Value::Plain("yes".into())]);
/// assert_eq!(json::value(&value), serde_json::json!([1.5, "1.5", "yes"]));
/// ```
#[must_use]
pub fn value(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Text(text) => text.as_str().into(),
        Value::Plain(text) => scalar(text),
        Value::List(items) => items.iter().map(self::value).collect(),
        Value::Map(entries) => Json::Object(
            entries.iter().map(|(key, item)| (key.clone(), self::value(item))).collect::<Map<_, _>>(),
        ),
    }
}

fn scalar(text: &str) -> Json {
    match text {
        "true" | "True" | "TRUE" => return true.into(),
        "false" | "False" | "FALSE" => return false.into(),
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        if let Ok(integer) = text.parse::<i64>() {
            return integer.into();
        }
        if let Some(float) = text.parse().ok().filter(|float: &f64| float.is_finite()) {
            return json!(float);
        }
    }
    text.into()
}
