//! The skills that the user may activate, as prompts.

use prowess::{Library, Origin};
use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;
use std::time::Instant;

use crate::session::{Repeat, Session};
use crate::shelf::Snapshot;

/// The one argument of a prompt.
const ARGUMENTS: &str = "arguments";

pub(crate) fn list(library: &Library) -> Vec<Prompt> {
    let skills = library.skills().iter().filter(|skill| skill.is_invocable());
    let prompts = skills.map(|skill| {
        let hint = skill.frontmatter().argument_hint.clone();
        let mut argument = PromptArgument::new(ARGUMENTS).with_required(false);
        argument.description = Some(hint.unwrap_or_else(|| "What you want of the skill.".to_owned()));
        Prompt::new(library.call_name(skill), Some(skill.description()), Some(vec![argument]))
    });
    prompts.collect()
}

pub(crate) fn find(
    snapshot: &Snapshot,
    session: &mut Session,
    name: &str,
    arguments: Option<JsonObject>,
    placement: &str,
) -> Result<GetPromptResult, ErrorData> {
    let arguments = arguments.as_ref().and_then(|arguments| arguments.get(ARGUMENTS));
    let arguments = arguments.and_then(Value::as_str).unwrap_or_default();
    let request = snapshot.library.activate(name, Origin::User).with_arguments(arguments);
    let description = request.skill().map(|skill| skill.description().to_owned());
    let repeat = if snapshot.options().dedup.is_some() { Repeat::Now } else { Repeat::Always };
    let delivery = session.activate(request, placement, repeat, Instant::now());
    if let Some(error) = delivery.error() {
        return Err(crate::server::refused(error));
    }
    let mut result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, delivery.into_text())]);
    result.description = description;
    Ok(result)
}
