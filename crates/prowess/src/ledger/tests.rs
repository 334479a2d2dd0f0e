use std::sync::Arc;

use super::*;
use crate::activate::Status;
use crate::compact::Budget;
use crate::source::{ByteRange, Memory};
use crate::{Library, LoadOptions, Origin, Policy, Roots, skill::Visibility};

fn file(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Does one thing.\n---\n{body}")
}

/// A library of skills in `/s`, in the scope `user`, by name and body.
fn library(skills: &[(&str, &str)]) -> Library {
    let files = skills.iter().flat_map(|(name, body)| {
        [
            (format!("/s/{name}/SKILL.md"), file(name, body)),
            (format!("/s/{name}/notes.md"), "notes\n".to_owned()),
        ]
    });
    load(files.collect(), LoadOptions::new())
}

fn load(memory: Memory, options: LoadOptions) -> Library {
    let roots = Roots::new().with("user", "/s").unwrap();
    Library::load(&roots, &options.source(Arc::new(memory)))
}

fn activate(library: &Library, ledger: &mut Ledger, name: &str, placement: &str) -> (Status, String) {
    let delivery = library.activate(name, Origin::Model).deliver(ledger, placement);
    (delivery.status(), delivery.into_text())
}

fn states(ledger: &Ledger) -> Vec<(&str, State)> {
    let receipts = ledger.receipts().iter();
    receipts.map(|receipt| (receipt.placement.as_str(), receipt.state)).collect()
}

#[test]
fn a_second_activation_is_a_short_note() {
    let library = library(&[("rev", &"Rule ".repeat(1_000))]);
    let mut ledger = Ledger::new();
    assert_eq!(activate(&library, &mut ledger, "rev", "c1").0, Status::New);
    let (status, note) = activate(&library, &mut ledger, "rev", "c2");
    assert_eq!(status, Status::AlreadyResident);
    assert!(note.len() < 240 && note.contains("`rev`") && note.contains("sha256:"), "{note}");
    assert_eq!(states(&ledger), [("c1", State::Pending)]);
}

#[test]
fn a_changed_or_lost_body_is_delivered_again() {
    let (one, two) = (library(&[("ver", "one\n")]), library(&[("ver", "two\n")]));
    let mut ledger = Ledger::new();
    assert_eq!(activate(&one, &mut ledger, "ver", "c1").0, Status::New);
    let (status, text) = activate(&two, &mut ledger, "ver", "c2");
    assert_eq!(status, Status::Changed);
    assert!(text.contains("supersedes") && text.contains("\ntwo\n"));
    assert_eq!(states(&ledger), [("c1", State::Superseded), ("c2", State::Pending)]);
    ledger.reconcile(["m1"]);
    assert_eq!(states(&ledger), [("c1", State::Evicted), ("c2", State::Evicted)]);
    let (status, text) = activate(&two, &mut ledger, "ver", "c3");
    assert!(status == Status::New && !text.contains("supersedes"));
}

#[test]
fn a_failed_activation_leaves_no_receipt() {
    let memory = Memory::new().with("/s/big/SKILL.md", file("big", &"x".repeat(100)));
    let library = load(memory, LoadOptions::new().max_body(10));
    let mut ledger = Ledger::new();
    for name in ["big", "unknown"] {
        assert_eq!(activate(&library, &mut ledger, name, "c1").0, Status::Denied);
    }
    assert!(ledger.receipts().is_empty() && ledger.skills().is_empty());
}

#[test]
fn one_text_for_user_and_model_and_every_placement() {
    let library = library(&[("dual", "Step one.\n")]);
    let deliver = |origin| library.activate("dual", origin).deliver(&mut Ledger::new(), "c1").into_text();
    assert_eq!(deliver(Origin::User), deliver(Origin::Model));
    let mut ledger = Ledger::new();
    for placement in ["c1", "c2", "c3"] {
        activate(&library, &mut ledger, "dual", placement);
        ledger.reconcile([""; 0]);
    }
    assert_eq!(ledger.receipts().len(), 3);
    assert!(ledger.receipts().iter().all(|receipt| Arc::ptr_eq(&receipt.text, &ledger.receipts()[0].text)));
}

