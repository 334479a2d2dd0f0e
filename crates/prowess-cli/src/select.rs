//! `select`: which skill fits a prompt.

use clap::Args;
use prowess_select::{Choice, Request, Selector, WordMatch};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
#[cfg(feature = "select")]
use crate::model::{self, args::ChoiceArgs};
use crate::output::{Output, safe};

#[derive(Debug, Args)]
pub(crate) struct SelectArgs {
    /// What the user wants
    pub(crate) prompt: String,
    /// Match words instead of asking a model. It is no judgement
    #[arg(long)]
    pub(crate) offline: bool,
    #[cfg(feature = "select")]
    #[command(flatten)]
    pub(crate) choice: ChoiceArgs,
}

pub(crate) fn select(context: &Context, args: &SelectArgs, output: &mut Output) -> Result<(), Failure> {
    if !args.offline {
        return ask(context, args, output);
    }
    let choice = WordMatch.select(&Request::new(&context.library, &args.prompt))?;
    if output.is_json() {
        let runs = json!([{"name": choice.skill, "count": 1}]);
        return Ok(output.json(&json!({
            "choice": choice.skill, "runs": runs, "model": WordMatch.name(), "offline": true,
        }))?);
    }
    Ok(output.line(offline_choice(&choice))?)
}

#[cfg(feature = "select")]
fn ask(context: &Context, args: &SelectArgs, output: &mut Output) -> Result<(), Failure> {
    model::select::select(context, &args.prompt, &args.choice, output)
}

#[cfg(not(feature = "select"))]
fn ask(_: &Context, _: &SelectArgs, _: &mut Output) -> Result<(), Failure> {
    let message = "this build knows no models; `--offline` matches words instead, which is no judgement";
    Err(Failure::usage(message))
}

/// The choice of the word match, which never goes without saying what it is.
pub(crate) fn offline_choice(choice: &Choice) -> String {
    let name = choice.skill.as_deref().unwrap_or("none");
    format!("{}  ({}; an offline word match, not a judgement)", safe(name), safe(&choice.reason))
}

/// The choice of a model.
pub(crate) fn model_choice(choice: &Choice, model: &str) -> String {
    let name = choice.skill.as_deref().unwrap_or("none");
    format!("{}  ({}; {})", safe(name), safe(&choice.reason), safe(model))
}
