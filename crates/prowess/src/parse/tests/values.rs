//! R3 to R6: what an entry's value is.

use super::{check_repairs, loud, parsed};
use crate::diagnostic::Code;

/// Checks the description of a file whose frontmatter is `name: d` and then `yaml`.
#[track_caller]
fn check(yaml: &str, description: &str, codes: &[Code]) {
    let file = format!("---\nname: d\n{yaml}\n---\n# Body\n");
    let parsed = parsed(file.as_bytes());
    assert_eq!(parsed.frontmatter.description, description, "{file}");
    assert_eq!(loud(&parsed), codes, "{file}\n{:?}", parsed.diagnostics);
    assert_eq!(parsed.invalid, None);
    assert_eq!(parsed.frontmatter.name, "d");
    check_repairs(file.as_bytes());
}

#[track_caller]
fn sound(yaml: &str, description: &str) {
    check(yaml, description, &[]);
}

#[track_caller]
fn broken(yaml: &str, description: &str) {
    check(yaml, description, &[Code::YamlRepaired]);
}

#[test]
fn plain_yaml_stands() {
    sound("description: Sorts files.", "Sorts files.");
    sound("description:   Sorts files.   ", "Sorts files.");
    sound("description: \"Says \\\"hi\\\"\\tnow\"", "Says \"hi\"\tnow");
    sound("description: 'It''s fine: really'", "It's fine: really");
    sound("description: >\n  One\n  two.\n\n  Three.\nlicense: MIT", "One two.\nThree.");
    sound("description: |\n  One\n    two: x\n  three", "One\n  two: x\nthree");
    sound("description: >2-\n  One\n  two.", "One two.");
    sound(
        "description:\n  On the next line,\n  in two.",
        "On the next line,\nin two.".replace('\n', " ").as_str(),
    );
    sound("description: \"Two\n  lines\"", "Two lines");
    sound("\"description\": Quoted key", "Quoted key");
    sound("'description': Quoted key", "Quoted key");
    sound("Description: Another case", "Another case");
    sound("DESCRIPTION: Shouted", "Shouted");
    sound("description : A blank before the colon", "A blank before the colon");
    sound("description: See https://example.org/a:b#c", "See https://example.org/a:b#c");
    sound("description: v1.2:3 and 10:30", "v1.2:3 and 10:30");
    sound("description: \"\\ud83d\\ude80 lifts off\"", "\u{1F680} lifts off");
    sound("description: \"null\"", "null");
    sound("description: !!str 12", "12");
    sound("description: x\nmetadata:\n  description: not this one", "x");
    sound("metadata:\n  description: not this one\ndescription: x", "x");
    sound("# description: not this one\ndescription: x", "x");
    sound("description: x\n1: a\ntrue: b", "x");
    sound("description: x\nUse when: asked", "x");
    sound("description: &d text of mine\nsummary: *d", "text of mine");
    sound("description: &d \"text of mine\"", "text of mine");
}

#[test]
fn a_description_that_is_no_text_is_its_source() {
    let codes = &[Code::DescriptionNotText];
    check("description: [a, b]", "[a, b]", codes);
    check("description: [TODO: fill in]", "[TODO: fill in]", codes);
    check("description: {team}", "{team}", codes);
    check("description: {{ team }}", "{{ team }}", codes);
    check("description:\n  - Reads\n  - Writes", "- Reads - Writes", codes);
    check("description:\n- Reads\n- Writes", "- Reads - Writes", codes);
    check("description:\n  short: a\n  long: b", "short: a long: b", codes);
    check("description: true", "true", codes);
    check("description: Yes", "Yes", codes);
    check("description: 12", "12", codes);
    check("description: 1.10", "1.10", codes);
    check("description: -0x1F", "-0x1F", codes);
    sound("description: \"12\"", "12");
    sound("description: 12 monkeys", "12 monkeys");
}

