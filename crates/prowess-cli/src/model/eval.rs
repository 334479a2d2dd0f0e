//! `eval`: descriptions, measured.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use prowess::text::grouped;
use prowess_select::Method;
use prowess_select::eval::{Attempt, Experiment, Plan, Prompt, Report, Results, Split, Triggers};
use serde_json::json;

use super::args::{EvalArgs, ModelArgs};
use super::interrupt::Interrupt;
use super::{Purpose, open};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Output, YELLOW, safe};

mod print;

pub(crate) fn eval(context: &Context, args: &EvalArgs, output: &mut Output) -> Result<(), Failure> {
    let opened = open(&args.model, Purpose::unless(args.dry_run))?;
    let triggers = Triggers::parse(&read(&args.file)?)?;
    let library = triggers.library().unwrap_or_else(|| context.library.clone());
    triggers.check(&library)?;
    let prompts = chosen(triggers, args)?;
    let experiment = Experiment::new(&opened.provider, &library)
        .label(asked(&opened.label, &args.model))
        .catalog_options(context.budgeted(args.budget))
        .method(args.method.into())
        .runs(args.runs)
        .jobs(args.jobs as usize);
    let results_file = args
        .results
        .as_deref()
        .filter(|path| !args.dry_run || path.exists());
    let mut results = results_file
        .map(|path| Results::open(path, &experiment.id()))
        .transpose()?;
    let done = results
        .as_ref()
        .map_or(Vec::new(), |results| results.done().to_vec());
    let plan = experiment.plan(&prompts, &done);
    if args.dry_run {
        return tell_plan(&plan, output);
    }
    let skipped = results.as_ref().map_or(0, Results::skipped);
    if skipped > 0 {
        output.note(&format!(
            "{skipped} lines of the results are of other experiments, or unreadable: left alone"
        ));
    }
    let started = Instant::now();
    let progress = Progress::new(&plan, output);
    let attempts = perform(&experiment, &prompts, &done, results.as_mut(), &progress, output)?;
    let report = Report::new(&library, &prompts, &attempts);
    let measured = Measured {
        label: &opened.label,
        method: args.method.into(),
        runs: args.runs,
        elapsed: started.elapsed(),
    };
    if let Some(path) = &args.html {
        write(path, &measured.html(&report, &args.file))?;
    }
    measured.print(&report, output)?;
    finish(&report, attempts.len(), plan.done + plan.attempts)
}

/// What results are kept under: settings that may change the answers are part of it, the address is not.
fn asked(label: &str, args: &ModelArgs) -> String {
    format!("{label} {:?} {:?}", args.temperature, args.max_output)
}

/// What is said of a measurement beside its figures.
struct Measured<'a> {
    label: &'a str,
    method: Method,
    runs: u32,
    elapsed: Duration,
}

impl Measured<'_> {
    fn html(&self, report: &Report, file: &Path) -> String {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let runs = if self.runs == 1 {
            "once".to_owned()
        } else {
            format!("{} times", self.runs)
        };
        let notes = [format!(
            "{}, by {}, each prompt run {runs}",
            self.label,
            self.method.as_str()
        )];
        report.to_html(&format!("Whether descriptions trigger: {name}"), &notes)
    }

    fn print(&self, report: &Report, output: &mut Output) -> Result<(), Failure> {
        if !output.is_json() {
            return print::report(self, report, output);
        }
        let mut shape = report.to_json();
        shape["model"] = self.label.into();
        shape["method"] = self.method.as_str().into();
        shape["runs"] = self.runs.into();
        shape["elapsed_ms"] = u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX).into();
        Ok(output.json(&shape)?)
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| Failure::io(format!("can't read `{}`: {error}", path.display())))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| Failure::io(format!("can't write `{}`: {error}", path.display())))
}

fn chosen(triggers: Triggers, args: &EvalArgs) -> Result<Vec<Prompt>, Failure> {
    let split = args.split.map(Split::from);
    let is_chosen = |prompt: &Prompt| {
        let is_tagged = args.tag.is_empty() || prompt.tags.iter().any(|tag| args.tag.contains(tag));
        is_tagged && split.is_none_or(|split| prompt.split == split)
    };
    let prompts: Vec<Prompt> = triggers.prompts.into_iter().filter(is_chosen).collect();
    if prompts.is_empty() {
        return Err(Failure::usage("no prompt has this split and these tags"));
    }
    Ok(prompts)
}

fn tell_plan(plan: &Plan, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return Ok(output.json(&json!({
            "attempts": plan.attempts, "done": plan.done, "most_requests": plan.most_requests,
            "input_tokens": plan.input_tokens,
        }))?);
    }
    Ok(output.line(format!(
        "{} attempts to make, {} done already; {} to {} requests, about {} tokens in if each takes one; nothing was sent",
        grouped(plan.attempts),
        grouped(plan.done),
        grouped(plan.attempts),
        grouped(plan.most_requests),
        grouped(plan.input_tokens)
    ))?)
}

/// Makes the attempts. Each is written down before the next thing happens.
fn perform(
    experiment: &Experiment<'_>,
    prompts: &[Prompt],
    done: &[Attempt],
    mut results: Option<&mut Results>,
    progress: &Progress,
    output: &mut Output,
) -> Result<Vec<Attempt>, Failure> {
    let interrupt = Interrupt::listen();
    let mut failure = None;
    let attempts = experiment.run(prompts, done, &mut |attempt| {
        if let Some(Err(error)) = results.as_mut().map(|results| results.append(attempt)) {
            failure = Some(error);
            return std::ops::ControlFlow::Break(());
        }
        progress.advance(attempt);
        interrupt.flow()
    });
    progress.finish();
    if let Some(error) = failure {
        return Err(error.into());
    }
    if interrupt.is_set() {
        let how = if results.is_some() {
            "the same command goes on from here"
        } else {
            "with `--results FILE` the next run goes on from here"
        };
        output.note(&format!("{YELLOW}interrupted{YELLOW:#}: {how}"));
    }
    Ok(attempts?)
}

/// An evaluation that measured nothing has failed, and so has one that was cut short.
fn finish(report: &Report, made: usize, wanted: usize) -> Result<(), Failure> {
    if made < wanted {
        return Err(Failure::interrupted(format!(
            "{made} of {wanted} attempts were made"
        )));
    }
    match report.errored.first() {
        Some((why, _)) if report.counted == 0 => Err(Failure::model(format!("every attempt errored: {why}"))),
        _ => Ok(()),
    }
}

/// How far it is, where somebody sees it.
struct Progress(ProgressBar);

impl Progress {
    fn new(plan: &Plan, output: &Output) -> Self {
        let total = plan.attempts + plan.done;
        let target = if output.is_quiet() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(total as u64), target);
        let style = ProgressStyle::with_template(
            "{bar:30} {pos}/{len} attempts, {elapsed} so far, {eta} to go {msg}",
        );
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        bar.set_position(plan.done as u64);
        bar.reset_eta();
        Self(bar)
    }

    fn advance(&self, attempt: &Attempt) {
        self.0.inc(1);
        if let Some(why) = &attempt.errored {
            self.0.set_message(format!(
                "(errored: {})",
                safe(&why.chars().take(60).collect::<String>())
            ));
        }
    }

    fn finish(&self) {
        self.0.finish_and_clear();
    }
}
