//! A skill runtime in six files, with five exercises left open: `grep -n EXERCISE lab/starter/*.rs`.

mod activate;
mod catalog;
mod parse;
mod scan;
#[path = "../solution/select.rs"] // It holds no exercise.
mod select;

use activate::{Given, Message, activate, body, plain};
use catalog::{Catalog, escape, tokens};
use parse::Skill;
use scan::Library;
use std::{env, io::IsTerminal, io::stdout, path::Path, process::ExitCode};

const CHECKS: [&str; 8] = [
    "the project's copy wins over the user's",
    "one shadow warning names both paths",
    "only the skill without a description is rejected, as an error; the README folder is no skill",
    "the misnamed skill loads, with a warning",
    "the description with a bare colon is whole, and its repair is said",
    "the catalog holds name, description and location of the loaded skills, no body, and its costs add up",
    "a second activation adds no second body",
    "only the activated body is in the messages, with directory, listing and protected marker",
];

fn main() -> ExitCode {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let library = scan::load(&["project", "home"].map(|place| fixtures.join(place).join(".agents/skills")));
    let Library { skills, shadowed, findings } = &library;
    let errors = findings.iter().filter(|finding| finding.severity == "error").count();
    println!("scanned: {} loaded, {} shadowed, {errors} rejected", skills.len(), shadowed.len());
    findings.iter().for_each(|finding| println!("{}", finding.text));

    let catalog = catalog::build(skills);
    let costs: Vec<usize> = catalog.entries.iter().map(|entry| tokens(entry)).collect();
    let bodies: usize = skills.iter().map(|skill| tokens(&body(skill).unwrap_or_default())).sum();
    println!("\n{}\ncatalog: {} tokens a turn, {costs:?} by entry", catalog.text, catalog.tokens);
    println!("bodies: {bodies} tokens, paid only when read\n");

    let prompt = env::args().nth(1).unwrap_or("Write a commit message for my staged changes.".into());
    let (chosen, how) = select::select(&catalog.text, &prompt, skills);
    println!("prompt: {prompt}\nchoice: {} ({how})\n", chosen.map_or("none", |skill| &skill.name));

    let mut messages = vec![plain("system", catalog.text.clone()), plain("user", prompt)];
    let mut given = Given::new();
    for skill in chosen.into_iter().chain(chosen) {
        messages.push(plain("assistant", format!("activate_skill({:?})", skill.name)));
        messages.push(activate(&mut given, skill).unwrap_or_else(|why| plain("tool", why.to_string())));
    }
    for (index, Message { role, text, is_protected }) in messages.iter().enumerate() {
        let mark = if *is_protected { "  <- holds the body, protected" } else { "" };
        println!("message {index}  {role:<9} {:>5} bytes{mark}", text.len());
    }

    let holds = checks(&library, &catalog, chosen, &messages);
    for (index, title) in CHECKS.iter().enumerate() {
        let (colour, mark) = if holds[index] { ("\x1b[32m", "✓") } else { ("\x1b[31m", "✗") };
        let (colour, reset) = if stdout().is_terminal() { (colour, "\x1b[0m") } else { ("", "") };
        println!("{colour}{mark} {}  {title}{reset}", index + 1);
    }
    ExitCode::from(u8::from(holds.contains(&false)))
}

fn checks(library: &Library, catalog: &Catalog, chosen: Option<&Skill>, messages: &[Message]) -> [bool; 8] {
    let skill = |name: &str| library.skills.iter().find(|skill| skill.name == name);
    let coded = |code: &str| library.findings.iter().filter(|f| f.code == code).collect::<Vec<_>>();
    let errors = library.findings.iter().filter(|f| f.severity == "error").count();
    let both = ["fixtures/project/", "fixtures/home/"];
    let colons = ["Use when: a", "Not for: scans, and PDFs without form fields: those need an overlay."];
    [
        skill("commit-message").is_some_and(|skill| skill.location.to_string_lossy().contains(both[0])),
        matches!(coded("shadowed")[..], [one] if both.iter().all(|path| one.text.contains(path))),
        matches!(coded("missing-description")[..], [one] if one.text.contains("sql-review")) && errors == 1,
        skill("release-notes").is_some() && coded("name-mismatch").len() == 1,
        skill("pdf-forms").is_some_and(|skill| colons.iter().all(|part| skill.description.contains(part)))
            && coded("yaml-repaired").len() == 1,
        is_exact(catalog, library),
        messages.iter().filter(|m| m.text.contains("<skill_content")).count() == 1 && messages.len() == 6,
        chosen.is_some_and(|skill| is_proven(messages, library, skill)),
    ]
}

/// Reads the catalog as a model will: an entry for each skill, no body, and what it costs, counted anew.
fn is_exact(catalog: &Catalog, library: &Library) -> bool {
    let shows = |(entry, skill): (&String, &Skill)| {
        let values = [&skill.name, &skill.description, &skill.location.display().to_string()];
        values.iter().all(|value| entry.contains(&format!(">{}</", escape(value))))
    };
    let around = catalog.text.replace(&catalog.entries.concat(), "");
    let counted = tokens(&around) + catalog.entries.iter().map(|entry| tokens(entry)).sum::<usize>();
    let count = catalog.text.matches("<skill>").count();
    (count, catalog.entries.len(), counted) == (library.skills.len(), library.skills.len(), catalog.tokens)
        && catalog.entries.iter().zip(&library.skills).all(shows)
        && bodies_in(&[plain("system", catalog.text.clone())], library).is_empty()
}

/// A search that finds nothing proves nothing, unless it finds each body that is put before it.
fn is_proven(messages: &[Message], library: &Library, chosen: &Skill) -> bool {
    let body = |skill: &Skill| body(skill).unwrap_or_default();
    let found = |skill: &Skill| bodies_in(&[plain("user", body(skill))], library) == [&skill.location];
    let parts = [&body(chosen), "Skill directory: ", "<skill_resources>\n"];
    bodies_in(messages, library) == [&chosen.location]
        && library.skills.iter().all(found)
        && messages.iter().any(|m| m.is_protected && parts.iter().all(|part| m.text.contains(part)))
}

// EXERCISE 5 (check 8): prove that only the activated body has entered the context.
// Return the location of each skill, loaded or shadowed, whose body stands in the messages. Search the texts for lines
// that are the body's own, say of more than 30 bytes: what a runtime remembers having sent is no proof. `is_proven` asks
// you twice: about the conversation, and about a message with each body in turn, which you must find.
// As it stands, nothing is ever found.
fn bodies_in<'a>(messages: &[Message], library: &'a Library) -> Vec<&'a Path> {
    let _ = (messages, library);
    Vec::new()
}
