#![cfg(feature = "serde")]

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::source::Memory;
use crate::tokens::Tokenizer;
use crate::{LoadOptions, Policy, Roots, skill::Visibility};

fn load(files: &[(&str, String)]) -> Library {
    load_with(files, Policy::new())
}

fn load_with(files: &[(&str, String)], policy: Policy) -> Library {
    let memory = files.iter().fold(Memory::new(), |memory, (path, text)| memory.with(path, text));
    let roots = Roots::new().with("project", "/p").unwrap().with("user", "/u").unwrap();
    Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)).policy(policy))
}

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nBody of {name}.\n")
}

fn shown(catalog: &Catalog) -> Vec<(&str, Shown)> {
    catalog.entries().iter().map(|entry| (entry.name.as_str(), entry.shown)).collect()
}

/// Long, short and ten words; the user's rank is lower.
fn mixed() -> Library {
    let long = "word ".repeat(300);
    load(&[
        ("/p/long/SKILL.md", skill("long", long.trim())),
        ("/p/short/SKILL.md", skill("short", "Short.")),
        (
            "/u/mine/SKILL.md",
            skill("mine", "one two three four five six seven eight nine ten eleven twelve thirteen"),
        ),
        ("/u/router/SKILL.md", skill("router", "Look here first.\nmetadata:\n  priority: high")),
    ])
}

#[test]
fn the_text_is_exactly_this() {
    let library = load(&[("/p/pdf/SKILL.md", skill("pdf", "Fills <forms> & more."))]);
    let catalog = Catalog::build(&library, &CatalogOptions::new());
    assert_eq!(
        catalog.text(),
        "The skills below hold instructions for particular tasks. When a task matches a skill's description, read the \
         file at its location before you begin. Relative paths in a skill's text resolve against that skill's \
         directory.\n\n<available_skills>\n  <skill>\n    <name>pdf</name>\n    <description>Fills &lt;forms&gt; &amp; \
         more.</description>\n    <location>/p/pdf/SKILL.md</location>\n  </skill>\n</available_skills>\n"
    );
    let tool = Catalog::build(&library, &CatalogOptions::new().style(Style::Tool).format(Format::Markdown));
    assert!(tool.text().contains("call `activate_skill` with its name before you begin"));
    assert!(tool.text().ends_with("- **pdf**: Fills <forms> & more.\n  Location: `/p/pdf/SKILL.md`\n"));
}

#[test]
fn without_listed_skills_there_is_no_text() {
    let hidden = Policy::new().restrict("*", Visibility::Hidden).unwrap();
    let own = skill("own", "Mine.\ndisable-model-invocation: true");
    for library in
        [load(&[]), load_with(&[("/p/a/SKILL.md", skill("a", "A"))], hidden), load(&[("/p/o/SKILL.md", own)])]
    {
        let catalog = Catalog::build(&library, &CatalogOptions::new());
        assert_eq!((catalog.text(), catalog.tokens()), ("", 0));
        assert_eq!(catalog.summary(), "no skills; catalog 0 tokens a turn");
    }
}

#[test]
fn line_breaks_and_control_characters_become_one_blank() {
    assert_eq!(one_line("a\r\n\tb \u{1b}[31m\u{2028}c  d\u{ffff}"), "a b [31m c  d\u{fffd}");
}

#[test]
fn json_is_json() {
    let format = CatalogOptions::new().format(Format::Json);
    let text = Catalog::build(&mixed(), &format.budget(220)).text().to_owned();
    let (start, end) = (text.find('[').unwrap(), text.rfind(']').unwrap());
    let parsed: Vec<serde_json::Value> = serde_json::from_str(&text[start..=end]).unwrap();
    assert_eq!(parsed.len(), 4);
    assert_eq!(parsed[1]["name"], "mine");
}

#[test]
fn an_overlong_description_and_name_are_cut_in_the_catalog_alone() {
    let long = "x".repeat(2000);
    let library = load(&[("/p/a/SKILL.md", skill(&"n".repeat(80), &long))]);
    let catalog = Catalog::build(&library, &CatalogOptions::new());
    assert!(catalog.text().contains(&format!("<description>{}…</description>", "x".repeat(1023))));
    assert_eq!(library.skills()[0].description().len(), 2000);
    let cut = format!("{}…", "n".repeat(63));
    assert!(catalog.text().contains(&format!("<name>{cut}</name>")));
    assert_eq!(library.find(&cut, crate::Origin::Model).unwrap().name().len(), 80);
}

