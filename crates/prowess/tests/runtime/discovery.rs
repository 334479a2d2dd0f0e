use std::fs;

use prowess::{Catalog, CatalogOptions, Library, LoadOptions, Origin, Roots, scope::Places};
use prowess_testkit::{Node, Tree};

use crate::common::{activate, body, check_states, codes, disk, ids, link, skill};

/// Checks the locations of the loaded skills, relative to the tree.
#[track_caller]
fn check(tree: &Tree, working_directory: &str, loaded: &[&str], expected_codes: &[&str]) -> Library {
    let roots = Roots::agents(tree.at(working_directory), tree.at("home"));
    let library = Library::load(&roots, &LoadOptions::new());
    check_states(&library);
    let locations = library.skills().iter().map(|skill| skill.directory());
    let locations: Vec<_> =
        locations.map(|directory| directory.strip_prefix(tree.path()).unwrap().to_str().unwrap()).collect();
    assert_eq!(locations, loaded);
    assert_eq!(codes(&library), expected_codes);
    library
}

#[test]
fn links_are_followed_and_cycles_end() {
    let tree = Tree::of([
        ("project/.agents/skills/wrap-up", link("../../../store/wrap-up")),
        ("project/.agents/skills/cyc/again", link(".")),
        ("project/.agents/skills/group/up", link("..")),
        ("home/.agents/skills", link("../../dot/skills")),
    ])
    .skill("store/wrap-up")
    .skill("dot/skills/rooted")
    .skill("project/.agents/skills/cyc")
    .skill("project/.agents/skills/group/a");
    let loaded = ["group/a", "cyc"].map(|path| format!("project/.agents/skills/{path}"));
    let expected = [&loaded[0], &loaded[1], "home/.agents/skills/rooted", "project/.agents/skills/wrap-up"];
    check(&tree, "project", &expected, &[]);
}

#[test]
fn a_linked_file_belongs_to_the_directory_it_is_reached_in() {
    let directory = "project/.agents/skills/demo";
    let tree = Tree::of([
        ("store/demo.md".to_owned(), Node::Text(skill("demo", "Linked."))),
        ("store/private.md".to_owned(), "x".into()),
        (format!("{directory}/notes.md"), "hi".into()),
        (format!("{directory}/SKILL.md"), link("../../../../store/demo.md")),
    ]);
    let library = check(&tree, "project", &[directory], &[]);
    let delivery = activate(&library, "demo", Origin::Model);
    let activation = delivery.activation().unwrap();
    assert_eq!(activation.resources[0].path, "notes.md");
    assert_eq!(activation.resources_total, 1);
}

#[test]
fn a_skill_is_a_leaf_and_a_root_is_not() {
    let tree = Tree::of([("project/.agents/skills/SKILL.md", Node::Text(skill("skills", "The root.")))])
        .skill("project/.agents/skills/outer")
        .skill("project/.agents/skills/outer/node_modules/lib")
        .skill("project/.agents/skills/outer/examples/toy")
        .with("project/.agents/skills/outer/.gitignore", "*\n".into())
        .with("project/.agents/skills/.gitignore", "/outer/\n".into());
    check(&tree, "project", &["project/.agents/skills/outer", "project/.agents/skills"], &[]);
}

#[test]
fn ancestors_are_searched_up_to_the_repository() {
    let tree = Tree::of([("project/.git/HEAD", "x".into()), ("project/web/src/x.txt", Node::from(""))])
        .skill("project/.agents/skills/at-root")
        .skill("project/web/.agents/skills/near")
        .skill(".agents/skills/outside");
    let loaded = ["project/.agents/skills/at-root", "project/web/.agents/skills/near"];
    check(&tree, "project/web/src", &loaded, &[]);
    let worktree = Tree::of([("repository/.wt/w1/.git", Node::from("gitdir: ../../.git/worktrees/w1\n"))])
        .with("repository/.git/HEAD", "x".into())
        .skill("repository/.agents/skills/pr")
        .skill("repository/.wt/w1/.agents/skills/pr");
    check(&worktree, "repository/.wt/w1", &["repository/.wt/w1/.agents/skills/pr"], &[]);
}

#[test]
fn what_does_not_load_is_said() {
    let tree = Tree::of([
        ("project/.agent/skills/typo/SKILL.md", Node::Text(skill("typo", "Typo."))),
        ("project/.agents/skill/typo/SKILL.md", Node::Text(skill("typo", "Typo."))),
        ("project/.agents/skills/link/SKILL.md", "../../../../store/ptr/SKILL.md".into()),
        ("project/.agents/skills/gone", link("../nowhere")),
        ("project/.agents/skills/odd/refs/[a] b?.txt", "t".into()),
    ])
    .skill("project/.agents/skills/odd");
    let codes = ["broken-link", "link-as-text", "lookalike-root", "lookalike-root"];
    let library = check(&tree, "project", &["project/.agents/skills/odd"], &codes);
    assert!(body(&library, "odd").contains("\nrefs/[a] b?.txt\n"));
}

