use prowess::diagnostic::Severity;
use prowess::scope::{Places, Preset};
use prowess::skill::Visibility;
use prowess::{ErrorKind, Library, LoadOptions, Origin, Policy, Roots};
use prowess_testkit::{Node, Tree};

use crate::common::{check_states, codes, disk, ids, link, memory, memory_with, shadowed_ids, skill};

#[track_caller]
fn check(files: &[(&str, String)], loaded: &[&str], shadowed: &[&str], expected_codes: &[&str]) {
    let library = memory(files.iter().map(|(path, text)| (path, text)));
    check_states(&library);
    assert_eq!(ids(&library), loaded);
    assert_eq!(shadowed_ids(&library), shadowed);
    assert_eq!(codes(&library), expected_codes);
}

#[test]
fn the_higher_root_has_the_name() {
    check(
        &[
            ("user/pdf/SKILL.md", skill("pdf", "Mine.")),
            ("project/pdf/SKILL.md", skill("pdf", "Ours.")),
            ("plugin-a/pdf/SKILL.md", skill("pdf", "Theirs.")),
        ],
        &["project:pdf"],
        &["plugin-a:pdf", "user:pdf"],
        &["shadowed", "shadowed"],
    );
}

#[test]
fn in_one_root_the_directory_of_that_name_has_it_then_the_first_by_path() {
    check(
        &[
            ("project/a/SKILL.md", skill("pdf", "A.")),
            ("project/z/pdf/SKILL.md", skill("pdf", "Z.")),
            ("project/b/SKILL.md", skill("pdf", "B.")),
        ],
        &["project:pdf"],
        &["project:pdf@a", "project:pdf@b"],
        &["name-mismatch", "name-mismatch", "shadowed", "shadowed"],
    );
    let library = memory([
        ("project/g2/twin/SKILL.md", skill("twin", "Two.")),
        ("project/g1/twin/SKILL.md", skill("twin", "One.")),
    ]);
    assert_eq!(library.skills()[0].description(), "One.");
    assert_eq!(shadowed_ids(&library), ["project:twin@g2/twin"]);
    let decomposed = memory([
        ("project/a/SKILL.md", skill("re\u{301}sume\u{301}", "A.")),
        ("project/re\u{301}sume\u{301}/SKILL.md", skill("résumé", "Own.")),
    ]);
    assert_eq!(decomposed.skills()[0].description(), "Own.");
}

#[test]
fn roots_of_one_rank_have_no_winner() {
    let library = memory([
        ("plugin-b/pdf/SKILL.md", skill("pdf", "B.")),
        ("plugin-a/pdf/SKILL.md", skill("pdf", "A.")),
        ("plugin-b/old/SKILL.md", skill("pdf", "Old B.")),
        ("plugin-a/other/SKILL.md", skill("other", "Other.")),
    ]);
    check_states(&library);
    assert_eq!(ids(&library), ["plugin-a:other", "plugin-a:pdf", "plugin-b:pdf"]);
    let called: Vec<&str> = library.listed().map(|skill| library.call_name(skill)).collect();
    assert_eq!(called, ["other", "plugin-a:pdf", "plugin-b:pdf"]);
    for origin in [Origin::Model, Origin::User] {
        let error = library.find("pdf", origin).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AmbiguousName);
        assert_eq!(error.candidates(), ["plugin-a:pdf", "plugin-b:pdf"]);
    }
    assert_eq!(shadowed_ids(&library), ["plugin-b:pdf@old"]);
    assert_eq!(library.shadowed()[0].winner, library.skills()[2].location());
    let alone = memory([
        ("plugin-b/pdf/SKILL.md", skill("pdf", "B.")),
        ("user/pdf/SKILL.md", skill("pdf", "Mine.")),
        ("plugin-a/pdf/SKILL.md", skill("pdf", "A.")),
    ]);
    assert_eq!(ids(&alone), ["user:pdf"]);
    assert_eq!(alone.find("pdf", Origin::Model).unwrap().id(), "user:pdf");
}

#[test]
fn skills_of_one_name_are_sorted_by_id_whatever_the_order_of_roots() {
    let tree = Tree::new().with("a/x/SKILL.md", skill("x", "A.").as_str().into());
    let tree = tree.with("b/x/SKILL.md", skill("x", "B.").as_str().into());
    let roots =
        Roots::new().with("b", tree.at("b")).and_then(|roots| roots.with_shared_rank("a", tree.at("a")));
    let library = Library::load(&roots.unwrap(), &LoadOptions::new());
    assert_eq!(ids(&library), ["a:x", "b:x"]);
}