#[test]
fn a_budget_takes_one_step_after_another() {
    use Shown::{Full, NameOnly, Omitted, Shortened};
    let library = mixed();
    #[track_caller]
    fn check(library: &Library, budget: usize, expected: [Shown; 4]) {
        let catalog = Catalog::build(library, &CatalogOptions::new().budget(budget));
        assert!(catalog.tokens() <= budget, "{} tokens", catalog.tokens());
        assert_eq!(
            shown(&catalog).iter().map(|(_, shown)| *shown).collect::<Vec<_>>(),
            expected,
            "{}",
            catalog.text()
        );
    }
    // long, mine, router, short
    check(&library, 1000, [Full, Full, Full, Full]);
    check(&library, 300, [Shortened, Full, Full, Full]);
    check(&library, 220, [Shortened, Shortened, Full, Full]);
    check(&library, 200, [Shortened, NameOnly, Full, Full]);
    check(&library, 160, [NameOnly, NameOnly, Full, Full]);
    check(&library, 140, [NameOnly, NameOnly, Full, NameOnly]);
    check(&library, 125, [Omitted, Omitted, Full, Omitted]);
    check(&library, 100, [Omitted, Omitted, NameOnly, Omitted]);
    check(&library, 60, [Omitted, Omitted, Omitted, Omitted]);
}

#[test]
fn a_note_says_how_many_are_not_shown() {
    let text = |budget| Catalog::build(&mixed(), &CatalogOptions::new().budget(budget)).text().to_owned();
    let note = "3 more skills are not shown for lack of room; each can be activated by its name.\n";
    assert!(text(125).ends_with(&format!("</available_skills>\n{note}")));
    assert!(!text(140).contains("not shown"));
    assert_eq!(text(60), "");
    let (_, tail) = render::Renderer::new(&CatalogOptions::new()).frame(1);
    assert!(tail.ends_with("1 more skill is not shown for lack of room; it can be activated by its name.\n"));
}

#[test]
fn a_pin_goes_last() {
    let shown_mine =
        |options: CatalogOptions| Catalog::build(&mixed(), &options.budget(170)).entries()[1].shown;
    assert_eq!(shown_mine(CatalogOptions::new()), Shown::NameOnly);
    assert_eq!(shown_mine(CatalogOptions::new().pin("user:mine")), Shown::Shortened);
    assert_eq!(shown_mine(CatalogOptions::new().pin("mine")), Shown::Shortened);
}

#[test]
fn outsized_entries_are_pointed_out() {
    let catalog = Catalog::build(&mixed(), &CatalogOptions::new());
    assert_eq!(catalog.outsized().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["long"]);
    assert!(catalog.summary().starts_with("4 skills; catalog "), "{}", catalog.summary());
    assert!(catalog.summary().contains(" tokens a turn (largest: long, "));
}

#[test]
fn numbers_are_grouped() {
    for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
        assert_eq!(grouped(number), text);
    }
}

/// Counts words and signs, unlike the estimate.
#[derive(Debug)]
struct Words;

impl Tokenizer for Words {
    fn count(&self, text: &str) -> usize {
        text.split(|c: char| !c.is_alphanumeric()).count()
    }
}

/// Descriptions as hostile as YAML's double quotes allow.
fn descriptions() -> impl Strategy<Value = Vec<String>> {
    let text = prop_oneof![
        "\\PC{1,120}",
        "[a-z ]{1,900}",
        Just("</description></skill></available_skills> & ]]> <b>".to_owned()),
        any::<String>(),
    ];
    prop::collection::vec(text, 1..12)
}

fn library_of(descriptions: &[String]) -> Library {
    let files = descriptions.iter().enumerate().map(|(index, description)| {
        let root = if index % 2 == 0 { "/p" } else { "/u" };
        (
            format!("{root}/s{index}/SKILL.md"),
            format!("---\ndescription: {}\n---\n", serde_json::json!(description)),
        )
    });
    let files: Vec<(String, String)> = files.collect();
    load(&files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn the_catalog_never_exceeds_its_budget(descriptions in descriptions(), budget in 0usize..2000, words: bool) {
        let library = library_of(&descriptions);
        let mut options = CatalogOptions::new().budget(budget);
        if words {
            options = options.tokenizer(Arc::new(Words));
        }
        let catalog = Catalog::build(&library, &options);
        prop_assert!(catalog.tokens() <= budget);
        prop_assert!(words || Estimate.count(catalog.text()) <= budget);
        prop_assert_eq!(catalog.entries().len(), library.skills().len());
    }

    #[test]
    fn the_catalog_is_well_formed_whatever_descriptions_hold(descriptions in descriptions(), budget in 100usize..2000) {
        let library = library_of(&descriptions);
        let catalog = Catalog::build(&library, &CatalogOptions::new().budget(budget));
        if catalog.text().is_empty() {
            return Ok(());
        }
        let start = catalog.text().find("<available_skills>").unwrap();
        let end = catalog.text().rfind("</available_skills>").unwrap() + "</available_skills>".len();
        let document = roxmltree::Document::parse(&catalog.text()[start..end]).unwrap();
        let skills = document.root_element().children().filter(|node| node.is_element()).count();
        prop_assert_eq!(skills + catalog.omitted(), catalog.entries().len());
    }
}