#[test]
fn anchors_aliases_and_tags_are_text() {
    broken("description: &amp does a thing", "&amp does a thing");
    broken("description: &sort Sorts lines", "&sort Sorts lines");
    broken("description: & then some", "& then some");
    broken("description: *sort", "*sort");
    broken("description: *sort* of sorting", "*sort* of sorting");
    broken("description: **Sorts** lines", "**Sorts** lines");
    broken("description: * sorts lines", "* sorts lines");
    broken("description: !important Sorts lines", "!important Sorts lines");
    broken("description: ! Sorts lines", "! Sorts lines");
    broken("description: !!important Sorts lines", "!!important Sorts lines");
    check("x: &a 1\nwhen_to_use: *a\ndescription: y", "y", &[Code::YamlRepaired]);
}

#[test]
fn a_colon_in_a_plain_value_is_text() {
    broken("description: Use when: asked", "Use when: asked");
    broken("description: Use when: asked: twice", "Use when: asked: twice");
    broken("description: Triggers: \"fix it\", 'mend: it'", "Triggers: \"fix it\", 'mend: it'");
    broken("description: Ends with a colon:", "Ends with a colon:");
    broken(
        "description: Moves data\n  in halves: dry run,\n  then real",
        "Moves data in halves: dry run, then real",
    );
    broken("description: Moves data\nNote: carefully: done", "Moves data Note: carefully: done");
    broken("description: One: a\n\n  Two: b\n\n\n  Three", "One: a\nTwo: b\n\nThree");
    broken("description: C#: and F # both", "C#: and F # both");
    broken("description: a: b # not a comment", "a: b # not a comment");
}

#[test]
fn characters_that_begin_something_else_are_text() {
    broken("description: `sort` sorts", "`sort` sorts");
    broken("description: @sort sorts", "@sort sorts");
    broken("description: %sort sorts", "%sort sorts");
    broken("description: [beta] sorts", "[beta] sorts");
    broken("description: [a] [b]", "[a] [b]");
    broken("description: [a](https://example.org) links", "[a](https://example.org) links");
    broken("description: {curly} sorts", "{curly} sorts");
    broken("description: {{name}} sorts", "{{name}} sorts");
    broken("description: - Sorts lines", "- Sorts lines");
    broken("description: - Sorts\n- Counts", "- Sorts - Counts");
    broken("description: ] sorts", "] sorts");
    broken("description: , sorts", ", sorts");
    broken("description: > Sorts lines", "Sorts lines");
    broken("description: >- Sorts lines\n  and counts: them", "Sorts lines and counts: them");
    broken("description: | Sorts lines\n  and words", "Sorts lines and words");
    broken("description: >50% of users", ">50% of users");
    broken("description: ? sorts: lines", "? sorts: lines");
}

#[test]
fn blocks_take_the_indent_of_their_first_line() {
    broken("description: >\nSorts lines: all,\nthen counts.", "Sorts lines: all, then counts.");
    broken("description: |\nSorts lines: all,\nthen counts.", "Sorts lines: all,\nthen counts.");
    broken("description: >-\n    Sorts lines,\n  then counts\n  them.", "Sorts lines, then counts them.");
    broken("description: |\n  Sorts lines\nand counts.\nlicense: MIT", "Sorts lines\nand counts.");
    broken("description: >\n\tSorts lines: all\n\tof them", "Sorts lines: all of them");
    broken("description: >\n  Sorts lines\n# a comment\n  and more", "Sorts lines");
    broken("description: >\n\nSorts lines\n\nand counts", "Sorts lines\nand counts");
    broken("description: > # folded\nSorts lines: all", "Sorts lines: all");
}

#[test]
fn continuation_lines_belong_to_the_value() {
    broken("description: Sorts lines\nand counts them.", "Sorts lines and counts them.");
    broken("description: Sorts lines\n\nThen it counts.\nlicense: MIT", "Sorts lines\nThen it counts.");
    broken("description: \"Sorts lines.\"\n  And counts them.", "Sorts lines. And counts them.");
    broken("description: 'Sorts lines.'\nAnd counts them.", "Sorts lines. And counts them.");
    broken("description: Sorts lines\n- and counts\n- and more", "Sorts lines - and counts - and more");
    broken("description: Sorts: lines\n# a comment\nlicense: MIT", "Sorts: lines");
    broken("description: \"Sorts\nall lines: all", "Sorts all lines: all");
    broken("description: Sorts\n  nested: true", "Sorts nested: true");
    broken("description: Sorts\n: lines", "Sorts : lines");
}

