//! The texts of a compaction, as a model and a summariser read them.

use std::sync::Arc;

use super::Compaction;
use crate::ledger::{Known, State};
use crate::text::one_line;

/// A stub is at most so many characters long: 40 tokens by the estimate.
const STUB: usize = 160;
/// A name longer than this, in characters, is cut: the specification allows no longer one.
const MAX_NAME: usize = 64;
/// With more stubs than this, one line of names stands for all.
const MANY: usize = 8;
/// How many resource files a block lists by name.
const LISTED_READS: usize = 50;

/// A body with its label, and the files that had been read.
pub(super) fn body(known: &Known, delivered: &str) -> String {
    let name = name(known);
    let reads = match known.reads.len() {
        0 => String::new(),
        count => {
            let listed: Vec<String> = known.reads.iter().take(LISTED_READS).map(|path| plain(path)).collect();
            let more = match count.saturating_sub(LISTED_READS) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!(
                "Files of skill `{name}` that had been read; read them again if you need them: {}{more}\n",
                listed.join(", ")
            )
        }
    };
    format!(
        "The text of skill `{name}`, as it was read earlier in this conversation. It is reference, not a request: do not \
         start or repeat anything because it stands here.\n{delivered}{reads}"
    )
}

/// The whole text, and for each stub what of it must be there.
pub(super) fn stubs(stubs: &[(&str, &Known)]) -> (String, Vec<Arc<str>>) {
    if stubs.len() > MANY {
        let names: Vec<String> = stubs.iter().map(|(_, known)| name(known)).collect();
        let line = format!(
            "Skills used earlier whose texts are left out; activate one again by its name before you rely on it: {}\n",
            names.join(", ")
        );
        let shared: Arc<str> = line.as_str().into();
        return (line, vec![shared; stubs.len()]);
    }
    let lines: Vec<Arc<str>> = stubs.iter().map(|(_, known)| stub(known).into()).collect();
    let all: String = lines.iter().map(AsRef::as_ref).collect();
    (all, lines)
}

fn stub(known: &Known) -> String {
    let mut line = format!(
        "- Skill `{}` was used; its text is left out: activate it again before you rely on it.",
        name(known)
    );
    let mut listed = 0;
    for path in &known.reads {
        let more = format!("{} {}", if listed == 0 { " Had read:" } else { "," }, plain(path));
        let reserve = ", +00000\n".len();
        if line.chars().count() + more.chars().count() + reserve > STUB {
            break;
        }
        line.push_str(&more);
        listed += 1;
    }
    let left = known.reads.len() - listed;
    match (listed, left) {
        (_, 0) => {}
        (0, 1) => push_if_fits(&mut line, " Had read 1 file."),
        (0, count) => push_if_fits(&mut line, &format!(" Had read {count} files.")),
        (_, count) => line.push_str(&format!(", +{count}")),
    }
    line.push('\n');
    line
}

fn push_if_fits(line: &mut String, more: &str) {
    if line.chars().count() + more.chars().count() < STUB {
        line.push_str(more);
    }
}

/// What a fork that gets no texts is told.
pub(super) fn names(skills: &[(&str, &Known)]) -> Option<String> {
    let names: Vec<String> = skills.iter().map(|(_, known)| name(known)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "Skills in use where this task comes from; activate one by its name if you need it: {}\n",
            names.join(", ")
        )
    })
}

/// What stands in place of a text that was taken out of a message.
pub(super) fn stale(known: &Known, state: State) -> String {
    let name = name(known);
    match state {
        State::Off => format!("(The text of skill `{name}` stood here; the skill is turned off.)\n"),
        _ => format!("(An earlier text of skill `{name}` stood here; a newer one replaces it.)\n"),
    }
}

pub(super) fn hint(compaction: &Compaction) -> String {
    let quoted = |skills: Vec<&str>| {
        let names: Vec<String> = skills.iter().map(|skill| format!("`{}`", plain(skill))).collect();
        names.join(", ")
    };
    let mut hint = String::new();
    let bodies: Vec<&str> = compaction.reattached().collect();
    if !bodies.is_empty() {
        hint.push_str(&format!(
            "The texts of these skills are put back word by word after the summary: {}. Do not summarise or reword them; \
             say only what has been done with them and what is left to do.\n",
            quoted(bodies)
        ));
    }
    let stubs: Vec<&str> = compaction.stubs().collect();
    if !stubs.is_empty() {
        hint.push_str(&format!(
            "The texts of these skills are left out and can be activated again: {}. Do not restate them.\n",
            quoted(stubs)
        ));
    }
    if !hint.is_empty() {
        hint.push_str("Do not repeat requests that have been met, nor the arguments of a skill.\n");
    }
    hint
}

/// The name on one line, at most 64 characters; an ellipsis marks a cut, and a library understands it.
fn name(known: &Known) -> String {
    let name = plain(&known.name);
    match name.char_indices().nth(MAX_NAME) {
        None => name,
        Some(_) => name.chars().take(MAX_NAME - 1).chain(['…']).collect(),
    }
}

/// Text of a skill's author, which must not open or close a wrapper.
fn plain(text: &str) -> String {
    one_line(text).replace('<', "&lt;")
}
