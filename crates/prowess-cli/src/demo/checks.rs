//! The eight self-checks. Each looks at what a run left behind, never at how it came about.

use prowess::diagnostic::{Code, Diagnostic, Severity};
use prowess::parse;
use prowess::skill::{Skill, display_path};
use prowess::tokens::{Estimate, Tokenizer};

use super::fixtures::{HOME, PROJECT};
use super::stages::{Message, Role, Run};

/// The description that a bare colon must not cut short.
const BARE_COLON: &str = "Use when: a PDF form has to be filled in, or its fields listed. Not for: scans, and PDFs \
                          without form fields: those need an overlay.";

/// One check: what should hold, whether it does, and what was found.
pub(super) struct Check {
    pub(super) title: &'static str,
    pub(super) holds: bool,
    pub(super) found: String,
}

pub(super) fn all(run: &Run) -> [Check; 8] {
    [
        project_wins(run),
        one_shadow_warning(run),
        one_rejection(run),
        misnamed_loads(run),
        bare_colon_whole(run),
        catalog_exact(run),
        no_second_body(run),
        only_activated_body(run),
    ]
}

fn project_wins(run: &Run) -> Check {
    let winner = skill(run, "commit-message");
    Check {
        title: "the project's copy wins over the user's",
        holds: winner.is_some_and(|skill| skill.location().starts_with(PROJECT)),
        found: format!("commit-message is {:?}", winner.map(|skill| skill.location())),
    }
}

fn one_shadow_warning(run: &Run) -> Check {
    let warnings: Vec<&Diagnostic> = of_code(run, Code::Shadowed).collect();
    let names_both = |warning: &Diagnostic| {
        let paths = [&warning.path].into_iter().chain(&warning.related);
        let paths: Vec<_> = paths.collect();
        paths.iter().any(|path| path.starts_with(PROJECT)) && paths.iter().any(|path| path.starts_with(HOME))
    };
    Check {
        title: "one shadow warning names both paths",
        holds: matches!(warnings[..], [warning] if names_both(warning) && warning.severity == Severity::Warning),
        found: format!("{} shadow warnings", warnings.len()),
    }
}

fn one_rejection(run: &Run) -> Check {
    let invalid = run.library.invalid();
    let errors: Vec<&Diagnostic> = run
        .library
        .diagnostics()
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .collect();
    let rejected =
        matches!(invalid, [only] if only.name == "sql-review" && only.code == Code::MissingDescription);
    let drafts =
        run.library.diagnostics().iter().any(|diagnostic| display_path(&diagnostic.path).contains("drafts"));
    Check {
        title: "only the skill without a description is rejected, as an error; the README folder is no skill",
        holds: rejected && errors.len() == 1 && !drafts && skill(run, "drafts").is_none(),
        found: format!("{} invalid, {} errors", invalid.len(), errors.len()),
    }
}

fn misnamed_loads(run: &Run) -> Check {
    let warned = of_code(run, Code::NameMismatch).count();
    let loaded = skill(run, "release-notes").is_some_and(|skill| skill.directory_name() == "changelog");
    Check {
        title: "the misnamed skill loads, with a warning",
        holds: loaded && warned == 1,
        found: format!("loaded: {loaded}; {warned} warnings"),
    }
}

fn bare_colon_whole(run: &Run) -> Check {
    let description = skill(run, "pdf-forms").map_or("", |skill| skill.description());
    let warned = of_code(run, Code::YamlRepaired).count();
    Check {
        title: "the description with a bare colon is whole, and its repair is said",
        holds: description == BARE_COLON && warned == 1,
        found: format!("{warned} repairs; description: {description}"),
    }
}

fn catalog_exact(run: &Run) -> Check {
    let text = run.catalog.text();
    let skills = run.library.skills();
    let shown = |skill: &Skill| {
        let location = display_path(skill.location());
        let entry = format!(
            "<name>{}</name>\n    <description>{}</description>\n    <location>{location}</location>",
            skill.name(),
            skill.description()
        );
        text.contains(&entry)
    };
    let exact = text.matches("<skill>").count() == skills.len() && skills.iter().all(|skill| shown(skill));
    let bodies = !skills.iter().any(|skill| body_lines(run, skill).any(|line| text.contains(line)));
    let adds_up = counted(text) == run.catalog.tokens();
    Check {
        title: "the catalog holds name, description and location of the loaded skills, no body, and its costs add up",
        holds: exact && bodies && adds_up,
        found: format!("entries exact: {exact}; no body: {bodies}; costs add up: {adds_up}"),
    }
}

fn no_second_body(run: &Run) -> Check {
    let results: Vec<&Message> = tool_results(run).collect();
    let with_body = run.messages.iter().filter(|message| message.text.contains("<skill_content")).count();
    Check {
        title: "a second activation adds no second body",
        holds: results.len() >= 2 && with_body == 1,
        found: format!("{} activations, {with_body} bodies", results.len()),
    }
}

fn only_activated_body(run: &Run) -> Check {
    let chosen = run.choice.skill.as_deref().and_then(|name| skill(run, name));
    let all: String = run.messages.iter().map(|message| message.text.as_str()).collect();
    let others =
        run.library.skills().iter().filter(|other| chosen.is_none_or(|skill| skill.id() != other.id()));
    let clean = !others.into_iter().any(|other| body_lines(run, other).any(|line| all.contains(line)));
    let complete = chosen.is_some_and(|skill| {
        let directory = format!("Skill directory: {}\n", display_path(skill.directory()));
        tool_results(run).any(|message| {
            message.is_protected
                && body_lines(run, skill).all(|line| message.text.contains(line))
                && message.text.contains(&directory)
                && message.text.contains("<skill_resources>")
        })
    });
    Check {
        title: "only the activated body is in the messages, with directory, listing and protected marker",
        holds: clean && complete,
        found: format!("no other body: {clean}; body, directory, listing and marker: {complete}"),
    }
}

fn skill<'a>(run: &'a Run, name: &str) -> Option<&'a Skill> {
    run.library.find_exact(name).map(|skill| skill.as_ref())
}

fn of_code(run: &Run, code: Code) -> impl Iterator<Item = &Diagnostic> {
    run.library.diagnostics().iter().filter(move |diagnostic| diagnostic.code == code)
}

fn tool_results(run: &Run) -> impl Iterator<Item = &Message> {
    run.messages.iter().filter(|message| message.role == Role::Tool)
}

/// The lines of a skill's body that are long enough to be its own.
fn body_lines<'a>(run: &'a Run, skill: &Skill) -> impl Iterator<Item = &'a str> {
    let text =
        run.files.iter().find(|(path, _)| path == skill.location()).map_or("", |(_, text)| text.as_str());
    let body = parse::parse(text.as_bytes(), skill.location()).body;
    text[body..].lines().filter(|line| line.len() > 30)
}

/// The catalog's cost, counted anew: its head, every entry, its tail.
fn counted(text: &str) -> usize {
    let mut pieces: Vec<&str> = text.split_inclusive("  </skill>\n").collect();
    let (head, first) = pieces
        .first()
        .and_then(|piece| piece.split_at_checked(piece.find("  <skill>\n")?))
        .unwrap_or_default();
    if let Some(piece) = pieces.first_mut() {
        *piece = first;
    }
    pieces.into_iter().chain([head]).map(|piece| Estimate.count(piece)).sum()
}
