//! The known fields and what is said about them.

use std::path::Path;

use super::{loud, parsed, quiet};
use crate::diagnostic::Code;
use crate::parse::{Frontmatter, parse};
use crate::value::Value;

fn fields(yaml: &str) -> Frontmatter {
    parsed(format!("---\nname: d\ndescription: x\n{yaml}\n---\n").as_bytes()).frontmatter
}

/// Checks the name of a skill in `directory` whose name line is `line`.
#[track_caller]
fn check_name(directory: &str, line: &str, name: &str, codes: &[Code]) {
    let file = format!("---\n{line}\ndescription: x\n---\n");
    let parsed = parse(file.as_bytes(), &Path::new("skills").join(directory).join("SKILL.md"));
    assert_eq!(parsed.frontmatter.name, name, "{file}");
    assert_eq!(loud(&parsed), codes, "{file}");
}

#[test]
fn names_that_follow_the_rule() {
    check_name("pdf-forms", "name: pdf-forms", "pdf-forms", &[]);
    check_name("résumé-check", "name: résumé-check", "résumé-check", &[]);
    check_name("re\u{301}sume\u{301}-check", "name: résumé-check", "résumé-check", &[]);
    check_name("résumé", "name: re\u{301}sume\u{301}", "résumé", &[]);
    check_name("表格整理", "name: 表格整理", "表格整理", &[]);
    check_name("हिंदी", "name: हिंदी", "हिंदी", &[]);
    check_name("007", "name: 007", "007", &[]);
    check_name("yes", "name: yes", "yes", &[]);
    check_name("2024-01-02", "name: 2024-01-02", "2024-01-02", &[]);
    check_name("d", "name: \"d\"", "d", &[]);
    check_name("d", "Name: d", "d", &[]);
    check_name("d", "name: d # trailing", "d", &[]);
}

#[test]
fn names_that_do_not() {
    let invalid = &[Code::NameInvalid];
    check_name("Pdf", "name: Pdf", "Pdf", invalid);
    check_name("a--b", "name: a--b", "a--b", invalid);
    check_name("-a", "name: -a", "-a", invalid);
    check_name("a-", "name: a-", "a-", invalid);
    check_name("a_b", "name: a_b", "a_b", invalid);
    check_name("a b", "name: a b", "a b", invalid);
    check_name("1.10", "name: 1.10", "1.10", invalid);
    check_name("tidy", "name: Tidy Name", "Tidy Name", &[Code::NameInvalid, Code::NameMismatch]);
    check_name("d", "name: e", "e", &[Code::NameMismatch]);
    check_name(&"a".repeat(65), &format!("name: {}", "a".repeat(65)), &"a".repeat(65), &[Code::NameTooLong]);
    check_name(&"a".repeat(64), &format!("name: {}", "a".repeat(64)), &"a".repeat(64), &[]);
    check_name("d", "name: [d]", "[d]", &[Code::NameInvalid, Code::NameMismatch]);
}

#[test]
fn the_directory_names_a_skill_without_a_usable_name() {
    let missing = &[Code::NameMissing];
    check_name("d", "license: MIT", "d", missing);
    check_name("d", "name:", "d", missing);
    check_name("d", "name: ~", "d", missing);
    check_name("d", "name: \"\"", "d", missing);
    let bad = &[Code::NameUnsafe];
    check_name("d", "name: ../../evil", "d", bad);
    check_name("d", "name: a/b", "d", bad);
    check_name("d", "name: a\\b", "d", bad);
    check_name("d", "name: ..", "d", bad);
    check_name("d", "name: \"a\\nb\"", "d", bad);
    check_name("d", "name: \"a\\e[31mb\"", "d", bad);
    check_name("d", "name: \"a\\u202eb\"", "d", bad);
    check_name("e\u{301}", "license: MIT", "é", missing);
}

#[test]
fn long_descriptions() {
    let codes = |length: usize| {
        loud(&parsed(format!("---\nname: d\ndescription: {}\n---\n", "é".repeat(length)).as_bytes()))
    };
    assert_eq!(codes(1024), []);
    assert_eq!(codes(1025), [Code::DescriptionTooLong]);
}

#[test]
fn hidden_characters() {
    #[track_caller]
    fn check(description: &str, message: Option<&str>) {
        let parsed = parsed(format!("---\nname: d\ndescription: \"{description}\"\n---\n").as_bytes());
        let found: Vec<&str> = parsed.diagnostics.iter().map(|found| found.message.as_str()).collect();
        let want = message.map(|message| format!("hidden characters in `description`: {message}"));
        assert_eq!(found, want.iter().map(String::as_str).collect::<Vec<_>>(), "{description}");
        assert!(parsed.diagnostics.iter().all(|found| found.code == Code::HiddenUnicode));
    }
    check("plain text, tab \\t and line\\n break", None);
    check("a\u{E0068}\u{E0069}b", Some("tag characters that read `hi`"));
    check("a\u{202E}b\u{2066}", Some("U+202E, U+2066"));
    check("a\\u202eb \\e[31m", Some("U+202E, U+001B"));
    check("zero\u{200B}width \u{2060}\u{FEFF}", Some("U+200B, U+2060, U+FEFF"));
    check("jo\u{200D}in", Some("U+200D"));
    check("family \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}, heart \u{2764}\u{FE0F}", None);
    check("\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", None);
    check("می\u{200C}خواهم", None);
    check("क्\u{200D}ष", None);
    check("שלום\u{200F}!", None);
    check("hello\u{200F}!", Some("U+200F"));
    check("x\u{FE00}\u{FE01}\u{FE02}", Some("U+FE00, U+FE01, U+FE02"));
    check("\u{1F600}\u{E0158}\u{E0159}!", Some("variation selectors that read `hi`"));
    check("a\u{E0158}b\u{E0159}", Some("variation selectors that read `hi`"));
    check("keycap 1\u{FE0F}\u{20E3}, \u{845B}\u{E0100}, \u{2668}\u{FE0E}", None);
    check("\u{206A}x\u{FFF9}", Some("U+206A, U+FFF9"));
    let name = parsed("---\nname: a\u{200B}b\ndescription: x\n---\n".as_bytes());
    assert_eq!(loud(&name), [Code::HiddenUnicode, Code::NameMismatch]);
}

