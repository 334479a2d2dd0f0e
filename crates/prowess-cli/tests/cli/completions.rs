//! What a shell loads, and what it is answered.

use prowess_testkit::Tree;

use crate::harness::{command, prowess, run};

#[test]
fn each_shell_has_a_script() {
    let tree = Tree::new();
    for shell in ["bash", "zsh", "fish"] {
        let ran = prowess(tree.path(), &["completions", shell]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{shell}");
        assert!(ran.stdout.contains("prowess") && ran.stdout.contains("COMPLETE"), "{shell}: {}", ran.stdout);
    }
    let ran = prowess(tree.path(), &["completions", "cmd.exe"]);
    assert!(ran.code == 2 && ran.stderr.contains("[possible values: bash,"), "{ran:?}");
}

/// The candidates for the last of these words.
fn candidates(shell: &str, words: &[&str]) -> Vec<String> {
    let tree = Tree::new().skill("project/.agents/skills/pdf-forms").skill("home/.agents/skills/git-notes");
    let mut command = command(&tree.at("project"), &[]);
    let mut asking = std::process::Command::new(command.get_program());
    asking
        .args(["--", "prowess"])
        .args(words)
        .current_dir(tree.at("project"))
        .env("HOME", tree.at("home"))
        .env("COMPLETE", shell)
        .env("_CLAP_IFS", "\n")
        .env("_CLAP_COMPLETE_INDEX", words.len().to_string())
        .stdout(std::process::Stdio::piped());
    std::mem::swap(&mut command, &mut asking);
    let ran = run(&mut command);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{shell}");
    ran.stdout.lines().map(|line| line.split(['\t', ':']).next().unwrap_or_default().to_owned()).collect()
}

#[track_caller]
fn check(words: &[&str], expected: &[&str]) {
    for shell in ["bash", "zsh", "fish"] {
        let answered = candidates(shell, words);
        let found: Vec<&str> =
            answered.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
        assert_eq!(found, expected, "{shell}");
    }
}

#[test]
fn skill_names_are_completed() {
    for command in ["why", "activate", "resource"] {
        check(&[command, ""], &["git-notes", "pdf-forms"]);
        check(&[command, "pd"], &["pdf-forms"]);
        check(&[command, "zz"], &[]);
    }
    check(&["wh"], &["why"]);
    check(&["check", "--format", ""], &["human", "json", "github"]);
    check(&["mcp", "--catalog", ""], &["both", "tool", "instructions"]);
}