#[test]
fn an_identical_copy_is_quiet_and_an_edited_one_is_not() {
    let files = [
        ("project/pdf/SKILL.md", skill("pdf", "Same.")),
        ("project/pdf/scripts/a.py", "print(1)".to_owned()),
        ("user/pdf/SKILL.md", skill("pdf", "Same.")),
        ("user/pdf/scripts/a.py", "print(1)".to_owned()),
    ];
    let library = memory(files.clone());
    check_states(&library);
    assert_eq!((library.duplicates().len(), library.shadowed().len()), (1, 0));
    assert_eq!(library.duplicates()[0].of, library.skills()[0].location());
    assert_eq!(library.diagnostics()[0].severity, Severity::Info);
    for script in ["print(10)", ""] {
        let mut edited = files.clone();
        edited[3].1 = script.to_owned();
        let library = memory(edited);
        assert_eq!((library.duplicates().len(), library.shadowed().len()), (0, 1));
        let shadowed = &library.diagnostics()[0];
        assert_eq!(shadowed.severity, Severity::Warning);
        assert_eq!(shadowed.path, library.shadowed()[0].skill.location());
        assert_eq!(shadowed.related, [library.skills()[0].location()]);
    }
    let renamed = [(files[3].0.replace("a.py", "b.py"), "print(1)".to_owned())];
    let files = files[..3].iter().map(|(path, text)| ((*path).to_owned(), text.clone()));
    assert_eq!(memory(files.chain(renamed)).shadowed().len(), 1);
}

#[test]
fn three_copies_of_which_one_is_identical() {
    let library = memory([
        ("project/a/pdf/SKILL.md", skill("pdf", "One.")),
        ("project/b/pdf/SKILL.md", skill("pdf", "Two.")),
        ("project/c/pdf/SKILL.md", skill("pdf", "One.")),
        ("user/pdf/SKILL.md", skill("pdf", "Three.")),
        ("user/old/pdf/SKILL.md", skill("pdf", "Four.")),
    ]);
    check_states(&library);
    assert_eq!(ids(&library), ["project:pdf"]);
    assert_eq!(shadowed_ids(&library), ["project:pdf@b/pdf", "user:pdf", "user:pdf@pdf"]);
    assert_eq!(library.duplicates().len(), 1);
}

#[test]
fn what_the_host_hides_takes_no_name() {
    for visibility in [Visibility::Hidden, Visibility::Untrusted] {
        let policy = Policy::new().scope("project", visibility);
        let files =
            [("project/pdf/SKILL.md", skill("pdf", "Ours.")), ("user/pdf/SKILL.md", skill("pdf", "Mine."))];
        let library = memory_with(files, policy);
        check_states(&library);
        assert_eq!(ids(&library), ["user:pdf"]);
        assert_eq!(shadowed_ids(&library), ["project:pdf"]);
        let shadowed = library.diagnostics().iter().find(|found| found.code.as_str() == "shadowed").unwrap();
        assert_eq!(shadowed.severity, Severity::Info);
        let is_said = codes(&library).contains(&"untrusted");
        assert_eq!(is_said, visibility == Visibility::Untrusted);
    }
}

#[test]
fn a_name_that_is_anothers_id_means_the_other() {
    let library = memory([
        ("project/trick/SKILL.md", skill("\"user:pdf\"", "Not yours.")),
        ("project/pdf/SKILL.md", skill("pdf", "Ours.")),
        ("user/pdf/SKILL.md", skill("pdf", "Mine.")),
    ]);
    check_states(&library);
    let trick = library.find("trick", Origin::Model).unwrap();
    assert_eq!(library.call_name(trick), "project:user:pdf");
    assert_eq!(library.find("user:pdf", Origin::Model).unwrap().description(), "Mine.");
}

#[test]
fn ids_name_directories_from_the_project_and_the_home() {
    let tree = Tree::of([("project/.git/HEAD", Node::from("x"))])
        .skill("project/app/web/.agents/skills/pdf")
        .with("project/app/web/.claude/skills/pdf/SKILL.md", skill("pdf", "2").as_str().into())
        .with("project/.agents/skills/pdf/SKILL.md", skill("pdf", "3").as_str().into())
        .with("home/.agents/skills/pdf/SKILL.md", skill("pdf", "4").as_str().into())
        .with("home/.claude/skills/pdf/SKILL.md", skill("pdf", "5").as_str().into());
    let library =
        Library::load(&Roots::agents(tree.at("project/app/web"), tree.at("home")), &LoadOptions::new());
    check_states(&library);
    assert_eq!(
        shadowed_ids(&library),
        [
            "project:pdf@../../.agents/skills/pdf",
            "project:pdf@.claude/skills/pdf",
            "user:pdf",
            "user:pdf@.claude/skills/pdf",
        ]
    );
    for (id, description) in [("project:pdf@../../.agents/skills/pdf", "3"), ("user:pdf", "4")] {
        assert_eq!(library.find(id, Origin::Model).unwrap().description(), description);
    }
}

