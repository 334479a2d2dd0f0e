//! The naming rule.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Whether a name in NFC is made of letters that are not upper or title case, combining marks, digits and `-`, with
/// no `-` first, last or doubled.
pub(super) fn follows_rule(name: &str) -> bool {
    use GeneralCategory as G;
    let fits = |char: char| {
        let category = char.general_category();
        char == '-'
            || matches!(category, G::LowercaseLetter | G::ModifierLetter | G::OtherLetter)
            || matches!(category, G::NonspacingMark | G::SpacingMark | G::EnclosingMark | G::DecimalNumber)
    };
    !name.is_empty()
        && name.chars().all(fits)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

/// Whether a name could lead out of a directory or forge what is printed: a separator, a control or a bidi character.
pub(super) fn is_unsafe(name: &str) -> bool {
    let bad = |char: char| {
        char.is_control()
            || matches!(char, '/' | '\\' | '\u{2028}' | '\u{2029}')
            || super::hidden::is_bidi_control(char)
    };
    matches!(name, "." | "..") || name.chars().any(bad)
}
