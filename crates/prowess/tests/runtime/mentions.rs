use prowess::skill::Visibility;
use prowess::{Library, Policy, mention};

use crate::common::{memory_with, skill};

fn library() -> Library {
    let policy = Policy::new()
        .restrict("off", Visibility::Untrusted)
        .and_then(|policy| policy.restrict("hidden", Visibility::Hidden))
        .unwrap();
    let files = ["pdf", "usr", "表格整理", "c++", "off", "hidden", "résumé", "Tidy Up", "Tidy Up Later"];
    let plain = files.map(|name| (format!("project/{name}/SKILL.md"), skill(name, "Does it.")));
    let other = [
        ("user/pdf/SKILL.md".to_owned(), skill("pdf", "Mine.")),
        ("project/ship/SKILL.md".to_owned(), skill("ship", "Ships.\ndisable-model-invocation: true")),
        ("project/robot/SKILL.md".to_owned(), skill("robot", "For models.\nuser-invocable: false")),
    ];
    memory_with(plain.into_iter().chain(other), policy)
}

#[test]
fn mentions_are_exact_names_and_ids_behind_white_space() {
    let library = library();
    #[track_caller]
    fn check(library: &Library, prompt: &str, expected: &[(&str, &str)]) {
        let found = mention::find(library, prompt);
        let found: Vec<(&str, &str)> =
            found.iter().map(|mention| (&prompt[mention.span.clone()], mention.skill.id())).collect();
        assert_eq!(found, expected, "{prompt:?}");
    }
    let pdf = ("/pdf", "project:pdf");
    check(&library, "/pdf", &[pdf]);
    check(&library, "  /pdf  ", &[pdf]);
    check(&library, "use $pdf, then /ship.", &[("$pdf", "project:pdf"), ("/ship", "project:ship")]);
    check(&library, "/user:pdf!", &[("/user:pdf", "user:pdf")]);
    check(&library, "/pdf /pdf $pdf", &[pdf]);
    check(
        &library,
        "/表格整理。\t$re\u{301}sume\u{301}…",
        &[("/表格整理", "project:表格整理"), ("$re\u{301}sume\u{301}", "project:résumé")],
    );
    check(&library, "/c++, /pdf?!)", &[("/c++", "project:c++"), pdf]);
    check(&library, "/Tidy Up Later", &[("/Tidy Up Later", "project:Tidy Up Later")]);
    check(&library, "/Tidy Up, Later /Tidy Upper", &[("/Tidy Up", "project:Tidy Up")]);
    check(&library, "\u{3000}/hidden", &[("/hidden", "project:hidden")]);
    for text in [
        "",
        "/",
        "$",
        "//pdf",
        "$$pdf",
        "pdf",
        "/PDF",
        "/pd",
        "/pdfs",
        "/pdf/x",
        "a/pdf",
        "x$pdf",
        r"\$pdf",
        r"\/pdf",
        "$PATH",
        "/usr/bin",
        "cost $5",
        "/off",
        "/robot",
        "(/pdf)",
        "`/pdf`",
        "/../pdf",
        "/project:nothing",
        "/ pdf",
    ] {
        check(&library, text, &[]);
    }
    check(&library, "cd /usr", &[("/usr", "project:usr")]);
}

#[test]
fn arguments_follow_a_prompt_that_begins_with_its_skill() {
    let library = library();
    for (prompt, expected) in [
        ("/pdf form.pdf in $PATH", vec!["form.pdf in $PATH"]),
        ("\n /pdf  two\nlines \n", vec!["two\nlines"]),
        ("/pdf", vec![""]),
        ("please /pdf form.pdf", vec![""]),
        ("/ship after $pdf x", vec!["after $pdf x", ""]),
    ] {
        let found = mention::find(&library, prompt);
        let arguments: Vec<&str> = found.iter().map(|mention| mention.arguments.as_str()).collect();
        assert_eq!(arguments, expected, "{prompt:?}");
    }
}

#[test]
fn a_name_that_several_bear_is_text() {
    let library = memory_with(
        [("plugin-a/x/SKILL.md", skill("x", "A.")), ("plugin-b/x/SKILL.md", skill("x", "B."))],
        Policy::new(),
    );
    assert_eq!(mention::find(&library, "/x"), []);
    assert_eq!(mention::find(&library, "/plugin-b:x")[0].skill.description(), "B.");
}

#[test]
fn a_phrase_that_the_user_may_not_say_hides_no_shorter_name() {
    let phrase = skill("deploy now", "Hidden.").replace("---\nStep", "user-invocable: false\n---\nStep");
    let files = [("user/a/SKILL.md", skill("deploy", "Mine.")), ("user/b/SKILL.md", phrase)];
    let library = memory_with(files, Policy::new());
    assert_eq!(mention::find(&library, "/deploy now")[0].skill.description(), "Mine.");
}