#[test]
fn ids_are_composed_and_a_root_that_loses_its_name_is_a_dot() {
    let library = memory([
        ("project/SKILL.md", skill("pdf", "The root's own.")),
        ("project/pdf/SKILL.md", skill("pdf", "Own.")),
        ("project/re\u{301}/SKILL.md", skill("pdf", "Decomposed.")),
    ]);
    check_states(&library);
    assert_eq!(shadowed_ids(&library), ["project:pdf@.", "project:pdf@ré"]);
}

#[cfg(target_os = "linux")]
#[test]
fn directories_that_are_no_text_have_ids_of_their_own() {
    use std::os::unix::ffi::OsStringExt;
    let mut tree = Tree::new().skill("project/.agents/skills/pdf");
    for byte in [0xf0, 0xf1, 0xf2, 0xf3] {
        let mut path = b"project/.agents/skills/".to_vec();
        path.extend([byte, b'/']);
        let path = std::path::PathBuf::from(std::ffi::OsString::from_vec(path));
        let text = skill("pdf", &format!("{byte}"));
        tree = tree.with(path.join("SKILL.md"), text.as_str().into());
    }
    let library = disk(&tree);
    check_states(&library);
    assert_eq!(library.shadowed().len(), 4);
}

#[test]
fn the_claude_preset_has_the_user_above_the_project() {
    let tree = Tree::of([("home/.claude/skills/pdf/SKILL.md", skill("pdf", "Mine.").as_str().into())])
        .skill("project/.claude/skills/pdf");
    let places = Places::new(tree.at("project"), tree.at("home"));
    let library = Library::load(&Roots::preset(Preset::Claude, &places), &LoadOptions::new());
    assert_eq!(library.skills()[0].description(), "Mine.");
    assert_eq!(shadowed_ids(&library), ["project:pdf"]);
}

#[test]
fn links_to_one_file_are_one_skill_without_a_word() {
    let tree = Tree::of([
        ("project/.agents/skills/tidy", link("../../../store/tidy")),
        ("project/.claude/skills", link("../.agents/skills")),
        ("home/.agents/skills/tidy", link("../../../store/tidy")),
        ("home/.claude/skills/tidy/SKILL.md", link("../../../../store/tidy/SKILL.md")),
    ])
    .skill("store/tidy");
    let library = disk(&tree);
    check_states(&library);
    assert_eq!(ids(&library), ["project:tidy"]);
    assert_eq!(codes(&library), [""; 0]);
    assert_eq!(library.scan().skill_files, 1);
    assert_eq!(library.skills()[0].real_location(), tree.at("store/tidy/SKILL.md"));
    for path in ["home/.claude/skills/tidy/SKILL.md", "home/.agents/skills/tidy", "store/tidy"] {
        let path = tree.at(path);
        assert_eq!(library.find(path.to_str().unwrap(), Origin::User).unwrap().id(), "project:tidy");
    }
}

#[test]
fn a_link_in_an_untrusted_project_takes_nothing_from_the_users_own_skill() {
    let tree = Tree::of([
        ("home/.agents/skills/mine/SKILL.md", Node::Text(skill("mine", "Mine."))),
        ("project/.agents/skills/mine", Node::Link("../../../home/.agents/skills/mine".into())),
    ]);
    let policy = Policy::new().scope("project", Visibility::Untrusted);
    let roots = Roots::agents(tree.at("project"), tree.at("home"));
    for (options, expected) in
        [(LoadOptions::new().policy(policy), "user:mine"), (LoadOptions::new(), "project:mine")]
    {
        let library = Library::load(&roots, &options);
        assert_eq!(library.listed().map(|skill| skill.id()).collect::<Vec<_>>(), [expected]);
        assert_eq!((library.scan().skill_files, library.diagnostics().len()), (1, 0));
    }
}

#[test]
fn of_two_ways_to_a_file_only_the_one_that_counts_is_judged() {
    let tree = Tree::of([
        ("project/.agents/skills/aaa/SKILL.md", Node::from(skill("bbb", "Sorts.").as_str())),
        ("project/.agents/skills/bbb/skill.md", link("../aaa/SKILL.md")),
    ]);
    let library = disk(&tree);
    assert_eq!(library.skills()[0].location(), tree.at("project/.agents/skills/bbb/skill.md"));
    assert_eq!(codes(&library), ["filename-case"]);
    check_states(&library);
}
