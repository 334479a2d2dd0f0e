use std::fs;

use prowess::activate::Status;
use prowess::tokens::{Estimate, Tokenizer};
use prowess::{Ledger, Library, Origin};
use prowess_testkit::Tree;

use crate::common::{disk, memory, skill};

fn deliver(library: &Library, name: &str, ledger: &mut Ledger, placement: &str) -> (Status, String) {
    let delivery = library.activate(name, Origin::Model).deliver(ledger, placement);
    assert_eq!(delivery.is_protected(), matches!(delivery.status(), Status::New | Status::Changed));
    (delivery.status(), delivery.into_text())
}

#[test]
fn a_repeat_is_a_short_note() {
    for name in ["rev".to_owned(), "n".repeat(64), "n".repeat(5_000)] {
        let text = skill(&name, "Reviews.").replace("Step", &"Rule ".repeat(5_000));
        let library = memory([("project/rev/SKILL.md", text)]);
        let mut ledger = Ledger::new();
        assert_eq!(deliver(&library, &name, &mut ledger, "1").0, Status::New);
        let (status, note) = deliver(&library, &name, &mut ledger, "2");
        assert_eq!(status, Status::AlreadyResident);
        assert!(Estimate.count(&note) < 60, "{note}");
        assert_eq!(ledger.receipts().len(), 1);
        assert_eq!(ledger.resident(library.skills()[0].id()).unwrap().placement, "1");
    }
}

#[test]
fn changed_then_gone_then_back() {
    let tree = Tree::new().skill("project/.agents/skills/ver");
    let file = tree.at("project/.agents/skills/ver/SKILL.md");
    let library = disk(&tree);
    let mut ledger = Ledger::new();
    assert_eq!(deliver(&library, "ver", &mut ledger, "1").0, Status::New);
    let old = fs::read_to_string(&file).unwrap();
    fs::write(&file, old.replace("Step one", "Step two")).unwrap();
    let (status, text) = deliver(&library, "ver", &mut ledger, "2");
    assert_eq!(status, Status::Changed);
    assert!(text.starts_with("Skill `ver` has changed since"), "{text}");
    assert!(text.contains("supersedes") && text.contains("Step two."));
    assert_eq!(deliver(&library, "ver", &mut ledger, "3").0, Status::AlreadyResident);

    ledger.reconcile(["1"]);
    assert_eq!(deliver(&library, "ver", &mut ledger, "4").0, Status::Changed);
    ledger.reconcile(["4", "5"]);
    assert_eq!(deliver(&library, "ver", &mut ledger, "6").0, Status::AlreadyResident);
    ledger.reconcile([""; 0]);
    assert!(ledger.resident(library.skills()[0].id()).is_none());
    assert_eq!(deliver(&library, "ver", &mut ledger, "7").0, Status::New);
}

#[test]
fn a_rewind_makes_the_older_text_current_again() {
    let tree = Tree::new().skill("project/.agents/skills/ver");
    let file = tree.at("project/.agents/skills/ver/SKILL.md");
    let library = disk(&tree);
    let mut ledger = Ledger::new();
    deliver(&library, "ver", &mut ledger, "1");
    let old = fs::read_to_string(&file).unwrap();
    fs::write(&file, old.replace("one", "two")).unwrap();
    deliver(&library, "ver", &mut ledger, "2");
    ledger.reconcile(["1"]);
    fs::write(&file, old).unwrap();
    assert_eq!(deliver(&library, "ver", &mut ledger, "3").0, Status::AlreadyResident);
}

#[test]
fn each_skill_and_each_session_has_receipts_of_its_own() {
    let library = memory([
        ("project/a/SKILL.md", skill("a", "A.")),
        ("user/a/SKILL.md", skill("a", "Mine.")),
        ("user/b/SKILL.md", skill("b", "B.")),
    ]);
    let mut ledger = Ledger::new();
    for name in ["a", "user:a", "b"] {
        assert_eq!(deliver(&library, name, &mut ledger, name).0, Status::New);
    }
    let mut fork = ledger.clone();
    fork.reconcile(["b"]);
    assert_eq!(deliver(&library, "a", &mut fork, "9").0, Status::New);
    assert_eq!(deliver(&library, "project:a", &mut ledger, "9").0, Status::AlreadyResident);
    assert_eq!(deliver(&library, "a", &mut Ledger::new(), "9").0, Status::New);
}

#[test]
fn what_delivers_nothing_leaves_nothing() {
    let library = memory([("project/a/SKILL.md", skill("a", "A.")), ("project/a/x.txt", "x".to_owned())]);
    let mut ledger = Ledger::new();
    assert_eq!(deliver(&library, "zzz", &mut ledger, "1").0, Status::Denied);
    let _ = library.activate("a", Origin::Model).deny("no");
    let call = r#"{"name": "a", "path": "x.txt"}"#;
    let resource = library.request("read_skill_resource", call).unwrap();
    assert_eq!(resource.deliver(&mut ledger, "2").status(), Status::Resource);
    assert!(ledger.receipts().is_empty());
}
