use std::fs;
#[cfg(unix)]
use std::path::Path;

use prowess::diagnostic::Code;
use prowess::skill::Visibility;
use prowess::source::ByteRange;
use prowess::trust::{Rule, Trust, TrustStore};
use prowess::{Catalog, CatalogOptions, ErrorKind, Ledger, Library, LoadOptions, Origin, Policy};
use prowess_testkit::{Node, Tree};

use crate::common::{activate, codes, disk_with, skill};

/// A repository with a skill that has a script, and the user's own skill.
fn tree() -> Tree {
    Tree::of([
        ("project/.git", Node::Directory),
        ("project/.agents/skills/pdf/SKILL.md", skill("pdf", "Theirs.").as_str().into()),
        ("project/.agents/skills/pdf/scripts/fill.py", "print(1)".into()),
        ("home/.agents/skills/mine/SKILL.md", skill("mine", "My own.").as_str().into()),
    ])
}

fn load(tree: &Tree, trust: Trust) -> Library {
    disk_with(tree, &LoadOptions::new().policy(Policy::new().trust(trust)))
}

fn asking(store: &TrustStore) -> Trust {
    Trust::new().rule(Rule::Ask).scope("user", Rule::Allow).store(store.clone())
}

/// A store that holds the project's skill as it is.
fn store(tree: &Tree) -> TrustStore {
    let mut store = TrustStore::default();
    let library = load(tree, Trust::new());
    let pdf = library.find("pdf", Origin::User).unwrap();
    store.allow(library.identity(pdf).unwrap(), pdf.id());
    store
}

#[test]
fn a_rule_for_each_scope() {
    use Rule::{Allow, Ask, Deny};
    use Visibility::{Listed, Untrusted};
    let tree = tree();
    let known = store(&tree);
    for (rule, user, store, expected) in [
        (Allow, Allow, TrustStore::default(), [Listed, Listed]),
        (Ask, Allow, TrustStore::default(), [Listed, Untrusted]),
        (Ask, Ask, known.clone(), [Untrusted, Listed]),
        (Deny, Allow, known.clone(), [Listed, Untrusted]),
        (Allow, Deny, known, [Untrusted, Listed]),
    ] {
        let library = load(&tree, Trust::new().rule(rule).scope("user", user).store(store));
        let found: Vec<_> = library.skills().iter().map(|skill| skill.visibility()).collect();
        assert_eq!(found, expected, "{rule:?}, {user:?} for the user's");
        assert_eq!(codes(&library).contains(&"untrusted"), expected.contains(&Untrusted));
        let catalog = Catalog::build(&library, &CatalogOptions::new());
        assert_eq!(catalog.text().contains("Theirs."), expected[1] == Listed);
    }
}

#[test]
fn whatever_changes_asks_again_at_once_and_at_the_next_load() {
    let worse = skill("pdf", "Worse.");
    let changes = [
        ("SKILL.md", Some(worse.as_str())),
        ("scripts/fill.py", Some("print(2)")),
        ("scripts/more.py", Some("print(2)")),
        ("scripts/fill.py", None),
    ];
    for (path, text) in changes {
        let tree = tree();
        let store = store(&tree);
        let library = load(&tree, asking(&store));
        assert!(activate(&library, "pdf", Origin::Model).error().is_none());
        let file = tree.at("project/.agents/skills/pdf").join(path);
        match text {
            Some(text) => fs::write(file, text).unwrap(),
            None => fs::remove_file(file).unwrap(),
        }
        for request in [
            library.activate("pdf", Origin::Model),
            library.request_resource("pdf", "scripts/fill.py", ByteRange::FIRST, Origin::User),
        ] {
            let delivery = request.deliver(&mut Ledger::new(), "here");
            assert_eq!(delivery.error().map(|error| error.kind()), Some(ErrorKind::Untrusted), "{path}");
        }
        let pdf = library.find("pdf", Origin::User).unwrap();
        assert_eq!(library.file(pdf, "SKILL.md", 1 << 20).unwrap_err().kind(), ErrorKind::Untrusted);
        assert_eq!(library.reload().changed, ["project:pdf"], "{path}");
    }
}

