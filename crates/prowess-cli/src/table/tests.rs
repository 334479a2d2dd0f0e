use super::{Column, render};

const HEAD: [(&str, Column); 3] = [
    ("SKILL", Column::Name),
    ("TOKENS", Column::Number),
    ("DIRECTORY", Column::Path),
];

#[track_caller]
fn check(name: &str, directory: &str, width: Option<usize>, expected: [&str; 2]) {
    let row = vec![name.to_owned(), "1,234".to_owned(), directory.to_owned()];
    assert_eq!(render(&HEAD, &[row], width), expected);
}

#[test]
fn columns_are_as_wide_as_their_widest_cell() {
    check(
        "pdf",
        "a/pdf",
        None,
        ["SKILL  TOKENS  DIRECTORY", "pdf     1,234  a/pdf"],
    );
    check(
        "表格整理",
        "a",
        None,
        ["SKILL     TOKENS  DIRECTORY", "表格整理   1,234  a"],
    );
}

#[test]
fn a_name_loses_its_end_and_a_path_its_beginning() {
    check(
        "commit-message",
        ".agents/skills/commit-message",
        Some(40),
        [
            "SKILL           TOKENS  DIRECTORY",
            "commit-message   1,234  …/commit-message",
        ],
    );
    check(
        "a-name-that-goes-on-and-on",
        ".agents/skills/a-name-that-goes-on-and-on",
        Some(36),
        [
            "SKILL          TOKENS  DIRECTORY",
            "a-name-that-…   1,234  …es-on-and-on",
        ],
    );
}

#[test]
fn a_wide_character_is_not_halved() {
    check(
        "表格整理表格整理",
        "a",
        Some(28),
        ["SKILL      TOKENS  DIRECTORY", "表格整理…   1,234  a"],
    );
}

#[test]
fn where_nothing_fits_something_is_left_of_each() {
    check(
        "commit-message",
        "skills/commit-message",
        Some(1),
        ["SKILL     TOKENS  DIRECTORY", "commit-…   1,234  …-message"],
    );
}

#[test]
fn an_empty_column_takes_no_room() {
    let head = [("A", Column::Text), ("", Column::Text), ("B", Column::Text)];
    let row = |middle: &str| vec!["1".to_owned(), middle.to_owned(), "2".to_owned()];
    assert_eq!(render(&head, &[row("")], Some(4)), ["A  B", "1  2"]);
    assert_eq!(render(&head, &[row("x")], None), ["A     B", "1  x  2"]);
}
