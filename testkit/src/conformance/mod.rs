//! The cases of `lab/conformance`: laid out, asked, and compared, one way for every face.
//!
//! A face implements [`Face`]; its test is one call of [`check`]. The format is described beside the cases.

mod case;
mod expect;

use std::sync::Arc;
use std::thread;

use serde_json::Value as Json;

pub use self::case::{Case, Place, Question, cases};
use crate::Tree;

/// How many cases run at a time: most of their time goes to the disk.
const THREADS: usize = 8;

/// How much of a failure is shown, in characters: answers can be a megabyte.
const SHOWN: usize = 1000;

/// A runtime, or one way to reach it.
pub trait Face {
    /// Answers a question in the shape that `lab/conformance/README.md` describes. `None` if this face is never asked
    /// such a thing.
    ///
    /// # Errors
    /// What is wrong with the answer whatever the case expects, such as an exit code that contradicts it.
    fn answer(&mut self, question: &Question<'_>) -> Result<Option<Json>, String>;
}

/// Lays out every case, asks a face, and compares its answers with the expected ones.
///
/// A case with a known gap must fail: once it passes, the mark has to go.
///
/// # Panics
/// If an answer is wrong, naming case, question, field, expected and got.
pub fn check<F: Face>(face: impl Fn(&Place) -> F + Sync) {
    let cases = cases();
    assert!(!cases.is_empty(), "no conformance cases");
    let (cases, face) = (&cases, &face);
    let mut failures: Vec<String> = thread::scope(|scope| {
        let share = |first| {
            let share = cases.iter().skip(first).step_by(THREADS);
            scope.spawn(move || share.flat_map(|case| judge(case, face)).collect::<Vec<_>>())
        };
        let threads: Vec<_> = (0..THREADS).map(share).collect();
        let found = threads.into_iter().map(|thread| thread.join());
        found.flat_map(|found| found.expect("a face that does not panic")).collect()
    });
    failures.sort();
    assert!(
        failures.is_empty(),
        "{} wrong answers in {} cases:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

fn judge<F: Face>(case: &Arc<Case>, face: impl Fn(&Place) -> F) -> Vec<String> {
    let found = run(case, face);
    match case.known_gap() {
        Some(_) if found.is_empty() => vec![format!("{}: passes; take its `known_gap` out", case.name())],
        Some(_) => Vec::new(),
        None => found,
    }
}

/// What is wrong with a face's answers to one case.
fn run<F: Face>(case: &Arc<Case>, face: impl Fn(&Place) -> F) -> Vec<String> {
    let mut tree = case.lay();
    if !tree.skipped().is_empty() {
        // A system that can't hold the tree has nothing to answer for.
        return Vec::new();
    }
    let base = tree.path().to_path_buf();
    let mut face = face(&Place::new(case, &base));
    let mut failures = Vec::new();
    for step in case.steps() {
        tree = step.change(tree);
        let Some(question) = step.question(&base) else {
            continue;
        };
        let at = |what: String| {
            let shown: String = what.chars().take(SHOWN).collect();
            format!("{} ({question}): {shown}", case.name())
        };
        match face.answer(&question) {
            Ok(Some(answer)) => {
                let answer = relative(&answer, &base.to_string_lossy().replace('\\', "/"));
                failures.extend(expect::compare(&question, &answer).into_iter().map(at));
            }
            Ok(None) => {}
            Err(wrong) => failures.push(at(wrong)),
        }
    }
    failures
}

/// An answer that does not depend on where the tree lies: a path below it is relative, any other mention of it `{tree}`.
fn relative(answer: &Json, base: &str) -> Json {
    case::map_texts(answer, &|text| match text.strip_prefix(base).and_then(|rest| rest.strip_prefix('/')) {
        Some(path) if !text.contains('\n') => path.to_owned(),
        _ => text.replace(base, "{tree}"),
    })
}

impl Tree {
    fn lay(self, path: &str, node: &Json) -> Self {
        self.with(path, case::node(node))
    }
}
