//! The tools, for clients without the Skills extension.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use prowess::activate::Delivery;
use prowess::tokens::Estimate;
use prowess::tools::{ACTIVATE_SKILL, READ_SKILL_RESOURCE, Shape, number};
use prowess::{Catalog, Error, Library, Origin, json};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::options::{CatalogPlace, Options};
use crate::resources::named_left_out;
use crate::session::{Repeat, Session};
use crate::shelf::Snapshot;

/// The tool that lists every skill, page by page.
const LIST_SKILLS: &str = "list_skills";
/// The tool that says what became of a skill.
const WHY_SKILL: &str = "why_skill";
/// How many skills one page of `list_skills` has.
const PAGE: usize = 100;
/// How many findings one page of `why_skill` has.
const FINDINGS: usize = 50;

/// The definitions of all tools.
pub(crate) fn definitions(
    library: &Library,
    catalog: &Catalog,
    options: &Options,
) -> Result<Vec<Tool>, String> {
    let core = match options.place {
        CatalogPlace::Instructions => prowess::tools::definitions(library, Shape::Mcp),
        _ => prowess::tools::definitions_with_catalog(library, catalog, Shape::Mcp),
    };
    let tools: Result<Vec<Tool>, _> = core.into_iter().map(serde_json::from_value).collect();
    let mut tools = tools.map_err(|error| format!("a tool has no form of the protocol: {error}"))?;
    if options.dedup.is_some() {
        tools.iter_mut().filter(|tool| tool.name == ACTIVATE_SKILL).for_each(offer_force);
    }
    let offset = json!({"type": "integer", "description": "How many to pass over; 0 if left out."});
    tools.push(tool(
        LIST_SKILLS,
        "Lists the skills with their descriptions, also those that the catalog has no room for.",
        json!({"offset": offset}),
    ));
    tools.push(tool(
        WHY_SKILL,
        "Says why a skill is missing or not the one that was expected. Without a name: everything that is wrong with skills.",
        json!({"name": {"type": "string", "description": "The skill's name."}, "offset": offset}),
    ));
    Ok(tools)
}

fn tool(name: &'static str, description: &'static str, properties: Value) -> Tool {
    let mut schema = JsonObject::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties);
    Tool::new(name, description, schema).with_annotations(ToolAnnotations::new().read_only(true))
}

fn offer_force(tool: &mut Tool) {
    let schema = Arc::make_mut(&mut tool.input_schema);
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        let description = "Deliver the text again, even if it was delivered before.";
        properties.insert("force".into(), json!({"type": "boolean", "description": description}));
    }
}

/// Answers a call. What a model can mend is a result that says so; a tool that is not there is a protocol error.
pub(crate) fn call(
    snapshot: &Snapshot,
    session: &mut Session,
    name: &str,
    arguments: JsonObject,
    placement: &str,
) -> Result<CallToolResult, ErrorData> {
    let library = &snapshot.library;
    let told = match name {
        LIST_SKILLS => list(library, &arguments),
        WHY_SKILL => why(snapshot, &arguments),
        _ => return deliver(snapshot, session, name, arguments, placement),
    };
    Ok(told.map_or_else(|error| mistake(&error), |told| text(&told.to_string())))
}

fn deliver(
    snapshot: &Snapshot,
    session: &mut Session,
    name: &str,
    arguments: JsonObject,
    placement: &str,
) -> Result<CallToolResult, ErrorData> {
    let forced = arguments.get("force") == Some(&Value::Bool(true));
    let request = snapshot.library.request(name, &Value::Object(arguments));
    let request = request
        .ok_or_else(|| ErrorData::invalid_params(format!("no tool is named `{}`", shortened(name)), None))?;
    let repeat = match snapshot.options().dedup {
        None => Repeat::Always,
        Some(_) if forced => Repeat::Now,
        Some(expiry) => Repeat::After(expiry),
    };
    Ok(result(&match name {
        READ_SKILL_RESOURCE => session.read(&snapshot.library, request, placement),
        _ => session.activate(request, placement, repeat, Instant::now()),
    }))
}

/// As much of a client's text as a message repeats.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(100).collect()
}

fn list(library: &Library, arguments: &JsonObject) -> Result<Value, Error> {
    let all = library.listed();
    let (page, next) = page(all, PAGE, offset(arguments)?);
    let skills = page
        .iter()
        .map(|skill| json!({"name": library.call_name(skill), "description": skill.description()}));
    Ok(json!({"skills": skills.collect::<Value>(), "total": library.listed().count(), "next_offset": next}))
}

fn why(snapshot: &Snapshot, arguments: &JsonObject) -> Result<Value, Error> {
    let offset = offset(arguments)?;
    Ok(match prowess::tools::text(arguments, "name")? {
        Some(name) => why_named(snapshot, name, offset),
        None => found(snapshot, offset),
    })
}

/// What became of the skills of a name.
fn why_named(snapshot: &Snapshot, name: &str, offset: usize) -> Value {
    let mut why = snapshot.library.why_for(name, Some(snapshot.catalog()), Origin::Model);
    let total = why.findings.len();
    let (findings, next) = page(why.findings.into_iter(), FINDINGS, offset);
    why.findings = findings;
    let is_part = why.findings.len() < total;
    let mut why = json::explanation(&why);
    if is_part {
        (why["total"], why["next_offset"]) = (total.into(), json!(next));
    }
    why
}

/// All that was found wrong, the worst first.
fn found(snapshot: &Snapshot, offset: usize) -> Value {
    let mut found = snapshot.library.diagnostics_for(Origin::Model);
    found.sort_by_key(|found| Reverse(found.severity));
    let mut codes = BTreeMap::new();
    for found in &found {
        *codes.entry(found.code.as_str()).or_insert(0) += 1;
    }
    let (page, next) = page(found.iter(), FINDINGS, offset);
    let diagnostics: Value = page.into_iter().map(json::diagnostic).collect();
    let mut told =
        json!({"diagnostics": diagnostics, "total": found.len(), "codes": codes, "next_offset": next});
    if offset == 0 {
        let (named, total) = named_left_out(snapshot);
        (told["left_out_of_skills_list"], told["left_out_total"]) = (named, total.into());
    }
    told
}

fn offset(arguments: &JsonObject) -> Result<usize, Error> {
    Ok(usize::try_from(number(arguments, "offset")?.unwrap_or(0)).unwrap_or(usize::MAX))
}

/// So many items from an offset on, and the offset of the next ones if there are more.
fn page<T>(items: impl Iterator<Item = T>, size: usize, offset: usize) -> (Vec<T>, Option<usize>) {
    let mut items = items.skip(offset);
    let page: Vec<T> = items.by_ref().take(size).collect();
    let next = items.next().map(|_| offset + page.len());
    (page, next)
}

/// What a model can mend.
fn mistake(error: &Error) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(error.to_string())]);
    result.meta = Some(meta("prowess/error", json::error(error)["error"].take()));
    result
}

fn meta(key: &str, value: Value) -> MetaObject {
    MetaObject(JsonObject::from_iter([(key.to_owned(), value)]))
}

fn text(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// A delivery as a result, with the marker for the host beside the text.
fn result(delivery: &Delivery) -> CallToolResult {
    let mut result = text(delivery.text());
    result.is_error = Some(delivery.error().is_some());
    let mut shape = json::delivery(delivery, &Estimate);
    let (key, about) = match delivery.error() {
        Some(_) => ("prowess/error", shape["error"].take()),
        None => ("prowess/skill", shape["metadata"].take()),
    };
    if !about.is_null() {
        result.meta = Some(meta(key, about));
    }
    result
}
