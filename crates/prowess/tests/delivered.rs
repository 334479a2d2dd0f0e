//! What a body brings along for the model that follows it.

use std::sync::Arc;

use prowess::activate::Status;
use prowess::source::{ByteRange, Memory};
use prowess::{ErrorKind, Ledger, Library, LoadOptions, Origin, Roots};

fn library(files: &[(&str, &str)]) -> Library {
    let memory: Memory = files.iter().map(|(path, text)| (format!("/s/{path}"), text)).collect();
    let roots = Roots::new().with("user", "/s").expect("a scope");
    Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)))
}

fn deliver(library: &Library, name: &str) -> String {
    library.activate(name, Origin::Model).deliver(&mut Ledger::new(), "c1").into_text()
}

#[test]
fn the_directory_that_relative_paths_resolve_against() {
    let head = "---\nname: img\ndescription: Reads text in images.\n---\n";
    let library = library(&[
        ("img/SKILL.md", &format!("{head}Run `scripts/run.sh in.png`.\n")),
        ("img/scripts/run.sh", "echo ok\n"),
    ]);
    let text = deliver(&library, "img");
    assert!(text.contains("Skill directory: /s/img\n"), "{text}");
    assert!(text.contains("resolve against the skill directory, not against the working directory"));
    assert!(text.contains("\nscripts/run.sh\n"));
}

#[test]
fn every_kind_of_file_is_listed_in_order() {
    let library = library(&[
        ("kit/SKILL.md", "---\nname: kit\ndescription: Does one thing.\n---\nStep.\n"),
        ("kit/scripts/a.py", "x"),
        ("kit/assets/t.docx", "x"),
        ("kit/FORMS.md", "x"),
        ("kit/deep/er/f.txt", "x"),
    ]);
    let text = deliver(&library, "kit");
    let listing =
        "<skill_resources>\nFORMS.md\nassets/t.docx\ndeep/er/f.txt\nscripts/a.py\n</skill_resources>";
    assert!(text.contains(listing), "{text}");
}

#[test]
fn a_file_asked_for_without_its_extension() {
    let body = "See `references/out.md`.\n```\nuse cfg.json and tcp.seq_raw\n```\n";
    let library = library(&[
        ("schema/SKILL.md", &format!("---\nname: schema\ndescription: S.\n---\n{body}")),
        ("schema/references/out.md", "ok\n"),
    ]);
    assert!(deliver(&library, "schema").contains(body));
    let mut ledger = Ledger::new();
    for path in ["references/out.md", "references/out"] {
        let request = library.request_resource("schema", path, ByteRange::FIRST, Origin::Model);
        let delivery = request.deliver(&mut ledger, path);
        assert_eq!((delivery.status(), delivery.text()), (Status::Resource, "ok\n"));
    }
    let reads: Vec<&String> = ledger.skills().iter().flat_map(|skill| skill.reads).collect();
    assert_eq!(reads, ["references/out.md"]);
    let request = library.request_resource("schema", "cfg.json", ByteRange::FIRST, Origin::Model);
    let delivery = request.deliver(&mut ledger, "c2");
    assert_eq!(delivery.error().map(|error| error.kind()), Some(ErrorKind::UnknownResource));
    assert!(delivery.text().contains("references/out.md"));
}