/// Links, and folders that listings leave out.
#[cfg(unix)]
fn tree_with_links() -> Tree {
    let skill = |path: &str| format!("project/.agents/skills/pdf/{path}");
    let link = |target: &str| Node::Link(target.into());
    tree()
        .with(skill("v1/step.md"), "one".into())
        .with(skill("v2/step.md"), "two".into())
        .with(skill("current"), link("v1"))
        .with(skill("nowhere"), link("v3"))
        .with(skill("venv/step.md"), "x".into())
        .with(skill("scripts/__pycache__/h.pyc"), "x".into())
        .with(skill("node_modules/lib/index.js"), "x".into())
        .with(skill(".git/step.md"), "x".into())
        .with("project/tools/run.sh", "x".into())
}

/// What is changed, and how, in a skill's directory.
#[cfg(unix)]
type Change<'a> = (&'a str, &'a dyn Fn(&Path));

#[cfg(unix)]
#[test]
fn whatever_can_be_read_or_run_is_part_of_what_was_allowed() {
    use std::os::unix::fs::symlink;
    let write = |path: &'static str| move |skill: &Path| fs::write(skill.join(path), "evil").unwrap();
    let turn = |path: &'static str, target: &'static str| {
        move |skill: &Path| {
            let _ = fs::remove_file(skill.join(path));
            symlink(target, skill.join(path)).unwrap();
        }
    };
    let changes: [Change; 9] = [
        ("an environment", &write("venv/step.md")),
        ("a cache", &write("scripts/__pycache__/h.pyc")),
        ("a package", &write("node_modules/lib/index.js")),
        ("version control", &write(".git/step.md")),
        ("a new file there", &write(".git/more.md")),
        ("a link that is turned", &turn("current", "v2")),
        ("a link that led nowhere", &turn("nowhere", "v2")),
        ("a link that leads out", &turn("out", "../../../tools")),
        ("a file that becomes a link", &turn("scripts/fill.py", "../v1/step.md")),
    ];
    for (what, change) in changes {
        let tree = tree_with_links();
        let library = load(&tree, asking(&store(&tree)));
        assert!(activate(&library, "pdf", Origin::Model).error().is_none(), "{what}");
        change(&tree.at("project/.agents/skills/pdf"));
        for request in [
            library.activate("pdf", Origin::Model),
            library.request_resource("pdf", "current/step.md", ByteRange::FIRST, Origin::User),
        ] {
            let delivery = request.deliver(&mut Ledger::new(), "here");
            assert_eq!(delivery.error().map(|error| error.kind()), Some(ErrorKind::Untrusted), "{what}");
        }
        assert_eq!(library.reload().changed, ["project:pdf"], "{what}");
    }
}

#[cfg(unix)]
#[test]
fn links_inside_an_allowed_skill_are_read() {
    let tree = tree_with_links();
    fs::rename(tree.at("project/.agents/skills/pdf"), tree.at("project/kept")).unwrap();
    let tree = tree
        .with("project/.agents/skills/pdf", Node::Link("../../kept".into()))
        .with("project/kept/own.md", Node::Link("v2/step.md".into()));
    let library = load(&tree, asking(&store(&tree)));
    let pdf = library.find("pdf", Origin::User).unwrap();
    assert!(activate(&library, "pdf", Origin::Model).error().is_none());
    for (path, expected) in [("current/step.md", "one"), ("own.md", "two"), ("v2/step", "two")] {
        assert_eq!(library.resource(pdf, path, ByteRange::FIRST).unwrap().bytes, expected.as_bytes());
    }
    assert_eq!(library.file(pdf, "own.md", 3).unwrap(), b"two");
    let both = library.fingerprints(pdf, &["own.md", "v2/step.md", "SKILL.md"], 1 << 20).unwrap();
    assert_eq!(both[0], both[1]);
}