#[test]
fn arguments_are_in_no_receipt_and_change_no_body() {
    let library = library(&[("fees", "The fee is $1,000. Use `awk '{print $2}'` and cell $B$5.\n")]);
    let mut ledger = Ledger::new();
    let request = library.activate("fees", Origin::User).with_arguments("ALPHA BETA");
    let text = request.deliver(&mut ledger, "c1").into_text();
    assert!(text.contains("The fee is $1,000. Use `awk '{print $2}'` and cell $B$5.\n"));
    assert!(text.contains("ALPHA BETA") && !ledger.receipts()[0].text.contains("ALPHA"));
    ledger.reconcile([("c1", text)]);
    assert_eq!(states(&ledger), [("c1", State::Resident)]);
}

#[test]
fn reconciling_with_placements_and_with_texts() {
    let library = library(&[("a", "Line one.\nLine two.\n")]);
    #[track_caller]
    fn check(library: &Library, present: impl Fn(&str) -> Vec<Present<'static>>, expected: State) {
        let mut ledger = Ledger::new();
        let (_, text) = activate(library, &mut ledger, "a", "c1");
        ledger.reconcile(present(&text));
        assert_eq!(ledger.receipts()[0].state, expected);
    }
    let pair = |placement: &'static str, text: String| vec![Present::from((placement, text))];
    check(&library, |_| vec![], State::Evicted);
    check(&library, |_| vec!["c0".into(), "c1".into()], State::Resident);
    check(&library, |text| pair("c1", text.to_owned()), State::Resident);
    check(&library, |text| pair("c1", format!("before\n{}\nafter", text.trim_end())), State::Resident);
    check(&library, |text| pair("c1", text.replace("Line two.", "[...]")), State::Evicted);
    check(&library, |text| pair("c1", text[..text.len() / 2].to_owned()), State::Evicted);
    check(&library, |text| pair("c2", text.to_owned()), State::Evicted);
    check(&library, |text| [pair("c1", "cut".into()), pair("c1", text.to_owned())].concat(), State::Resident);
}

#[test]
fn a_rewind_behind_a_change_makes_the_older_text_current() {
    let (one, two) = (library(&[("a", "one\n")]), library(&[("a", "two\n")]));
    let mut ledger = Ledger::new();
    activate(&one, &mut ledger, "a", "c1");
    ledger.reconcile(["c1"]);
    activate(&two, &mut ledger, "a", "c2");
    ledger.reconcile(["c1", "c2"]);
    assert_eq!(states(&ledger), [("c1", State::Superseded), ("c2", State::Resident)]);
    ledger.reconcile(["c1"]);
    assert_eq!(states(&ledger), [("c1", State::Resident), ("c2", State::Evicted)]);
    assert_eq!(activate(&two, &mut ledger, "a", "c3").0, Status::Changed);
    // The other branch again.
    ledger.reconcile(["c1", "c2"]);
    assert_eq!(ledger.resident("user:a").unwrap().placement, "c2");
    assert_eq!(activate(&two, &mut ledger, "a", "c4").0, Status::AlreadyResident);
}

#[test]
fn a_text_cut_once_is_believed_only_with_its_text() {
    let library = library(&[("a", "one\n")]);
    let mut ledger = Ledger::new();
    let (_, text) = activate(&library, &mut ledger, "a", "c1");
    ledger.reconcile([("c1", "(cleared)")]);
    ledger.reconcile(["c1"]);
    assert_eq!(ledger.receipts()[0].state, State::Evicted);
    ledger.reconcile([("c1", text.as_str())]);
    assert_eq!(ledger.receipts()[0].state, State::Resident);
}

