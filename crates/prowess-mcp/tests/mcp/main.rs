//! The MCP server, by a client over stdio.

mod changes;
mod client;
mod config;
mod extension;
mod hostile;
mod http;
mod tools;

use std::fmt::Write;

use prowess_testkit::{Node, Tree};

/// A `SKILL.md` with more lines in its frontmatter.
fn skill(name: &str, more: &str) -> Node {
    let mut text = format!("---\nname: {name}\ndescription: Does {name}.\n");
    for line in more.lines() {
        writeln!(text, "{line}").expect("a string can be written to");
    }
    Node::Text(text + "---\nBody.\n")
}

/// A project with one skill of each kind.
fn tree() -> Tree {
    let at = |path: &str| format!("project/.agents/skills/{path}");
    Tree::new()
        .with("project/.git", Node::Directory)
        .with("home", Node::Directory)
        .with(at("forms/SKILL.md"), skill("forms", "argument-hint: \"[file]\"\nmetadata:\n  v: 1"))
        .with(at("forms/references/fields.md"), Node::from("Fields\r\n"))
        .with(at("forms/assets/a.bin"), Node::Bytes(vec![0, 255]))
        .with(at("ship/SKILL.md"), skill("ship", "disable-model-invocation: true"))
        .with(at("lint/SKILL.md"), skill("lint", "user-invocable: false"))
        .with(at("off/SKILL.md"), skill("off", ""))
        .with(at("broken/SKILL.md"), Node::from("no frontmatter\n"))
        .with(at("Upper Case/SKILL.md"), skill("Upper Case", ""))
        .with("home/.agents/skills/forms/SKILL.md", skill("forms", "license: MIT"))
}
