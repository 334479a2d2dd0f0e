//! The tools, for clients without the Skills extension.

use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess::activate::Delivery;
use prowess::tokens::Estimate;
use prowess::tools::{ACTIVATE_SKILL, READ_SKILL_RESOURCE, Shape};
use prowess::{Catalog, Library, json};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::options::{CatalogPlace, Options};
use crate::session::{Repeat, Session};
use crate::shelf::Snapshot;

/// The tool that lists every skill, page by page.
const LIST_SKILLS: &str = "list_skills";
/// The tool that says what became of a skill.
const WHY_SKILL: &str = "why_skill";
/// How many skills one page of `list_skills` has.
const PAGE: usize = 100;

/// The definitions of all tools.
pub(crate) fn definitions(library: &Library, catalog: &Catalog, options: &Options) -> Vec<Tool> {
    let core = match options.place {
        CatalogPlace::Instructions => prowess::tools::definitions(library, Shape::Mcp),
        _ => prowess::tools::definitions_with_catalog(library, catalog, Shape::Mcp),
    };
    let mut tools: Vec<Tool> =
        core.into_iter().filter_map(|tool| serde_json::from_value(tool).ok()).collect();
    if options.dedup.is_some() {
        tools.iter_mut().filter(|tool| tool.name == ACTIVATE_SKILL).for_each(offer_force);
    }
    tools.push(tool(
        LIST_SKILLS,
        "Lists the skills with their descriptions, also those that the catalog has no room for.",
        json!({"offset": {"type": "integer", "description": "How many to pass over; 0 if left out."}}),
    ));
    tools.push(tool(
        WHY_SKILL,
        "Says why a skill is missing or not the one that was expected. Without a name: everything that does not load.",
        json!({"name": {"type": "string", "description": "The skill's name."}}),
    ));
    tools
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
    let forced = arguments.get("force") == Some(&Value::Bool(true));
    let arguments = Value::Object(arguments);
    match name {
        LIST_SKILLS => Ok(list(library, &arguments)),
        WHY_SKILL => Ok(why(snapshot, &arguments)),
        _ => {
            let request = library.request(name, &arguments);
            let request = request.ok_or_else(|| {
                ErrorData::invalid_params(format!("no tool is named `{}`", shortened(name)), None)
            })?;
            let repeat = snapshot.options().dedup.filter(|_| !forced).map_or(Repeat::Always, Repeat::After);
            Ok(result(&match name {
                READ_SKILL_RESOURCE => session.read(request, placement),
                _ => session.activate(request, placement, repeat, Instant::now()),
            }))
        }
    }
}

/// As much of a client's text as a message repeats.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(100).collect()
}

fn list(library: &Library, arguments: &Value) -> CallToolResult {
    let offset = arguments.get("offset").and_then(Value::as_u64).unwrap_or(0);
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    let page = library.listed().skip(offset).take(PAGE);
    let skills =
        page.map(|skill| json!({"name": library.call_name(skill), "description": skill.description()}));
    let skills: Vec<Value> = skills.collect();
    let total = library.listed().count();
    let end = offset.saturating_add(skills.len());
    let next = Some(end).filter(|end| *end < total && !skills.is_empty());
    text(&json!({"skills": skills, "total": total, "next_offset": next}).to_string())
}

fn why(snapshot: &Snapshot, arguments: &Value) -> CallToolResult {
    let library = &snapshot.library;
    if let Some(name) = arguments.get("name").and_then(Value::as_str) {
        return text(&json::explanation(&library.why(name, Some(snapshot.catalog()))).to_string());
    }
    let mut all = json::list(library, snapshot.catalog(), Duration::ZERO);
    let findings = ["invalid", "shadowed", "diagnostics"].map(|key| (key.to_owned(), all[key].take()));
    let mut findings: JsonObject = findings.into_iter().collect();
    let left_out = snapshot.left_out().iter().map(|(id, why)| json!({"id": id, "reason": why}));
    findings.insert("left_out_of_skills_list".to_owned(), left_out.collect());
    text(&Value::Object(findings).to_string())
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
        result.meta = Some(MetaObject(JsonObject::from_iter([(key.to_owned(), about)])));
    }
    result
}
