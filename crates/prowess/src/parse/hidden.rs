//! Characters that a reader doesn't see but a model does.
//!
//! Reported are: tag characters, unless they spell a flag behind U+1F3F4; bidi embeddings, overrides and isolates; bidi
//! marks in a text without a right-to-left letter; zero-width characters; joiners, unless they follow a letter, mark
//! or symbol beyond ASCII (Arabic, Indic scripts, emoji); a variation selector behind another one; control characters.

use super::report::shorten;

/// How many different characters are named.
const LISTED: usize = 8;

/// What of `text` is hidden: the characters as `U+XXXX`, and what its tag characters spell.
pub(super) fn find(text: &str) -> Option<String> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return None;
    }
    let mut found: Vec<String> = Vec::new();
    let mut spelled = String::new();
    for char in hidden(text) {
        let code = format!("U+{:04X}", u32::from(char));
        match u32::from(char).checked_sub(0xE_0000).map(u8::try_from) {
            Some(Ok(ascii @ b' '..=b'~')) => spelled.push(ascii.into()),
            _ if !found.contains(&code) && found.len() < LISTED => found.push(code),
            _ => {}
        }
    }
    if !spelled.is_empty() {
        found.push(format!("tag characters that read `{}`", shorten(&spelled)));
    }
    (!found.is_empty()).then(|| found.join(", "))
}

/// Embeddings, overrides and isolates, and the three marks.
pub(super) fn is_bidi_control(char: char) -> bool {
    is_bidi_mark(char) || matches!(char, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn is_bidi_mark(char: char) -> bool {
    matches!(char, '\u{200E}' | '\u{200F}' | '\u{61C}')
}

fn hidden(text: &str) -> Vec<char> {
    let right_to_left = text.chars().any(is_right_to_left);
    let mut found = Vec::new();
    let mut before = ' ';
    let mut in_flag = false;
    for char in text.chars() {
        in_flag = char == '\u{1F3F4}' || (in_flag && is_flag_tag(char));
        let hidden = match char {
            '\u{E0000}'..='\u{E007F}' => !in_flag,
            '\u{200C}' | '\u{200D}' => {
                before.is_ascii() || before.is_whitespace() || matches!(before, '\u{200C}' | '\u{200D}')
            }
            char if is_variation_selector(char) => is_variation_selector(before),
            char if is_bidi_mark(char) => !right_to_left,
            '\t' | '\n' | '\r' => false,
            char => char.is_control() || is_bidi_control(char) || is_zero_width(char),
        };
        if hidden {
            found.push(char);
        }
        before = char;
    }
    found
}

fn is_flag_tag(char: char) -> bool {
    matches!(char, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}' | '\u{E007F}')
}

fn is_variation_selector(char: char) -> bool {
    matches!(char, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

fn is_zero_width(char: char) -> bool {
    matches!(char, '\u{200B}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{180E}' | '\u{115F}' | '\u{1160}')
        || matches!(char, '\u{3164}' | '\u{FFA0}')
}

fn is_right_to_left(char: char) -> bool {
    matches!(char, '\u{590}'..='\u{61B}' | '\u{61D}'..='\u{8FF}')
        || matches!(char, '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}')
}
