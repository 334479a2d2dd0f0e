//! Whole processes: `prowess list` and what others install to list skills.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::measure::{self, Cost, median};
use crate::table;
use crate::trees::{self, Tree};

const RUNS: usize = 5;

/// From npm, with the Node that all of them run on.
const NPM: [&str; 4] = ["openskills@1.5.0", "skills@1.7.4", "agent-skills-cli@1.1.9", "node@22"];
/// From PyPI; its program is `agentskills`.
const PYPI: &str = "skills-ref==0.1.1";
/// From crates.io; its program is `craftbag`.
const CRATE: [&str; 3] = ["craftbag-cli", "--version", "0.3.1"];

/// A program that lists skills, by how it is called in a project. Prowess is told to search on beyond its default limits
/// of 5 levels and 2,000 directories; none of the others has such.
struct Peer {
    name: &'static str,
    program: PathBuf,
    arguments: &'static [&'static str],
    /// Whether it looks for nothing itself: it is given the directory of each skill.
    takes_directories: bool,
}

type Install<'a> = &'a dyn Fn() -> Result<(), String>;

/// Prints what each program takes for the large tree and for 2,000 skills in one folder.
pub(crate) fn report(prowess: &Path) -> Result<(), String> {
    let failed = |error: io::Error| format!("no tree: {error}");
    let trees = [trees::large().map_err(failed)?, trees::flat(2_000).map_err(failed)?];
    let (peers, absent) = installed(prowess);
    println!("## Whole processes\n");
    println!(
        "Milliseconds of processor time and by the clock, median of {RUNS}; `x` is the ratio of processor time.\n"
    );
    for tree in &trees {
        println!("{} skills in {}:\n", tree.skills, tree.name);
        let mut rows = Vec::new();
        let mut own = f64::NAN;
        for peer in &peers {
            match peer.measure(tree) {
                Ok((found, cost)) => {
                    own = if own.is_nan() { cost.cpu } else { own };
                    let ratio =
                        if found == tree.skills { format!("{:.1}", cost.cpu / own) } else { "-".to_owned() };
                    rows.push(vec![
                        peer.name.to_owned(),
                        table::grouped(found as i64),
                        table::time(cost.cpu),
                        table::time(cost.wall),
                        ratio,
                    ]);
                }
                Err(error) if own.is_nan() => return Err(format!("{}: {error}", peer.name)),
                Err(error) => println!("{}: {error}", peer.name),
            }
        }
        table::print(&["command", "skills found", "CPU", "clock", "x"], &rows);
    }
    absent.iter().for_each(|why| println!("{why}"));
    Ok(())
}

/// What there is to measure, and what there is not, with the reason.
fn installed(prowess: &Path) -> (Vec<Peer>, Vec<String>) {
    let home = trees::home().join("peers");
    let (node, python, rust) =
        (home.join("npm/node_modules/.bin"), home.join("python/bin"), home.join("cargo/bin"));
    let peer =
        |name, program: PathBuf, arguments| Peer { name, program, arguments, takes_directories: false };
    let npm = || {
        run(Command::new("npm")
            .args(["install", "--no-fund", "--no-audit", "--prefix"])
            .arg(home.join("npm"))
            .args(NPM))
    };
    let pip = || {
        run(Command::new("python3").args(["-m", "venv"]).arg(home.join("python")))?;
        run(Command::new(python.join("python")).args(["-m", "pip", "install", "--quiet", PYPI]))
    };
    let cargo = || {
        run(Command::new("cargo")
            .args(["install", "--quiet", "--locked", "--root"])
            .arg(home.join("cargo"))
            .args(CRATE))
    };
    let candidates: [(Peer, Install<'_>); 5] = [
        (peer("openskills list", node.join("openskills"), &["list"]), &npm),
        (peer("skills list", node.join("skills"), &["list"]), &npm),
        (peer("agent-skills list", node.join("agent-skills"), &["list"]), &npm),
        (
            Peer {
                takes_directories: true,
                ..peer("agentskills to-prompt", python.join("agentskills"), &["to-prompt"])
            },
            &pip,
        ),
        (peer("craftbag list", rust.join("craftbag"), &["list", "--vendor", "claude"]), &cargo),
    ];
    let limits = &["list", "--max-depth", "6", "--max-directories", "100000"];
    let mut peers = vec![peer("prowess list", prowess.to_path_buf(), limits)];
    let mut absent = Vec::new();
    for (peer, install) in candidates {
        let outcome = match peer.program.exists() {
            true => Ok(()),
            false => {
                eprintln!("installing what `{}` needs", peer.name);
                install()
            }
        };
        match outcome {
            Ok(()) => peers.push(peer),
            Err(why) => absent.push(format!("{} is left out: {why}", peer.name)),
        }
    }
    (peers, absent)
}

fn run(command: &mut Command) -> Result<(), String> {
    measure::run_program(command)
        .map(drop)
        .map_err(|error| format!("{}: {error}", command.get_program().display()))
}

impl Peer {
    fn measure(&self, tree: &Tree) -> io::Result<(usize, Cost)> {
        let mut command = Command::new(&self.program);
        command.args(self.arguments).current_dir(&tree.project).env("HOME", trees::home().join("nobody"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = self.program.parent().map(Path::to_path_buf);
        command.env(
            "PATH",
            std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path)))
                .map_err(io::Error::other)?,
        );
        if self.takes_directories {
            command.args(skills(&tree.root)?);
        }
        let runs: io::Result<Vec<(String, Cost)>> =
            (0..RUNS).map(|_| measure::run_program(&mut command)).collect();
        let runs = runs?;
        let of = |part: fn(&Cost) -> f64| median(runs.iter().map(|(_, cost)| part(cost)).collect());
        Ok((names(&runs[0].0), Cost { cpu: of(|cost| cost.cpu), wall: of(|cost| cost.wall) }))
    }
}

/// The directories of the skills in a tree.
fn skills(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.join("SKILL.md").exists() {
            found.push(path);
        } else if path.is_dir() && !path.ends_with("node_modules") {
            found.extend(skills(&path)?);
        }
    }
    Ok(found)
}

/// How many different skills an output names.
fn names(output: &str) -> usize {
    let number = |rest: &str| {
        rest.get(..5).filter(|number| number.bytes().all(|byte| byte.is_ascii_digit())).map(str::to_owned)
    };
    output.split("-skill-").skip(1).filter_map(number).collect::<BTreeSet<_>>().len()
}
