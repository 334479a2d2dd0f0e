//! Characters that a reader doesn't see but a model does.
//!
//! Reported are: tag characters, unless they spell a flag behind U+1F3F4; bidi embeddings, overrides and isolates; bidi
//! marks in a text without a right-to-left letter; zero-width characters; joiners, unless they follow a letter, mark
//! or symbol beyond ASCII (Arabic, Indic scripts, emoji); a variation selector behind another one; control characters.

/// What of `text` is hidden: the characters as `U+XXXX`, and what its tag characters spell.
pub(super) fn find(text: &str) -> Option<String> {
    let mut codes: Vec<String> = Vec::new();
    let mut spelled = String::new();
    for char in hidden(text) {
        if let Some(ascii) = spelled_by(char) {
            spelled.push(ascii);
        } else {
            let code = format!("U+{:04X}", u32::from(char));
            if !codes.contains(&code) && codes.len() < 8 {
                codes.push(code);
            }
        }
    }
    match (codes.is_empty(), spelled.is_empty()) {
        (true, true) => None,
        (false, true) => Some(codes.join(", ")),
        (true, false) => Some(format!("tag characters that read `{}`", shorten(&spelled))),
        (false, false) => {
            Some(format!("{}, tag characters that read `{}`", codes.join(", "), shorten(&spelled)))
        }
    }
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
            '\u{200C}' | '\u{200D}' => before.is_ascii() || before.is_whitespace() || is_joiner(before),
            '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => is_variation_selector(before),
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

fn is_joiner(char: char) -> bool {
    matches!(char, '\u{200C}' | '\u{200D}')
}

fn is_variation_selector(char: char) -> bool {
    matches!(char, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

fn is_zero_width(char: char) -> bool {
    matches!(char, '\u{200B}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{180E}' | '\u{115F}' | '\u{1160}')
        || matches!(char, '\u{3164}' | '\u{FFA0}')
}

fn is_right_to_left(char: char) -> bool {
    matches!(char, '\u{590}'..='\u{61B}' | '\u{61D}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}')
}

/// The printable ASCII character that a tag character stands for.
fn spelled_by(char: char) -> Option<char> {
    let code = u32::from(char).checked_sub(0xE_0000)?;
    (0x20..0x7F).contains(&code).then(|| char::from_u32(code)).flatten()
}

fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(200).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