#[test]
fn a_placement_used_twice_is_doubted() {
    let library = library(&[("a", "A.\n"), ("b", "B.\n")]);
    let mut ledger = Ledger::new();
    let (_, a) = activate(&library, &mut ledger, "a", "call_0");
    ledger.reconcile(["call_0"]);
    let (_, b) = activate(&library, &mut ledger, "b", "call_0");
    ledger.reconcile(["call_0"]);
    assert_eq!(ledger.resident("user:a"), None);
    assert!(ledger.resident("user:b").is_some());
    ledger.reconcile([("call_0", a), ("call_0", b)]);
    assert!(ledger.resident("user:a").is_some() && ledger.resident("user:b").is_some());
    // Two bodies in one message of one turn are both there.
    let mut ledger = Ledger::new();
    activate(&library, &mut ledger, "a", "m1");
    activate(&library, &mut ledger, "b", "m1");
    ledger.reconcile(["m1"]);
    assert!(ledger.resident("user:a").is_some() && ledger.resident("user:b").is_some());
}

#[test]
fn nothing_but_a_receipt_protects() {
    let library = library(&[("a", "A.\n")]);
    let mut ledger = Ledger::new();
    let (_, text) = activate(&library, &mut Ledger::new(), "a", "c1");
    ledger.reconcile([("c1", text.as_str())]);
    assert_eq!(ledger.protected().count(), 0);
    assert_eq!(activate(&library, &mut ledger, "a", "c2").0, Status::New);
    assert_eq!(ledger.protected().collect::<Vec<_>>(), ["c2"]);
}

#[test]
fn what_never_arrived_is_not_in_force() {
    let library = library(&[("a", "A.\n")]);
    let mut ledger = Ledger::new();
    activate(&library, &mut ledger, "a", "c1");
    assert!(ledger.skills()[0].is_in_force);
    ledger.reconcile(["m1"]);
    assert!(!ledger.skills()[0].is_in_force);
    activate(&library, &mut ledger, "a", "c2");
    ledger.forget("c2");
    assert_eq!(ledger.resident("user:a"), None);
    assert_eq!(activate(&library, &mut ledger, "a", "c3").0, Status::New);
}

#[test]
fn only_the_user_turns_a_skill_on_again() {
    let library = library(&[("a", "A.\n")]);
    let mut ledger = Ledger::new();
    assert_eq!(ledger.deactivate("user:a"), None);
    activate(&library, &mut ledger, "a", "c1");
    ledger.reconcile(["c1"]);
    let note = ledger.deactivate("user:a").unwrap();
    assert!(note.contains("`a` is turned off"), "{note}");
    assert_eq!((states(&ledger), ledger.resident("user:a")), (vec![("c1", State::Off)], None));
    let (status, text) = activate(&library, &mut ledger, "a", "c2");
    assert!(status == Status::Denied && text.contains("only the user"), "{text}");
    let read = library.request_resource("a", "notes.md", ByteRange::FIRST, Origin::Model);
    assert_eq!(read.deliver(&mut ledger, "c3").status(), Status::Denied);
    assert_eq!(ledger.protected().count(), 0);
    let status = library.activate("a", Origin::User).deliver(&mut ledger, "m4").status();
    assert_eq!(status, Status::AlreadyResident);
    assert_eq!(states(&ledger), [("c1", State::Resident)]);
}

#[test]
fn finishing_forbids_nothing() {
    let library = library(&[("a", "A.\n")]);
    let mut ledger = Ledger::new();
    assert!(!ledger.finish("user:a"));
    activate(&library, &mut ledger, "a", "c1");
    assert!(ledger.finish("user:a"));
    assert_eq!(ledger.skills()[0].standing, Standing::Finished);
    assert_eq!(ledger.protected().count(), 0);
    assert_eq!(activate(&library, &mut ledger, "a", "c2").0, Status::AlreadyResident);
    assert_eq!(ledger.skills()[0].standing, Standing::Active);
}

#[test]
fn a_message_may_get_its_id_later() {
    let library = library(&[("a", "A.\n")]);
    let mut ledger = Ledger::new();
    activate(&library, &mut ledger, "a", "draft");
    ledger.relocate("draft", "m7");
    ledger.reconcile(["m7"]);
    assert_eq!(states(&ledger), [("m7", State::Resident)]);
}

