//! What holds of every input.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{check_repairs, parsed};
use crate::diagnostic::Code;
use crate::parse::yaml::{Pair, read};
use crate::parse::{body, needs_more};
use crate::value::Value;

/// Pieces that YAML and fences are made of, in any order.
fn yamlish() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "name",
        "description",
        "license",
        "metadata",
        "argument-hint",
        "allowed-tools",
        "note",
        "Note",
        ":",
        ": ",
        ":",
        " ",
        "  ",
        "\n",
        "\n",
        "\n",
        "\r\n",
        "\r",
        "\t",
        "\"",
        "'",
        "`",
        "#",
        " #",
        "- ",
        "|",
        ">",
        ">-",
        "[",
        "]",
        "{",
        "}",
        ",",
        "&a",
        "*a",
        "!t ",
        "!!str ",
        "%",
        "@",
        "?",
        "\\",
        "\\n",
        "\\d",
        "---",
        "...",
        "---\n",
        "word",
        "two words",
        "é",
        "\u{FEFF}",
        "\u{0}",
        "\u{85}",
        "\u{2028}",
        "\u{200B}",
        "：",
        "null",
        "~",
        "1.10",
        "# x\n",
        "<!--",
        "-->",
        "```",
        "name: d\n",
        "description: x\n",
        "\ndescription: ",
        "\n  ",
        ".license: MIT",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

/// A whole file with fences around something like YAML.
fn file() -> impl Strategy<Value = String> {
    (yamlish(), yamlish()).prop_map(|(yaml, body)| format!("---\nname: d\ndescription: {yaml}\n---\n{body}"))
}

fn is_line_start(bytes: &[u8], at: usize) -> bool {
    at == 0 || matches!(bytes[at - 1], b'\n' | b'\r') || (at == 3 && bytes.starts_with(b"\xEF\xBB\xBF"))
}

#[track_caller]
fn check_offsets(bytes: &[u8]) {
    let parsed = parsed(bytes);
    let (yaml, end) = (parsed.yaml.clone(), bytes.len());
    assert!(
        yaml.start <= yaml.end && yaml.end <= parsed.body && parsed.body <= end,
        "{yaml:?} {}",
        parsed.body
    );
    assert!(yaml.start == end || is_line_start(bytes, yaml.start), "{yaml:?}");
    assert!(yaml.end == end || is_line_start(bytes, yaml.end), "{yaml:?}");
    let fence = String::from_utf8_lossy(&bytes[yaml.end..parsed.body]).into_owned();
    let kept = fence.replace(|char: char| char.is_control(), "");
    assert!(kept.is_empty() || kept.trim().starts_with("---") || kept.trim_end() == "...", "{fence:?}");
    assert_eq!(parsed.frontmatter.description.is_empty(), parsed.invalid.is_some());
    for found in &parsed.diagnostics {
        let span = found.span.expect("every finding has a place");
        assert!(span.start <= span.end && span.end <= end, "{found:?}");
        assert!(found.help.is_some());
        if let Some(repair) = &found.repair {
            assert!(repair.start <= repair.end && repair.end <= end, "{found:?}");
        }
    }
    assert!(body(bytes, parsed.body).len() <= 3 * bytes.len());
}

#[track_caller]
fn check_prefixes(bytes: &[u8]) {
    let whole = parsed(bytes);
    for at in 0..bytes.len() {
        if !needs_more(&bytes[..at]) {
            assert_eq!(parsed(&bytes[..at]), whole, "{:?}", String::from_utf8_lossy(&bytes[..at]));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300), mark in 0..4_usize) {
        let marks: [&[u8]; 4] = [b"", b"\xFF\xFE", b"\xFE\xFF", b"---\n"];
        let bytes = [marks[mark], &bytes].concat();
        let parsed = parsed(&bytes);
        prop_assert!(parsed.yaml.start <= parsed.yaml.end);
        prop_assert!(parsed.yaml.end <= parsed.body && parsed.body <= bytes.len());
        check_prefixes(&bytes);
    }

    #[test]
    fn offsets_rebuild_the_input(loose in yamlish(), file in file()) {
        check_offsets(loose.as_bytes());
        check_offsets(file.as_bytes());
    }

    #[test]
    fn a_prefix_that_suffices_answers_for_the_file(loose in yamlish(), file in file()) {
        check_prefixes(loose.as_bytes());
        check_prefixes(file.as_bytes());
    }

    #[test]
    fn repaired_files_need_no_repair(loose in yamlish(), file in file()) {
        check_repairs(loose.as_bytes());
        check_repairs(file.as_bytes());
    }

    #[test]
    fn a_plain_description_is_what_yaml_says(file in file()) {
        let parsed = parsed(file.as_bytes());
        let yaml = String::from_utf8_lossy(&file.as_bytes()[parsed.yaml.clone()]).replace("\r\n", "\n");
        let clean = !parsed.diagnostics.iter().any(|found| found.code == Code::DuplicateKey) && !yaml.contains('\r');
        let pairs = read(&yaml, 0, &BTreeSet::new()).map(|document| document.pairs);
        let own = |pair: &Pair| pair.key == "description" && !pair.decorated;
        if let Some(Value::Plain(text)) = pairs.iter().flatten().find(|pair| own(pair)).map(|pair| &pair.value)
            && clean
        {
            prop_assert_eq!(&parsed.frontmatter.description, text.trim());
        }
    }
}
