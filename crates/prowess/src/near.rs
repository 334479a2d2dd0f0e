//! Which names are meant by a name that is not quite one of them.

use crate::text::composed;

/// How many near names are offered.
const NEAREST: usize = 5;
/// The lowest likeness, of 1, at which a name is offered.
const NEAR: f64 = 0.6;

/// The longest name in bytes that is compared: the cost grows with the product of two lengths.
const MAX_COMPARED: usize = 256;

/// A name without regard to case, blanks, `-` and `_`, in NFC.
pub(crate) fn fold(name: &str) -> String {
    let kept = name.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_'));
    composed(&kept.flat_map(char::to_lowercase).collect::<String>())
}

/// The names that are most like `query`, best first, each once.
pub(crate) fn nearest<'a>(query: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    if query.len() > MAX_COMPARED {
        return Vec::new();
    }
    let query = fold(query);
    let names = names.filter(|name| name.len() <= MAX_COMPARED);
    let mut near: Vec<(f64, &str)> = names.map(|name| (likeness(&query, name), name)).collect();
    near.retain(|(likeness, _)| *likeness >= NEAR);
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup_by_key(|(_, name)| *name);
    near.into_iter().take(NEAREST).map(|(_, name)| name.to_owned()).collect()
}

/// How much a query is like a name, or like one of its words; 1 is equal. Holding the other counts as near.
fn likeness(query: &str, name: &str) -> f64 {
    let whole = fold(name);
    let words = name.split([' ', '-', '_']).map(str::to_lowercase);
    let holds = query.chars().count() > 2 && (whole.contains(query) || query.contains(&whole));
    let least = if holds { NEAR } else { 0.0 };
    words
        .chain([whole])
        .map(|part| strsim::normalized_damerau_levenshtein(query, &part))
        .fold(least, f64::max)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[track_caller]
    fn check(query: &str, expected: &[&str]) {
        assert_eq!(
            nearest(query, ["commit-message", "pdf-forms", "release-notes"].into_iter()),
            expected,
            "{query}"
        );
    }

    #[test]
    fn a_slip_or_a_word_of_the_name_is_near() {
        check("pfd-forms", &["pdf-forms"]);
        check("comit", &["commit-message"]);
        check("notes", &["release-notes"]);
        check("pdf", &["pdf-forms"]);
        check("commit-message-writer", &["commit-message"]);
        check("zebra", &[]);
        check("", &[]);
    }
}
