//! The report, for a person.

use prowess::text::grouped;
use prowess_select::eval::{Rate, Report};

use super::Measured;
use crate::failure::Failure;
use crate::output::{BOLD, Output, YELLOW, safe};
use crate::table::Column;

pub(super) fn report(measured: &Measured<'_>, report: &Report, output: &mut Output) -> Result<(), Failure> {
    skills(report, output)?;
    confusion(report, output)?;
    groups(report, output)?;
    pairs(report, output)?;
    failing(report, output)?;
    for (why, count) in &report.errored {
        output.line("")?;
        output.line(format!("errored {count} times: {}", safe(why)))?;
    }
    for warning in &report.warnings {
        output.line("")?;
        output.styled(YELLOW, safe(warning))?;
    }
    output.line("")?;
    let count = |tokens: u64| grouped(usize::try_from(tokens).unwrap_or(usize::MAX));
    output.line(format!(
        "{} by {}: {} attempts counted, {} errored; {} tokens in, {} out; {:.1} s",
        safe(measured.label),
        measured.method.as_str(),
        grouped(report.counted),
        grouped(report.errors()),
        count(report.usage.input),
        count(report.usage.output),
        measured.elapsed.as_secs_f64()
    ))?;
    Ok(())
}

fn skills(report: &Report, output: &mut Output) -> Result<(), Failure> {
    let row = |name: &str, prompts: String, right: Rate, wrong: Option<Rate>| {
        let (right, wrong) = (rate(right), wrong.map(rate).unwrap_or_default());
        vec![safe(name), prompts, right.0, right.1, wrong.0, wrong.1]
    };
    let skills = report.skills.iter();
    let mut rows: Vec<Vec<String>> = skills
        .map(|skill| row(&skill.name, grouped(skill.prompts), skill.recall, Some(skill.false_triggers)))
        .collect();
    rows.push(row("all skills", String::new(), report.recall(), None));
    rows.push(row("none", String::new(), report.quiet, None));
    let head = [
        ("SKILL", Column::Long),
        ("PROMPTS", Column::Number),
        ("RIGHT", Column::Number),
        ("95 % INTERVAL", Column::Text),
        ("FALSE", Column::Number),
        ("95 % INTERVAL", Column::Text),
    ];
    Ok(output.table(&head, rows)?)
}

/// So many of so many, and Wilson's interval.
fn rate(rate: Rate) -> (String, String) {
    if rate.of == 0 {
        return ("-".to_owned(), String::new());
    }
    let (low, high) = rate.interval();
    let interval = format!("{:.0}-{:.0} %", low * 100.0, high * 100.0);
    (format!("{}/{}", rate.hits, rate.of), interval)
}

/// The columns are numbered: names would not fit.
fn confusion(report: &Report, output: &mut Output) -> Result<(), Failure> {
    output.line("")?;
    output.styled(BOLD, "What was expected (rows), what was chosen (columns)")?;
    let names = report.skills.iter().map(|skill| skill.name.as_str()).chain(["none"]);
    let numbers: Vec<String> =
        (1..=report.skills.len()).map(|number| number.to_string()).chain(["none".to_owned()]).collect();
    let rows = names.zip(&report.confusion).zip(&numbers).map(|((name, counts), number)| {
        let title = if number == "none" { name.to_owned() } else { format!("{number} {}", safe(name)) };
        let cell = |count: &u32| {
            if *count == 0 { "·".to_owned() } else { count.to_string() }
        };
        std::iter::once(title).chain(counts.iter().map(cell)).collect()
    });
    let columns = numbers.iter().map(|number| (number.as_str(), Column::Number));
    let head: Vec<(&str, Column)> = std::iter::once(("", Column::Text)).chain(columns).collect();
    Ok(output.table(&head, rows.collect())?)
}

fn groups(report: &Report, output: &mut Output) -> Result<(), Failure> {
    if report.groups.len() < 2 {
        return Ok(());
    }
    output.line("")?;
    let rows = report.groups.iter().map(|group| {
        let right = rate(group.right);
        vec![group.kind.to_owned(), safe(&group.name), right.0, right.1]
    });
    let head = [
        ("GROUP", Column::Text),
        ("", Column::Text),
        ("RIGHT", Column::Number),
        ("95 % INTERVAL", Column::Text),
    ];
    Ok(output.table(&head, rows.collect())?)
}

fn pairs(report: &Report, output: &mut Output) -> Result<(), Failure> {
    for (index, pair) in report.pairs.iter().enumerate() {
        if index == 0 {
            output.line("")?;
            output.styled(BOLD, "Pairs that steal from each other")?;
        }
        let (first, second) = (safe(&pair.first), safe(&pair.second));
        output
            .line(format!("  {first} lost {} to {second}, and took {}", pair.first_lost, pair.second_lost))?;
    }
    Ok(())
}

fn failing(report: &Report, output: &mut Output) -> Result<(), Failure> {
    if report.failing.is_empty() {
        return Ok(());
    }
    output.line("")?;
    let rows = report.failing.iter().map(|failing| {
        let name = |name: &Option<String>| name.as_deref().map_or("none".to_owned(), safe);
        let instead = failing.instead.iter().map(|(skill, count)| format!("{count} {}", name(skill)));
        vec![
            safe(&failing.prompt),
            name(&failing.expected),
            format!("{}/{}", failing.right.hits, failing.right.of),
            instead.collect::<Vec<_>>().join(", "),
        ]
    });
    let head = [
        ("PROMPT THAT FAILS", Column::Long),
        ("EXPECTED", Column::Text),
        ("RIGHT", Column::Number),
        ("CHOSEN INSTEAD", Column::Long),
    ];
    Ok(output.table(&head, rows.collect())?)
}
