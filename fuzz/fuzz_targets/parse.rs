//! A `SKILL.md` of any bytes: no panic, offsets that fit, and corrections that correct.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use prowess::diagnostic::{Code, Diagnostic};
use prowess::parse::{body, parse, repaired};

fuzz_target!(|bytes: &[u8]| {
    let path = Path::new("skills/d/SKILL.md");
    let parsed = parse(bytes, path);
    assert!(parsed.yaml.start <= parsed.yaml.end);
    assert!(parsed.yaml.end <= parsed.body && parsed.body <= bytes.len());
    assert_eq!(parsed.invalid.is_some(), parsed.frontmatter.description.is_empty());
    let _ = body(bytes, parsed.body);

    let after = parse(&repaired(bytes, &parsed.diagnostics), path);
    assert_eq!(after.frontmatter.description, parsed.frontmatter.description);
    assert_eq!(after.frontmatter.name, parsed.frontmatter.name);
    let corrected = |found: &Diagnostic| found.code == Code::YamlRepaired && found.repair.is_some();
    if parsed.diagnostics.iter().any(corrected) {
        assert!(!after.diagnostics.iter().any(corrected));
    }
});
