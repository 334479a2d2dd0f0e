//! The five patches beside the starter, filled in one by one: each turns exactly its own checks green.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Exercise, and the self-checks that it makes green.
const EXERCISES: [(usize, &[usize]); 5] = [(1, &[1, 2]), (2, &[3, 4, 5]), (3, &[6]), (4, &[7]), (5, &[8])];
const FILES: [&str; 5] = ["scan.rs", "parse.rs", "catalog.rs", "activate.rs", "main.rs"];

#[test]
fn each_exercise_turns_its_own_checks_green() {
    let place = copy();
    let mut green = Vec::new();
    assert_eq!(run(&place), green);
    for (exercise, checks) in EXERCISES {
        apply(&place, exercise, &[]);
        green.extend(checks);
        assert_eq!(run(&place), green, "exercises 1 to {exercise} are filled in");
    }
    for file in FILES {
        let filled = fs::read_to_string(place.join("lab/starter").join(file)).unwrap();
        assert_eq!(own_lines(&filled), own_lines(&read(&format!("solution/{file}"))), "{file}");
    }
    // The exercises do not lean on each other: any of them can be the last.
    for (exercise, checks) in EXERCISES {
        apply(&place, exercise, &["--reverse"]);
        green.retain(|check| !checks.contains(check));
        assert_eq!(run(&place), green, "exercise {exercise} is open again");
        apply(&place, exercise, &[]);
        green.extend(checks);
        green.sort_unstable();
    }
}

#[test]
fn each_exercise_says_which_checks_it_is_for() {
    for ((exercise, checks), file) in EXERCISES.into_iter().zip(FILES) {
        let numbers: Vec<String> = checks.iter().map(usize::to_string).collect();
        let starter = read(&format!("starter/{file}"));
        let (_, task) = starter.split_once(&format!("// EXERCISE {exercise} (check")).unwrap();
        let (named, _) = task.split_once("):").unwrap();
        let named: String = named.chars().filter(|c| c.is_ascii_digit()).collect();
        assert_eq!(named, numbers.concat(), "{file}");
    }
}

/// A workspace of the lab alone: the starter, what it shares with the solution, the fixtures, and the same lock file.
fn copy() -> PathBuf {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = lab.parent().unwrap();
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exercises");
    if place.exists() {
        fs::remove_dir_all(&place).unwrap();
    }
    for directory in ["starter", "solution", "fixtures"] {
        copy_tree(&lab.join(directory), &place.join("lab").join(directory));
    }
    fs::copy(lab.join("Cargo.toml"), place.join("lab/Cargo.toml")).unwrap();
    fs::copy(workspace.join("Cargo.lock"), place.join("Cargo.lock")).unwrap();
    let manifest = fs::read_to_string(workspace.join("Cargo.toml")).unwrap();
    let ours = |line: &&str| !line.starts_with("members") && !line.starts_with("default-members");
    let rest: Vec<&str> = manifest.lines().filter(ours).collect();
    let manifest = rest.join("\n").replace("[workspace]\n", "[workspace]\nmembers = [\"lab\"]\n");
    fs::write(place.join("Cargo.toml"), manifest).unwrap();
    place
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::write(target, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

fn apply(place: &Path, exercise: usize, options: &[&str]) {
    let patch = format!("lab/starter/exercises/{exercise}.patch");
    // Without the ceiling, git would take the repository around the target directory for the place of the patch.
    let status = Command::new("git")
        .args(["apply"])
        .args(options)
        .arg(&patch)
        .current_dir(place)
        .env("GIT_CEILING_DIRECTORIES", env!("CARGO_TARGET_TMPDIR"))
        .env_remove("GIT_DIR")
        .status()
        .unwrap();
    assert!(status.success(), "{patch}");
}

/// Builds the starter as it stands, runs it, and returns the numbers of the green checks.
fn run(place: &Path) -> Vec<usize> {
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline", "--bin", "starter", "--target-dir"])
        // Kept from one run to the next, so that the dependencies are built once.
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("exercises-target"))
        .current_dir(place)
        .env("RUSTFLAGS", "-D warnings")
        .env_remove("LAB_ENDPOINT")
        .output()
        .unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let checks: Vec<&str> = text.lines().filter(|line| line.starts_with(['✓', '✗'])).collect();
    assert_eq!(checks.len(), 8, "{text}\n{errors}");
    assert_eq!(output.status.success(), checks.iter().all(|line| line.starts_with('✓')));
    (1..=8).filter(|number| checks[number - 1].starts_with(&format!("✓ {number} "))).collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// All but the first line, which says what the program is, and the path to the file that both programs share.
fn own_lines(text: &str) -> Vec<&str> {
    text.lines().skip(1).filter(|line| !line.starts_with("#[path")).collect()
}
