//! Characters that a reader doesn't see but a model does.
//!
//! Reported are: tag characters, unless they spell a flag behind U+1F3F4; bidi embeddings, overrides and isolates; bidi
//! marks in a text without a right-to-left letter; zero-width characters; joiners, unless they follow a letter, mark
//! or symbol beyond ASCII (Arabic, Indic scripts, emoji); variation selectors behind what has no variants, or behind
//! another selector; control characters.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::report::shorten;

/// How many different characters are named.
const LISTED: usize = 8;

/// What of a text is hidden.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hidden {
    /// The offset of the first hidden character.
    pub(crate) at: usize,
    /// The characters as `U+XXXX`, and what tag characters and variation selectors spell.
    pub(crate) what: String,
}

/// Looks for hidden characters.
pub(crate) fn find(text: &str) -> Option<Hidden> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return None;
    }
    let hidden = hidden(text);
    let (at, _) = *hidden.first()?;
    let chars = || hidden.iter().map(|(_, char)| *char);
    let tags: String = chars().filter_map(ascii_of_tag).collect();
    let selected = String::from_utf8(chars().filter_map(byte_of_selector).collect()).unwrap_or_default();
    let selected = Some(selected).filter(|text| !text.chars().any(char::is_control)).unwrap_or_default();
    let is_spelled = |char: char| {
        ascii_of_tag(char).is_some() || (!selected.is_empty() && byte_of_selector(char).is_some())
    };
    let mut found: Vec<String> = Vec::new();
    for char in chars().filter(|char| !is_spelled(*char)) {
        let code = format!("U+{:04X}", u32::from(char));
        if found.len() < LISTED && !found.contains(&code) {
            found.push(code);
        }
    }
    for (what, text) in [("tag characters", tags), ("variation selectors", selected)] {
        if !text.is_empty() {
            found.push(format!("{what} that read `{}`", shorten(&text)));
        }
    }
    Some(Hidden { at, what: found.join(", ") })
}

fn ascii_of_tag(char: char) -> Option<char> {
    let ascii = u8::try_from(u32::from(char).checked_sub(0xE_0000)?).ok()?;
    matches!(ascii, b' '..=b'~').then(|| ascii.into())
}

/// The byte that a variation selector stands for where text is hidden in them.
fn byte_of_selector(char: char) -> Option<u8> {
    match u32::from(char) {
        selector @ 0xFE00..=0xFE0F => u8::try_from(selector - 0xFE00).ok(),
        selector @ 0xE_0100..=0xE_01EF => u8::try_from(selector - 0xE_0100 + 16).ok(),
        _ => None,
    }
}

/// Embeddings, overrides and isolates, and the three marks.
pub(super) fn is_bidi_control(char: char) -> bool {
    is_bidi_mark(char) || matches!(char, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn is_bidi_mark(char: char) -> bool {
    matches!(char, '\u{200E}' | '\u{200F}' | '\u{61C}')
}

fn hidden(text: &str) -> Vec<(usize, char)> {
    let right_to_left = text.chars().any(is_right_to_left);
    let mut found = Vec::new();
    let (mut before_at, mut before) = (0, ' ');
    let mut in_flag = false;
    for (at, char) in text.char_indices() {
        in_flag = char == '\u{1F3F4}' || (in_flag && is_flag_tag(char));
        let hidden = match char {
            '\u{E0000}'..='\u{E007F}' => !in_flag,
            '\u{200C}' | '\u{200D}' => {
                before.is_ascii() || before.is_whitespace() || matches!(before, '\u{200C}' | '\u{200D}')
            }
            char if is_variation_selector(char) => !has_variants(before, char),
            char if is_bidi_mark(char) => !right_to_left,
            '\t' | '\n' | '\r' => false,
            char => char.is_control() || is_bidi_control(char) || is_zero_width(char),
        };
        // What a run of selectors spells begins with its first.
        let begins_run = is_variation_selector(char) && is_variation_selector(before);
        if begins_run && found.last() != Some(&(before_at, before)) {
            found.push((before_at, before));
        }
        if hidden {
            found.push((at, char));
        }
        (before_at, before) = (at, char);
    }
    found
}

/// Whether a variation selector can mean something behind `char`.
fn has_variants(char: char, selector: char) -> bool {
    if selector >= '\u{E0100}' {
        return char.general_category() == GeneralCategory::OtherLetter;
    }
    let is_beyond_ascii = !char.is_ascii() && !char.is_whitespace() && !is_variation_selector(char);
    is_beyond_ascii || char.is_ascii_digit() || matches!(char, '#' | '*')
}

fn is_flag_tag(char: char) -> bool {
    matches!(char, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}' | '\u{E007F}')
}

fn is_variation_selector(char: char) -> bool {
    matches!(char, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

fn is_zero_width(char: char) -> bool {
    matches!(char, '\u{200B}' | '\u{2060}'..='\u{2064}' | '\u{206A}'..='\u{206F}' | '\u{FEFF}' | '\u{180E}')
        || matches!(char, '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}')
}

fn is_right_to_left(char: char) -> bool {
    matches!(char, '\u{590}'..='\u{61B}' | '\u{61D}'..='\u{8FF}')
        || matches!(char, '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}')
}
