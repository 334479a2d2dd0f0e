use super::content::MAX_CONTENTS;
use super::*;
use crate::source::Memory;

fn digest(files: &[(&str, &str)]) -> String {
    let memory =
        files.iter().fold(Memory::new(), |memory, (path, text)| memory.with(format!("/s/{path}"), *text));
    content_digest(Path::new("/s/SKILL.md"), &memory, &[]).unwrap()
}

#[test]
fn a_digest_tells_every_difference() {
    let same = digest(&[("SKILL.md", "x"), ("a", "1"), ("b/c", "2")]);
    assert_eq!(same, digest(&[("b/c", "2"), ("a", "1"), ("SKILL.md", "x")]));
    for other in [
        &[("SKILL.md", "y"), ("a", "1"), ("b/c", "2")][..],
        &[("SKILL.md", "x"), ("a", "2"), ("b/c", "2")],
        &[("SKILL.md", "x"), ("a", "12"), ("b/c", "")],
        &[("SKILL.md", "x"), ("a", "1"), ("b/d", "2")],
        &[("SKILL.md", "x"), ("a", "1")],
        &[("SKILL.md", "x"), ("a", "1"), ("b/c", "2"), ("d", "")],
        &[("SKILL.md", "x"), ("a", "1"), ("b/c", "2"), ("node_modules/d", "")],
    ] {
        assert_ne!(digest(other), same, "{other:?}");
    }
}

#[test]
fn what_is_too_large_to_be_read_can_not_be_trusted() {
    let many = (0..=MAX_CONTENTS).fold(Memory::new().with("/s/SKILL.md", "x"), |memory, number| {
        memory.with(format!("/s/{number}"), "")
    });
    let large = vec![0; usize::try_from(MAX_BYTES).unwrap() + 1];
    for memory in [many, Memory::new().with("/s/SKILL.md", "x").with("/s/large", large)] {
        let error = content_digest(Path::new("/s/SKILL.md"), &memory, &[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BodyTooLarge);
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_store_that_is_not_whole_is_refused() {
    let mut store = TrustStore::default();
    let identity = Identity { repository: "/src/app".to_owned(), digest: digest(&[("SKILL.md", "x")]) };
    store.allow(identity, "project:x");
    let text = store.to_json();
    assert_eq!(TrustStore::from_json(&text).unwrap(), store);
    let newer = text.replace("\"prowess_trust\": 1", "\"prowess_trust\": 2");
    let without_digest = text.replace("\"digest\"", "\"hash\"");
    for damaged in ["", "[]", "{\"prowess_trust\": 1}", &text[..text.len() / 2], &newer, &without_digest] {
        assert_eq!(TrustStore::from_json(damaged).unwrap_err().kind(), ErrorKind::Usage, "{damaged}");
    }
}

#[test]
fn rules_as_people_write_them() {
    let trust = Trust::new().with_label("ask").and_then(|trust| trust.with_label("user=allow")).unwrap();
    assert_eq!((trust.rule_of("user"), trust.rule_of("project")), (Rule::Allow, Rule::Ask));
    for wrong in ["", "maybe", "user=", "=ask", "My scope=ask", "user=ask=deny"] {
        assert_eq!(Trust::new().with_label(wrong).unwrap_err().kind(), ErrorKind::Usage, "{wrong}");
    }
}
