//! What a person reads, as a whole. `SNAPSHOTS=overwrite cargo test -p prowess-cli` writes the files anew.

use std::path::Path;

use snapbox::{Data, IntoData as _, assert_data_eq, file};

use crate::harness::{fixtures, prowess};

/// Compares stdout and stderr of a run on the lab's fixtures, which stand at `/lab` in the files.
#[track_caller]
fn check(arguments: &[&str], stdout: Data, stderr: Data) {
    let (_tree, place) = fixtures();
    let ran = prowess(&place, &[&["--project", "project"], arguments].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_data_eq!(placed(&ran.stdout, &place), stdout.raw());
    assert_data_eq!(placed(&ran.stderr, &place), stderr.raw());
}

pub(crate) fn placed(text: &str, place: &Path) -> String {
    text.replace(&place.display().to_string(), "/lab")
}

#[test]
fn list() {
    check(&["list"], file!["human/list.txt"], file!["human/list.stderr.txt"]);
}

#[test]
fn list_of_nothing() {
    check(
        &["list", "--home", "no-home", "--project", "home/.agents/skills/commit-message"],
        file!["human/list-nothing.txt"],
        file!["human/list-nothing.stderr.txt"],
    );
}

#[test]
fn catalog() {
    check(&["catalog"], file!["human/catalog.txt"], file!["human/catalog.stderr.txt"]);
}

#[test]
fn cost() {
    check(&["cost"], file!["human/cost.txt"], file!["human/cost.stderr.txt"]);
}

#[test]
fn activate() {
    check(
        &["activate", "commit-message", "--", "only the staged files"],
        file!["human/activate.txt"],
        "".into_data(),
    );
}

#[test]
fn select() {
    check(&["select", "--offline", "fill in a PDF form"], file!["human/select.txt"], "".into_data());
}

#[test]
fn demo() {
    check(&["demo"], file!["human/demo.txt"], "".into_data());
    check(&["demo", "--json"], file!["human/demo.json.txt"], "".into_data());
}

#[test]
fn help() {
    // The list of commands is that of all features.
    #[cfg(feature = "select")]
    check(&["--help"], file!["human/help.txt"], "".into_data());
    for command in
        ["list", "catalog", "cost", "activate", "resource", "select", "check", "why", "mcp", "demo"]
    {
        let ran = prowess(Path::new("."), &[command, "--help"]);
        assert!(ran.stdout.contains("\nExamples:\n  prowess "), "{command}");
        let too_wide = ran.stdout.lines().find(|line| line.chars().count() > 80);
        assert_eq!(too_wide, None, "{command}");
    }
}
