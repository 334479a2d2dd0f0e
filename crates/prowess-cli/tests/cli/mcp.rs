//! How the server, which is another program, is started.

use std::fs;
use std::path::Path;

use prowess_testkit::{Node, Tree};

use crate::harness::{Ran, run};

/// Runs a copy of the program that has nothing beside it but what the tree lays there.
fn start(tree: &Tree, search_path: &Path, arguments: &[&str]) -> Ran {
    let program = tree.at("bin/prowess");
    fs::create_dir_all(tree.at("bin")).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_prowess"), &program).unwrap();
    run(std::process::Command::new(program)
        .args(arguments)
        .env("PATH", search_path)
        .stdout(std::process::Stdio::piped()))
}

/// Lays a server that says its name and arguments.
fn with_server(tree: Tree, directory: &str) -> Tree {
    use std::os::unix::fs::PermissionsExt;
    let path = format!("{directory}/prowess-mcp");
    let script = format!("#!/bin/sh\necho {directory}\nprintf '[%s]' \"$@\"\nexit 7\n");
    let tree = tree.with(&path, Node::Text(script));
    fs::set_permissions(tree.at(&path), fs::Permissions::from_mode(0o755)).unwrap();
    tree
}

#[test]
fn the_server_is_started_by_its_name_with_the_arguments_as_they_are() {
    let arguments = ["--project", "mcp", "mcp", "--http", "--budget", "7"];
    let handed_on = "[--project][mcp][mcp][--http][--budget][7]";
    let tree = with_server(Tree::new(), "elsewhere");
    let ran = start(&tree, &tree.at("elsewhere"), &arguments);
    assert_eq!((ran.code, ran.stdout), (7, format!("elsewhere\n{handed_on}")));
    let tree = with_server(tree, "bin");
    let ran = start(&tree, &tree.at("elsewhere"), &arguments);
    assert_eq!((ran.code, ran.stdout), (7, format!("bin\n{handed_on}")));
}

#[test]
fn a_server_that_is_not_there_can_be_installed() {
    let tree = Tree::new();
    let ran = start(&tree, tree.path(), &["mcp"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.contains("`cargo install --path crates/prowess-mcp`"), "{ran:?}");
    let ran = start(&tree, tree.path(), &["mcp", "--json"]);
    assert_eq!((ran.code, ran.json()["error"]["code"].as_str()), (3, Some("io")));
}

#[test]
fn its_options_are_explained_and_checked_without_it() {
    let tree = Tree::new();
    let ran = start(&tree, tree.path(), &["mcp", "--help"]);
    assert_eq!((ran.code, ran.stdout.contains("--print-config")), (0, true), "{ran:?}");
    assert_eq!(start(&tree, tree.path(), &["mcp", "--budget", "much"]).code, 2);
}
