//! `select` by a model.

use std::collections::BTreeMap;

use prowess::text::grouped;
use prowess_select::{ByModel, ErrorKind, Request};
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
    let purpose = if args.show_request { Purpose::Show } else { Purpose::Send };
    let Opened { provider, label } = open(&args.model, purpose)?;
    let mut options = context.catalog_options();
    if let Some(budget) = args.budget {
        options = options.budget(budget);
    }
    let request = Request::with_catalog(&context.library, &options, prompt);
    let chooser = ByModel::new(&provider, args.method.into());
    if args.show_request {
        return show_request(&provider, &chooser.turn(&request), output);
    }
    tell_problems(context, output);
    let interrupt = Interrupt::listen();
    let (mut counts, mut last, mut failed) = (Counts::new(), None, Vec::new());
    for _ in 0..args.runs {
        match chooser.choose(&request, &mut |delta| hear(delta, &interrupt, output)) {
            Ok((choice, _)) => {
                *counts.entry(choice.skill.clone()).or_default() += 1;
                last = Some(choice);
            }
            Err(error) if error.kind() == ErrorKind::Model => failed.push(error),
            Err(error) => return Err(error.into()),
        }
    }
    match (last, failed.pop()) {
        (None, Some(error)) => Err(error.into()),
        (Some(choice), None) if args.runs == 1 && !output.is_json() => {
            Ok(output.line(model_choice(&choice, &label))?)
        }
        (_, error) => {
            let errored = args.runs - counts.values().sum::<u32>();
            if let Some(error) = error {
                output.note(&format!(
                    "{errored} of {} runs failed, the last one: {}",
                    args.runs,
                    safe(&error.to_string())
                ));
            }
            print(&counts, errored, &label, output)
        }
    }
}

fn print(counts: &Counts, errored: u32, label: &str, output: &mut Output) -> Result<(), Failure> {
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
    if errored > 0 {
        rows.push(vec!["(failed)".to_owned(), String::new(), grouped(errored as usize)]);
    }
    output.table(&[("SKILL", Column::Long), ("CHOSEN", Column::Text), ("TIMES", Column::Number)], rows)?;
    Ok(output.line(safe(label))?)
}
