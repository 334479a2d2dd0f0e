//! `why`: what became of every SKILL.md that bears a name, and what to do.

use std::process::ExitCode;

use prowess::catalog::Catalog;
use prowess::explain::{Finding, State};
use prowess::{Error, ErrorKind, json};

use crate::args::WhyArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{BOLD, DIM, GREEN, Output, RED, YELLOW, safe};

pub(crate) fn why(context: &Context, args: &WhyArgs, output: &mut Output) -> Result<ExitCode, Failure> {
    if args.name.trim().is_empty() {
        return Err(Failure::usage(
            "the name is empty; say which skill is meant, as in `prowess why pdf-forms`",
        ));
    }
    let options = context.catalog_options();
    let options = args.budget.into_iter().fold(options, prowess::CatalogOptions::budget);
    let catalog = Catalog::build(&context.library, &options);
    let explanation = context.library.why(&context.query(&args.name), Some(&catalog));
    if output.is_json() {
        output.json(&json::explanation(&explanation))?;
    } else if explanation.findings.is_empty() {
        return Err(not_there(&args.name, explanation.near));
    }
    let told = if output.is_json() { &[][..] } else { &explanation.findings };
    for (index, finding) in told.iter().enumerate() {
        if index > 0 {
            output.line("")?;
        }
        describe(context, finding, output)?;
    }
    Ok(ExitCode::from(u8::from(explanation.findings.is_empty())))
}

fn not_there(name: &str, near: Vec<String>) -> Failure {
    Error::new(ErrorKind::UnknownSkill, format!("no SKILL.md bears the name `{name}`"))
        .with_candidates(near)
        .into()
}

fn describe(context: &Context, finding: &Finding, output: &mut Output) -> Result<(), Failure> {
    let style = match finding.state {
        State::Loaded if finding.code.is_none() => GREEN,
        State::Invalid => RED,
        _ => YELLOW,
    };
    let state = finding.state.as_str();
    let name = safe(finding.id.as_deref().unwrap_or(&finding.name));
    let location = safe(&context.short_path(&finding.location));
    output.line(format!("{BOLD}{name}{BOLD:#}  {style}{state}{style:#}  {DIM}{location}{DIM:#}"))?;
    let code = finding.code.map_or_else(String::new, |code| format!(" [{code}]"));
    output.line(format!("  {}{code}", safe(&finding.reason)))?;
    Ok(output.line(format!("  {DIM}help{DIM:#}: {}", safe(&finding.help)))?)
}
