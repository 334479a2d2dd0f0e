//! R0 to R2: bytes, fences, and where the body begins.

use super::{check_repairs, loud, parsed};
use crate::diagnostic::Code;
use crate::parse::{body, needs_more};

/// Checks a file with the description `Sorts`, its codes and its body.
#[track_caller]
fn check(file: impl AsRef<[u8]>, codes: &[Code], text: &str) {
    let file = file.as_ref();
    let parsed = parsed(file);
    let shown = String::from_utf8_lossy(file);
    assert_eq!(parsed.frontmatter.description, "Sorts", "{shown}");
    assert_eq!(parsed.invalid, None);
    assert_eq!(loud(&parsed), codes, "{shown}");
    assert_eq!(body(file, parsed.body), text, "{shown}");
    let after = check_repairs(file);
    let cured = [Code::UnclosedFrontmatter, Code::YamlRepaired];
    assert!(!loud(&after).iter().any(|code| cured.contains(code)), "{:?}", after.diagnostics);
}

/// Checks a file that doesn't load.
#[track_caller]
fn invalid(file: impl AsRef<[u8]>, codes: &[Code]) {
    let parsed = parsed(file.as_ref());
    assert_eq!(parsed.frontmatter.description, "");
    assert_eq!(parsed.invalid, codes.iter().copied().find(|code| code.severity() > Code::NotUtf8.severity()));
    assert_eq!(loud(&parsed), codes);
    assert_eq!(parsed.frontmatter.name, "d");
}

const KEYS: &str = "name: d\ndescription: Sorts\n";

#[test]
fn plain_fences() {
    check(format!("---\n{KEYS}---\nBody\n"), &[], "Body\n");
    check(format!("---\n{KEYS}---\n\n\nBody"), &[], "\n\nBody");
    check(format!("---\n{KEYS}---"), &[], "");
    check(format!("---  \n{KEYS}--- \t\nBody\n"), &[], "Body\n");
    check(format!("----\n{KEYS}-------\nBody\n"), &[], "Body\n");
    check(format!("---\n{KEYS}---\nIntro\n\n---\n\nMore\n"), &[], "Intro\n\n---\n\nMore\n");
    check(format!("---\n{KEYS}...\nBody\n"), &[], "Body\n");
    check(format!("---\n{KEYS}...\n---\nfoo: bar\n---\n"), &[], "---\nfoo: bar\n---\n");
    check(format!("---\n{KEYS}---\n---\nBody\n"), &[], "---\nBody\n");
    check(format!("---\n\n{KEYS}\n---\nBody\n"), &[], "Body\n");
    check("---\nname: d\ndescription: Sorts\nnotes: |\n  a\n  ---\n  b\n---\nBody\n", &[], "Body\n");
}

#[test]
fn bytes_in_other_shapes() {
    check(format!("\u{FEFF}---\n{KEYS}---\nBody\n"), &[], "Body\n");
    check(format!("---\n{KEYS}---\nBody\n").replace('\n', "\r\n"), &[], "Body\n");
    check(format!("\u{FEFF}---\n{KEYS}---\nBody\n").replace('\n', "\r\n"), &[], "Body\n");
    check(format!("---\n{KEYS}---\nBody\n").replace('\n', "\r"), &[Code::YamlRepaired], "Body\n");
    check(format!("---\n{KEYS}---\nBo\rdy\r\n"), &[], "Bo\ndy\n");
    let mut latin = format!("---\n{KEYS}---\n").into_bytes();
    latin.extend(b"caf\xE9\n");
    check(&latin, &[], "caf\u{FFFD}\n");
    let latin = b"---\nname: d\nlicense: caf\xE9\ndescription: Sorts\n---\n";
    check(latin, &[Code::NotUtf8], "");
    let text = format!("\u{FEFF}---\n{KEYS}---\nBody \u{1F680}\n");
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    check(&little, &[Code::NotUtf8], "Body \u{1F680}\n");
    check(&big, &[Code::NotUtf8], "Body \u{1F680}\n");
    check([&little[..], b"x"].concat(), &[Code::NotUtf8], "Body \u{1F680}\n\u{FFFD}");
    let crlf = text.replace('\n', "\r\n").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    check(&crlf, &[Code::NotUtf8], "Body \u{1F680}\n");
}

