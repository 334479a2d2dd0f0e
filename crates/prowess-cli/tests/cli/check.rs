//! `check`: what it looks at, what it prints, and what `--fix` writes.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use prowess::parse;
use prowess_testkit::conformance::cases;
use prowess_testkit::{Node, Tree};
use serde_json::{Value, json};
use snapbox::{Data, IntoData as _, assert_data_eq, file};

use crate::harness::{Ran, fixtures, prowess};
use crate::human::placed;

/// Two entries that strict YAML refuses.
const BROKEN: &str = "---\nname: NAME\ndescription: Use when: asked\nlicense: Ask: me\n---\nBody: one\n";
const FIXED: &str =
    "---\nname: NAME\ndescription: \"Use when: asked\"\nlicense: \"Ask: me\"\n---\nBody: one\n";

fn named(text: &str, name: &str) -> String {
    text.replace("NAME", name)
}

fn run(tree: &Tree, arguments: &[&str]) -> Ran {
    prowess(tree.path(), &[&["check"], arguments].concat())
}

/// The codes that `check` finds in a path.
fn codes(tree: &Tree, path: &str) -> Vec<String> {
    let answer = run(tree, &["--json", "--fail-on", "never", path]).json();
    let found = answer["diagnostics"].as_array().unwrap().iter();
    found.map(|diagnostic| diagnostic["code"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn check_path(node: Node, path: &str, expected: Result<&[&str], i32>) {
    let tree = Tree::new().skill("sound").with("broken/SKILL.md", Node::from("---\nname: broken\n---\n"));
    let tree = tree.with("odd/SKILL.md", node);
    match expected {
        Ok(expected) => assert_eq!(codes(&tree, path), expected, "{path}"),
        Err(code) => {
            let ran = run(&tree, &[path]);
            assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{path}: {ran:?}");
            let ran = run(&tree, &["--format", "json", path]);
            assert!(ran.code == code && ran.json()["error"]["message"].is_string(), "{ran:?}");
        }
    }
}

#[test]
fn what_can_be_looked_at() {
    let sound = || Node::from("---\nname: odd\ndescription: Sorts pebbles by weight.\n---\n");
    check_path(sound(), ".", Ok(&["missing-description"]));
    check_path(sound(), "broken", Ok(&["missing-description"]));
    check_path(sound(), "broken/", Ok(&["missing-description"]));
    check_path(sound(), "broken/SKILL.md", Ok(&["missing-description"]));
    check_path(sound(), "odd/../sound", Ok(&[]));
    check_path(sound(), "nowhere", Err(3));
    check_path(sound(), "nowhere/SKILL.md", Err(3));
    check_path(
        Node::Bytes((0..=255).cycle().take(4096).collect()),
        "odd",
        Ok(&["missing-frontmatter", "not-utf8"]),
    );
    check_path(Node::from(""), "odd", Ok(&["missing-frontmatter"]));
    check_path(Node::Directory, "odd/SKILL.md", Ok(&["not-a-file"]));
}

#[cfg(unix)]
#[test]
fn links_and_what_is_no_file() {
    check_path(Node::Link("nowhere".into()), "odd", Ok(&["broken-link"]));
    check_path(Node::Link("nowhere".into()), "odd/SKILL.md", Ok(&["broken-link"]));
    check_path(Node::Link("SKILL.md".into()), "odd/SKILL.md", Ok(&["broken-link"]));
    check_path(Node::Link("/dev/zero".into()), "odd/SKILL.md", Ok(&["not-a-file"]));
    let tree = Tree::new()
        .with("link", Node::Link("nowhere".into()))
        .with("README.md", Node::from("text"))
        .with("fifo/SKILL.md", Node::Fifo);
    let refused = |path: &str| (run(&tree, &[path]).code, run(&tree, &[path]).stderr);
    let (code, message) = refused("link");
    assert!(code == 3 && message.contains("link` is a link that leads nowhere"), "{message}");
    let (code, message) = refused("README.md");
    assert!(code == 2 && message.contains("a file of another name than SKILL.md"), "{message}");
    if tree.skipped().is_empty() {
        assert_eq!(codes(&tree, "fifo/SKILL.md"), ["not-a-file"]);
    }
}

#[test]
fn a_path_that_is_given_twice_is_looked_at_once() {
    let tree = Tree::new().with("broken/SKILL.md", Node::from("---\nname: broken\n---\n"));
    let answer = run(&tree, &["--json", "broken", "./broken", "broken/../broken"]).json();
    assert_eq!((&answer["files"], &answer["errors"]), (&json!(1), &json!(1)), "{answer}");
}

/// Runs `check --fail-on` on one skill with this text.
#[track_caller]
fn check_exit(text: &str, expected: [i32; 4]) {
    let tree = Tree::new().with("a/SKILL.md", Node::from(text));
    let exits =
        ["error", "warning", "info", "never"].map(|least| run(&tree, &["a", "--fail-on", least]).code);
    assert_eq!(exits, expected, "{text}");
    assert_eq!(run(&tree, &["a"]).code, expected[0]);
}

#[test]
fn each_bound_of_fail_on() {
    check_exit("---\nname: a\n---\n", [1, 1, 1, 0]);
    check_exit("---\nname: b\ndescription: D.\n---\n", [0, 1, 1, 0]);
    check_exit("---\nname: a\ndescription: D.\nauther: x\n---\n", [0, 0, 1, 0]);
    check_exit("---\nname: a\ndescription: D.\n---\n", [0, 0, 0, 0]);
    assert_eq!(run(&Tree::new().skill("a"), &["a", "--fail-on", "note"]).code, 2);
}

#[test]
fn the_json_shape() {
    let tree = Tree::new().with("a/SKILL.md", Node::Text(named(BROKEN, "a")));
    for arguments in [&["a", "--json"][..], &["a", "--format", "json"]] {
        let answer = run(&tree, arguments).json();
        let keys: Vec<&String> = answer.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["diagnostics", "files", "errors", "warnings"]);
        assert_eq!(
            (&answer["files"], &answer["errors"], &answer["warnings"]),
            (&json!(1), &json!(0), &json!(2))
        );
        let first = &answer["diagnostics"][0];
        assert_eq!(
            (&first["code"], &first["severity"], &first["line"], &first["column"]),
            (&json!("yaml-repaired"), &json!("warning"), &json!(3), &json!(14))
        );
    }
}

/// What a person reads of a tree, which stands at `/lab` in the files.
#[track_caller]
fn check_human(text: Vec<u8>, stdout: Data) {
    let tree = Tree::new().with("a/SKILL.md", Node::Bytes(text));
    let ran = run(&tree, &["a", "--fail-on", "never"]);
    assert_data_eq!(placed(&ran.stdout, tree.path()), stdout.raw());
}

#[test]
fn what_a_person_reads() {
    let (_tree, place) = fixtures();
    let check = |more: &[&str]| {
        let ran = prowess(&place, &[&["check", "--project", "project"], more].concat());
        assert_eq!(ran.code, 1, "{ran:?}");
        placed(&ran.stdout, &place)
    };
    assert_data_eq!(check(&[]), file!["human/check.txt"].raw());
    assert_data_eq!(check(&["--format", "github"]), file!["human/check-github.txt"].raw());
    let text = named(BROKEN, "a");
    check_human(text.clone().into_bytes(), file!["human/check-repaired.txt"]);
    // However the text is written, its lines are shown alike.
    check_human(text.replace('\n', "\r\n").into_bytes(), file!["human/check-repaired.txt"]);
    check_human(text.replace('\n', "\r").into_bytes(), file!["human/check-lone-cr.txt"]);
    let utf16 = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    check_human(utf16, file!["human/check-utf16.txt"]);
    check_human(
        b"---\nname: a\ndescription: A \x1b[31mred\x1b[0m: one\n---\n".to_vec(),
        file!["human/check-escapes.txt"],
    );
    check_human(
        b"---\nname: a\ndescription: D.\n---\n".to_vec(),
        "checked 1 SKILL.md: 0 errors, 0 warnings, 0 notes\n".into_data(),
    );
}

#[test]
fn an_annotation_is_one_line_whatever_is_in_it() {
    let tree =
        Tree::new().with("a, b: 100%/SKILL.md", Node::from("---\nname: \"x\\ny\"\ndescription: D.\n---\n"));
    let ran = run(&tree, &[".", "--format", "github"]);
    for line in ran.stdout.lines() {
        assert!(line.starts_with("::warning file=a%2C b%3A 100%25/SKILL.md,"), "{line}");
    }
    assert!(ran.stdout.lines().count() > 0);
}

/// `--fix` turns one file into another; both have their bytes compared.
#[track_caller]
fn check_fixed(broken: Vec<u8>, fixed: &[u8]) {
    let tree = Tree::new().with("a/SKILL.md", Node::Bytes(broken));
    let ran = run(&tree, &["a", "--fix", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let bytes = fs::read(tree.at("a/SKILL.md")).unwrap();
    assert!(bytes == fixed, "{}", String::from_utf8_lossy(&bytes));
    assert!(!codes(&tree, "a").contains(&"yaml-repaired".to_owned()));
    let names: Vec<_> = fs::read_dir(tree.at("a")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["SKILL.md"], "nothing else is left behind");
}

#[test]
fn only_the_repaired_lines_change() {
    let (broken, fixed) = (named(BROKEN, "a"), named(FIXED, "a"));
    let utf16 = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect()
    };
    check_fixed(broken.clone().into(), fixed.as_bytes());
    check_fixed(broken.replace('\n', "\r\n").into(), fixed.replace('\n', "\r\n").as_bytes());
    check_fixed(format!("\u{feff}{broken}").into(), format!("\u{feff}{fixed}").as_bytes());
    check_fixed(utf16(&broken), &utf16(&fixed));
    check_fixed(broken.trim_end().into(), fixed.trim_end().as_bytes());
    let lone = format!("{}\r", fixed.trim_end());
    check_fixed(broken.replace('\n', "\r").into(), lone.as_bytes());
    let long = "x".repeat(2_000_000);
    check_fixed(format!("{broken}{long}").into(), format!("{fixed}{long}").as_bytes());
    check_fixed(fixed.clone().into(), fixed.as_bytes());
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_the_mode_stays() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::new()
        .with("real.md", Node::Text(named(BROKEN, "a")))
        .with("a/SKILL.md", Node::Link("../real.md".into()))
        .with("b/SKILL.md", Node::Link("../real.md".into()));
    fs::set_permissions(tree.at("real.md"), fs::Permissions::from_mode(0o640)).unwrap();
    let ran = run(&tree, &[".", "--fix"]);
    assert_eq!(ran.stderr.matches("repairs written").count(), 1, "one file is written once: {ran:?}");
    assert_eq!(fs::read_link(tree.at("a/SKILL.md")).unwrap(), Path::new("../real.md"));
    assert_eq!(fs::read_to_string(tree.at("real.md")).unwrap(), named(FIXED, "a"));
    assert_eq!(fs::metadata(tree.at("real.md")).unwrap().permissions().mode() & 0o7777, 0o640);
}

#[test]
fn a_read_only_file_is_left_as_it_is() {
    let tree = Tree::new()
        .with("a/SKILL.md", Node::Text(named(BROKEN, "a")))
        .with("b/SKILL.md", Node::Text(named(BROKEN, "b")));
    let mut permissions = fs::metadata(tree.at("a/SKILL.md")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(tree.at("a/SKILL.md"), permissions).unwrap();
    let ran = run(&tree, &[".", "--fix"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stderr.contains("a/SKILL.md` is left as it was: the file is read-only"), "{ran:?}");
    assert_eq!(fs::read_to_string(tree.at("a/SKILL.md")).unwrap(), named(BROKEN, "a"));
    assert_eq!(
        fs::read_to_string(tree.at("b/SKILL.md")).unwrap(),
        named(FIXED, "b"),
        "its neighbour is repaired"
    );
}

/// Needs a file system of its own, which only root may mount.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_file_whole() {
    let tree = Tree::new().with("disk", Node::Directory);
    let disk = tree.at("disk");
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "none"]).arg(&disk).status();
    if !mounted.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no file system may be mounted here");
        return;
    }
    let text = format!("{}{}", named(BROKEN, "a"), "x".repeat(40_000));
    fs::create_dir(disk.join("a")).unwrap();
    fs::write(disk.join("a/SKILL.md"), &text).unwrap();
    let ran = run(&tree, &["disk/a", "--fix"]);
    let kept = fs::read_to_string(disk.join("a/SKILL.md")).unwrap();
    let names = fs::read_dir(disk.join("a")).unwrap().count();
    assert!(Command::new("umount").arg(&disk).status().unwrap().success());
    assert_eq!((ran.code, kept == text, names), (3, true, 1), "{ran:?}");
    assert!(ran.stderr.contains("is left as it was: No space left on device"), "{ran:?}");
}

#[test]
fn a_tree_that_changes_meanwhile() {
    let tree = (0..50).fold(Tree::new(), |tree, number| {
        tree.with(format!("skills/s{number}/SKILL.md"), Node::Text(named(BROKEN, &format!("s{number}"))))
    });
    let skills = tree.at("skills");
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut round = 0_usize;
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let file = skills.join(format!("s{}/SKILL.md", round % 50));
                // Whatever state it is met in, it is read or said.
                let _ = fs::remove_file(&file);
                let _ = fs::write(&file, "-\u{feff}\u{1f600}".repeat(round % 30));
                round += 1;
            }
        });
        for _ in 0..10 {
            let ran = run(&tree, &["skills", "--fail-on", "never"]);
            assert!(ran.code == 0 && !ran.stderr.contains("panicked"), "{ran:?}");
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

/// Every malformed file of the conformance cases, each in a directory of its own.
fn malformed() -> (Tree, Vec<(PathBuf, Vec<u8>)>) {
    let cases = cases();
    let files = cases.iter().flat_map(|case| case.files());
    let has_repair = |bytes: &[u8]| {
        let found = parse::parse(bytes, Path::new("a/SKILL.md")).diagnostics;
        found.iter().any(|diagnostic| diagnostic.repair.is_some())
    };
    let skills = files.filter(|(path, bytes)| path.ends_with("/SKILL.md") && has_repair(bytes));
    let mut originals = Vec::new();
    let tree = skills.enumerate().fold(Tree::new(), |tree, (number, (_, bytes))| {
        let path = format!("skills/s{number}/SKILL.md");
        originals.push((tree.at(&path), bytes.clone()));
        tree.with(path, Node::Bytes(bytes))
    });
    (tree, originals)
}

#[test]
fn repaired_files_say_what_they_said() {
    let (tree, originals) = malformed();
    assert!(originals.len() > 80, "{}", originals.len());
    let ran = run(&tree, &["skills", "--fix", "--fail-on", "never", "--json"]);
    assert_eq!(ran.stderr.lines().count(), originals.len(), "each is written: {}", ran.stderr);
    let left = ran.json()["diagnostics"].to_string();
    assert!(!left.contains("\"yaml-repaired\""), "{left}");
    for (path, original) in &originals {
        let repaired = fs::read(path).unwrap();
        let (before, after) = (parse::parse(original, path), parse::parse(&repaired, path));
        let shown = String::from_utf8_lossy(&repaired);
        assert_eq!(before.frontmatter.description, after.frontmatter.description, "{shown}");
        assert!(
            repaired == parse::repaired(original, &before.diagnostics),
            "only repairs are written: {shown}"
        );
    }
}

/// Reads every file on stdin, `[path, start, end, description]`, and prints those whose description PyYAML reads otherwise.
const STRICT_READER: &str = r#"
import json, sys, yaml
for path, start, end, expected in json.load(sys.stdin):
    data = open(path, "rb").read()
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    encoding = ("utf-16-le" if data[0] == 0xFF else "utf-16-be") if wide else "utf-8"
    text = data[start:end].decode(encoding, "replace")
    try:
        fields = {str(key).lower(): value for key, value in yaml.load(text, yaml.BaseLoader).items()}
        got = fields["description"].strip()
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
    if got != expected:
        print(path, repr(got), repr(expected), repr(text), sep="\n")
"#;

#[test]
fn strict_readers_read_repaired_files_alike() {
    let has_yaml = Command::new("python3").args(["-c", "import yaml"]).stderr(Stdio::null()).status();
    if !has_yaml.is_ok_and(|status| status.success()) {
        eprintln!("skipped: python3 with PyYAML is not here to read the repaired files");
        return;
    }
    let (tree, originals) = malformed();
    run(&tree, &["skills", "--fix", "--fail-on", "never", "--quiet"]);
    let question = |path: &PathBuf| {
        let parsed = parse::parse(&fs::read(path).unwrap(), path);
        let description = parsed.frontmatter.description;
        (!description.is_empty()).then(|| json!([path, parsed.yaml.start, parsed.yaml.end, description]))
    };
    let questions: Value = originals.iter().filter_map(|(path, _)| question(path)).collect();
    let mut python = Command::new("python3")
        .args(["-c", STRICT_READER])
        .env("PYTHONIOENCODING", "utf-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    python.stdin.take().unwrap().write_all(questions.to_string().as_bytes()).unwrap();
    let answer = python.wait_with_output().unwrap();
    assert!(answer.status.success());
    assert_eq!(String::from_utf8_lossy(&answer.stdout), "");
}
