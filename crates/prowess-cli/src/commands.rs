//! The commands, each: take from the core, print.

use std::collections::{HashMap, HashSet};
use std::io;

use prowess::activate::Delivery;
use prowess::catalog::{Format, Style};
use prowess::skill::Skill;
use prowess::source::ByteRange;
use prowess::text::grouped;
use prowess::tools::{self, Shape};
use prowess::{Catalog, Origin, json};

use crate::args::{
    ActivateArgs, CatalogArgs, CostArgs, FormatArg, OriginArg, ResourceArgs, StyleArg, ToolsArg,
};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{BOLD, Output, YELLOW, safe};
use crate::session;
use crate::table::Column;

/// How wide the bars of `cost` are at most, in cells of a terminal.
const BAR: usize = 30;
/// How much of a resource is read at a time, in bytes.
const CHUNK: u64 = 1024 * 1024;

pub(crate) fn list(context: &Context, output: &mut Output) -> Result<(), Failure> {
    let library = &context.library;
    let catalog = context.full_catalog();
    if output.is_json() {
        return Ok(output.json(&json::list(library, &catalog, context.elapsed))?);
    }
    output.diagnostics(library.diagnostics());
    if library.skills().is_empty() {
        output.styled(BOLD, "no skills in")?;
        for loaded in library.roots() {
            let exists = if loaded.exists { "" } else { "  (not there)" };
            let path = safe(&context.short_path(&loaded.root.path));
            output.line(format!("  {}  {path}{exists}", loaded.root.scope))?;
        }
    } else {
        skills_table(context, &catalog, output)?;
    }
    let shadowed = library.shadowed().iter().map(|item| (item.skill.id(), item.skill.location()));
    section(context, output, "shadowed", shadowed)?;
    let invalid = library.invalid().iter().map(|item| (item.code.as_str(), item.location.as_path()));
    section(context, output, "invalid", invalid)?;
    let duplicates = library.duplicates().iter().map(|item| (item.name.as_str(), item.location.as_path()));
    section(context, output, "duplicates", duplicates)?;
    output.line("")?;
    Ok(output.line(safe(&catalog.summary()))?)
}

fn skills_table(context: &Context, catalog: &Catalog, output: &mut Output) -> io::Result<()> {
    let costs: HashMap<&str, usize> =
        catalog.entries().iter().map(|entry| (entry.id.as_str(), entry.tokens)).collect();
    let skills = context.library.skills();
    // Where all are listed, the column would only take room from the directories.
    let all_listed = skills.iter().all(|skill| skill.is_listed());
    let visibility = |skill: &Skill| {
        let word = skill.visibility().as_str();
        if all_listed { String::new() } else { word.to_owned() }
    };
    let rows = skills.iter().map(|skill| {
        vec![
            safe(context.library.call_name(skill)),
            skill.scope().to_string(),
            visibility(skill),
            grouped(costs.get(skill.id()).copied().unwrap_or(0)),
            size(skill.body_bytes()),
            safe(&context.short_path(skill.directory())),
        ]
    });
    let head = [
        ("SKILL", Column::Long),
        ("SCOPE", Column::Text),
        (if all_listed { "" } else { "VISIBILITY" }, Column::Text),
        ("TOKENS", Column::Number),
        ("BODY", Column::Number),
        ("DIRECTORY", Column::Long),
    ];
    output.table(&head, rows.collect())
}

