//! A session file of any bytes: refused, or restored, and then as good as any other session.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use prowess::compact::Budget;
use prowess::ledger::{Inherit, Snapshot, Texts};
use prowess::{ErrorKind, Ledger, Library, Origin};

static LIBRARY: LazyLock<Library> = LazyLock::new(prowess_fuzz::three_skills);

fuzz_target!(|text: &str| {
    let snapshot = match Snapshot::from_json(text) {
        Ok(snapshot) => snapshot,
        Err(error) => return assert_eq!(error.kind(), ErrorKind::Usage),
    };
    assert_eq!(Snapshot::from_json(&snapshot.to_json()).expect("a session"), snapshot);
    let held = snapshot.held();
    let (mut ledger, report) = Ledger::restore(snapshot, &LIBRARY, &held);
    assert_eq!(report.len(), ledger.skills().len());
    go_on(&mut ledger);
    let (mut child, compaction) = ledger.fork(Inherit::Texts(Budget::total(1_000)));
    let placements: Vec<String> = compaction.blocks().iter().map(|_| "first".to_owned()).collect();
    child.commit(compaction, placements);
    go_on(&mut child);
    let without = ledger.snapshot(Texts::LeftOut);
    assert_eq!(Snapshot::from_json(&without.to_json()).expect("a session"), without);
});

/// What a host does next: activate, compact everything away, look again.
fn go_on(ledger: &mut Ledger) {
    for name in ["pdf", "long"] {
        let _ = LIBRARY.activate(name, Origin::User).deliver(ledger, format!("next-{name}"));
    }
    let leaving: Vec<String> = ledger.receipts().iter().map(|receipt| receipt.placement.clone()).collect();
    let compaction = ledger.plan_compaction(leaving.iter().map(String::as_str), Budget::total(1_000));
    assert!(compaction.kept_tokens() + compaction.reattached_tokens() <= 1_000);
    let (text, placements) = (compaction.text(), vec!["summary"; compaction.blocks().len()]);
    ledger.commit(compaction, placements);
    ledger.reconcile([("summary", text.as_str())]);
    for skill in ledger.skills() {
        assert!(ledger.resident(skill.id).is_none_or(|receipt| receipt.placement == "summary"));
    }
}
