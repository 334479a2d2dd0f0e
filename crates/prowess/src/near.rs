//! Which names are meant by a name that is not quite one of them.

use unicode_normalization::UnicodeNormalization;

/// How many near names are offered.
const NEAREST: usize = 5;
/// The lowest likeness, of 1, at which a name is offered.
const NEAR: f64 = 0.6;

/// A name without regard to case, blanks, `-` and `_`, in NFC.
pub(crate) fn fold(name: &str) -> String {
    let kept = name
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_'));
    kept.flat_map(char::to_lowercase).nfc().collect()
}

/// The names that are most like `query`, best first, each once.
pub(crate) fn nearest<'a>(query: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let query = fold(query);
    let mut near: Vec<(f64, &str)> = names.map(|name| (likeness(&query, &fold(name)), name)).collect();
    near.retain(|(likeness, _)| *likeness >= NEAR);
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup_by_key(|(_, name)| *name);
    near.into_iter()
        .take(NEAREST)
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// 1 for equal names; a name that holds the other counts as near, however much longer it is.
fn likeness(query: &str, name: &str) -> f64 {
    let contains = query.chars().count() > 2 && (name.contains(query) || query.contains(name));
    let distance = strsim::normalized_damerau_levenshtein(query, name);
    if contains { distance.max(NEAR) } else { distance }
}
