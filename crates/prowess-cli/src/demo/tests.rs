use super::checks;
use super::fixtures::{HOME, PROJECT};
use super::long;
use super::stages::{self, Message, Run, Setup};
use prowess::CatalogOptions;
use prowess_select::WordMatch;

const PROMPT: &str = "Write a commit message for my staged changes.";

/// Checks that are red, by number.
fn red(run: &Run) -> Vec<usize> {
    let checks = checks::all(run);
    (1..=checks.len()).filter(|number| !checks[number - 1].holds).collect()
}

fn edit(setup: &mut Setup, path: &str, change: impl Fn(&str) -> String) {
    let (_, text) = setup.files.iter_mut().find(|(file, _)| file.ends_with(path)).expect(path);
    *text = change(text);
}

#[track_caller]
fn check_setup(expected: usize, change: impl Fn(&mut Setup)) {
    let mut setup = Setup::fixtures();
    change(&mut setup);
    let red = red(&stages::run(&setup, &WordMatch, PROMPT).unwrap());
    assert!(red.contains(&expected), "check {expected} should be red; red are {red:?}");
}

#[track_caller]
fn check_messages(expected: usize, change: impl Fn(&mut Vec<Message>)) {
    let mut run = stages::run(&Setup::fixtures(), &WordMatch, PROMPT).unwrap();
    change(&mut run.messages);
    assert_eq!(red(&run), [expected]);
}

#[test]
fn all_checks_are_green_on_the_fixtures() {
    assert_eq!(red(&stages::run(&Setup::fixtures(), &WordMatch, PROMPT).unwrap()), [0; 0]);
}

#[test]
fn each_broken_rule_turns_its_check_red() {
    check_setup(1, |setup| setup.roots.reverse());
    check_setup(2, |setup| {
        setup.files.retain(|(path, _)| !path.starts_with(format!("{HOME}/commit-message")))
    });
    check_setup(3, |setup| {
        edit(setup, "sql-review/SKILL.md", |text| text.replacen("---\n", "---\ndescription: SQL\n", 1))
    });
    check_setup(3, |setup| {
        setup.files.push((format!("{PROJECT}/drafts/SKILL.md").into(), "no frontmatter".into()))
    });
    check_setup(4, |setup| {
        edit(setup, "changelog/SKILL.md", |text| text.replace("release-notes", "changelog"))
    });
    check_setup(5, |setup| {
        edit(setup, "pdf-forms/SKILL.md", |text| text.replace("Use when: a", "Use when a"))
    });
    check_setup(6, |setup| setup.catalog = CatalogOptions::new().budget(150));
}

#[test]
fn what_does_not_belong_into_the_messages_turns_its_check_red() {
    check_messages(7, |messages| {
        let body = messages.iter().find(|message| message.is_protected).cloned().unwrap();
        messages.push(body);
    });
    check_messages(8, |messages| messages.iter_mut().for_each(|message| message.is_protected = false));
    let other =
        Setup::fixtures().files.into_iter().find(|(path, _)| path.ends_with("pdf-forms/SKILL.md")).unwrap().1;
    check_messages(8, |messages| messages[1].text.push_str(&other));
}

#[test]
fn a_prompt_that_fits_nothing_activates_nothing() {
    let run = stages::run(&Setup::fixtures(), &WordMatch, "zebra").unwrap();
    assert_eq!((run.choice.skill.as_deref(), run.messages.len()), (None, 2));
}

#[test]
fn after_two_compactions_every_skill_has_its_body_or_a_line() {
    let steps = long::session(&stages::run(&Setup::fixtures(), &WordMatch, PROMPT).unwrap().library);
    let kinds: Vec<Vec<&str>> = steps
        .iter()
        .map(|step| step.skills.iter().map(|(_, what, _)| what.split(',').next().unwrap()).collect())
        .collect();
    let after = vec!["whole", "whole", "a line that names it"];
    assert_eq!(kinds, [vec!["whole"; 3], after.clone(), after]);
    assert!(
        steps[1..].iter().all(|step| step.skills.iter().map(|(_, _, tokens)| tokens).sum::<usize>() <= 1_000)
    );
}