#[test]
fn quotes_that_do_not_wrap_the_value_stay() {
    broken("description: \"Foo\" does a thing", "\"Foo\" does a thing");
    broken("description: 'Foo' does a thing", "'Foo' does a thing");
    broken("description: \"Foo\" and \"bar\" from files", "\"Foo\" and \"bar\" from files");
    broken("description: \"Foo\", \"bar\", \"baz\"", "\"Foo\", \"bar\", \"baz\"");
    broken("description: \"Foo\" and \"bar\"", "\"Foo\" and \"bar\"");
    broken("description: 'Foo' or 'bar'", "'Foo' or 'bar'");
    broken("description: \"Foo \"bar\" baz", "Foo \"bar\" baz");
    sound("description: Foo \"bar\"", "Foo \"bar\"");
    broken("description: Foo: \"bar\"", "Foo: \"bar\"");
}

#[test]
fn quotes_that_wrap_the_value_go() {
    broken("description: \"Says \"hi\" to you\"", "Says \"hi\" to you");
    broken("description: \"Use for \"this\" or \"that\"\"", "Use for \"this\" or \"that\"");
    broken("description: 'Finds the user's tabs'", "Finds the user's tabs");
    broken("description: 'Finds users' and the team's tabs'", "Finds users' and the team's tabs");
    broken("description: \"Matches \\d+ and \\\"x\\\" in C:\\logs\"", "Matches \\d+ and \"x\" in C:\\logs");
    broken("description: \"Matches \\d+\n  over two lines\"", "Matches \\d+ over two lines");
    broken("description: \"Matches \\d+\" # a comment", "Matches \\d+");
    broken("description: \"Matches \\bword\\b or \\d\"", "Matches \\bword\\b or \\d");
    broken("description: \"Reads C:\\logs\\\"", "Reads C:\\logs\\");
    broken("description: \"A \\ud83d\\ude80 and \\d\"", "A \u{1F680} and \\d");
}

#[test]
fn a_lone_quote_goes() {
    broken("description: \"Opens and never closes", "Opens and never closes");
    broken("description: 'Opens and doesn't close", "Opens and doesn't close");
    broken("description: \"Opens: never\nlicense: MIT", "Opens: never");
    broken("description: Fonts: all of them\"", "Fonts: all of them");
    broken("description: The user's fonts: all of them'", "The user's fonts: all of them");
}

#[test]
fn a_known_key_that_is_glued_to_the_end_is_cut_off() {
    broken("description: Sorts lines.license: MIT", "Sorts lines.");
    broken("description: \"Sorts lines.\"license: MIT", "Sorts lines.");
    let file = b"---\nname: d\ndescription: Sorts lines.license: MIT\n---\n";
    assert_eq!(parsed(file).frontmatter.license.as_deref(), Some("MIT"));
    assert_eq!(check_repairs(file).frontmatter.license.as_deref(), Some("MIT"));
    broken("description: Sorts (see description: there)", "Sorts (see description: there)");
}

#[test]
fn one_broken_entry_leaves_the_others_alone() {
    broken("argument-hint: [a] [b]\ndescription: >\n  Sorts\n  lines.", "Sorts lines.");
    broken("summary: a: b\ndescription: Sorts", "Sorts");
    broken("tools:\n  - name: x\n    description: [y] z\ndescription: Sorts", "Sorts");
    broken("notes: |\n  description: not this\nsummary: a: b\ndescription: Sorts", "Sorts");
    broken("description: Sorts\ntags:\n    - a\n  - b", "Sorts");
    broken("description: Sorts\nmetadata:\n\tauthor: me", "Sorts");
    broken("description: Sorts\nmetadata:\n  a: *nowhere", "Sorts");
    broken("a: &x 1\nb: *x\nc: d: e\ndescription: Sorts", "Sorts");
    broken("description: Sorts\nmetadata:\n  note: a: b\n  description: inner", "Sorts");
    check("a: b: c\ndescription: d: e", "d: e", &[Code::YamlRepaired; 2]);
}

#[test]
fn keys_are_found_in_spite_of_their_colon() {
    broken("description:Sorts lines", "Sorts lines");
    broken("description：Sorts lines", "Sorts lines");
    broken("description：\"Sorts lines\"", "Sorts lines");
    broken("description: Sorts\nlicense:MIT", "Sorts");
}

