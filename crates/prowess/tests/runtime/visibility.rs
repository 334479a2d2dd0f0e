use prowess::activate::Status;
use prowess::skill::Visibility;
use prowess::source::ByteRange;
use prowess::tools::{self, Shape};
use prowess::{Catalog, CatalogOptions, ErrorKind, Ledger, Library, Origin, Policy};
use serde_json::json;

use crate::common::{activate, codes, memory, memory_with, skill};

fn names(library: &Library) -> Vec<&str> {
    library.listed().map(|skill| skill.name()).collect()
}

#[test]
fn rules_are_read_from_json() {
    let read = |rules| Policy::new().rules(&rules);
    let policy = read(json!([{"pattern": "x-*", "is": "user-only"}, {"allow": "*:*"}])).unwrap();
    assert_eq!(policy.visibility("user", "x-doc"), Visibility::UserOnly);
    for wrong in [
        json!({}),
        json!([1]),
        json!([{"scope": "user"}]),
        json!([{"scope": "user", "is": "gone"}]),
        json!([{"allow": "a", "is": "hidden"}]),
        json!([{"allow": "["}]),
    ] {
        assert_eq!(read(wrong.clone()).unwrap_err().kind(), ErrorKind::Usage, "{wrong}");
    }
}

#[test]
fn the_strictest_rule_counts() {
    use Visibility::{Hidden, Listed, Untrusted, UserOnly};
    let policy = Policy::new()
        .restrict("x-*", Hidden)
        .and_then(|policy| policy.restrict("plugin-*:*", UserOnly))
        .and_then(|policy| policy.restrict("re\u{301}sume\u{301}", Hidden))
        .map(|policy| policy.scope("user", Untrusted))
        .unwrap();
    for (scope, name, expected) in [
        ("project", "x-doc", Hidden),
        ("project", "doc-x-1", Listed),
        ("plugin-a", "x-doc", Hidden),
        ("plugin-a", "doc", UserOnly),
        ("user", "x-doc", Untrusted),
        ("project", "résumé", Hidden),
    ] {
        assert_eq!(policy.visibility(scope, name), expected, "{scope}:{name}");
    }
    assert_eq!(Policy::new().allow("a[").unwrap_err().kind(), ErrorKind::Usage);
}

#[test]
fn a_bare_allowance_speaks_for_project_and_user_alone() {
    let files = [
        ("project/deploy/SKILL.md", skill("deploy", "Ours.")),
        ("user/x-doc/SKILL.md", skill("x-doc", "Docs.")),
        ("plugin-a/deploy-all/SKILL.md", skill("deploy-all", "Theirs.")),
        ("plugin-b/lint/SKILL.md", skill("lint", "Lint.")),
    ];
    let policy = || Policy::new().allow("deploy*").unwrap();
    let library = memory_with(files.clone(), policy());
    assert_eq!(names(&library), ["deploy"]);
    for (name, kind) in [
        ("plugin-a:deploy-all", ErrorKind::Denied),
        ("deploy-all", ErrorKind::Denied),
        ("x-doc", ErrorKind::Denied),
    ] {
        let delivery = activate(&library, name, Origin::Model);
        assert_eq!(delivery.error().unwrap().kind(), kind);
    }
    let qualified = memory_with(files.clone(), policy().allow("plugin-b:*").unwrap());
    assert_eq!(names(&qualified), ["deploy", "lint"]);
    let both = policy().restrict("deploy", Visibility::Hidden).unwrap();
    assert_eq!(names(&memory_with(files, both)), [""; 0]);
}

#[test]
fn what_is_not_listed_costs_nothing() {
    let policy = Policy::new()
        .restrict("off", Visibility::Hidden)
        .map(|policy| policy.scope("plugin-a", Visibility::Untrusted))
        .unwrap();
    let user_only = skill("ship", "For people.\ndisable-model-invocation: true");
    let with = [
        ("project/on/SKILL.md", skill("on", "On.")),
        ("project/off/SKILL.md", skill("off", "Off.")),
        ("project/ship/SKILL.md", user_only),
        ("plugin-a/repo/SKILL.md", skill("repo", "Not read yet.")),
    ];
    let library = memory_with(with.clone(), policy);
    assert_eq!((names(&library), codes(&library)), (vec!["on"], vec!["untrusted"]));
    let alone = memory(with[..1].to_vec());
    let [all, alone_catalog] =
        [&library, &alone].map(|library| Catalog::build(library, &CatalogOptions::new()));
    assert_eq!(all, alone_catalog);
    for shape in [Shape::OpenAi, Shape::Anthropic, Shape::Gemini, Shape::Mcp] {
        assert_eq!(tools::definitions(&library, shape), tools::definitions(&alone, shape));
    }
    assert_eq!(library.readable_roots().count(), 1);
}

#[test]
fn who_may_activate_what() {
    use ErrorKind::{Denied, ModelOnly, Untrusted, UserOnly};
    let policy = Policy::new()
        .restrict("hidden*", Visibility::Hidden)
        .map(|policy| policy.scope("plugin-a", Visibility::Untrusted))
        .unwrap();
    let files = [
        ("project/listed", ""),
        ("project/model-only", "user-invocable: false\n"),
        ("project/user-only", "disable-model-invocation: true\n"),
        ("project/hidden", ""),
        ("project/hidden-model-only", "user-invocable: false\n"),
        ("plugin-a/untrusted", ""),
    ];
    let texts = files.iter().flat_map(|(directory, key)| {
        let text = format!("---\ndescription: Does it.\n{key}---\nStep.\n");
        [(format!("{directory}/SKILL.md"), text), (format!("{directory}/a.txt"), "a file".to_owned())]
    });
    let library = memory_with(texts, policy);
    for (name, model, user) in [
        ("listed", None, None),
        ("model-only", None, Some(ModelOnly)),
        ("user-only", Some(UserOnly), None),
        ("hidden", Some(Denied), None),
        ("hidden-model-only", Some(Denied), Some(ModelOnly)),
        ("untrusted", Some(Untrusted), Some(Untrusted)),
        ("nowhere", Some(ErrorKind::UnknownSkill), Some(ErrorKind::UnknownSkill)),
    ] {
        for (origin, expected) in [(Origin::Model, model), (Origin::User, user)] {
            let request = library.activate(name, origin);
            assert_eq!(request.skill().is_some(), expected.is_none());
            assert_eq!(request.error().map(|error| error.kind()), expected);
            for request in [request, library.request_resource(name, "a.txt", ByteRange::FIRST, origin)] {
                let mut ledger = Ledger::new();
                let delivery = request.deliver(&mut ledger, "here");
                assert_eq!(delivery.error().map(|error| error.kind()), expected, "{name}");
                assert_eq!(delivery.status() == Status::Denied, expected.is_some());
                assert!(expected.is_none() || ledger.receipts().is_empty());
            }
        }
    }
    let mut ledger = Ledger::new();
    let _ = library.activate("user-only", Origin::User).deliver(&mut ledger, "the user's");
    let file = library.request_resource("user-only", "a.txt", ByteRange::FIRST, Origin::Model);
    assert_eq!(file.deliver(&mut ledger, "the model's").text(), "a file");
    let refused = activate(&library, "user-only", Origin::Model);
    assert!(refused.text().contains("ask the user"), "{}", refused.text());
}
