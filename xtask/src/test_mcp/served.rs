//! What is served, and the server over HTTP.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use prowess_testkit::{Node, Tree};

use crate::step::Failure;

/// A project with one skill that has a folder.
pub(super) fn tree() -> Tree {
    Tree::new()
        .with("home", Node::Directory)
        .with("project/.git", Node::Directory)
        .with("project/.agents/skills/forms/references/fields.md", Node::from("Fields\n"))
        .with("project/.agents/skills/forms/SKILL.md", skill("forms", "Fills in forms."))
}

pub(super) fn skill(name: &str, description: &str) -> Node {
    Node::Text(format!("---\nname: {name}\ndescription: {description}\n---\nFill them in.\n"))
}

/// A command that serves a tree over stdio, unless more is said.
pub(super) fn command(program: &Path, tree: &Tree) -> Command {
    let mut command = Command::new(program);
    command.args(["mcp", "--project"]).arg(tree.at("project")).arg("--home").arg(tree.at("home"));
    command
}

/// A server over HTTP that ends with this.
pub(super) struct Server {
    process: Child,
    pub(super) url: String,
}

impl Server {
    pub(super) fn start(program: &Path, tree: &Tree) -> Result<Self, Failure> {
        let failed = |error| Failure::new(format!("the server did not start: {error}"));
        let mut command = command(program, tree);
        command.args(["--http", "127.0.0.1:0"]).stdout(Stdio::piped());
        let mut process = command.spawn().map_err(failed)?;
        let mut url = String::new();
        if let Some(stdout) = process.stdout.take() {
            BufReader::new(stdout).read_line(&mut url).map_err(failed)?;
        }
        let server = Self { process, url: url.trim().to_owned() };
        if server.url.is_empty() {
            return Err(Failure::new("the server over HTTP ended before it said where it is"));
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
