//! What belongs to one library, session or conversation, given to another: nonsense, but never a panic.

use prowess::compact::Budget;
use prowess::diagnostic::Span;
use prowess::ledger::{Inherit, Texts};
use prowess::messages::Conversation;
use prowess::source::{ByteRange, Memory};
use prowess::tools::Shape;
use prowess::{
    Catalog, CatalogOptions, ErrorKind, Ledger, Library, LoadOptions, Origin, Roots, catalog, parse,
};
use serde_json::json;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::common::{memory, skill};

fn here() -> Library {
    memory([
        ("project/kit/SKILL.md", skill("kit", "A kit.").as_str()),
        ("project/kit/notes.md", "notes"),
        ("user/pdf/SKILL.md", skill("pdf", "Forms.").as_str()),
    ])
}

fn elsewhere() -> Library {
    Library::load(&Roots::new(), &LoadOptions::new().source(Arc::new(Memory::new())))
}

#[test]
fn a_skill_of_another_library_is_refused() {
    let (here, elsewhere) = (here(), elsewhere());
    for skill in here.skills() {
        let error = elsewhere.resource(skill, "notes.md", ByteRange::FIRST).map_err(|error| error.kind());
        assert_eq!(error, Err(ErrorKind::Untrusted));
        assert!(elsewhere.file(skill, "SKILL.md", u64::MAX).is_err());
        assert!(elsewhere.fingerprint(skill, "notes.md", 0).is_err());
        assert_eq!(elsewhere.resources(skill, usize::MAX).total, 0);
        assert!(elsewhere.stamp(skill, "../..").is_none() && elsewhere.identity(skill).is_err());
        assert!(!elsewhere.repository(skill).is_empty() && !elsewhere.call_name(skill).is_empty());
    }
}

#[test]
fn catalogs_of_different_libraries_are_compared() {
    let (here, elsewhere) = (here(), elsewhere());
    let options = CatalogOptions::new().budget(0).pin("no:such");
    let (ours, theirs) =
        (Catalog::build(&here, &CatalogOptions::new()), Catalog::build(&elsewhere, &options));
    for entry in ours.entries() {
        assert!(theirs.share(entry) >= 0.0);
    }
    assert!(!catalog::delta(&elsewhere, &here, &options).is_empty());
    let _ = elsewhere.why("kit", Some(&ours));
    #[cfg(feature = "lint")]
    let _ = prowess::lint::lint(&elsewhere, &ours);
}

#[test]
fn a_plan_of_another_session_changes_no_receipt_that_it_does_not_know() {
    let here = here();
    let mut ledger = Ledger::new();
    for (name, placement) in [("kit", "c1"), ("pdf", "c2"), ("kit", "c3")] {
        let _ = here.activate(name, Origin::User).deliver(&mut ledger, placement);
    }
    let plan = || ledger.plan_compaction(["c1", "c2", "none"], Budget::total(10_000));
    for placements in [vec![], vec!["s"], vec!["s"; 9]] {
        let mut other = Ledger::new();
        other.commit(plan(), placements);
        other.reconcile(["s", "c1"]);
        let (mut child, compaction) = other.fork(Inherit::Texts(Budget::total(usize::MAX)));
        child.commit(compaction, ["first"]);
        let (restored, _) = Ledger::restore(child.snapshot(Texts::LeftOut), &elsewhere(), ["first"]);
        assert_eq!(restored.protected().count(), 0);
    }
}

#[test]
fn a_plan_of_another_conversation_is_carried_out_as_far_as_it_goes() {
    let talk = |count: usize| {
        let messages = (0..count).map(|number| json!({"role": "user", "content": number.to_string()}));
        Conversation::new(messages.collect(), Shape::OpenAi).expect("a conversation")
    };
    let plan = |cut| talk(9).plan(&Ledger::new(), cut, Budget::total(0));
    for (length, cut) in [(0, 5), (2, 9), (9, usize::MAX), (3, 0)] {
        let short = talk(length);
        assert!(short.leaving(&plan(cut)).len() <= length);
        assert!(short.rewrite(plan(cut), "").value().is_array());
    }
}

#[test]
fn corrections_of_another_file_are_left_out_where_they_do_not_fit() {
    let file = b"---\nname: notes\ndescription: *Sorts* notes\n---\n";
    let found = parse::parse(file, Path::new("notes/SKILL.md")).diagnostics;
    assert_eq!(parse::repaired(b"", &found), b"");
    assert_eq!(parse::body(b"x", usize::MAX), "");
    let backwards = Range { start: 9, end: 1 };
    assert_eq!(Span::of(b"ab\n", backwards).line, 2);
}
