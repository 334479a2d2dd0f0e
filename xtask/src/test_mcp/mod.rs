//! `cargo xtask test-mcp`: the MCP server, by clients that others wrote.
//!
//! These are the official client libraries in Python and TypeScript, the Inspector's command line, and the official
//! conformance tool. They are installed below `target/test-mcp` in the versions of `requirements.txt` and
//! `package.json`.

mod conformance;
mod inspector;
mod install;
mod served;

use std::path::{Path, PathBuf};
use std::process::Command;

use self::install::Node;
use self::served::{Server, tree};
use crate::step::{self, Failure, cargo, workspace};

/// Asks the server whatever these clients can ask. Those that can't be installed are skipped, aloud.
pub(crate) fn run() -> Result<(), Failure> {
    let program = build()?;
    let mut skipped = 0;
    let mut skip = |what: &str, why: String| {
        println!("skipped: {what}: {why}");
        skipped += 1;
    };
    match install::python() {
        Ok(python) => sdk(&program, || python.python(&[]), &sources().join("client.py"))?,
        Err(why) => skip("the Python SDK", why),
    }
    match install::node() {
        Ok(node) => with_node(&program, &node)?,
        Err(why) => skip("the TypeScript SDK, the Inspector and the conformance tool", why),
    }
    println!("test-mcp: nothing wrong found ({skipped} of 2 installations skipped)");
    Ok(())
}

/// Builds the server, and says where it is.
fn build() -> Result<PathBuf, Failure> {
    step::run(&mut cargo(&["build", "--package", "prowess-cli", "--package", "prowess-mcp"]))?;
    step::built("prowess")
}

/// Where the clients' files lie.
fn sources() -> PathBuf {
    workspace().join("xtask/src/test_mcp")
}

fn with_node(program: &Path, node: &Node) -> Result<(), Failure> {
    let script = node.beside_packages(&sources().join("client.mjs"))?;
    sdk(program, || node.command(), &script)?;
    inspector::run(program, node)?;
    conformance::run(program, node)
}

/// Runs a client over stdio and over HTTP. It edits the skills that it is served.
fn sdk(program: &Path, interpreter: impl Fn() -> Command, script: &Path) -> Result<(), Failure> {
    let tree = tree();
    let ask = |target: &str| {
        let mut client = interpreter();
        client.arg(script).arg(target).arg(tree.at("project")).arg(tree.at("home"));
        step::run(&mut client)
    };
    ask(&program.to_string_lossy())?;
    let server = Server::start(program, &tree)?;
    ask(&server.url)
}
