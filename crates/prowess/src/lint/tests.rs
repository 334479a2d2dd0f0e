use prowess_testkit::{Node, Tree};

use super::*;
use crate::{CatalogOptions, LoadOptions, Roots};

fn skill(name: &str, description: &str, body: &str) -> (String, Node) {
    let text = format!("---\nname: {name}\ndescription: {description}\n---\n{body}");
    (format!("project/.agents/skills/{name}/SKILL.md"), Node::Text(text))
}

fn lint_tree(tree: &Tree) -> Vec<Diagnostic> {
    let library = Library::load(&Roots::agents(tree.at("project"), tree.at("home")), &LoadOptions::new());
    lint(&library, &Catalog::build(&library, &CatalogOptions::new()))
}

fn codes(tree: &Tree) -> Vec<&'static str> {
    lint_tree(tree).iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

#[track_caller]
fn check_overlap(one: &str, other: &str, expected: &[&str]) {
    assert_eq!(
        codes(&Tree::of([skill("one", one, ""), skill("other", other, "")])),
        expected,
        "{one} / {other}"
    );
}

#[test]
fn descriptions_that_differ_in_a_word_overlap() {
    let writes = "Drafts product newsletters. Use for launches, digests and reader mail.";
    check_overlap(writes, &writes.replace("Drafts", "Proofreads"), &["overlap"]);
    check_overlap(writes, &writes.replace("Drafts", "DRAFTS:"), &["overlap"]);
    check_overlap(writes, "Rotates log files on servers. Use when disks fill up.", &[]);
    check_overlap("Does it.", "Does it.", &[]);
    let half = "Drafts product newsletters for quarterly investor calls with charts.";
    check_overlap(writes, half, &[]);
}

#[test]
fn every_pair_that_reaches_the_bound_is_found() {
    let words: Vec<String> = (0..12).map(|index| format!("w{index}x")).collect();
    let descriptions: Vec<String> = (0..40)
        .map(|index: usize| {
            let chosen = words.iter().enumerate().filter(|(at, _)| !(index * 7 + at * at).is_multiple_of(3));
            chosen.map(|(_, word)| word.as_str()).collect::<Vec<_>>().join(" ")
        })
        .collect();
    let tree = Tree::of(
        descriptions.iter().enumerate().map(|(index, text)| skill(&format!("s{index:02}"), text, "")),
    );
    let mut expected = 0;
    for (index, one) in descriptions.iter().enumerate() {
        for other in &descriptions[..index] {
            let (one, other) = (crate::text::words(one), crate::text::words(other));
            let shared = one.intersection(&other).count();
            expected += usize::from(shared >= 3 && shared * 2 >= one.union(&other).count());
        }
    }
    assert!(expected > 0);
    assert_eq!(codes(&tree).iter().filter(|code| **code == "overlap").count(), expected);
}

#[track_caller]
fn check_body(body: &str, expected: &[(&str, usize, usize)]) {
    let tree = Tree::of([
        skill("kit", "Does one thing.", body),
        ("project/.agents/skills/kit/references/guide.md".to_owned(), Node::from("x")),
        ("project/.agents/skills/kit/scripts/run.sh".to_owned(), Node::from("x")),
        ("project/.agents/skills/kit/FORMS.md".to_owned(), Node::from("x")),
    ]);
    let found = lint_tree(&tree);
    let places: Vec<(&str, usize, usize)> = found
        .iter()
        .map(|diagnostic| {
            (diagnostic.code.as_str(), diagnostic.span.unwrap().line, diagnostic.span.unwrap().column)
        })
        .collect();
    assert_eq!(places, expected, "{body}");
}

#[test]
fn files_that_a_body_names_are_looked_for() {
    check_body("See [the guide](references/guide.md#top), ![x](FORMS.md) and `scripts/run.sh in.png`.", &[]);
    check_body(
        "See [it](references/guide), [dir](references/), [web](https://x.y/z.md), [top](#top), <a@b.c>.",
        &[],
    );
    check_body("See\n[it](references/gone.md).", &[("missing-resource", 6, 1)]);
    check_body("Run `scripts/gone.py --x` and `scripts/gone.py`.", &[("missing-resource", 5, 5)]);
    check_body("é `assets/logo.png`", &[("missing-resource", 5, 3)]);
    check_body("Use `cfg.json`, `tcp.seq_raw`, `scripts/<name>.py`, [x](<name>.md) and [y](word).", &[]);
    check_body("```\nsee `scripts/gone.py` and [x](gone.md)\n```\n", &[]);
}

#[test]
fn paths_that_leave_the_skill_are_said() {
    check_body("[up](../other/SKILL.md)", &[("path-outside-skill", 5, 1)]);
    check_body("[abs](/etc/passwd.txt) [page](/docs/page)", &[("path-outside-skill", 5, 1)]);
    check_body(
        "[round](references/../FORMS.md) [deep](references/../../x.md)",
        &[("path-outside-skill", 5, 33)],
    );
}

#[test]
fn an_outsized_entry_is_said() {
    let long = "word ".repeat(250);
    let tree = Tree::of([skill("long", long.trim(), ""), skill("short", "Short.", "")]);
    assert_eq!(codes(&tree), ["catalog-share"]);
}
