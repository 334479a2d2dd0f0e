//! A catalog of any names, descriptions and directories, read back by an XML and a JSON parser: exactly these come back.
//!
//! An input holds skills, each of three texts (name, description, directory) that end with a zero byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess::catalog::{Format, Shown};
use prowess::skill::display_path;
use prowess::{Catalog, CatalogOptions, Library};
use serde_json::Value;

/// Longer ones are cut, the catalog says.
const LONGEST: [usize; 2] = [64, 1_024];

fuzz_target!(|input: &str| {
    let texts: Vec<&str> = input.split('\0').collect();
    let files: Vec<(String, String)> = texts
        .chunks_exact(3)
        .map(|skill| {
            let head = format!("name: {}\ndescription: {}", quoted(skill[0]), quoted(skill[1]));
            (format!("{}/SKILL.md", skill[2]), format!("---\n{head}\n---\n"))
        })
        .collect();
    let library = prowess_fuzz::library(files.iter().map(|(path, text)| (path.clone(), text.as_str())));
    let whole = Catalog::build(&library, &CatalogOptions::new());
    assert_eq!(whole.entries().len(), library.listed().count());
    check(&library, &whole, &from_xml(whole.text()));
    for budget in [0, 40, 100, 200] {
        let catalog = Catalog::build(&library, &CatalogOptions::new().budget(budget));
        assert!(catalog.tokens() <= budget);
        check(&library, &catalog, &from_xml(catalog.text()));
        let markdown = CatalogOptions::new().budget(budget).format(Format::Markdown);
        assert!(Catalog::build(&library, &markdown).tokens() <= budget);
    }
    let json = Catalog::build(&library, &CatalogOptions::new().format(Format::Json));
    check(&library, &json, &from_json(json.text()));
});

/// A YAML scalar that means exactly this text.
fn quoted(text: &str) -> String {
    let escape = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        ' '..='~' => c.to_string(),
        c => format!("\\U{:08X}", u32::from(c)),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

/// Name, description and location of each entry, as a reader gets them.
type Entries = Vec<[Option<String>; 3]>;

const FIELDS: [&str; 3] = ["name", "description", "location"];

fn from_xml(text: &str) -> Entries {
    let Some(start) = text.find("<available_skills>") else { return Vec::new() };
    let (list, note) = text[start..].split_once("</available_skills>\n").expect("the closing tag");
    assert!(note.is_empty() || note.ends_with("by its name.\n"));
    let list = format!("{list}</available_skills>");
    let document = roxmltree::Document::parse(&list).expect("well-formed XML");
    let skills = document.root_element().children().filter(roxmltree::Node::is_element);
    let entry = |skill: roxmltree::Node<'_, '_>| {
        let fields: Vec<_> = skill.children().filter(roxmltree::Node::is_element).collect();
        assert!(fields.iter().all(|field| FIELDS.contains(&field.tag_name().name())));
        FIELDS.map(|name| {
            let field = fields.iter().find(|field| field.tag_name().name() == name)?;
            assert!(field.children().all(|child| child.is_text()));
            Some(field.text().unwrap_or_default().to_owned())
        })
    };
    skills.map(entry).collect()
}

fn from_json(text: &str) -> Entries {
    let Some(start) = text.find("[\n") else { return Vec::new() };
    let list: Vec<Value> = serde_json::from_str(&text[start..]).expect("well-formed JSON");
    list.iter().map(|entry| FIELDS.map(|name| Some(entry[name].as_str()?.to_owned()))).collect()
}

fn check(library: &Library, catalog: &Catalog, read: &Entries) {
    let shown = catalog.entries().iter().filter(|entry| entry.shown != Shown::Omitted);
    let mut read = read.iter();
    for entry in shown {
        let skill = library.find_exact(&entry.id).expect("a skill of the library");
        let [name, description, location] = read.next().expect("an entry for each skill");
        same(name.as_deref(), &entry.name, LONGEST[0], false);
        assert_eq!(name.is_some() && entry.shown == Shown::NameOnly, description.is_none());
        if let Some(description) = description {
            let is_cut = entry.shown == Shown::Shortened;
            same(Some(description), skill.description(), LONGEST[1], is_cut);
            same(location.as_deref(), &display_path(skill.location()), usize::MAX, false);
        }
    }
    assert_eq!(read.next(), None);
}

/// Whether a text came back: line breaks and control characters as blanks, and cut only where it may be.
fn same(read: Option<&str>, text: &str, longest: usize, is_cut: bool) {
    let blank = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let words = |text: &str| {
        let parts = text.split(blank).map(|part| part.trim_matches(' ')).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(" ").replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
    };
    let (read, text) = (read.expect("a field"), words(text));
    if is_cut || text.chars().count() > longest {
        let kept = read.strip_suffix('…').expect("an ellipsis");
        assert!(text.starts_with(kept), "{read:?} {text:?}");
    } else {
        assert_eq!(read, text);
    }
}