#[test]
fn reads_of_a_file_reading_host() {
    let body = "# Steps\n\nOne.\nTwo.\n";
    let library = library(&[("a", body)]);
    let path = "/s/a/SKILL.md";
    let size = file("a", body).len() as u64;
    let bytes = |offset, length| ReadRange::Bytes(ByteRange { offset, length });
    let lines = |first, count| ReadRange::Lines { first, count };
    let table = [
        (path, ReadRange::Whole, Observed::Body),
        (path, bytes(0, size), Observed::Body),
        (path, bytes(size - body.len() as u64, size), Observed::Body),
        (path, bytes(0, size - 1), Observed::PartOfBody),
        (path, bytes(size - 3, 3), Observed::PartOfBody),
        (path, lines(1, 2_000), Observed::Body),
        (path, lines(5, 4), Observed::Body),
        (path, lines(1, 7), Observed::PartOfBody),
        (path, lines(6, 100), Observed::PartOfBody),
        ("/s/a/../a/SKILL.md", ReadRange::Whole, Observed::Body),
        ("/s/a/notes.md", lines(1, 1), Observed::Resource),
        ("/s/other/SKILL.md", ReadRange::Whole, Observed::Nothing),
        ("/s/a/../../etc/passwd", ReadRange::Whole, Observed::Nothing),
        ("SKILL.md", ReadRange::Whole, Observed::Nothing),
    ];
    for (path, range, expected) in table {
        let mut ledger = Ledger::new();
        assert_eq!(ledger.observe_read(&library, path, range, "r1"), expected, "{path} {range:?}");
        assert_eq!(ledger.resident("user:a").is_some(), expected == Observed::Body, "{path} {range:?}");
    }
}

#[test]
fn an_observed_body_is_found_behind_line_numbers() {
    let library = library(&[("a", "# Steps\n\nOne.\nTwo.\n")]);
    let mut ledger = Ledger::new();
    ledger.observe_read(&library, "/s/a/SKILL.md", ReadRange::Whole, "r1");
    let shown = "     4\t---\n     5\t# Steps\n     6\t\n     7\tOne.\n     8\tTwo.";
    ledger.reconcile([("r1", shown)]);
    assert_eq!(activate(&library, &mut ledger, "a", "c2").0, Status::AlreadyResident);
    ledger.reconcile([("r1", &shown[..shown.len() - 2])]);
    assert_eq!(activate(&library, &mut ledger, "a", "c3").0, Status::New);
}

#[test]
fn what_a_model_may_not_activate_is_not_observed() {
    let memory = Memory::new().with("/s/a/SKILL.md", file("a", "A.\n"));
    for visibility in [Visibility::UserOnly, Visibility::Hidden, Visibility::Untrusted] {
        let policy = Policy::new().restrict("a", visibility).unwrap();
        let library = load(memory.clone(), LoadOptions::new().policy(policy));
        let mut ledger = Ledger::new();
        let observed = ledger.observe_read(&library, "/s/a/SKILL.md", ReadRange::Whole, "r1");
        assert_eq!((observed, ledger.skills().len()), (Observed::Nothing, 0));
    }
}

#[test]
fn an_off_skill_that_is_read_stays_off() {
    let library = library(&[("a", "A.\n")]);
    let mut ledger = Ledger::new();
    activate(&library, &mut ledger, "a", "c1");
    ledger.deactivate("user:a");
    ledger.observe_read(&library, "/s/a/SKILL.md", ReadRange::Whole, "r1");
    assert_eq!(ledger.resident("user:a"), None);
    assert!(ledger.plan_compaction(["c1", "r1"], Budget::total(9_999)).blocks().is_empty());
}

fn restored(
    ledger: &Ledger,
    texts: Texts,
    library: &Library,
    present: &[&str],
) -> (Ledger, Option<Restored>) {
    let (ledger, report) = Ledger::restore(ledger.snapshot(texts), library, present);
    (ledger, report.get("user:a").copied())
}

