use std::path::{Path, PathBuf};

use prowess_testkit::{Node, Tree};

use super::{Places, Preset, ResolvedRoot, Roots, absolute};
use crate::error::ErrorKind;
use crate::source::Disk;

fn lines(roots: &Roots, tree: &Tree) -> Vec<String> {
    let relative = |path: &Path| path.strip_prefix(tree.path()).unwrap_or(path).display().to_string();
    roots.iter().map(|root| format!("{} {}", root.scope, relative(&root.path))).collect()
}

/// The project roots of a working directory, without their folders.
#[track_caller]
fn check_project(tree: &Tree, project: &str, expected: &[&str]) {
    let roots = Roots::agents(tree.at(project), tree.at("home"));
    let lines = lines(&roots, tree);
    let agents =
        lines.iter().filter_map(|line| line.strip_prefix("project ")?.strip_suffix(".agents/skills"));
    assert_eq!(agents.collect::<Vec<_>>(), expected);
    assert!(lines.contains(&"user home/.agents/skills".to_string()));
}

#[test]
fn project_roots_go_up_to_the_repository() {
    let file = || Node::from("x");
    let plain = Tree::of([("p/src/x", file())]);
    check_project(&plain, "p/src", &["p/src/"]);
    let repository = Tree::of([("p/.git/HEAD", file()), ("p/web/src/x", file())]);
    check_project(&repository, "p/web/src", &["p/web/src/", "p/web/", "p/"]);
    check_project(&repository, "p", &["p/"]);
    check_project(&repository, "p/web/../web/src", &["p/web/src/", "p/web/", "p/"]);
    let worktree = Tree::of([("p/.git/HEAD", file()), ("p/.wt/w/.git", file()), ("p/.wt/w/src/x", file())]);
    check_project(&worktree, "p/.wt/w/src", &["p/.wt/w/src/", "p/.wt/w/"]);
    let linked = repository.with("link", Node::Link("p/web".into()));
    check_project(&linked, "link", &["p/web/", "p/"]);
}

#[test]
fn a_home_is_no_place_for_project_roots() {
    let tree = Tree::of([
        ("home/.git/HEAD", Node::from("x")),
        ("home/src/app/x", Node::from("x")),
        ("tilde", Node::Link("home".into())),
    ]);
    check_project(&tree, "home/src/app", &["home/src/app/", "home/src/"]);
    check_project(&tree, "home", &[]);
    check_project(&tree, "tilde", &[]);
    check_project(&tree, "tilde/src", &["tilde/src/"]);
}

#[test]
fn presets_have_their_order() {
    let tree = Tree::new();
    let places = Places::new(tree.at("p"), tree.at("h"));
    let places = places.enterprise(tree.at("e")).folder(".my/skills").builtin(tree.at("b"));
    let project = ["project p/.agents/skills", "project p/.claude/skills", "project p/.my/skills"];
    let user = ["user h/.agents/skills", "user h/.claude/skills", "user h/.my/skills"];
    let agents = [&["enterprise e"][..], &project, &user, &["builtin b"]].concat();
    assert_eq!(lines(&Roots::preset(Preset::Agents, &places), &tree), agents);
    let claude = [&["enterprise e"][..], &user, &project, &["builtin b"]].concat();
    assert_eq!(lines(&Roots::preset(Preset::Claude, &places), &tree), claude);
}

#[test]
fn ids_have_their_base() {
    let places = Places::new("/p", "/h").builtin("/b");
    let roots = Roots::preset(Preset::Agents, &places).with("team", "/t").unwrap();
    let bases: Vec<&str> = roots.iter().map(|root| root.base.to_str().unwrap()).collect();
    assert_eq!(bases, ["/p", "/p", "/h", "/h", "/b", "/t"]);
    let own = Roots::within(&places).with("project", "/q").unwrap().with("user", "/r").unwrap();
    let bases: Vec<&str> = own.iter().map(|root| root.base.to_str().unwrap()).collect();
    assert_eq!(bases, ["/p", "/h"]);
}