#[test]
fn repairs_keep_encoding_and_line_ends() {
    let text = "\u{FEFF}---\r\nname: d\r\ndescription: Sorts: é\r\nlicense: MIT\r\n---\r\nBody\r\n";
    let want = "\u{FEFF}---\r\nname: d\r\ndescription: \"Sorts: é\"\r\nlicense: MIT\r\n---\r\nBody\r\n";
    let encode = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let repair = |file: &[u8]| crate::parse::repaired(file, &parsed(file).diagnostics);
    assert_eq!(repair(text.as_bytes()), want.as_bytes());
    assert_eq!(repair(&encode(text)), encode(want));
    let lone = format!("---\n{KEYS}---\nBo\ndy").replace('\n', "\r");
    let fenced = format!("---\n{KEYS}---\nBo\rdy");
    assert_eq!(
        String::from_utf8(repair(lone.as_bytes())).unwrap(),
        fenced,
        "the closing fence ends in LF too"
    );
    let glued = format!("---\n{KEYS}---Body\n").replace('\n', "\r");
    assert_eq!(String::from_utf8(repair(glued.as_bytes())).unwrap(), format!("---\n{KEYS}---Body\r"));
}

#[test]
fn something_before_the_opening_fence() {
    let codes = &[Code::FrontmatterPreamble];
    check(format!("\n\n---\n{KEYS}---\nBody\n"), codes, "Body\n");
    check(format!("<!-- generated -->\n---\n{KEYS}---\nBody\n"), codes, "Body\n");
    check(format!("\n<!--\n---\nname: x\n---\n-->\n\n---\n{KEYS}---\nBody\n"), codes, "Body\n");
    check(format!("```yaml\n---\n{KEYS}---\n```\nBody\n"), codes, "```\nBody\n");
    check(format!("# Title\n\nIntro.\n\n---\n{KEYS}---\nBody\n"), codes, "Body\n");
    check(format!("Intro\n\n---\n\nMore\n\n---\n\n{KEYS}---\nBody\n"), codes, "Body\n");
    check(format!(" ---\n{KEYS}---\nBody\n"), codes, "Body\n");
}

#[test]
fn a_missing_opening_fence() {
    let codes = &[Code::FrontmatterPreamble];
    check(format!("{KEYS}---\nBody\n"), codes, "Body\n");
    check(format!("\n{KEYS}\n---\n\n# Body\n"), codes, "\n# Body\n");
    check(format!("\u{FEFF}{KEYS}---\nBody\n"), codes, "Body\n");
    let both = &[Code::FrontmatterPreamble, Code::UnclosedFrontmatter];
    check(format!("{KEYS}\n# Body\n"), both, "\n# Body\n");
    check(format!("{KEYS}\nBody\n\n---\n\nMore\n"), both, "\nBody\n\n---\n\nMore\n");
    check(format!("{KEYS}# Body\n\n---\n"), both, "# Body\n\n---\n");
    check(KEYS, both, "");
    check("description: Sorts\nname: d", both, "");
    check(format!("```yaml\n{KEYS}```\nBody\n"), both, "```\nBody\n");
    check(format!("{KEYS}...\nBody\n"), codes, "Body\n");
    check(format!("{KEYS}---# Body\n"), both, "# Body\n");
    check(format!("{KEYS}metadata:\n{}---\nBody\n", "  a: b\n".repeat(70)), codes, "Body\n");
    let far = format!("{KEYS}\n{}\n---\n", "Line\n".repeat(70));
    check(&far, both, &far[KEYS.len()..]);
}

#[test]
fn a_missing_or_misshapen_closing_fence() {
    let codes = &[Code::UnclosedFrontmatter];
    check(format!("---\n{KEYS}\n# Title\nText\n"), codes, "\n# Title\nText\n");
    check(format!("---\n{KEYS}# Title\nText\n"), codes, "# Title\nText\n");
    check(format!("---\n{KEYS}\nText\n"), codes, "\nText\n");
    check(format!("---\n{KEYS}\nlicense: MIT\n\nText\n"), codes, "\nText\n");
    check(format!("---\n{KEYS}metadata:\n\n  a: b\n\nText\n"), codes, "\nText\n");
    check(format!("---\n# a comment\n{KEYS}\nText\n"), codes, "\nText\n");
    check(format!("---\n{KEYS}\n# Title\nText\n\n---\nMore\n"), &[Code::YamlRepaired], "More\n");
    check(format!("---\n{KEYS}"), codes, "");
    check("---\nname: d\ndescription: Sorts", codes, "");
    check(format!("---\n{KEYS}  ---\nText\n"), codes, "Text\n");
    check(format!("---\n{KEYS}---# Title\n\n---\n"), codes, "# Title\n\n---\n");
    check(format!("---\n{KEYS}--- text\n"), codes, " text\n");
    check(format!("---\n{KEYS}---text\r\nmore"), codes, "text\nmore");
}

