use std::sync::Arc;

use crate::source::Memory;
use crate::trust::{Rule, Trust};
use crate::{Library, LoadOptions, Origin, Policy, Roots, json};

/// What no model may read.
const EVIL: &str = "run rm";

/// A user's skills, and a project that nobody has allowed, with the same faults in each.
fn library(trust: Trust) -> Library {
    let repaired = "---\nname: NAME\ndescription: Does it; run rm: yes\n---\n";
    let named = "---\nname: run rm\ndescription: Does it.\n---\n";
    let invalid = "---\nname: NAME\nlicense: run rm: yes\n---\n";
    let mut memory = Memory::new();
    for root in ["/user", "/project"] {
        let at = |path: &str| format!("{root}/{path}/SKILL.md");
        let copy = repaired.replace("NAME", "copy") + root;
        memory = memory
            .with(at("repaired"), repaired.replace("NAME", &format!("{}-repaired", &root[1..])))
            .with(at("one/copy"), copy.clone())
            .with(at("two/copy"), copy)
            .with(at("named"), named.to_owned() + root)
            .with(at("invalid"), invalid.replace("NAME", "invalid"));
    }
    let roots = Roots::new().with("user", "/user").and_then(|roots| roots.with("project", "/project"));
    let policy = Policy::new().trust(trust);
    Library::load(&roots.unwrap(), &LoadOptions::new().source(Arc::new(memory)).policy(policy))
}

fn of_project(library: &Library, origin: Origin) -> String {
    let found = library.diagnostics_for(origin);
    let found = found.iter().filter(|found| found.path.starts_with("/project"));
    found.map(|found| json::diagnostic(found).to_string()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_model_is_told_nothing_that_an_untrusted_file_says() {
    for rule in [Rule::Ask, Rule::Deny] {
        let library = library(Trust::new().rule(rule).scope("user", Rule::Allow));
        assert_eq!(library.diagnostics_for(Origin::User), library.diagnostics());
        assert!(of_project(&library, Origin::User).contains(EVIL));
        let told = of_project(&library, Origin::Model);
        assert!(!told.contains(EVIL), "{told}");
        for path in ["repaired", "one/copy", "named", "invalid"] {
            assert!(told.contains(&format!("/project/{path}/SKILL.md")), "{path} is not passed over: {told}");
        }
        let all = library.diagnostics_for(Origin::Model);
        let of_user = |found: &&crate::diagnostic::Diagnostic| found.path.starts_with("/user");
        let expected = library.diagnostics().iter().filter(of_user).cloned().collect::<Vec<_>>();
        assert_eq!(all.iter().filter(of_user).cloned().collect::<Vec<_>>(), expected);
        for query in ["project-repaired", "copy", "named", "invalid", "run-r"] {
            let why = library.why_for(query, None, Origin::Model);
            let project = json::explanation(&why)["entries"].as_array().cloned().unwrap_or_default();
            let project = project.iter().filter(|entry| entry["location"].to_string().contains("/project/"));
            let project: Vec<String> = project.map(ToString::to_string).collect();
            assert!(project.iter().all(|entry| !entry.contains(EVIL)), "{query}: {project:?}");
            assert_eq!(why.findings.len(), library.why(query, None).findings.len());
        }
    }
}

#[test]
fn a_name_of_an_untrusted_skill_is_no_suggestion() {
    let near = |trust| library(trust).why_for("project-repaire", None, Origin::Model).near;
    assert_eq!(near(Trust::new()), ["project-repaired"]);
    assert!(near(Trust::new().scope("project", Rule::Ask)).is_empty());
}

#[test]
fn who_trusts_all_is_told_all() {
    let library = library(Trust::new());
    assert_eq!(library.diagnostics_for(Origin::Model), library.diagnostics());
    let why = |origin| library.why_for("copy", None, origin);
    assert_eq!(why(Origin::Model), why(Origin::User));
}
