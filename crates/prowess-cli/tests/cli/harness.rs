//! Running the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use prowess_testkit::{Node, Tree};
use serde_json::Value;

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Runs it in a directory, as somebody whose home is `home` there and whose organisation has no skills unless it is said.
pub(crate) fn prowess(directory: &Path, arguments: &[&str]) -> Ran {
    run(command(directory, arguments).stdout(Stdio::piped()))
}

pub(crate) fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prowess"));
    if !arguments.contains(&"--enterprise") {
        command.args(["--enterprise", "no-enterprise"]);
    }
    command
        .args(arguments)
        .current_dir(directory)
        .env("HOME", directory.join("home"))
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null());
    command
}

pub(crate) fn run(command: &mut Command) -> Ran {
    let output = command.stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    Ran {
        code: output.status.code().expect("it ends by itself"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// How long the path of [`fixtures`] is: locations are part of what a catalog costs.
const PATH_LENGTH: usize = 160;

/// The lab's fixtures, a `project` and a `home`, at a path that is always equally long.
pub(crate) fn fixtures() -> (Tree, PathBuf) {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/fixtures");
    let tree = Tree::new();
    let missing = PATH_LENGTH.checked_sub(tree.path().as_os_str().len() + 1);
    let padding = "x".repeat(missing.expect("a shorter path for temporary files"));
    let place = tree.at(&padding);
    let tree = files(&lab).into_iter().fold(tree, |tree, path| {
        let bytes = fs::read(lab.join(&path)).unwrap();
        tree.with(Path::new(&padding).join(path), Node::Bytes(bytes))
    });
    (tree, place)
}

fn files(lab: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut directories = vec![lab.to_path_buf()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else {
                files.push(path.strip_prefix(lab).unwrap().to_path_buf());
            }
        }
    }
    files
}

/// A project, a home and two plugins in which every refusal can be had.
pub(crate) fn tree() -> Tree {
    let skill = |name: &str, more: &str| {
        Node::Text(format!(
            "---\nname: {name}\ndescription: Does {name}. Use when asked.\n{more}---\nDo {name}.\n"
        ))
    };
    Tree::new()
        .with("project/.agents/skills/commit-message/SKILL.md", skill("commit-message", "license: MIT\n"))
        .with(
            "project/.agents/skills/commit-message/references/areas.md",
            Node::from("Areas: \u{1b}[31mred.\n"),
        )
        .with("project/.agents/skills/commit-message/assets/logo.bin", Node::Bytes(vec![0, 255, 13, 10, 27]))
        .with("project/.agents/skills/deep/er/inside/SKILL.md", skill("inside", ""))
        .with("project/.agents/skills/by-hand/SKILL.md", skill("by-hand", "disable-model-invocation: true\n"))
        .with("project/.agents/skills/by-model/SKILL.md", skill("by-model", "user-invocable: false\n"))
        .with(
            "project/.agents/skills/no-description/SKILL.md",
            Node::from("---\nname: no-description\n---\n"),
        )
        .with(
            "project/.agents/skills/large/SKILL.md",
            Node::Text(format!("---\nname: large\ndescription: Large.\n---\n{}", "word ".repeat(300_000))),
        )
        .with("home/.agents/skills/commit-message/SKILL.md", skill("commit-message", ""))
        .with("a/pdf/SKILL.md", skill("pdf", ""))
        .with("b/pdf/SKILL.md", skill("pdf", "license: MIT\n"))
        .with("outside.txt", Node::from("outside"))
}
