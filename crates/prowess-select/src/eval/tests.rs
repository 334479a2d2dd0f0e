use std::fs;
use std::ops::ControlFlow;
use std::sync::Mutex;

use prowess_testkit::Tree;

use super::*;
use crate::model::{Message, Model, OnDelta, Reply, ToolCall, Turn};
use crate::testing::library;
use crate::{Error, ErrorKind};

const FILE: &str = include_str!("../../tests/data/triggers.yaml");

/// Chooses by words, so that some choices are wrong and all are the same every time.
#[derive(Default)]
struct ByWords(Mutex<usize>);

impl Model for ByWords {
    fn name(&self) -> &str {
        "by words"
    }

    fn reply(&self, turn: &Turn, _on: OnDelta<'_>) -> Result<Reply, Error> {
        *self.0.lock().unwrap() += 1;
        let prompt = turn.messages.iter().find_map(|message| match message {
            Message::User { text, .. } => Some(text.to_lowercase()),
            _ => None,
        });
        let prompt = prompt.unwrap();
        let words = [
            ("commit", "commit-message"),
            ("form", "pdf-forms"),
            ("table", "table-cleanup"),
            ("column", "schema-changes"),
            ("release", "release-notes"),
            ("picture", "image-sizes"),
            ("csv", "table-cleanup"),
            ("api", "api-reference"),
            ("error", "log-analysis"),
        ];
        if prompt.contains("mutex") {
            return Err(Error::new(ErrorKind::Network, "the line is dead"));
        }
        let chosen = words.iter().find(|(word, _)| prompt.contains(word));
        // Reading before activating is no failure.
        let is_first = turn.messages.len() == 1;
        Ok(match chosen {
            None => Reply::new("No skill."),
            Some((_, name)) => {
                let (tool, path) = if is_first {
                    ("read_skill_resource", r#", "path": "x""#)
                } else {
                    ("activate_skill", "")
                };
                Reply::new("").with_call(ToolCall::new("a", tool, format!(r#"{{"name": "{name}"{path}}}"#)))
            }
        })
    }
}

fn triggers() -> Triggers {
    Triggers::parse(FILE).unwrap()
}

fn go_on(_: &Attempt) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn the_set_is_what_it_says() {
    let triggers = triggers();
    let library = triggers.library().unwrap();
    triggers.check(&library).unwrap();
    assert_eq!((library.listed().count(), triggers.prompts.len()), (8, 40));
    let held_out = triggers.prompts.iter().filter(|prompt| prompt.split == Split::HeldOut).count();
    assert!((10..=22).contains(&held_out), "{held_out}");
}

#[test]
fn the_figures_are_counted_over_whole_runs() {
    let (triggers, model) = (triggers(), ByWords::default());
    let library = triggers.library().unwrap();
    let attempts =
        Experiment::new(&model, &library).runs(2).jobs(3).run(&triggers.prompts, &[], &mut go_on).unwrap();
    let report = Report::new(&library, &triggers.prompts, &attempts);
    assert_eq!((attempts.len(), report.counted, report.errors()), (80, 78, 2));
    assert_eq!(report.errored, [("the line is dead".to_owned(), 2)]);
    let skill = |name: &str| report.skills.iter().find(|skill| skill.name == name).unwrap();
    // "Add an index ... without locking the table" goes to the wrong one.
    assert_eq!(skill("schema-changes").recall, Rate::new(2, 8));
    assert_eq!(skill("image-sizes").recall, Rate::new(4, 8));
    let pair =
        report.pairs.iter().find(|pair| pair.first == "schema-changes" && pair.second == "table-cleanup");
    assert_eq!(pair.map(|pair| (pair.first_lost, pair.second_lost)), Some((2, 2)));
    let sum: u32 = report.confusion.iter().flatten().sum();
    assert_eq!(sum as usize, report.counted);
    assert!(report.groups.iter().any(|group| group.kind == "tag" && group.name == "paraphrase"));
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
    assert!(attempts.iter().any(|attempt| attempt.turns == 2));
}

#[test]
fn a_killed_evaluation_goes_on_and_comes_to_the_same() {
    let triggers = triggers();
    let library = triggers.library().unwrap();
    let report = |attempts: &[Attempt]| Report::new(&library, &triggers.prompts, attempts);
    let model = ByWords::default();
    let experiment = Experiment::new(&model, &library).runs(2).jobs(2);
    let whole = experiment.run(&triggers.prompts, &[], &mut go_on).unwrap();

    let tree = Tree::new();
    let path = tree.at("results.jsonl");
    let mut results = Results::open(&path, &experiment.id()).unwrap();
    let mut made = 0;
    experiment
        .run(&triggers.prompts, &[], &mut |attempt| {
            results.append(attempt).unwrap();
            made += 1;
            if made < 25 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .unwrap();
    // The kill came while a line was written.
    let mut text = fs::read_to_string(&path).unwrap();
    text.truncate(text.len() - 20);
    fs::write(&path, text).unwrap();

    let mut results = Results::open(&path, &experiment.id()).unwrap();
    let done = results.done().to_vec();
    assert_eq!(results.skipped(), 1);
    assert!(done.len() >= 20 && done.len() < 80, "{}", done.len());
    let plan = experiment.plan(&triggers.prompts, &done);
    assert_eq!((plan.attempts, plan.done), (80 - done.len(), done.len()));
    let mut resumed = experiment
        .run(&triggers.prompts, &done, &mut |attempt| {
            results.append(attempt).unwrap();
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(report(&resumed), report(&whole));

    // All that counts is in the file now; another experiment's lines are left alone.
    let results = Results::open(&path, &experiment.id()).unwrap();
    assert_eq!(results.done().len(), 78);
    let other = Experiment::new(&model, &library).label("other");
    assert_eq!(Results::open(&path, &other.id()).unwrap().done().len(), 0);
    resumed.reverse();
    assert_eq!(report(&resumed), report(&whole));
}

#[test]
fn what_is_hopeless_ends_early() {
    struct Dead;
    impl Model for Dead {
        fn name(&self) -> &str {
            "dead"
        }
        fn reply(&self, _turn: &Turn, _on: OnDelta<'_>) -> Result<Reply, Error> {
            Err(Error::new(ErrorKind::Network, "nobody there"))
        }
    }
    let triggers = triggers();
    let library = triggers.library().unwrap();
    let mut heard = 0;
    let error = Experiment::new(&Dead, &library).run(&triggers.prompts, &[], &mut |_| {
        heard += 1;
        ControlFlow::Continue(())
    });
    let message = error.unwrap_err().to_string();
    assert!(message.contains("nobody there"), "{message}");
    assert!((10..15).contains(&heard), "{heard}");
}

#[test]
fn a_model_that_calls_nothing_makes_the_setup_suspicious() {
    let attempt = |prompt: &Prompt| Attempt {
        prompt: prompt.id.clone(),
        run: 0,
        activated: Vec::new(),
        errored: None,
        turns: 1,
        usage: crate::model::Usage::default(),
        elapsed_ms: 1,
    };
    let triggers = triggers();
    let attempts: Vec<Attempt> = triggers.prompts.iter().map(attempt).collect();
    let report = Report::new(&triggers.library().unwrap(), &triggers.prompts, &attempts);
    assert!(matches!(&report.warnings[..], [warning] if warning.contains("setup")));
    assert_eq!(report.quiet, Rate::new(8, 8));
}

#[test]
fn going_round_in_circles_is_no_error_but_no_choice() {
    struct Reader;
    impl Model for Reader {
        fn name(&self) -> &str {
            "reader"
        }
        fn reply(&self, _turn: &Turn, _on: OnDelta<'_>) -> Result<Reply, Error> {
            let call = ToolCall::new("a", "read_skill_resource", r#"{"name": "pdf-forms", "path": "x"}"#);
            Ok(Reply::new("").with_call(call))
        }
    }
    let triggers = triggers();
    let library = triggers.library().unwrap();
    let attempts =
        Experiment::new(&Reader, &library).runs(1).run(&triggers.prompts, &[], &mut go_on).unwrap();
    let report = Report::new(&library, &triggers.prompts, &attempts);
    assert_eq!((report.errors(), report.recall()), (0, Rate::new(0, 32)));
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    let error = Triggers::parse(text)
        .and_then(|triggers| triggers.check(&library(&[("pdf", "Forms."), ("b", "B.")])));
    let message = error.unwrap_err().to_string();
    assert!(message.contains(expected), "{message}");
}

#[test]
fn trigger_files_that_are_none() {
    refused("", "empty");
    refused("prompts: 3", "no list `prompts`");
    refused("hello", "neither a map nor a list");
    refused("prompts: []", "no prompts");
    refused("- {prompt: ''}", "prompt 1: it has no text");
    refused("- {prompt: a}\n- {prompt: a}", "twice");
    refused("- {prompt: a, expected: 3}", "no skill's name");
    refused("- {prompt: a, split: test}", "neither `train` nor `held-out`");
    refused("- {prompt: a, expected: pfd}", "did you mean `pdf`");
    refused("- {prompt: /pdf a}", "activates a skill itself");
    refused("held_out: 2\nprompts: [{prompt: a}]", "from 0 to 1");
    refused("helt_out: 0.2\nprompts: [{prompt: a}]", "`helt_out` is unknown");
    refused("skills: [{name: ../x, description: y}]\nprompts: [{prompt: a}]", "lacks a name");
    refused("a: *b", "no YAML");
    refused("a: [", "no YAML");
    refused("[1, 2", "no JSON");
    refused(&"[".repeat(100_000), "JSON");
    refused(&format!("a: {}", "[".repeat(100_000)), "no YAML");
}

#[test]
fn json_and_yaml_say_the_same() {
    let yaml = "prompts:\n- prompt: a\n  expected: pdf\n  tags: [x]\n- prompt: b\n";
    let json = r#"{"prompts": [{"prompt": "a", "expected": "pdf", "tags": ["x"]}, {"prompt": "b", "expected": null}]}"#;
    assert_eq!(Triggers::parse(yaml), Triggers::parse(json));
}

#[cfg(feature = "html")]
#[test]
fn the_page_needs_nothing_and_escapes_everything() {
    let text = "skills: [{name: pdf, description: x}]\nprompts: [{prompt: '<script>alert(1)</script>', expected: pdf, tags: ['<b>']}]";
    let triggers = Triggers::parse(text).unwrap();
    let attempts = [Attempt {
        prompt: triggers.prompts[0].id.clone(),
        run: 0,
        activated: Vec::new(),
        errored: None,
        turns: 1,
        usage: crate::model::Usage::default(),
        elapsed_ms: 1,
    }];
    let report = Report::new(&triggers.library().unwrap(), &triggers.prompts, &attempts);
    let page = report.to_html("A & B", &["<note>".to_owned()]);
    for part in [
        "&lt;script&gt;alert(1)",
        "A &amp; B",
        "&lt;note&gt;",
        "&lt;b&gt;",
        "<circle",
        "prefers-color-scheme: dark",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for part in ["<script", "src=", "href=", "url(", "@import", "http:", "https:"] {
        assert!(!page.contains(part), "{part}");
    }
}
