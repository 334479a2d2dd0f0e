use prowess::activate::Status;
use prowess::source::ByteRange;
use prowess::{ErrorKind, Ledger, Library, Origin};
use prowess_testkit::{Node, Tree};

use crate::common::{activate, body, disk, link, memory, skill};

fn read(library: &Library, path: &str, offset: u64, length: u64) -> Result<String, ErrorKind> {
    let request = library.request_resource("kit", path, ByteRange { offset, length }, Origin::Model);
    let delivery = request.deliver(&mut Ledger::new(), "here");
    match delivery.error() {
        Some(error) => Err(error.kind()),
        None => {
            assert_eq!((delivery.status(), delivery.is_protected()), (Status::Resource, false));
            Ok(delivery.into_text())
        }
    }
}

fn kit() -> Library {
    memory([
        ("project/kit/SKILL.md", skill("kit", "A kit.").as_str()),
        ("project/kit/references/out.md", "ok\n"),
        ("project/kit/references/two.md", "md"),
        ("project/kit/references/two.txt", "txt"),
        ("project/kit/Makefile", "all:\n"),
        ("project/kit/text.md", "a\u{e9}\u{8868}\u{1f642}z"),
        ("project/kit/empty", ""),
        ("project/kit/zeros.bin", "a\0b"),
        ("project/other/SKILL.md", skill("other", "Another.").as_str()),
    ])
}

#[test]
fn files_are_read_by_path_or_stem() {
    for (path, expected) in [
        ("references/out.md", Ok("ok\n")),
        ("./references//out.md", Ok("ok\n")),
        ("references/out", Ok("ok\n")),
        ("Makefile", Ok("all:\n")),
        ("references/two.md", Ok("md")),
        ("references/two", Err(ErrorKind::UnknownResource)),
        ("references", Err(ErrorKind::UnknownResource)),
        ("", Err(ErrorKind::UnknownResource)),
        (".", Err(ErrorKind::UnknownResource)),
        ("references/gone.md", Err(ErrorKind::UnknownResource)),
        ("../other/SKILL.md", Err(ErrorKind::NotConfined)),
        ("references/../../other/SKILL.md", Err(ErrorKind::NotConfined)),
        ("references/../references/out.md", Err(ErrorKind::NotConfined)),
        (r"..\other\SKILL.md", Err(ErrorKind::NotConfined)),
        (r"\etc\passwd", Err(ErrorKind::NotConfined)),
        ("/etc/passwd", Err(ErrorKind::NotConfined)),
        ("a\0b", Err(ErrorKind::NotConfined)),
    ] {
        let expected = expected.map(str::to_owned);
        assert_eq!(read(&kit(), path, 0, 100), expected, "{path:?}");
    }
}

#[test]
fn an_unknown_file_brings_what_is_there() {
    let library = kit();
    let skill = library.find("kit", Origin::User).unwrap();
    let candidates = |path: &str| {
        let error = library.resource(skill, path, ByteRange::FIRST).unwrap_err();
        error.candidates()[..2].to_vec()
    };
    assert_eq!(candidates("references/two"), ["references/two.md", "references/two.txt"]);
    assert_eq!(candidates("references/ouf.md")[0], "references/out.md");
    assert_eq!(candidates("references")[0], "references/out.md");
    assert_eq!(candidates("makefil.txt")[0], "Makefile");
    let endless = library.resource(skill, &"x/".repeat(1 << 19), ByteRange::FIRST).unwrap_err();
    assert!(endless.message().len() < 400);
}

#[test]
fn parts_end_at_whole_characters_and_say_how_to_go_on() {
    let library = kit();
    // a, 2 bytes, 3 bytes, 4 bytes, z
    for (offset, length, expected) in [
        (0, 100, "aé表🙂z"),
        (0, 4, "aé\n(bytes 0 to 3 of 11; go on with offset 3)\n"),
        (0, 6, "aé表\n(bytes 0 to 6 of 11; go on with offset 6)\n"),
        (2, 4, "表\n(bytes 3 to 6 of 11; go on with offset 6)\n"),
        (3, 0, "表\n(bytes 3 to 6 of 11; go on with offset 6)\n"),
        (6, 1, "🙂\n(bytes 6 to 10 of 11; go on with offset 10)\n"),
        (10, 9, "z\n(bytes 10 to 11 of 11)\n"),
        (11, 9, "\n(bytes 11 to 11 of 11)\n"),
        (u64::MAX, u64::MAX, "\n(bytes 11 to 11 of 11)\n"),
    ] {
        assert_eq!(read(&library, "text.md", offset, length).unwrap(), expected);
    }
    assert_eq!(read(&library, "empty", 0, 10).unwrap(), "`empty` is empty\n");
    assert_eq!(
        read(&library, "zeros.bin", 0, 10).unwrap(),
        "`zeros.bin` is no text: 3 bytes at /project/kit/zeros.bin\n"
    );
}

