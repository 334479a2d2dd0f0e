//! What a reload sees, on a disk.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use prowess::activate::Status;
use prowess::library::Reload;
use prowess::{Catalog, CatalogOptions, Ledger, Library, LoadOptions, Origin, Roots};
use prowess_testkit::{Node, Tree};

fn load(tree: &Tree) -> Library {
    let roots = Roots::agents(tree.at("project"), tree.at("home"));
    Library::load(&roots, &LoadOptions::new())
}

fn skill(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n{body}")
}

/// Writes a file and gives it back the time that it had.
fn edit_keeping_its_time(path: &Path, text: &str) -> io::Result<()> {
    let file = File::options().write(true).open(path)?;
    let modified = file.metadata()?.modified()?;
    fs::write(path, text)?;
    file.set_modified(modified)
}

#[track_caller]
fn check(reload: &Reload, added: &[&str], changed: &[&str], removed: &[&str]) {
    let found = (&reload.added[..], &reload.changed[..], &reload.removed[..]);
    let expected = (added, changed, removed);
    assert!(found.0 == expected.0 && found.1 == expected.1 && found.2 == expected.2, "{found:?}");
    assert_eq!(reload.is_unchanged(), [added, changed, removed].concat().is_empty());
}

const LIVE: &str = "project/.agents/skills/live/SKILL.md";

#[test]
fn added_changed_and_removed() {
    let old = skill("live", "Old.", "Step one.\n");
    let tree = Tree::of([(LIVE, Node::Text(old.clone()))]).skill("project/.agents/skills/gone");
    let library = load(&tree);
    check(&library.reload(), &[], &[], &[]);
    assert_eq!(library.reload().catalog_delta(&CatalogOptions::new()), "");

    fs::write(tree.at(LIVE), old.replace("Old.", "New.")).unwrap();
    tree.remove("project/.agents/skills/gone");
    let _tree = tree.skill("project/.agents/skills/live2");
    let reload = library.reload();
    check(&reload, &["project:live2"], &["project:live"], &["project:gone"]);
    let delta = reload.catalog_delta(&CatalogOptions::new());
    assert!(
        delta.contains("<name>live2</name>") && delta.contains("<description>New.</description>"),
        "{delta}"
    );
    assert!(delta.contains("no longer available: gone"), "{delta}");
    check(&reload.library.reload(), &[], &[], &[]);
    assert!(reload.library.find("live2", Origin::Model).is_ok());
}

#[test]
fn an_edit_of_the_same_size_and_time_is_seen() {
    let old = skill("mt", "aaa", "Step one.\n");
    let table = [
        (old.replace("aaa", "bbb"), true),
        (old.replace("one", "two"), false),
        (old.replace("Step one.\n", "Step one, then two.\n"), false),
    ];
    for (new, in_catalog) in table {
        let tree = Tree::of([(LIVE, Node::Text(old.clone()))]);
        let library = load(&tree);
        let mut ledger = Ledger::new();
        drop(library.activate("mt", Origin::Model).deliver(&mut ledger, "c1"));
        edit_keeping_its_time(&tree.at(LIVE), &new).unwrap();
        let reload = library.reload();
        check(&reload, &[], &["project:mt"], &[]);
        assert_eq!(reload.catalog_delta(&CatalogOptions::new()).is_empty(), !in_catalog);
        // An activation needs no reload.
        let delivery = library.activate("mt", Origin::Model).deliver(&mut ledger, "c2");
        assert_eq!(delivery.status(), Status::Changed);
        assert!(delivery.text().contains(new.split("---\n").nth(2).unwrap()));
    }
}

#[test]
fn the_target_of_a_link_counts() {
    let old = skill("ext", "A", "Step one.\n");
    let tree = Tree::of([
        ("store/ext/SKILL.md", Node::Text(old.clone())),
        ("other/ext/SKILL.md", Node::Text(old.clone())),
        ("home/.agents/skills/ext", Node::Link("../../../store/ext".into())),
    ]);
    let library = load(&tree);
    fs::write(tree.at("store/ext/SKILL.md"), old.replace("one", "two")).unwrap();
    let reload = library.reload();
    check(&reload, &[], &["user:ext"], &[]);
    tree.remove("home/.agents/skills/ext");
    let _tree = tree.with("home/.agents/skills/ext", Node::Link("../../../other/ext".into()));
    check(&reload.library.reload(), &[], &["user:ext"], &[]);
}

#[test]
fn flags_and_collisions_are_changes() {
    let tree = Tree::of([("home/.agents/skills/live/SKILL.md", Node::Text(skill("live", "Mine.", "")))]);
    let library = load(&tree);
    let tree = tree.with(LIVE, Node::Text(skill("live", "Theirs.", "")));
    let reload = library.reload();
    check(&reload, &["project:live"], &[], &["user:live"]);
    let delta = reload.catalog_delta(&CatalogOptions::new());
    assert!(delta.contains("Theirs.") && !delta.contains("no longer"), "{delta}");

    let hidden = skill("live", "Theirs.\ndisable-model-invocation: true", "");
    fs::write(tree.at(LIVE), hidden).unwrap();
    let reload = reload.library.reload();
    check(&reload, &[], &["project:live"], &[]);
    assert_eq!(reload.catalog_delta(&CatalogOptions::new()), "These skills are no longer available: live\n");
    assert_eq!(Catalog::build(&reload.library, &CatalogOptions::new()).text(), "");
}

#[cfg(feature = "serde")]
#[test]
fn a_restored_session_does_not_bring_back_a_deleted_skill() {
    use prowess::ledger::{Restored, Snapshot, Texts};
    let tree = Tree::new().skill("project/.agents/skills/ghost").skill("project/.agents/skills/kept");
    let library = load(&tree);
    let mut ledger = Ledger::new();
    for name in ["ghost", "kept"] {
        drop(library.activate(name, Origin::Model).deliver(&mut ledger, name));
    }
    ledger.reconcile(["ghost", "kept"]);
    let saved = ledger.snapshot(Texts::Included).to_json();
    tree.remove("project/.agents/skills/ghost");
    // Another skill in the place of the one that was activated.
    tree.remove("project/.agents/skills/kept");
    let tree = tree
        .with("store/SKILL.md", Node::Text(skill("kept", "Another.", "Other steps.\n")))
        .with("project/.agents/skills/kept", Node::Link("../../../store".into()));
    let library = load(&tree);
    let (ledger, report) = Ledger::restore(Snapshot::from_json(&saved).unwrap(), &library, ["ghost", "kept"]);
    let report: Vec<Restored> = report.into_values().collect();
    assert_eq!(report, [Restored::Gone, Restored::Changed]);
    let in_force: Vec<bool> = ledger.skills().iter().map(|skill| skill.is_in_force).collect();
    assert_eq!(in_force, [true, false]);
    assert!(!Catalog::build(&library, &CatalogOptions::new()).text().contains("ghost"));
}