#[test]
fn what_a_restore_reports() {
    let mut ledger = Ledger::new();
    let before = library(&[("a", "A.\n"), ("b", "B.\n")]);
    activate(&before, &mut ledger, "a", "c1");
    ledger.reconcile(["c1"]);
    let user_only = "---\nname: a\ndescription: Does one thing.\ndisable-model-invocation: true\n---\nA.\n";
    let untrusted = Policy::new().restrict("a", Visibility::Untrusted).unwrap();
    let table = [
        (before.clone(), Restored::Same, true),
        (library(&[("a", "Other.\n")]), Restored::Changed, true),
        (library(&[("b", "B.\n")]), Restored::Gone, false),
        (
            load(Memory::new().with("/s/a/SKILL.md", user_only), LoadOptions::new()),
            Restored::NotVisible,
            false,
        ),
        (
            load(
                Memory::new().with("/s/a/SKILL.md", file("a", "A.\n")),
                LoadOptions::new().policy(untrusted),
            ),
            Restored::NotVisible,
            false,
        ),
    ];
    for (library, expected, in_force) in table {
        let (restored, report) = restored(&ledger, Texts::Included, &library, &["c1"]);
        assert_eq!(report, Some(expected));
        assert_eq!(restored.skills()[0].is_in_force, in_force, "{expected:?}");
        let plan = restored.plan_compaction(["c1"], Budget::total(9_999));
        assert_eq!(!plan.blocks().is_empty(), in_force, "{expected:?}");
    }
}

#[test]
fn a_restore_evicts_what_is_not_present() {
    let library = library(&[("a", "A.\n")]);
    let mut ledger = Ledger::new();
    activate(&library, &mut ledger, "a", "c1");
    ledger.reconcile(["c1"]);
    let (mut gone, _) = restored(&ledger, Texts::Included, &library, &[]);
    assert_eq!(activate(&library, &mut gone, "a", "c2").0, Status::New);
    let (mut there, _) = restored(&ledger, Texts::Included, &library, &["c1"]);
    assert_eq!(activate(&library, &mut there, "a", "c2").0, Status::AlreadyResident);
}

#[test]
fn a_snapshot_without_texts_takes_them_from_unchanged_skills() {
    let (same, other) = (library(&[("a", "A.\n")]), library(&[("a", "Other.\n")]));
    let mut ledger = Ledger::new();
    activate(&same, &mut ledger, "a", "c1");
    ledger.reconcile(["c1"]);
    let plan = |library| {
        let (restored, _) = restored(&ledger, Texts::LeftOut, library, &["c1"]);
        restored.plan_compaction(["c1"], Budget::total(9_999))
    };
    assert_eq!(plan(&same).reattached().count(), 1);
    assert_eq!((plan(&other).reattached().count(), plan(&other).stubs().count()), (0, 1));
}

#[test]
fn off_stays_off_through_restore_and_fork() {
    let library = library(&[("a", "A.\n")]);
    let mut ledger = Ledger::new();
    activate(&library, &mut ledger, "a", "c1");
    ledger.reconcile(["c1"]);
    ledger.deactivate("user:a");
    let (mut again, _) = restored(&ledger, Texts::Included, &library, &["c1"]);
    let (mut child, _) = ledger.fork(Inherit::Nothing);
    for ledger in [&mut again, &mut child] {
        assert_eq!(activate(&library, ledger, "a", "c9").0, Status::Denied);
    }
}

