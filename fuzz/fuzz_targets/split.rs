//! One text in all its encodings: where its frontmatter and body are, and what they say, does not depend on them. Nor does
//! it depend on how much of the file was read, once that is enough. A description is never made up.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use prowess::parse::{Parsed, body, needs_more, parse};

fuzz_target!(|bytes: &[u8]| {
    let Some((cut, file)) = bytes.split_first_chunk::<2>() else { return };
    let read = &file[..file.len().min(usize::from(u16::from_le_bytes(*cut)))];
    if !needs_more(read) {
        assert_eq!(parse_file(read), parse_file(file));
    }
    // A byte order mark is one only at the beginning.
    let Some(text) = std::str::from_utf8(file).ok().filter(|text| !text.starts_with('\u{feff}')) else {
        return;
    };
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let parsed = parse_file(text.as_bytes());
    assert!(parsed.invalid.is_some() || names_description(&text));
    for encoded in encodings(&text) {
        let other = parse_file(&encoded);
        assert_eq!((other.invalid, &other.frontmatter), (parsed.invalid, &parsed.frontmatter));
        assert_eq!(body(&encoded, other.body), body(text.as_bytes(), parsed.body));
    }
});

/// Whether a line that is no comment may hold the key `description`.
fn names_description(text: &str) -> bool {
    let text: String = text.to_ascii_lowercase().chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    let mut lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.any(|line| line.contains("description") || line.contains('\\'))
}

fn parse_file(bytes: &[u8]) -> Parsed {
    parse(bytes, Path::new("skills/d/SKILL.md"))
}

fn encodings(text: &str) -> [Vec<u8>; 5] {
    let marked = || std::iter::once('\u{feff}').chain(text.chars()).collect::<String>();
    [
        text.replace('\n', "\r\n").into_bytes(),
        text.replace('\n', "\r").into_bytes(),
        marked().into_bytes(),
        marked().encode_utf16().flat_map(u16::to_le_bytes).collect(),
        marked().encode_utf16().flat_map(u16::to_be_bytes).collect(),
    ]
}
