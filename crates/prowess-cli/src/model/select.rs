//! `select` by a model.

use std::collections::BTreeMap;

use prowess::text::grouped;
use prowess_select::{ByModel, Choice, ErrorKind, Request};
use serde_json::json;

use super::args::ChoiceArgs;
use super::interrupt::Interrupt;
use super::{Opened, Purpose, hear, open, show_request};
use crate::commands::{bar, bar_width, tell_problems};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Output, safe};
use crate::select::model_choice;
use crate::table::Column;

/// How often each skill, or none, was chosen.
type Counts = BTreeMap<Option<String>, u32>;

pub(crate) fn select(
    context: &Context,
    prompt: &str,
    args: &ChoiceArgs,
    output: &mut Output,
) -> Result<(), Failure> {
    let Opened { provider, label } = open(&args.model, Purpose::unless(args.show_request))?;
    let options = context.budgeted(args.budget);
    let request = Request::with_catalog(&context.library, &options, prompt);
    let chooser = ByModel::new(&provider, args.method.into());
    if args.show_request {
        return show_request(&provider, &chooser.turn(&request), output);
    }
    tell_problems(context, output);
    let runs = ask(&chooser, &request, args.runs, output)?;
    if let (Some(choice), 1, false) = (&runs.last, args.runs, output.is_json()) {
        return Ok(output.line(model_choice(choice, &label))?);
    }
    print(&runs, &label, output)
}

/// What several runs came to.
#[derive(Default)]
struct Runs {
    counts: Counts,
    last: Option<Choice>,
    errored: u32,
}

/// Asks so often. What a model does wrong now and then is counted; if it does nothing else, that is the failure.
fn ask(chooser: &ByModel<'_>, request: &Request, times: u32, output: &mut Output) -> Result<Runs, Failure> {
    let interrupt = Interrupt::listen();
    let mut runs = Runs::default();
    let mut failed = None;
    for _ in 0..times {
        match chooser.choose(request, &mut |delta| hear(delta, &interrupt, output)) {
            Ok((choice, _)) => {
                *runs.counts.entry(choice.skill.clone()).or_default() += 1;
                runs.last = Some(choice);
            }
            Err(error) if error.kind() == ErrorKind::Model => {
                runs.errored += 1;
                failed = Some(error);
            }
            Err(error) => return Err(error.into()),
        }
    }
    match failed {
        Some(error) if runs.last.is_none() => Err(error.into()),
        Some(error) => {
            let errored = runs.errored;
            output.note(&format!(
                "{errored} of {times} runs failed, the last one: {}",
                safe(&error.to_string())
            ));
            Ok(runs)
        }
        None => Ok(runs),
    }
}

fn print(all: &Runs, label: &str, output: &mut Output) -> Result<(), Failure> {
    let Runs { counts, errored, .. } = all;
    let mut runs: Vec<(&Option<String>, &u32)> = counts.iter().collect();
    runs.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let choice = runs.first().and_then(|(name, _)| name.as_deref());
    if output.is_json() {
        let runs: Vec<_> = runs.iter().map(|(name, count)| json!({"name": name, "count": count})).collect();
        return Ok(output.json(&json!({
            "choice": choice, "runs": runs, "model": label, "offline": false, "errored": errored,
        }))?);
    }
    let most = runs.first().map_or(0, |(_, count)| **count);
    let width = bar_width(output);
    let row = |(name, count): &(&Option<String>, &u32)| {
        let name = name.as_deref().unwrap_or("none");
        let count = **count as usize;
        vec![safe(name), bar(count, most as usize, width), grouped(count)]
    };
    let mut rows: Vec<Vec<String>> = runs.iter().map(row).collect();
    if *errored > 0 {
        rows.push(vec!["(failed)".to_owned(), String::new(), grouped(*errored as usize)]);
    }
    output.table(&[("SKILL", Column::Long), ("CHOSEN", Column::Text), ("TIMES", Column::Number)], rows)?;
    Ok(output.line(safe(label))?)
}