#[test]
fn a_child_changes_nothing_in_its_parent() {
    let library = library(&[("a", "A.\n"), ("b", "B.\n")]);
    let mut parent = Ledger::new();
    activate(&library, &mut parent, "a", "c1");
    parent.reconcile(["c1"]);
    let before = parent.clone();
    let (mut nothing, text) = parent.fork(Inherit::Nothing);
    assert!(text.blocks().is_empty() && nothing.skills().is_empty());
    activate(&library, &mut nothing, "b", "x1");
    let (mut names, text) = parent.fork(Inherit::Names);
    assert!(text.text().contains("by its name if you need it: a"), "{}", text.text());
    names.commit(text, ["m1"]);
    assert_eq!(activate(&library, &mut names, "a", "x1").0, Status::New);
    let (mut texts, text) = parent.fork(Inherit::Texts(Budget::total(9_999)));
    texts.commit(text, ["m1"]);
    assert_eq!(activate(&library, &mut texts, "a", "x1").0, Status::AlreadyResident);
    texts.deactivate("user:a");
    assert_eq!(parent, before);
    let active: Vec<&str> = parent.skills().iter().map(|skill| skill.id).collect();
    assert_eq!(active, ["user:a"]);
}

#[cfg(feature = "serde")]
mod saved {
    use super::*;
    use crate::ErrorKind;

    fn session() -> Ledger {
        let library = library(&[("a", "A.\n"), ("b", "B.\n"), ("c", "C.\n")]);
        let mut ledger = Ledger::new();
        ledger.place_catalog("m0");
        for (name, placement) in [("a", "c1"), ("b", "c2"), ("c", "c3")] {
            activate(&library, &mut ledger, name, placement);
        }
        ledger.observe_read(&library, "/s/a/SKILL.md", ReadRange::Whole, "r4");
        ledger.observe_read(&library, "/s/b/notes.md", ReadRange::Whole, "r5");
        ledger.pin("user:b");
        ledger.reconcile(["m0", "c1", "c2", "c3", "r4"]);
        ledger.finish("user:c");
        ledger.deactivate("user:a");
        let plan = ledger.plan_compaction(["c2", "c3"], Budget::total(9_999));
        ledger.commit(plan, ["s1", "s1"]);
        ledger
    }

    #[test]
    fn what_is_written_reads_the_same() {
        for texts in [Texts::Included, Texts::LeftOut] {
            let snapshot = session().snapshot(texts);
            assert_eq!(Snapshot::from_json(&snapshot.to_json()).unwrap(), snapshot);
        }
    }

    #[test]
    fn each_text_is_written_once() {
        let json = session().snapshot(Texts::Included).to_json();
        assert_eq!(json.matches("<skill_content name=\\\"b\\\"").count(), 1);
        assert!(!session().snapshot(Texts::LeftOut).to_json().contains("skill_content"));
    }

    #[test]
    fn a_damaged_or_newer_session_is_refused() {
        let json = session().snapshot(Texts::Included).to_json();
        let newer = json.replace("\"prowess_session\":1", "\"prowess_session\":2");
        let error = Snapshot::from_json(&newer).unwrap_err();
        assert!(error.kind() == ErrorKind::Usage && error.message().contains("version 2"), "{error}");
        for end in [0, 1, json.len() / 2, json.len() - 1] {
            assert_eq!(Snapshot::from_json(&json[..end]).unwrap_err().kind(), ErrorKind::Usage);
        }
        for other in ["null", "[]", "{}", "{\"prowess_session\":\"1\"}", "{\"prowess_session\":1}"] {
            assert_eq!(Snapshot::from_json(other).unwrap_err().kind(), ErrorKind::Usage, "{other}");
        }
    }

    #[test]
    fn no_wrong_field_gets_through() {
        let value: serde_json::Value =
            serde_json::from_str(&session().snapshot(Texts::Included).to_json()).unwrap();
        let wrong = [
            ("clock", u64::MAX.into()),
            ("texts", serde_json::json!([])),
            ("skills", serde_json::json!([])),
            ("pins", 1.into()),
        ];
        for (key, to) in wrong {
            let mut value = value.clone();
            value[key] = to;
            assert!(Snapshot::from_json(&value.to_string()).is_err(), "{key}");
        }
        for key in ["skill", "digest", "placement", "kind", "presence", "doubtful", "turn", "at", "text"] {
            let mut value = value.clone();
            value["receipts"][0][key] = serde_json::json!({});
            assert!(Snapshot::from_json(&value.to_string()).is_err(), "{key}");
        }
    }
}
