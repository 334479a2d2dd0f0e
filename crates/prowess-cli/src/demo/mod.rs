//! The lab's run: three stages strung together on fixtures that this program carries, and eight checks of what came out.

mod checks;
mod fixtures;
mod long;
mod stages;

use std::process::ExitCode;

use prowess::tools::ACTIVATE_SKILL;
use serde_json::json;

use self::checks::Check;
use self::stages::{Role, Run, Setup};
use crate::args::DemoArgs;
use crate::failure::Failure;
use crate::output::{BOLD, DIM, GREEN, Output, RED, safe};
use crate::select::{model_choice, offline_choice};
use prowess::text::visible;
use prowess_select::{Selector, WordMatch};

pub(crate) fn run(args: &DemoArgs, output: &mut Output) -> Result<ExitCode, Failure> {
    let run = stages::run(&Setup::fixtures(), selector(args)?.as_ref(), &args.prompt)?;
    let checks = checks::all(&run);
    let passed = checks.iter().all(|check| check.holds);
    if output.is_json() {
        let checks: Vec<_> =
            checks.iter().map(|check| json!({"check": check.title, "holds": check.holds})).collect();
        output.json(
            &json!({"skills": run.library.skills().len(), "choice": run.choice.skill, "checks": checks}),
        )?;
    } else {
        disclosure(&run, output)?;
        selection(&run, output)?;
        activation(&run, output)?;
        long::print(&long::session(&run.library), output)?;
        report(&checks, output)?;
    }
    Ok(ExitCode::from(u8::from(!passed)))
}

/// A model, if one is named; else the stand-in.
#[cfg(feature = "select")]
fn selector(args: &DemoArgs) -> Result<Box<dyn Selector>, Failure> {
    if args.model.is_given() {
        return Ok(Box::new(crate::model::Chooser::open(&args.model)?));
    }
    Ok(Box::new(WordMatch))
}

#[cfg(not(feature = "select"))]
fn selector(_args: &DemoArgs) -> Result<Box<dyn Selector>, Failure> {
    Ok(Box::new(WordMatch))
}

fn disclosure(run: &Run, output: &mut Output) -> Result<(), Failure> {
    let library = &run.library;
    output.styled(BOLD, "1. Disclosure: find the skills, tell the model that they exist")?;
    let (seen, listed) = (library.scan().skill_files, library.scan().directories);
    output.line(format!(
        "scanned {seen} SKILL.md in {listed} directories: {} loaded, {} shadowed, {} invalid",
        library.skills().len(),
        library.shadowed().len(),
        library.invalid().len()
    ))?;
    for diagnostic in library.diagnostics() {
        output.line(crate::output::describe(diagnostic))?;
    }
    output.line("")?;
    output.line(safe(&run.catalog.summary()))?;
    output.line("")?;
    quote(run.catalog.text(), output)
}

fn selection(run: &Run, output: &mut Output) -> Result<(), Failure> {
    output.line("")?;
    let (title, choice) = match &run.chosen_by {
        None => ("2. Selection: the model chooses; here, a stand-in", offline_choice(&run.choice)),
        Some(model) => ("2. Selection: the model chooses", model_choice(&run.choice, model)),
    };
    output.styled(BOLD, title)?;
    output.line(format!("prompt: {}", safe(run.prompt())))?;
    Ok(output.line(format!("choice: {choice}"))?)
}

fn activation(run: &Run, output: &mut Output) -> Result<(), Failure> {
    output.line("")?;
    output.styled(BOLD, "3. Activation: hand over the body, once")?;
    for (index, message) in run.messages.iter().enumerate() {
        let (lines, bytes) = (message.text.lines().count(), message.text.len());
        let holds = if message.is_protected { "  <- holds the body, protected" } else { "" };
        let role = message.role.as_str();
        output.line(format!("message {index}  {role:<9}  {lines:>3} lines, {bytes:>5} bytes{holds}"))?;
    }
    let tool_texts = run.messages.iter().enumerate().filter(|(_, message)| message.role == Role::Tool);
    for (index, message) in tool_texts {
        output.line("")?;
        output.line(format!("message {index}, the result of {ACTIVATE_SKILL}:"))?;
        quote(&excerpt(&message.text), output)?;
    }
    if run.choice.skill.is_none() {
        output.line("nothing was chosen, so nothing is activated")?;
    }
    Ok(())
}

/// A model's text, set apart by a bar at its side.
fn quote(text: &str, output: &mut Output) -> Result<(), Failure> {
    for line in text.lines() {
        let blank = if line.is_empty() { "" } else { " " };
        output.line(format!("{DIM}│{DIM:#}{blank}{}", visible(line)))?;
    }
    Ok(())
}

/// The first lines and the last ones.
fn excerpt(text: &str) -> String {
    const HEAD: usize = 6;
    const TAIL: usize = 12;
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= HEAD + TAIL + 1 {
        return lines.join("\n");
    }
    let left_out = lines.len() - HEAD - TAIL;
    format!(
        "{}\n  ... {left_out} lines ...\n{}",
        lines[..HEAD].join("\n"),
        lines[lines.len() - TAIL..].join("\n")
    )
}

fn report(checks: &[Check], output: &mut Output) -> Result<(), Failure> {
    output.line("")?;
    output.styled(BOLD, "Self-checks")?;
    for (index, check) in checks.iter().enumerate() {
        let (style, mark) = if check.holds { (GREEN, "✓") } else { (RED, "✗") };
        output.styled(style, format!("{mark} {}  {}", index + 1, check.title))?;
        if !check.holds {
            output.line(format!("     {}", safe(&check.found)))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