#[test]
fn ranks_follow_the_order_and_may_be_shared() {
    let roots = Roots::new().with_shared_rank("a", "/a").unwrap().with("b", "/b").unwrap();
    let roots = roots.with_shared_rank("c", "/c").unwrap().with("d", "/d").unwrap();
    assert_eq!(roots.iter().map(|root| root.rank).collect::<Vec<_>>(), [0, 1, 1, 2]);
}

#[test]
fn scope_labels_are_checked() {
    for label in ["", "Plugin", "a b", "a:b", "é"] {
        assert_eq!(Roots::new().with(label, "/a").unwrap_err().kind(), ErrorKind::Usage, "{label}");
    }
}

#[test]
fn without_a_home_there_are_no_user_roots() {
    let roots = Roots::agents("/p", "");
    assert_eq!(roots.iter().map(|root| root.scope.as_str()).collect::<Vec<_>>(), ["project", "project"]);
    assert_eq!(roots.home(), None);
}

#[track_caller]
fn check_resolved(tree: &Tree, roots: &Roots, expected: &[&str]) {
    let line = |resolved: &ResolvedRoot| {
        let place = resolved.root.path.strip_prefix(tree.path()).unwrap().display();
        format!("{} {place}{}", resolved.root.scope, if resolved.real.is_some() { "" } else { " (none)" })
    };
    assert_eq!(roots.resolve(&Disk).iter().map(line).collect::<Vec<_>>(), expected);
}

#[test]
fn one_real_directory_is_one_root() {
    let link = |target: &str| Node::Link(target.into());
    let tree = Tree::of([
        ("p/.claude/skills", link("../.agents/skills")),
        ("h/.claude/skills", link("../.agents/skills")),
    ]);
    let tree = tree.skill("p/.agents/skills/a").skill("h/.agents/skills/b");
    let roots = Roots::agents(tree.at("p"), tree.at("h"));
    check_resolved(&tree, &roots, &["project p/.agents/skills", "user h/.agents/skills"]);
    let shared = Tree::of([("p/.agents/skills", link("../../h/.agents/skills"))]).skill("h/.agents/skills/b");
    let roots = Roots::agents(shared.at("p"), shared.at("h"));
    check_resolved(
        &shared,
        &roots,
        &["project p/.claude/skills (none)", "user h/.agents/skills", "user h/.claude/skills (none)"],
    );
}

#[test]
fn every_place_has_its_lookalikes() {
    let roots = Roots::agents("/p", "/h");
    let meant = |path: &str| {
        let found = roots.lookalikes().iter().find(|lookalike| lookalike.path == Path::new(path));
        found.map(|lookalike| lookalike.meant.to_str().unwrap())
    };
    assert_eq!(meant("/p/.agent/skills"), Some("/p/.agents/skills"));
    assert_eq!(meant("/p/.agents/Skills"), Some("/p/.agents/skills"));
    assert_eq!(meant("/h/.claude/skill"), Some("/h/.claude/skills"));
    assert_eq!(roots.lookalikes().len(), 8);
}

#[test]
fn a_path_is_absolute_from_where_it_is_given() {
    let tree = Tree::of([("real/deep/x", Node::from("")), ("link", Node::Link("real/deep".into()))]);
    let check = |path: &str, expected: PathBuf| {
        assert_eq!(absolute(Path::new(path), tree.path()).unwrap(), expected, "{path}");
    };
    check("./a", tree.at("a"));
    check("/a/./b", "/a/b".into());
    check("link/..", tree.at("real"));
    check("none/../a", tree.at("none/../a"));
    assert_eq!(absolute(Path::new(""), tree.path()).unwrap_err().kind(), ErrorKind::Usage);
}

#[test]
fn a_plus_before_a_scope_shares_the_rank() {
    let roots = Roots::new().with_label("a", "/a").and_then(|roots| roots.with_label("+b", "/b")).unwrap();
    assert_eq!(roots.iter().map(|root| root.rank).collect::<Vec<_>>(), [0, 0]);
    assert!(Roots::new().with_label("++b", "/b").is_err());
}
