use super::{Column, render};

#[track_caller]
fn check(name: &str, directory: &str, width: Option<usize>, expected: &[&str]) {
    let head = [("SKILL", Column::Long), ("TOKENS", Column::Number), ("DIRECTORY", Column::Long)];
    let row = vec![name.to_owned(), "1,234".to_owned(), directory.to_owned()];
    assert_eq!(render(&head, vec![row], width), expected);
}

#[test]
fn columns_are_as_wide_as_their_widest_cell() {
    check("pdf", "a/pdf", None, &["SKILL  TOKENS  DIRECTORY", "pdf     1,234  a/pdf"]);
    check("表格整理", "a", None, &["SKILL     TOKENS  DIRECTORY", "表格整理   1,234  a"]);
}

#[test]
fn what_does_not_fit_goes_on_in_the_next_line() {
    let expected = [
        "SKILL           TOKENS  DIRECTORY",
        "commit-message   1,234  .agents/skills",
        "                        /commit-messag",
        "                        e",
    ];
    check("commit-message", ".agents/skills/commit-message", Some(40), &expected);
}

#[test]
fn no_width_is_too_narrow() {
    let head = [("SKILL", Column::Long), ("TOKENS", Column::Number)];
    let lines = render(&head, vec![vec!["commit-message".to_owned(), "1".to_owned()]], Some(1));
    assert!(lines.concat().contains("TOKENS"), "{lines:?}");
}