#[test]
fn a_root_that_cant_be_searched_is_said() {
    let cases: [(&str, Node, &[&str]); 6] = [
        (".agents/skills", link("nowhere"), &["broken-link"]),
        (".agents/skills", link("skills"), &["broken-link"]),
        (".agents/skills", link("/dev/null"), &["unreadable"]),
        (".agents", link("nowhere"), &[]),
        (".agents/other", "x".into(), &[]),
        #[cfg(unix)]
        (".agents", "x".into(), &["unreadable"]),
        #[cfg(not(unix))]
        (".agents", "x".into(), &[]),
    ];
    for (path, node, codes) in cases {
        let tree = Tree::of([(format!("home/{path}"), node)]).skill("project/.agents/skills/sound");
        check(&tree, "project", &["project/.agents/skills/sound"], codes);
    }
    let locked = Tree::of([("home/.agents", Node::UnreadableDirectory)]);
    match locked.skipped() {
        [] => _ = check(&locked, "project", &[], &["unreadable"]),
        skipped => println!("not tested: {skipped:?}"),
    }
}

#[test]
fn a_skill_that_is_loaded_by_its_path_is_a_leaf() {
    let tree = Tree::new()
        .skill("skills/pdf")
        .skill("skills/pdf/examples/toy")
        .with("skills/pdf/references/fields.md", "x".into())
        .with("skills/pdf/gone.md", link("nowhere.md"));
    let load = |path: &str| Library::load_path(&tree.at(path), &LoadOptions::new()).unwrap();
    for path in ["skills", "skills/pdf", "skills/pdf/SKILL.md"] {
        let library = load(path);
        assert_eq!((ids(&library), codes(&library)), (vec!["path:pdf"], vec![""; 0]), "{path}");
        assert!(library.scan().limits_hit.is_empty(), "{path}");
    }
}

#[test]
fn the_users_own_wins_over_what_the_host_brings() {
    let tree = Tree::of([
        ("home/.agents/skills/fetch/SKILL.md", Node::Text(skill("fetch", "Mine."))),
        ("builtin/fetch/SKILL.md", Node::Text(skill("fetch", "Shipped."))),
    ]);
    let places = Places::new(tree.at("project"), tree.at("home")).builtin(tree.at("builtin"));
    let library = Library::load(&Roots::preset(Default::default(), &places), &LoadOptions::new());
    assert_eq!(library.find("fetch", Origin::Model).unwrap().description(), "Mine.");
    assert_eq!(library.find("builtin:fetch", Origin::Model).unwrap().description(), "Shipped.");
    assert_eq!(codes(&library), ["shadowed"]);
}

#[test]
fn each_load_is_fresh_and_says_each_thing_once() {
    let tree = Tree::new()
        .with("project/.agents/skills/w/SKILL.md", "---\nname: w\ndescription: a: b\n---\n".into())
        .with("store/ext/SKILL.md", Node::Text(skill("ext", "Old.")))
        .with("home/.agents/skills/ext", link("../../../store/ext"))
        .skill("project/.agents/skills/ghost");
    let names =
        |library: &Library| library.skills().iter().map(|skill| skill.name().to_owned()).collect::<Vec<_>>();
    for _ in 0..20 {
        assert_eq!(codes(&disk(&tree)), ["yaml-repaired"]);
    }
    let before = disk(&tree);
    tree.remove("project/.agents/skills/ghost");
    fs::write(tree.at("store/ext/SKILL.md"), skill("ext", "New.")).unwrap();
    let tree = tree.skill("project/.agents/skills/live");
    let after = disk(&tree);
    assert_eq!(names(&before), ["ext", "ghost", "w"]);
    assert_eq!(names(&after), ["ext", "live", "w"]);
    assert_eq!(after.skills()[0].description(), "New.");
}

#[test]
fn loading_and_activating_run_nothing_and_write_nothing() {
    let tree = Tree::new()
        .skill("project/.agents/skills/py")
        .with("project/.agents/skills/py/setup.py", "open('ran', 'w')".into())
        .with(
            "project/.agents/skills/sh/SKILL.md",
            "---\nname: sh\ndescription: Reads.\nallowed-tools: Read Bash(git:*)\n---\n!`touch ran`\n".into(),
        );
    let library = disk(&tree);
    assert!(body(&library, "sh").contains("!`touch ran`\n"));
    let tools = &library.find("sh", Origin::User).unwrap().frontmatter().allowed_tools;
    assert_eq!(*tools, ["Read", "Bash(git:*)"]);
    let _ = Catalog::build(&library, &CatalogOptions::new());
    let mut entries: Vec<_> = fs::read_dir(tree.at("project/.agents/skills/py")).unwrap().collect();
    assert_eq!(entries.drain(..).count(), 2);
    assert_eq!(fs::read_dir(tree.path()).unwrap().count(), 1);
}

#[test]
fn a_hundred_loads_give_the_same_bytes() {
    let tree = Tree::of([
        ("project/.agents/skills/x/SKILL.md", Node::Text(skill("x", "A"))),
        ("project/.claude/skills/x/SKILL.md", Node::Text(skill("x", "B"))),
    ]);
    let text = || Catalog::build(&disk(&tree), &CatalogOptions::new()).text().to_owned();
    let first = text();
    assert!(first.contains("<description>A</description>") && !first.contains('\\'));
    for _ in 0..100 {
        assert_eq!(text(), first);
    }
}