#[test]
fn no_frontmatter() {
    let codes = &[Code::MissingFrontmatter];
    invalid("", codes);
    invalid("no\n", codes);
    invalid("# Title\n\nText\n\n---\n\nMore\n\n---\n", codes);
    invalid("---js\n({name: 'd'})\n---\n", codes);
    invalid(format!("{}---\nname: d\ndescription: x\n---\n", "Text\n".repeat(50)), codes);
    invalid(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe\0", &[Code::MissingFrontmatter, Code::NotUtf8]);
    invalid(b"\0\0\0\0", &[Code::MissingFrontmatter, Code::NotUtf8]);
    invalid([0xFF, 0xFE, 0x00, 0xD8, 0x41], &[Code::MissingFrontmatter, Code::NotUtf8]);
}

#[test]
fn no_description() {
    let codes = &[Code::MissingDescription];
    invalid("---\nname: d\n---\n", codes);
    invalid("---\nname: d\ndescription:\n---\n", codes);
    invalid("---\nname: d\ndescription: ~\n---\n", codes);
    invalid("---\nname: d\ndescription: NULL\n---\n", codes);
    invalid("---\nname: d\ndescription: \"  \"\n---\n", codes);
    invalid("---\nname: d\ndescription: >\n\n---\n", codes);
    invalid("---\nname: d\ndescription: # nothing\n---\n", codes);
    invalid("---\nname: d\n# description: no\nmetadata:\n  description: no\n---\n", codes);
    invalid(
        "---\nname: d\nsummary: a: b\nmetadata:\n  description: no\n---\n",
        &[codes[0], Code::YamlRepaired],
    );
    for file in
        ["---\n---\n", "---\n- a\n- b\n---\n", "---\n\n**Description:** x\n\n---\n", "---\njust text\n---\n"]
    {
        assert_eq!(parsed(file.as_bytes()).invalid, Some(Code::MissingDescription), "{file}");
    }
}

#[test]
fn a_link_that_became_text() {
    let codes = &[Code::LinkAsText];
    invalid("../../shared/skills/d/SKILL.md", codes);
    invalid("../x.md\n", codes);
    invalid("../my skills/d/SKILL.md", codes);
    invalid("store/d/skill.MD", codes);
    invalid("See the file README.md", &[Code::MissingFrontmatter]);
    invalid("..", &[Code::MissingFrontmatter]);
}

#[test]
fn a_long_frontmatter_is_cut_at_a_line() {
    let codes = &[Code::FrontmatterTooLong];
    check(format!("---\n{KEYS}{}---\nBody\n", "# y\n".repeat(20_000)), &codes[..], "Body\n");
}

#[test]
fn more_is_needed_until_the_answer_stands() {
    let file = format!("---\n{KEYS}---\nBody\n");
    let end = file.find("Body").expect("there is a body");
    assert!((0..end).all(|at| needs_more(&file.as_bytes()[..at])));
    assert!(!needs_more(&file.as_bytes()[..end]));
    let crlf = file.replace('\n', "\r\n");
    let end = crlf.find("Body").expect("there is a body");
    assert!(needs_more(&crlf.as_bytes()[..end - 1]));
    assert!(!needs_more(&crlf.as_bytes()[..end]));
    assert!(!needs_more("Text\n".repeat(50).as_bytes()));
    assert!(needs_more("<!--\n".repeat(50).as_bytes()));
    assert!(needs_more(format!("<!-- open\n---\n{KEYS}---\nBody\n").as_bytes()));
    assert!(needs_more(&vec![b'x'; (1 << 20) - 1]));
    assert!(!needs_more(&vec![b'x'; 1 << 20]));
}