fn section<'a>(
    context: &Context,
    output: &mut Output,
    title: &str,
    items: impl Iterator<Item = (&'a str, &'a std::path::Path)>,
) -> io::Result<()> {
    for (index, (what, path)) in items.enumerate() {
        if index == 0 {
            output.line("")?;
            output.styled(BOLD, title)?;
        }
        output.line(format!("  {}  {}", safe(what), safe(&context.short_path(path))))?;
    }
    Ok(())
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

pub(crate) fn catalog(context: &Context, args: &CatalogArgs, output: &mut Output) -> Result<(), Failure> {
    let style = match args.style {
        StyleArg::File => Style::File,
        StyleArg::Tool => Style::Tool,
    };
    let format = match args.format {
        FormatArg::Xml => Format::Xml,
        FormatArg::Markdown => Format::Markdown,
        FormatArg::Json => Format::Json,
    };
    let mut options = args.pin.iter().fold(context.catalog_options(), |options, pin| options.pin(pin));
    options = options.style(style).format(format);
    if let Some(budget) = args.budget {
        options = options.budget(budget);
    }
    let catalog = Catalog::build(&context.library, &options);
    if let Some(provider) = args.tools {
        let shape = match provider {
            ToolsArg::Openai => Shape::OpenAi,
            ToolsArg::Anthropic => Shape::Anthropic,
            ToolsArg::Gemini => Shape::Gemini,
            ToolsArg::Mcp => Shape::Mcp,
        };
        return Ok(output.json(&tools::definitions(&context.library, shape).into())?);
    }
    if output.is_json() {
        return Ok(output.json(&json::catalog(&catalog))?);
    }
    output.exact(catalog.text().as_bytes())?;
    tell_problems(context, output);
    output.note(&safe(&catalog.summary()));
    Ok(())
}

/// Other commands than `list` only say that there is something to hear.
pub(crate) fn tell_problems(context: &Context, output: &mut Output) {
    let invalid = context.library.invalid().len();
    if invalid > 0 {
        let what = if invalid == 1 { "1 SKILL.md does".to_owned() } else { format!("{invalid} SKILL.md do") };
        output.note(&format!("{YELLOW}{what} not load{YELLOW:#}: `prowess list` says why"));
    }
}

pub(crate) fn cost(context: &Context, args: &CostArgs, output: &mut Output) -> Result<(), Failure> {
    let catalog = context.full_catalog();
    if output.is_json() {
        return Ok(output.json(&json::cost(&catalog, args.turns))?);
    }
    tell_problems(context, output);
    if catalog.entries().is_empty() {
        return Ok(output.line("no skills: nothing is paid")?);
    }
    entries_table(&catalog, output)?;
    let (frame, total) = (grouped(catalog.frame_tokens()), grouped(catalog.tokens()));
    output.line(format!("and {frame} tokens around them: {total} tokens a turn in all"))?;
    if catalog.outsized().next().is_some() {
        output.line("")?;
        output.styled(
            YELLOW,
            "outsized: the description probably says how to work, not when to use the skill",
        )?;
    }
    session_cost(&catalog, args.turns, output)
}

fn entries_table(catalog: &Catalog, output: &mut Output) -> io::Result<()> {
    let mut entries: Vec<_> = catalog.entries().iter().collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.tokens));
    let most = entries.first().map_or(0, |entry| entry.tokens);
    let outsized: HashSet<&str> = catalog.outsized().map(|entry| entry.id.as_str()).collect();
    let width = bar_width(output);
    let rows = entries.iter().map(|entry| {
        let is_outsized = outsized.contains(entry.id.as_str());
        vec![
            safe(&entry.name),
            bar(entry.tokens, most, width),
            grouped(entry.tokens),
            format!("{:.0} %", catalog.share(entry) * 100.0),
            if is_outsized { "<- outsized" } else { "" }.to_owned(),
        ]
    });
    let head = [
        ("SKILL", Column::Long),
        ("EVERY TURN", Column::Text),
        ("TOKENS", Column::Number),
        ("SHARE", Column::Number),
        ("", Column::Text),
    ];
    output.table(&head, rows.collect())
}

/// What a session pays: the catalog every turn, each body once; and what it would pay without disclosure.
fn session_cost(catalog: &Catalog, turns: usize, output: &mut Output) -> Result<(), Failure> {
    let costs = [
        ("catalog, every turn", catalog.tokens().saturating_mul(turns)),
        ("all bodies, each read once", catalog.body_tokens()),
        ("all bodies, every turn, instead", catalog.body_tokens().saturating_mul(turns)),
    ];
    let most = costs.iter().map(|(_, tokens)| *tokens).max().unwrap_or(0);
    let width = bar_width(output);
    let rows = costs
        .iter()
        .map(|(what, tokens)| vec![(*what).to_owned(), bar(*tokens, most, width), grouped(*tokens)]);
    let turns = if turns == 1 { "OVER 1 TURN".to_owned() } else { format!("OVER {} TURNS", grouped(turns)) };
    output.line("")?;
    let head = [(turns.as_str(), Column::Text), ("", Column::Text), ("TOKENS", Column::Number)];
    Ok(output.table(&head, rows.collect())?)
}

/// How wide bars are, in cells: they leave a narrow terminal to names and numbers.
pub(crate) fn bar_width(output: &Output) -> usize {
    output.width().map_or(BAR, |width| (width / 4).min(BAR))
}

pub(crate) fn bar(value: usize, most: usize, width: usize) -> String {
    let eighths = (value as f64 / most.max(1) as f64 * width as f64 * 8.0).ceil() as usize;
    let rest = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    format!("{}{}", "█".repeat(eighths / 8), rest.trim_end())
}

pub(crate) fn activate(context: &Context, args: &ActivateArgs, output: &mut Output) -> Result<(), Failure> {
    let origin = match args.origin {
        OriginArg::User => Origin::User,
        OriginArg::Model => Origin::Model,
    };
    let name = if origin == Origin::User { context.query(&args.name) } else { args.name.clone() };
    let request = context.library.activate(&name, origin).with_arguments(&args.arguments.join(" "));
    session::activate(context, args, request, output)
}

pub(crate) fn deliver(context: &Context, delivery: &Delivery, output: &mut Output) -> Result<(), Failure> {
    if let Some(error) = delivery.error() {
        tell_problems(context, output);
        return Err(error.into());
    }
    if output.is_json() {
        return Ok(output.json(&json::delivery(delivery, context.tokenizer.as_ref()))?);
    }
    Ok(output.exact(delivery.text().as_bytes())?)
}

pub(crate) fn resource(context: &Context, args: &ResourceArgs, output: &mut Output) -> Result<(), Failure> {
    let skill = context.library.find(&context.query(&args.name), Origin::User)?;
    let mut left = args.length.unwrap_or(u64::MAX);
    let mut offset = args.offset;
    loop {
        let range = ByteRange { offset, length: left.min(CHUNK) };
        let part = context.library.resource(skill, &args.path, range)?;
        offset += part.bytes.len() as u64;
        left -= part.bytes.len() as u64;
        if output.is_json() {
            return Ok(output.json(&json::resource(skill, &part))?);
        }
        output.exact(&part.bytes)?;
        if part.bytes.is_empty() || left == 0 || offset >= part.size {
            return Ok(());
        }
    }
}
