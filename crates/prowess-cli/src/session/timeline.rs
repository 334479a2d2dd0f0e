//! Turns against tokens: the catalog is paid every turn, a body once, and again only when a compaction puts it back.

use std::collections::BTreeMap;

use prowess::Ledger;
use prowess::ledger::ReceiptKind;
use prowess::text::grouped;

use crate::commands::bar;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Output, safe};
use crate::table::Column;

/// How wide the bars are, in cells.
const BAR: usize = 20;

#[derive(Default)]
struct Turn {
    tokens: usize,
    events: Vec<String>,
}

pub(super) fn print(context: &Context, ledger: &Ledger, output: &mut Output) -> Result<(), Failure> {
    let catalog = context.full_catalog().tokens();
    let mut turns: BTreeMap<u64, Turn> = BTreeMap::new();
    for receipt in ledger.receipts() {
        let turn = turns.entry(receipt.turn).or_default();
        let what = match receipt.kind {
            ReceiptKind::Delivered => "body of",
            ReceiptKind::Observed => "read by the model:",
            ReceiptKind::Reattached => "compaction puts back",
            _ => "compaction leaves a stub of",
        };
        let tokens = context.tokenizer.count(&receipt.text);
        turn.tokens += tokens;
        turn.events.push(format!("{what} {} ({})", safe(&receipt.skill), grouped(tokens)));
    }
    let most = turns.values().map(|turn| turn.tokens).chain([catalog]).max().unwrap_or(0);
    let rows = turns.iter().map(|(number, turn)| {
        vec![
            number.to_string(),
            bar(catalog, most, BAR),
            grouped(catalog),
            bar(turn.tokens, most, BAR),
            grouped(turn.tokens),
            turn.events.join(", "),
        ]
    });
    let head = [
        ("TURN", Column::Number),
        ("CATALOG", Column::Text),
        ("", Column::Number),
        ("BODIES", Column::Text),
        ("", Column::Number),
        ("WHAT", Column::Long),
    ];
    output.table(&head, rows.collect())?;
    let bodies: usize = turns.values().map(|turn| turn.tokens).sum();
    // What was delivered before the first request has turn 0.
    let last = turns.keys().next_back().map_or(1, |turn| *turn.max(&1));
    let every_turn = catalog.saturating_mul(usize::try_from(last).unwrap_or(usize::MAX));
    output.line("")?;
    let turns = if last == 1 { "1 turn".to_owned() } else { format!("{last} turns") };
    let (every_turn, catalog, bodies) = (grouped(every_turn), grouped(catalog), grouped(bodies));
    output.line(format!("over {turns}: catalog {every_turn} tokens, {catalog} a turn;"))?;
    Ok(output.line(format!("bodies {bodies} tokens, each once, and again where it was put back"))?)
}