#[cfg(unix)]
#[test]
fn what_can_not_be_known_whole_can_not_be_trusted() {
    for (path, node, expected) in [
        ("scripts/run.sh", Node::Link("../../../../tools/run.sh".into()), ErrorKind::NotConfined),
        ("scripts/tools", Node::Link("../../../../tools".into()), ErrorKind::NotConfined),
        ("a/locked", Node::UnreadableDirectory, ErrorKind::Io),
        ("a/locked", Node::UnreadableFile, ErrorKind::Io),
    ] {
        let tree = tree_with_links().with(format!("project/.agents/skills/pdf/{path}"), node);
        if !tree.skipped().is_empty() {
            println!("not tested: {:?}", tree.skipped());
            continue;
        }
        let library = load(&tree, Trust::new());
        let error = library.identity(library.find("pdf", Origin::User).unwrap()).unwrap_err();
        assert_eq!(error.kind(), expected, "{path}: {error}");
        assert!(error.message().contains(path), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text_is_part_of_what_was_allowed() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let tree = tree();
    let file = |name: &[u8]| tree.at("project/.agents/skills/pdf").join(OsStr::from_bytes(name));
    fs::write(file(b"a\xff"), "x").unwrap();
    let library = load(&tree, asking(&store(&tree)));
    assert!(activate(&library, "pdf", Origin::Model).error().is_none());
    fs::rename(file(b"a\xff"), file(b"a\xfe")).unwrap();
    assert!(activate(&library, "pdf", Origin::Model).error().is_some());
}

#[test]
fn an_allowance_holds_in_its_repository_alone() {
    let (tree, elsewhere) = (tree(), self::tree());
    let library = load(&elsewhere, asking(&store(&tree)));
    assert_eq!(library.listed().map(|skill| skill.name()).collect::<Vec<_>>(), ["mine"]);
}

#[test]
fn the_work_trees_of_a_repository_share_it() {
    let tree = tree();
    let store = store(&tree);
    let worktree = self::tree();
    worktree.remove("project/.git");
    fs::create_dir_all(tree.at("project/.git/worktrees/second")).unwrap();
    fs::write(tree.at("project/.git/worktrees/second/commondir"), "../..\n").unwrap();
    let own = tree.at("project/.git/worktrees/second");
    fs::write(worktree.at("project/.git"), format!("gitdir: {}\n", own.display())).unwrap();
    assert!(load(&worktree, asking(&store)).find("pdf", Origin::User).unwrap().is_listed());
}

#[test]
fn what_is_not_trusted_takes_no_name() {
    let tree = tree().skill("home/.agents/skills/pdf");
    let library = load(&tree, asking(&TrustStore::default()));
    assert_eq!(library.find("pdf", Origin::Model).unwrap().id(), "user:pdf");
}

#[test]
fn what_was_taken_back_is_asked_for_again() {
    let tree = tree();
    let mut store = store(&tree);
    let repository = store.entries().next().unwrap().0.repository.clone();
    assert_eq!(repository, prowess::skill::display_path(&tree.at("project")));
    assert_eq!(store.revoke(|identity, id| identity.repository == repository && id == "project:pdf"), 1);
    assert!(!load(&tree, asking(&store)).find("pdf", Origin::User).unwrap().is_listed());
}

#[test]
fn what_is_no_file_is_no_store_and_blocks_nobody() {
    let tree = tree().with("pipe.json", Node::Fifo).with("folder.json", Node::Directory);
    for name in ["pipe.json", "folder.json"].into_iter().filter(|name| tree.at(name).exists()) {
        let error = Trust::read(&["ask"], &tree.at(name)).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::Io, Some(tree.at(name).as_path())));
    }
    assert!(Trust::read(&["ask"], &tree.at("none.json")).is_ok());
}

#[test]
fn a_reload_reads_again_what_is_allowed() {
    let tree = tree();
    let file = tree.at("trust.json");
    let library = load(&tree, Trust::read(&["project=ask"], &file).unwrap());
    let is_listed =
        |library: &Library| library.find("pdf", Origin::User).is_ok_and(|skill| skill.is_listed());
    assert!(!is_listed(&library));
    fs::write(&file, store(&tree).to_json()).unwrap();
    let reload = library.reload();
    assert!(is_listed(&reload.library));
    assert_eq!(reload.changed, ["project:pdf"]);
    fs::write(&file, "{").unwrap();
    let library = reload.library.reload().library;
    assert!(!is_listed(&library));
    assert!(library.diagnostics().iter().any(|d| d.code == Code::Untrusted && d.path == file));
}

#[test]
fn a_store_in_no_certain_place_is_not_read() {
    for file in ["", "trust.json", "./.config/prowess/trust.json"] {
        let error = Trust::read(&["user=ask"], file.as_ref()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{file}: {error}");
        assert!(Trust::read(&[""; 0], file.as_ref()).is_ok(), "without a rule nothing is read");
    }
}
