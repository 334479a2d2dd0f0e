//! Each kind of failure: its exit code, in words on stderr, as JSON on stdout.

use serde_json::json;

use crate::harness::{Ran, prowess, tree};

#[track_caller]
fn check(arguments: &str, exit: i32, code: &str, candidates: &[&str]) {
    let tree = tree();
    let arguments: Vec<&str> = ["--project", "project"].into_iter().chain(arguments.split(' ')).collect();
    let words = prowess(tree.path(), &arguments);
    assert_eq!((words.code, words.stdout.as_str()), (exit, ""), "{words:?}");
    assert!(words.stderr.contains("error: "), "{words:?}");

    let Ran { code: status, stdout, stderr } = prowess(tree.path(), &[&["--json"], &arguments[..]].concat());
    let answer: serde_json::Value = serde_json::from_str(&stdout).expect(&stderr);
    let error = &answer["error"];
    assert_eq!(status, exit);
    assert_eq!((&error["code"], &error["candidates"]), (&json!(code), &json!(candidates)), "{answer}");
    assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{answer}");
    assert_eq!(answer.as_object().map(|answer| answer.len()), Some(1));
    assert_eq!(error.as_object().map(|error| error.len()), Some(3));
}

#[test]
fn what_is_not_there_or_refused_ends_with_1() {
    check("activate commit-mesage", 1, "unknown-skill", &["commit-message"]);
    check("activate no-description", 1, "unknown-skill", &[]);
    check("resource zebra a.md", 1, "unknown-skill", &[]);
    check("--root a=a --root +b=b activate pdf", 1, "ambiguous-name", &["a:pdf", "b:pdf"]);
    check("activate by-hand --origin model", 1, "user-only", &[]);
    check("activate by-model", 1, "model-only", &[]);
    check("--disable commit-* activate user:commit-message --origin model", 1, "denied", &[]);
    check("activate large", 1, "body-too-large", &[]);
    check("resource commit-message ../by-hand/SKILL.md", 1, "not-confined", &[]);
    check("resource commit-message /etc/hostname", 1, "not-confined", &[]);
    check("resource commit-message area", 1, "unknown-resource", &["assets/logo.bin", "references/areas.md"]);
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    check("lst", 2, "usage", &["list", "cost"]);
    check("list --disabel x", 2, "usage", &["--disable"]);
    check("list --preset claud", 2, "usage", &["claude"]);
    check("list extra", 2, "usage", &[]);
    check("list --quiet --verbose", 2, "usage", &[]);
    check("list --max-depth -1", 2, "usage", &[]);
    check("list --disable [", 2, "usage", &[]);
    check("list --root directory", 2, "usage", &[]);
    check("list --root scope=", 2, "usage", &[]);
    check("list --root Not_A_Label=a", 2, "usage", &[]);
    check("cost --turns many", 2, "usage", &[]);
    check("activate", 2, "usage", &[]);
    check("select prompt", 2, "usage", &[]);
}

#[test]
fn a_usage_error_is_said_whole() {
    let tree = tree();
    let error = prowess(tree.path(), &["resource", "--json"]).json();
    assert_eq!(
        error["error"]["message"],
        "the following required arguments were not provided: <NAME> <PATH>"
    );
    let error = prowess(tree.path(), &["--json"]).json();
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("'prowess' requires a subcommand but one was not provided"), "{message}");
}

#[test]
fn json_behind_two_dashes_is_an_argument() {
    let tree = tree();
    let ran = prowess(tree.path(), &["list", "--", "--json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
}

#[test]
fn a_hint_leads_to_what_is_there() {
    let tree = tree();
    let ran = prowess(&tree.at("project"), &["activate", "no-description"]);
    assert!(ran.stderr.contains("1 SKILL.md does not load: `prowess list` says why"), "{ran:?}");
    let ran = prowess(&tree.at("project"), &["list", "--jsn"]);
    assert!(ran.stderr.contains("'--json'"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn an_argument_need_not_be_unicode() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use crate::harness::{command, run};
    let tree = tree();
    let mut command = command(tree.path(), &["list", "--json"]);
    command.arg(OsStr::from_bytes(b"\xff")).stdout(std::process::Stdio::piped());
    let ran = run(&mut command);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (2, &json!("usage")));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_ends_with_3() {
    use crate::harness::{command, run};
    let tree = tree();
    for arguments in [&["list"][..], &["list", "--json"], &["catalog"], &["activate", "zebra", "--json"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let ran = run(command(&tree.at("project"), arguments).stdout(full));
        assert_eq!(ran.code, 3, "{arguments:?}");
        assert!(ran.stderr.contains("error: can't write: "), "{ran:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_gone_is_no_failure() {
    use crate::harness::{command, run};
    let tree = tree();
    for arguments in [
        &["list", "-q"][..],
        &["list", "-q", "--json"],
        &["demo"],
        &["--help"],
        &["activate", "commit-message"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = run(command(&tree.at("project"), arguments).stdout(writer));
        let complains = ran.stderr.contains("error: ") || ran.stderr.contains("panicked");
        assert!(ran.code == 0 && !complains, "{arguments:?}: {ran:?}");
    }
}
