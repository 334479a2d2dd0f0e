use prowess::skill::Visibility;
use prowess::{ErrorKind, Library, Origin, Policy};
use prowess_testkit::Tree;

use crate::common::{disk, memory, memory_with, skill};

fn library() -> Library {
    memory([
        ("project/commit-message/SKILL.md", skill("commit-message", "Exact.")),
        ("project/tidy-dir/SKILL.md", skill("Tidy Display Name", "Shown name.")),
        ("project/xlsx/SKILL.md", skill("commit_message", "Other name.")),
        ("project/résumé-check/SKILL.md", skill("résumé-check", "Composed.")),
        ("project/表格整理/SKILL.md", skill("表格整理", "Tables.")),
        ("user/commit-message/SKILL.md", skill("commit-message", "Mine.")),
    ])
}

#[test]
fn a_query_means_the_first_that_matches() {
    let library = library();
    #[track_caller]
    fn check(library: &Library, query: &str, description: &str) {
        for origin in [Origin::Model, Origin::User] {
            assert_eq!(library.find(query, origin).unwrap().description(), description);
        }
    }
    check(&library, "project:commit-message", "Exact.");
    check(&library, "user:commit-message", "Mine.");
    check(&library, "commit-message", "Exact.");
    check(&library, "commit_message", "Other name.");
    check(&library, " xlsx\n", "Other name.");
    check(&library, "Tidy Display Name", "Shown name.");
    check(&library, "tidy-dir", "Shown name.");
    check(&library, "tidy display-name", "Shown name.");
    check(&library, "TIDY_DISPLAY_NAME", "Shown name.");
    check(&library, "re\u{301}sume\u{301}-check", "Composed.");
    check(&library, "Résumé Check", "Composed.");
    check(&library, "表格整理", "Tables.");
}

#[test]
fn what_is_alike_twice_is_ambiguous() {
    let error = library().find("Commit Message", Origin::Model).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AmbiguousName);
    assert_eq!(error.candidates(), ["project:commit-message", "project:commit_message"]);
}

#[test]
fn a_model_is_told_of_no_skill_that_it_may_not_have() {
    let hidden = skill("pdf", "B.").replace("---\nStep", "disable-model-invocation: true\n---\nStep");
    let library = memory([("plugin-a/pdf/SKILL.md", skill("pdf", "A.")), ("plugin-b/pdf/SKILL.md", hidden)]);
    let candidates = |origin| library.find("pdf", origin).unwrap_err().candidates().to_vec();
    assert_eq!(candidates(Origin::Model), ["plugin-a:pdf"]);
    assert_eq!(candidates(Origin::User), ["plugin-a:pdf", "plugin-b:pdf"]);
}

#[test]
fn an_unknown_name_brings_the_nearest() {
    let library = library();
    #[track_caller]
    fn check(library: &Library, query: &str, near: &[&str]) {
        let error = library.find(query, Origin::Model).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownSkill);
        assert_eq!(error.candidates(), near);
    }
    check(&library, "comit-mesage", &["commit-message", "commit_message"]);
    check(&library, "commit", &["commit-message", "commit_message"]);
    check(&library, "resume-check", &["résumé-check"]);
    check(&library, "kubernetes", &[]);
    check(&library, "", &[]);
    check(&library, "   ", &[]);
}

#[test]
fn for_a_model_a_name_is_never_a_path() {
    let tree = Tree::new().skill("project/.agents/skills/x");
    let library = disk(&tree);
    let location = tree.at("project/.agents/skills/x/SKILL.md");
    let directory = tree.at("project/.agents/skills/x");
    for path in [&location, &directory] {
        let path = path.to_str().unwrap();
        assert_eq!(library.find(path, Origin::User).unwrap().id(), "project:x");
        assert_eq!(library.find(path, Origin::Model).unwrap_err().kind(), ErrorKind::UnknownSkill);
    }
    for name in ["../x", "a/../x", r"C:\x", "x\0", "./x", "..", "/", "x/", "x\u{202e}"] {
        for origin in [Origin::Model, Origin::User] {
            let error = library.find(name, origin).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnknownSkill, "{name:?}");
        }
    }
    for outside in [tree.at("project"), tree.at("nowhere"), "/etc/passwd".into()] {
        assert!(library.find(outside.to_str().unwrap(), Origin::User).is_err());
    }
}

#[test]
fn a_user_may_mean_a_copy_by_its_path() {
    let library = memory([
        ("project/pdf/SKILL.md", skill("pdf", "Same.")),
        ("user/pdf/SKILL.md", skill("pdf", "Same.")),
    ]);
    for path in ["/user/pdf/SKILL.md", "/user/pdf", "/user/../user/./pdf"] {
        let found = library.find(path, Origin::User).map(|skill| skill.id().to_owned());
        assert_eq!(found.ok().as_deref(), (!path.contains("..")).then_some("project:pdf"), "{path}");
    }
    assert!(library.find("/project/../project/pdf", Origin::User).is_ok());
}

#[test]
fn an_endless_name_costs_little_and_is_not_repeated() {
    let endless = "n".repeat(1 << 20);
    let library = memory([
        ("project/long/SKILL.md", skill(&"n".repeat(60_000), "Long.")),
        ("project/short/SKILL.md", skill("short", "Short.")),
    ]);
    let error = library.find(&endless, Origin::Model).unwrap_err();
    assert!(error.to_string().len() < 200);
    assert!(library.find(&"m".repeat(200), Origin::Model).is_err());
}

#[test]
fn what_is_hidden_takes_no_name_that_is_alike() {
    let tree = [
        ("project/deploy/SKILL.md", skill("other", "Hidden.")),
        ("project/ship-it/SKILL.md", skill("ship-it", "Hidden as well.")),
        ("user/mine/SKILL.md", skill("Deploy", "Mine.")),
        ("user/ship/SKILL.md", skill("Ship It", "Mine, too.")),
    ];
    let library = memory_with(tree, Policy::new().scope("project", Visibility::Untrusted));
    for (query, id) in [
        ("deploy", "user:Deploy"),
        ("ship it", "user:Ship It"),
        ("SHIP_IT", "user:Ship It"),
        ("ship-it", "project:ship-it"),
        ("other", "project:other"),
        ("Other", "project:other"),
    ] {
        assert_eq!(library.find(query, Origin::Model).unwrap().id(), id, "{query}");
    }
}