#[test]
fn prose_at_the_margin_is_no_key_if_the_description_would_be_lost() {
    broken("description: >\nSorts lines: all", "Sorts lines: all");
    broken("description:\nUse when: asked", "Use when: asked");
    sound("description: Sorts\nUse when: asked", "Sorts");
}

#[test]
fn text_before_the_first_key_is_passed_over() {
    #[track_caller]
    fn check(file: &str) {
        let parsed = parsed(file.as_bytes());
        assert_eq!(parsed.frontmatter.description, "Sorts");
        assert_eq!(loud(&parsed), [Code::YamlRepaired]);
        check_repairs(file.as_bytes());
    }
    check("---\nWelcome!\nname: d\ndescription: Sorts\n---\n");
    check("---\n# Title\n\nWelcome!\n\nname: d\ndescription: Sorts\n---\n");
    check("---\n  name: d\ndescription: Sorts\n---\n");
    check_repairs(b"---\n  name: d\n  license: a: b\ndescription: Sorts\n---\n");
}

#[test]
fn an_indented_frontmatter_loads() {
    let file = "---\n  name: d\n  description: Sorts: all\n---\n";
    assert_eq!(parsed(file.as_bytes()).frontmatter.description, "Sorts: all");
    check_repairs(file.as_bytes());
}

#[test]
fn the_last_duplicate_wins() {
    let codes = &[Code::DuplicateKey];
    check("description: One\ndescription: Two", "Two", codes);
    check("description: One\nDescription: Two", "One", codes);
    check("Description: One\nDESCRIPTION: Two", "Two", codes);
    check("description: One: a\ndescription: Two", "Two", &[Code::YamlRepaired, Code::DuplicateKey]);
}

#[test]
fn control_characters_are_dropped() {
    broken("description: Trims\u{0} stray\u{1} bytes\u{7f}", "Trims stray bytes");
    check("description: Trims\u{0}: all", "Trims: all", &[Code::YamlRepaired; 2]);
    broken("description: Sorts\rlicense: MIT", "Sorts");
}

#[test]
fn what_is_wrong_is_said_with_the_corrected_line() {
    let parsed = parsed(b"---\nname: d\ndescription: Use when: asked\n---\n");
    let found = &parsed.diagnostics[0];
    let span = found.span.expect("the finding has a place");
    assert_eq!((span.line, span.column, span.start, span.end), (3, 14, 25, 40));
    assert_eq!(found.message, "`description` is no plain YAML: a colon in an unquoted value");
    assert_eq!(found.help.as_deref(), Some("write `description: \"Use when: asked\"`"));
    let repair = found.repair.as_ref().expect("the finding has a repair");
    assert_eq!(
        (repair.start, repair.end, repair.text.as_str()),
        (12, 40, "description: \"Use when: asked\"")
    );
}

#[test]
fn hostile_input_is_read_in_time() {
    let deep = format!("---\ndescription: x\nmetadata: {}\n---\n", "[".repeat(60_000));
    assert_eq!(parsed(deep.as_bytes()).frontmatter.description, "x");
    let deep = format!("---\ndescription: {}\n---\n", "[{".repeat(30_000));
    assert!(parsed(deep.as_bytes()).invalid.is_none());
    let dashes = format!("---\ndescription: x\nmetadata:\n  {}\n---\n", "- ".repeat(30_000));
    assert_eq!(parsed(dashes.as_bytes()).frontmatter.description, "x");
    let keys = format!("---\n{}description: x\n---\n", "a: b: c\n".repeat(8_000));
    assert_eq!(parsed(keys.as_bytes()).frontmatter.description, "x");
    let quotes = format!("---\ndescription: x {}\n---\n", "': ".repeat(20_000));
    assert!(parsed(quotes.as_bytes()).invalid.is_none());
    let line = format!("---\nname: d\ndescription: {}\n---\n", "long ".repeat(250_000));
    let parsed_line = parsed(line.as_bytes());
    assert!(loud(&parsed_line).contains(&Code::FrontmatterTooLong));
    assert!(parsed_line.frontmatter.description.starts_with("long long"));
}
