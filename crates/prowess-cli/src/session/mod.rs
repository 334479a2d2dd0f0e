//! Sessions: activation with a ledger that outlives the process, compaction, and a look at what a session holds.

mod file;
mod timeline;

use std::collections::BTreeMap;
use std::path::Path;

use prowess::activate::Request;
use prowess::compact::Budget;
use prowess::ledger::{Restored, SessionSkill};
use prowess::messages::Conversation;
use prowess::text::grouped;
use prowess::tools::Shape;
use prowess::{Error, ErrorKind, Ledger, Origin, json};
use serde_json::{Value, json as object};

pub(crate) use self::file::SessionFile;
use crate::args::{ActivateArgs, CompactArgs, SessionArgs, ShapeArg};
use crate::commands::deliver;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Output, YELLOW, safe};
use crate::table::Column;

/// How much of the placement of a text the table shows, in characters: the rest of its digest says no more.
const PLACEMENT: usize = 13;

/// Delivers a request into the session of a file, or into none.
pub(crate) fn activate(
    context: &Context,
    args: &ActivateArgs,
    request: Request,
    output: &mut Output,
) -> Result<(), Failure> {
    let Some(path) = &args.session else {
        return deliver(context, &request.deliver(&mut Ledger::new(), "command-line"), output);
    };
    let file = SessionFile::lock(path)?;
    let mut ledger = file.resume(&context.library, output)?;
    let placement = match &args.placement {
        Some(placement) => placement.clone(),
        None => format!("activation-{}", ledger.receipts().len() + 1),
    };
    let delivery = request.deliver(&mut ledger, placement);
    file.save_after(&ledger, output, |output| deliver(context, &delivery, output))
}

pub(crate) fn compact(context: &Context, args: &CompactArgs, output: &mut Output) -> Result<(), Failure> {
    let messages: Value = serde_json::from_str(&read(&args.messages)?)
        .map_err(|error| Failure::usage(format!("`{}` is no JSON: {error}", args.messages.display())))?;
    let conversation = match args.shape {
        Some(ShapeArg::Openai) => Conversation::new(messages, Shape::OpenAi)?,
        Some(ShapeArg::Anthropic) => Conversation::new(messages, Shape::Anthropic)?,
        None => Conversation::detect(messages)?,
    };
    let summary = args.summary.as_deref().map(read).transpose()?.unwrap_or_default();
    if !args.session.exists() {
        output.note(&format!(
            "{YELLOW}there is no session yet{YELLOW:#}: no text in the conversation is known to be a skill's"
        ));
    }
    let file = SessionFile::lock(&args.session)?;
    let (mut ledger, report) = Ledger::restore(file.read()?, &context.library, conversation.present());
    tell(&report, output);
    let budget = Budget::total(args.budget).tokenizer(context.tokenizer.clone());
    let plan = conversation.plan(&ledger, conversation.cut(args.keep), budget);
    let compaction = json::compaction(plan.compaction());
    output.note(&safe(&said(plan.compaction(), conversation.leaving(&plan).len())));
    let rewritten = conversation.rewrite(plan, &summary).commit(&mut ledger);
    let answer = if output.is_json() {
        object!({"compaction": compaction, "conversation": rewritten})
    } else {
        rewritten
    };
    file.save_after(&ledger, output, |output| Ok(output.json(&answer)?))
}

fn said(compaction: &prowess::compact::Compaction, leaving: usize) -> String {
    let names = |ids: Vec<&str>| if ids.is_empty() { "none".to_owned() } else { ids.join(", ") };
    format!(
        "{leaving} messages leave; bodies kept: {} tokens; put back: {} ({} tokens); stubs: {}",
        grouped(compaction.kept_tokens()),
        names(compaction.reattached().collect()),
        grouped(compaction.reattached_tokens()),
        names(compaction.stubs().collect()),
    )
}

pub(crate) fn session(context: &Context, args: &SessionArgs, output: &mut Output) -> Result<(), Failure> {
    if !args.file.exists() {
        return Err(Failure::io(format!("there is no session `{}`", args.file.display())));
    }
    let file = SessionFile::lock(&args.file)?;
    let mut ledger = file.resume(&context.library, output)?;
    let notes = change(context, args, &mut ledger)?;
    for note in &notes {
        output.note(&safe(note.trim_end()));
    }
    let show = |output: &mut Output| show(context, args, &ledger, &notes, output);
    if args.finish.is_empty() && args.deactivate.is_empty() {
        return show(output);
    }
    file.save_after(&ledger, output, show)
}