#[test]
fn tools_are_split_outside_of_parentheses() {
    #[track_caller]
    fn check(yaml: &str, tools: &[&str]) {
        assert_eq!(fields(yaml).allowed_tools, tools, "{yaml}");
    }
    check("allowed-tools: Read, Write", &["Read", "Write"]);
    check("allowed-tools: Read Write", &["Read", "Write"]);
    check("allowed-tools: Read,Write,", &["Read", "Write"]);
    check("allowed-tools: Bash(git add:*, git log:*) Read", &["Bash(git add:*, git log:*)", "Read"]);
    check("allowed-tools: [Read, Bash]", &["Read", "Bash"]);
    check("allowed-tools: [Bash(git add *, git log *), Read]", &["Bash(git add *, git log *)", "Read"]);
    check("allowed-tools:\n  - Read\n  - Bash(git log:*)", &["Read", "Bash(git log:*)"]);
    check("allowed-tools: \"Read, Write\"", &["Read", "Write"]);
    check("allowed-tools: Bash(a(b c)) Read", &["Bash(a(b c))", "Read"]);
    check("allowed-tools: *", &["*"]);
    check("allowed-tools: [Read, Bash(x: *)", &["Read", "Bash(x: *)"]);
    check("allowed-tools:", &[]);
    check("license: MIT", &[]);
}

#[test]
fn flags() {
    assert!(!fields("license: MIT").disable_model_invocation);
    assert!(fields("license: MIT").user_invocable);
    assert!(fields("disable-model-invocation: true").disable_model_invocation);
    assert!(fields("disable-model-invocation: \"True\"").disable_model_invocation);
    assert!(!fields("user-invocable: no").user_invocable);
    let ill = parsed(b"---\nname: d\ndescription: x\nuser-invocable: maybe\n---\n");
    assert!(ill.frontmatter.user_invocable);
    assert_eq!((loud(&ill), quiet(&ill)), (vec![], vec![Code::UnknownKey]));
}

#[test]
fn optional_fields_are_kept() {
    let read =
        fields("license: 1.10\ncompatibility: \"python: 3\"\nargument-hint: [file]\nwhen_to_use: often");
    assert_eq!(read.license.as_deref(), Some("1.10"));
    assert_eq!(read.compatibility.as_deref(), Some("python: 3"));
    assert_eq!(read.argument_hint.as_deref(), Some("[file]"));
    assert_eq!(read.when_to_use.as_deref(), Some("often"));
    assert_eq!(fields("license: ~").license, None);
    assert_eq!(
        fields("metadata:\n  a: 1\n  b: \"1\"").metadata,
        Value::Map(vec![("a".into(), Value::Plain("1".into())), ("b".into(), Value::Text("1".into())),])
    );
    assert_eq!(fields("license: MIT").metadata, Value::Null);
    assert_eq!(fields("metadata: &m\n  me: *m").metadata.find("me"), Some(&Value::Text("*m".into())));
    assert_eq!(
        fields("metadata: {\"e\": \"\\ud83d\\ude80\"}").metadata.find("e"),
        Some(&Value::Text("\u{1F680}".into()))
    );
    assert_eq!(
        fields("metadata:\n\ta: b").metadata,
        Value::Map(vec![("a".into(), Value::Plain("b".into()))])
    );
}

#[test]
fn entries_are_verbatim() {
    let read = fields("version: 1.10\ntags: [a, \"b\"]\nversion: 2\nempty:\nhint: [a] [b]");
    let want: Vec<(String, Value)> = vec![
        ("name".into(), Value::Plain("d".into())),
        ("description".into(), Value::Plain("x".into())),
        ("tags".into(), Value::List(vec![Value::Plain("a".into()), Value::Text("b".into())])),
        ("version".into(), Value::Plain("2".into())),
        ("empty".into(), Value::Null),
        ("hint".into(), Value::Text("[a] [b]".into())),
    ];
    assert_eq!(read.entries, want);
}

#[test]
fn information() {
    #[track_caller]
    fn check(yaml: &str, codes: &[Code]) {
        let parsed = parsed(format!("---\nname: d\n{yaml}\n---\n").as_bytes());
        assert_eq!((loud(&parsed).as_slice(), quiet(&parsed).as_slice()), (&[][..], codes), "{yaml}");
    }
    check("description: x\nversion: 1\ntags: [a]", &[Code::UnknownKey]);
    check("description: x\nmetadata: text", &[Code::UnknownKey]);
    check("description: x\ncompatibility:\n  node: 20", &[Code::UnknownKey]);
    check("description: x\nallowed-tools: {a: b}", &[Code::UnknownKey]);
    check("description: Links such as #12 # keep short", &[Code::ValueCutByComment]);
    check("description: Talks about C # and #12 things", &[Code::ValueCutByComment]);
    check("description: A sentence. # a comment", &[]);
    check("description: \"Links\" # a comment", &[]);
    check("description: x\n# a comment", &[]);
    check("description: x # a comment", &[Code::ValueCutByComment]);
}
