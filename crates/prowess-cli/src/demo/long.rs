//! A long session: three activations, a compaction, a second one, and what survived.

use prowess::compact::Budget;
use prowess::ledger::SessionSkill;
use prowess::text::grouped;
use prowess::tools::ACTIVATE_SKILL;
use prowess::{Ledger, Library};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{BOLD, Output, safe};
use crate::table::Column;

/// Room for two bodies of three.
const BUDGET: usize = 1_000;

/// What a skill looks like after a step.
pub(super) struct Step {
    pub(super) title: String,
    pub(super) skills: Vec<(String, String, usize)>,
}

/// Every skill is activated; then all that the conversation holds gives way to a summary, twice.
pub(super) fn session(library: &Library) -> Vec<Step> {
    let mut ledger = Ledger::new();
    let mut held: Vec<String> = Vec::new();
    for (index, skill) in library.listed().enumerate() {
        let placement = format!("call-{}", index + 1);
        let arguments = json!({"name": library.call_name(skill)});
        if let Some(request) = library.request(ACTIVATE_SKILL, &arguments) {
            let _ = request.deliver(&mut ledger, placement.as_str());
            held.push(placement);
        }
    }
    ledger.reconcile(held.iter().map(String::as_str));
    let mut steps = vec![step(&format!("{} activations", held.len()), &ledger)];
    for number in 1..=2 {
        let compaction = ledger.plan_compaction(held.iter().map(String::as_str), Budget::total(BUDGET));
        held = vec![format!("summary-{number}"); compaction.blocks().len()];
        ledger.commit(compaction, held.clone());
        ledger.reconcile(held.iter().map(String::as_str));
        steps.push(step(
            &format!("compaction {number}, with room for {} tokens of bodies", grouped(BUDGET)),
            &ledger,
        ));
    }
    steps
}

fn step(title: &str, ledger: &Ledger) -> Step {
    let row = |skill: &SessionSkill<'_>| {
        let (what, tokens) = match (skill.current, skill.has_stub) {
            (Some(receipt), _) => {
                (format!("whole, in {}", receipt.placement), receipt.text.len().div_ceil(4))
            }
            (None, true) => ("a line that names it".to_owned(), 0),
            (None, false) => ("gone".to_owned(), 0),
        };
        (skill.id.to_owned(), what, tokens)
    };
    Step { title: title.to_owned(), skills: ledger.skills().iter().map(row).collect() }
}

pub(super) fn print(steps: &[Step], output: &mut Output) -> Result<(), Failure> {
    output.line("")?;
    output.styled(BOLD, "4. A long session: what survives when the conversation gives way to a summary")?;
    let head = [
        ("STEP", Column::Long),
        ("SKILL", Column::Long),
        ("ITS BODY", Column::Long),
        ("TOKENS", Column::Number),
    ];
    let rows = steps.iter().flat_map(|step| {
        step.skills.iter().enumerate().map(|(index, (skill, what, tokens))| {
            let title = if index == 0 { step.title.clone() } else { String::new() };
            vec![title, safe(skill), what.clone(), grouped(*tokens)]
        })
    });
    Ok(output.table(&head, rows.collect())?)
}
