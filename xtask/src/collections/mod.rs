//! `cargo xtask collections`: what becomes of skills that others wrote.
//!
//! The collections are packages of public registries. They are downloaded and unpacked below
//! `target/collections`, and nothing of them is installed or run.

mod fetch;
mod report;

use std::path::{Path, PathBuf};

use crate::step::{self, Failure, cargo};
use report::Report;

/// A package that holds skills, in the version that was counted.
struct Collection {
    scope: &'static str,
    registry: Registry,
    package: &'static str,
    version: &'static str,
    /// How many skills it holds, not counting those below another skill.
    skills: usize,
}

enum Registry {
    Npm,
    PyPi,
}

const COLLECTIONS: [Collection; 5] = [
    Collection {
        scope: "ecc",
        registry: Registry::Npm,
        package: "ecc-universal",
        version: "2.0.0",
        skills: 719,
    },
    Collection {
        scope: "specweave",
        registry: Registry::Npm,
        package: "specweave",
        version: "1.0.593",
        skills: 51,
    },
    Collection {
        scope: "elizaos",
        registry: Registry::Npm,
        package: "@elizaos/skills",
        version: "2.0.0-beta.1",
        skills: 34,
    },
    Collection {
        scope: "arc",
        registry: Registry::PyPi,
        package: "arc-free-skills",
        version: "1.0.0",
        skills: 100,
    },
    Collection {
        scope: "clawbio",
        registry: Registry::PyPi,
        package: "clawbio",
        version: "0.7.1",
        skills: 97,
    },
];

/// Loads every collection with the given binary, or with a debug build.
///
/// A collection that cannot be fetched is skipped, aloud. One that was fetched must hold the skills that were
/// counted in it, and each of them must end in exactly one state.
pub(crate) fn run(binary: Option<&Path>) -> Result<(), Failure> {
    let binary = match binary {
        Some(path) => path.to_owned(),
        None => debug_build()?,
    };
    let mut total = Report::default();
    let mut skipped = 0;
    for collection in &COLLECTIONS {
        let name = format!("{} {}", collection.package, collection.version);
        match fetch::fetch(collection) {
            Ok(directory) => {
                println!("{name}");
                let report = load(collection, &directory, &binary)?;
                print!("{report}");
                total.add(report);
            }
            Err(why) => {
                println!("skipped: {name}: {why}");
                skipped += 1;
            }
        }
    }
    println!("all collections ({skipped} of {} skipped)", COLLECTIONS.len());
    print!("{total}");
    Ok(())
}

fn debug_build() -> Result<PathBuf, Failure> {
    step::run(&mut cargo(&["build", "--package", "prowess-cli"]))?;
    step::built("prowess")
}

fn load(collection: &Collection, directory: &Path, binary: &Path) -> Result<Report, Failure> {
    let counted = count_skills(directory).map_err(|error| {
        Failure::new(format!("cannot count the skills below {}: {error}", directory.display()))
    })?;
    if counted != collection.skills {
        return Err(Failure::new(format!(
            "{} holds {counted} skills, not {}",
            directory.display(),
            collection.skills
        )));
    }
    let report = Report::of(binary, collection.scope, directory)?;
    report.check(counted)?;
    Ok(report)
}

/// Counts the directories with a `SKILL.md`, in any case, that are not below another such directory.
///
/// The collections hold none in a folder that a scan skips, and no links.
fn count_skills(directory: &Path) -> std::io::Result<usize> {
    let entries = std::fs::read_dir(directory)?.collect::<Result<Vec<_>, _>>()?;
    if entries.iter().any(|entry| entry.file_name().eq_ignore_ascii_case("SKILL.md")) {
        return Ok(1);
    }
    let mut skills = 0;
    for entry in entries {
        if entry.file_type()?.is_dir() {
            skills += count_skills(&entry.path())?;
        }
    }
    Ok(skills)
}
