//! `cargo fuzz run --sanitizer none parse fuzz/corpus/parse fuzz/seeds/parse`
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use prowess::diagnostic::Code;
use prowess::parse::{body, needs_more, parse, repaired};

fuzz_target!(|bytes: &[u8]| {
    let path = Path::new("skills/d/SKILL.md");
    let parsed = parse(bytes, path);
    assert!(parsed.yaml.start <= parsed.yaml.end);
    assert!(parsed.yaml.end <= parsed.body && parsed.body <= bytes.len());
    assert_eq!(
        parsed.invalid.is_some(),
        parsed.frontmatter.description.is_empty()
    );
    let _ = body(bytes, parsed.body);

    let prefix = &bytes[..bytes.len() / 2];
    if !needs_more(prefix) {
        assert_eq!(parse(prefix, path), parsed);
    }

    let after = parse(&repaired(bytes, &parsed.diagnostics), path);
    assert_eq!(after.frontmatter.description, parsed.frontmatter.description);
    assert_eq!(after.frontmatter.name, parsed.frontmatter.name);
    let corrected =
        |found: &&prowess::diagnostic::Diagnostic| found.code == Code::YamlRepaired && found.repair.is_some();
    if parsed.diagnostics.iter().any(|found| corrected(&found)) {
        assert!(!after.diagnostics.iter().any(|found| corrected(&found)));
    }
});
