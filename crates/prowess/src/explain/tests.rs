use prowess_testkit::{Node, Tree};

use super::*;
use crate::{CatalogOptions, LoadOptions, Policy, Roots};

const TEXT: &str = "---\nname: NAME\ndescription: Does one thing.\n---\nBody.\n";

fn text(name: &str) -> Node {
    Node::Text(TEXT.replace("NAME", name))
}

fn load(tree: &Tree, options: &LoadOptions) -> Library {
    Library::load(&Roots::agents(tree.at("project"), tree.at("home")), options)
}

/// State and code of every finding, and the near names.
fn why(tree: &Tree, query: &str) -> (Vec<(State, Option<&'static str>)>, Vec<String>) {
    answer(&load(tree, &LoadOptions::new()), query, None)
}

fn answer(
    library: &Library,
    query: &str,
    catalog: Option<&Catalog>,
) -> (Vec<(State, Option<&'static str>)>, Vec<String>) {
    let why = library.why(query, catalog);
    for finding in &why.findings {
        assert!(!finding.reason.is_empty() && !finding.help.is_empty(), "{finding:?}");
    }
    (why.findings.iter().map(|finding| (finding.state, finding.code)).collect(), why.near)
}

#[track_caller]
fn check(path: &str, query: &str, expected: (State, Option<&'static str>)) {
    let tree = Tree::of([(path, text("lost"))]).skill("project/.agents/skills/other");
    assert_eq!(why(&tree, query).0, [expected], "{path}");
}

#[test]
fn each_place_a_skill_can_be_lost_in_has_its_answer() {
    check("project/.agents/skills/lost/SKILL.md", "lost", (State::Loaded, None));
    check("project/.agents/skills/lost/SKILL.md", "LO_ST", (State::Loaded, None));
    check("project/.agents/skills/lost/SKILL.md", "project:lost", (State::Loaded, None));
    check("project/.agents/skills/node_modules/x/lost/SKILL.md", "lost", (State::Skipped, None));
    check("project/.agents/skills/1/2/3/4/5/6/lost/SKILL.md", "lost", (State::TooDeep, Some("scan-limit")));
    check("project/.agents/skills/other/examples/lost/SKILL.md", "lost", (State::Nested, None));
    check("project/.agent/skills/lost/SKILL.md", "lost", (State::LookalikeRoot, Some("lookalike-root")));
    check("project/.agents/skills/lost/README.md", "lost", (State::NoSkillFile, None));
}

#[test]
fn all_that_bear_the_name_are_told_the_winner_first() {
    let edited = TEXT.replace("NAME", "twin").replace("one thing", "another thing");
    let tree = Tree::of([
        ("project/.agents/skills/twin/SKILL.md", text("twin")),
        ("home/.agents/skills/twin/SKILL.md", Node::Text(edited)),
        ("home/.claude/skills/twin/SKILL.md", text("twin")),
        ("home/.claude/skills/broken/SKILL.md", Node::from("---\nname: twin\n---\n")),
        ("home/.agents/skills/venv/twin/x/SKILL.md", text("twin")),
    ]);
    let states: Vec<State> = why(&tree, "twin").0.into_iter().map(|(state, _)| state).collect();
    assert_eq!(states, [State::Loaded, State::Shadowed, State::Duplicate, State::Invalid, State::Skipped]);
}

#[test]
fn a_directory_that_the_limit_cut_off_is_said() {
    let tree = Tree::of([("project/.agents/skills/a/b/lost/SKILL.md", text("lost"))]);
    let options = LoadOptions::new().scan(ScanOptions::default().max_directories(1));
    assert_eq!(answer(&load(&tree, &options), "lost", None).0, [(State::Skipped, Some("scan-limit"))]);
}

#[test]
fn a_misspelt_name_has_near_ones() {
    let tree = Tree::of([("project/.agents/skills/node_modules/pdf-forms/x/SKILL.md", text("pdf-forms"))]);
    assert_eq!(why(&tree, "pdf-from"), (vec![], vec!["pdf-forms".to_owned()]));
    assert_eq!(why(&tree, ""), (vec![], vec![]));
    assert_eq!(why(&tree, "../.."), (vec![], vec![]));
}

#[test]
fn a_path_is_a_name_too() {
    let tree =
        Tree::of([("project/.agents/skills/here/SKILL.md", text("here")), ("away/SKILL.md", text("away"))]);
    let states = |path: &str| why(&tree, &tree.at(path).to_string_lossy()).0;
    assert_eq!(states("project/.agents/skills/here"), [(State::Loaded, None)]);
    assert_eq!(states("project/.agents/skills/here/SKILL.md"), [(State::Loaded, None)]);
    assert_eq!(states("away"), [(State::OutsideRoots, None)]);
    assert_eq!(states("nowhere"), []);
}

#[test]
fn what_keeps_a_loaded_skill_from_the_model_is_said() {
    let own = TEXT.replace("NAME", "own").replace("---\nBody", "disable-model-invocation: true\n---\nBody");
    let tree = Tree::of([
        ("project/.agents/skills/own/SKILL.md", Node::Text(own)),
        ("project/.agents/skills/off/SKILL.md", text("off")),
        ("project/.agents/skills/strange/SKILL.md", text("strange")),
        ("project/.agents/skills/small/SKILL.md", text("small")),
    ]);
    let policy = Policy::new().restrict("off", Visibility::Hidden).unwrap();
    let policy = policy.restrict("strange", Visibility::Untrusted).unwrap();
    let library = load(&tree, &LoadOptions::new().policy(policy));
    let catalog = Catalog::build(&library, &CatalogOptions::new().budget(10));
    let code = |name: &str| answer(&library, name, Some(&catalog)).0[0].1;
    assert_eq!(
        ["own", "off", "strange", "small"].map(code),
        [Some("user-only"), Some("hidden"), Some("untrusted"), Some("budget")]
    );
}

#[test]
fn a_second_way_to_a_skill_is_answered_by_the_first() {
    let tree = Tree::of([
        ("project/.agents/skills/pdf/SKILL.md", text("pdf")),
        ("project/.agents/skills/forms", Node::Link("pdf".into())),
        ("project/.agents/skills/b/SKILL.md", Node::Link("../pdf/SKILL.md".into())),
        ("project/.agents/skills/file", Node::from("no directory")),
    ]);
    for query in ["forms", "b"] {
        let why = load(&tree, &LoadOptions::new()).why(query, None);
        let [finding] = why.findings.as_slice() else { panic!("{why:?}") };
        assert_eq!((finding.state, finding.id.as_deref()), (State::Loaded, Some("project:pdf")), "{query}");
    }
    assert_eq!(why(&tree, "file").0, []);
}
