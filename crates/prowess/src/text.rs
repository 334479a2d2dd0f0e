//! Text from files, made fit for one line, for XML, or for a terminal.

use std::fmt::Write as _;

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Line breaks and control characters, with the blanks around them, as one blank; what XML can't hold as U+FFFD.
pub(crate) fn one_line(text: &str) -> String {
    let blank = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let mut line = String::with_capacity(text.len());
    for part in text
        .split(blank)
        .map(|part| part.trim_matches(' '))
        .filter(|part| !part.is_empty())
    {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(part.chars().map(|c| {
            if matches!(c, '\u{fffe}' | '\u{ffff}') {
                '\u{fffd}'
            } else {
                c
            }
        }));
    }
    line
}

/// Escapes a value for XML text.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Text that is safe on a terminal: what moves the cursor, reverses text or can't be seen goes as an escape. Line breaks
/// and tabs stay, and so do joiners, which some scripts need.
///
/// ```
/// assert_eq!(prowess::text::visible("a\u{1b}[31m\u{202e}b"), "a\\u{1b}[31m\\u{202e}b");
/// ```
#[must_use]
pub fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        if is_invisible(c) {
            // Writing to a string does not fail.
            let _ = write!(visible, "{}", c.escape_unicode());
        } else {
            visible.push(c);
        }
    }
    visible
}

fn is_invisible(c: char) -> bool {
    use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator};
    !matches!(c, '\n' | '\t' | '\u{200c}' | '\u{200d}')
        && matches!(
            c.general_category(),
            Control | Format | LineSeparator | ParagraphSeparator
        )
}