#[test]
fn reading_on_gives_the_whole_file_whatever_the_length() {
    let text = "aé表🙂z\n".repeat(40);
    let library =
        memory([("project/kit/SKILL.md", skill("kit", "A kit.")), ("project/kit/text.md", text.clone())]);
    for length in 0..12 {
        let (mut whole, mut offset) = (String::new(), 0);
        loop {
            let part = read(&library, "text.md", offset, length).unwrap();
            let (text, note) = part.trim_end().rsplit_once("\n(bytes ").unwrap();
            whole.push_str(text);
            let Some((_, next)) = note.split_once("go on with offset ") else {
                break;
            };
            offset = next.trim_end_matches(')').parse().unwrap();
        }
        assert_eq!(whole, text);
    }
}

#[test]
fn a_listing_is_sorted_capped_and_of_every_type() {
    let mut files = vec![("project/kit/SKILL.md".to_owned(), skill("kit", "A kit."))];
    let paths = ["scripts/a.py", "assets/t.docx", "deep/er/f.txt", "FORMS.md", ".hidden", "nested/SKILL.md"];
    files.extend(paths.map(|path| (format!("project/kit/{path}"), String::new())));
    let text = body(&memory(files.clone()), "kit");
    let listed = text.split("<skill_resources>\n").nth(1).unwrap().split("</").next().unwrap();
    assert_eq!(listed, ".hidden\nFORMS.md\nassets/t.docx\ndeep/er/f.txt\nnested/SKILL.md\nscripts/a.py\n");
    files.extend((0..60).map(|n| (format!("project/kit/z/{n:02}.txt"), String::new())));
    let library = memory(files);
    let delivery = activate(&library, "kit", Origin::Model);
    assert!(delivery.text().contains("z/43.txt\n(16 more)\n</skill_resources>"), "{}", delivery.text());
    let activation = delivery.activation().unwrap();
    assert_eq!((activation.resources.len(), activation.resources_total), (50, 66));
    let alone = memory([("project/kit/SKILL.md", skill("kit", "A kit."))]);
    assert!(!body(&alone, "kit").contains("skill_resources"));
}

#[cfg(target_os = "linux")]
#[test]
fn no_link_leads_out_and_no_pipe_blocks() {
    let kit = "project/.agents/skills/kit";
    let tree = Tree::of([
        (format!("{kit}/out"), link("../../../..")),
        (format!("{kit}/secret.md"), link("../../../../secret.md")),
        (format!("{kit}/absolute.md"), link("/etc/passwd")),
        (format!("{kit}/inside.md"), link("references/guide.md")),
        (format!("{kit}/gone.md"), link("nowhere")),
        (format!("{kit}/references/guide.md"), Node::from("guide")),
        (format!("{kit}/pipe"), Node::Fifo),
        ("secret.md".to_owned(), Node::from("secret")),
    ])
    .skill(kit);
    let library = disk(&tree);
    for (path, expected) in [
        ("out/secret.md", Err(ErrorKind::NotConfined)),
        ("out/secret", Err(ErrorKind::NotConfined)),
        ("secret.md", Err(ErrorKind::NotConfined)),
        ("secret", Err(ErrorKind::NotConfined)),
        ("absolute.md", Err(ErrorKind::NotConfined)),
        ("inside.md", Ok("guide".to_owned())),
        ("gone.md", Err(ErrorKind::UnknownResource)),
        ("pipe", Err(ErrorKind::UnknownResource)),
        ("references/guide.md/x", Err(ErrorKind::UnknownResource)),
    ] {
        assert_eq!(read(&library, path, 0, 100), expected, "{path}");
    }
    assert!(read(&library, &"n".repeat(300), 0, 1).is_err());
    let listed = activate(&library, "kit", Origin::Model);
    let paths: Vec<&str> =
        listed.activation().unwrap().resources.iter().map(|resource| resource.path.as_str()).collect();
    assert_eq!(paths, ["inside.md", "references/guide.md"]);
}

#[test]
fn one_read_brings_a_mebibyte_at_the_most() {
    let library = memory([
        ("project/kit/SKILL.md", skill("kit", "A kit.")),
        ("project/kit/big.txt", "x".repeat(2 << 20)),
    ]);
    let text = read(&library, "big.txt", 0, u64::MAX).unwrap();
    assert!(text.ends_with("go on with offset 1048576)\n"));
    let first = ByteRange::FIRST;
    assert_eq!(read(&library, "big.txt", first.offset, first.length).unwrap().matches('x').count(), 65_536);
}