/// Finishes and deactivates; returns the notes to place in the conversation.
fn change(context: &Context, args: &SessionArgs, ledger: &mut Ledger) -> Result<Vec<String>, Failure> {
    for name in &args.finish {
        let id = known(context, ledger, name)?;
        if !ledger.finish(&id) {
            return Err(Error::new(ErrorKind::Denied, format!("skill `{id}` is not in force")).into());
        }
    }
    let mut notes = Vec::new();
    for name in &args.deactivate {
        let id = known(context, ledger, name)?;
        notes.extend(ledger.deactivate(&id));
    }
    Ok(notes)
}

fn show(
    context: &Context,
    args: &SessionArgs,
    ledger: &Ledger,
    notes: &[String],
    output: &mut Output,
) -> Result<(), Failure> {
    if output.is_json() {
        let mut answer = json::session(ledger, context.tokenizer.as_ref());
        answer["notes"] = notes.into();
        return Ok(output.json(&answer)?);
    }
    if args.timeline {
        return timeline::print(context, ledger, output);
    }
    table(context, ledger, output)
}

fn table(context: &Context, ledger: &Ledger, output: &mut Output) -> Result<(), Failure> {
    let skills = ledger.skills();
    if skills.is_empty() {
        return Ok(output.line("no skill has been activated in this session")?);
    }
    let any_reads = skills.iter().any(|skill| !skill.reads.is_empty());
    let head = [
        ("SKILL", Column::Long),
        ("STANDING", Column::Text),
        ("TEXT", Column::Text),
        ("TOKENS", Column::Number),
        ("PLACEMENT", Column::Long),
        (if any_reads { "FILES READ" } else { "" }, Column::Long),
    ];
    let row = |skill: &SessionSkill<'_>| {
        let state = match (skill.current, skill.has_stub) {
            (Some(receipt), _) => receipt.state.as_str(),
            (None, true) => "stub",
            (None, false) => "evicted",
        };
        let tokens = skill.current.map_or(0, |receipt| context.tokenizer.count(&receipt.text));
        vec![
            safe(skill.id),
            skill.standing.as_str().to_owned(),
            state.to_owned(),
            grouped(tokens),
            safe(&shortened(skill.current.map_or("", |receipt| &receipt.placement))),
            safe(&skill.reads.join(", ")),
        ]
    };
    Ok(output.table(&head, skills.iter().map(row).collect())?)
}

fn shortened(placement: &str) -> String {
    match placement.char_indices().nth(PLACEMENT) {
        Some((end, _)) if placement.starts_with("text:") => format!("{}…", &placement[..end]),
        _ => placement.to_owned(),
    }
}

/// The id of a skill that the session knows, by id or name: it need not be in the library any more.
fn known(context: &Context, ledger: &Ledger, name: &str) -> Result<String, Failure> {
    let skills = ledger.skills();
    let ids = |matches: &dyn Fn(&SessionSkill<'_>) -> bool| -> Vec<String> {
        skills.iter().filter(|skill| matches(skill)).map(|skill| skill.id.to_owned()).collect()
    };
    let found = context.library.find(name, Origin::User).ok();
    let by_id = ids(&|skill| skill.id == name);
    let by_library = ids(&|skill| found.is_some_and(|found| found.id() == skill.id));
    let by_name = ids(&|skill| skill.name == name);
    match [by_id, by_library, by_name].into_iter().find(|ids| !ids.is_empty()).as_deref() {
        Some([id]) => Ok(id.clone()),
        Some(ids) => {
            let message = format!("the session has more than one skill of the name `{name}`");
            Err(Error::new(ErrorKind::AmbiguousName, message).with_candidates(ids.to_vec()).into())
        }
        None => {
            let message = format!("the session has no skill `{name}`");
            Err(Error::new(ErrorKind::UnknownSkill, message).with_candidates(ids(&|_| true)).into())
        }
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::io(format!("`{}`: {error}", path.display())))
}

/// Says what has become of the session's skills, unless they are the same.
pub(crate) fn tell(report: &BTreeMap<String, Restored>, output: &mut Output) {
    for (id, restored) in report.iter().filter(|(_, restored)| **restored != Restored::Same) {
        let what = match restored {
            Restored::Changed => "its file has changed since",
            Restored::Gone => "it is gone, and no longer in force",
            _ => "a model may no longer see it, and it is no longer in force",
        };
        output.note(&format!("{YELLOW}skill `{}`{YELLOW:#}: {what}", safe(id)));
    }
}
