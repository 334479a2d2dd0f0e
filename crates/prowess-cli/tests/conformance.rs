//! The conformance cases, answered by the binary; its answers must be the library's, whole.

#[path = "../../prowess/tests/conformance/library.rs"]
mod library;

use std::process::Command;
use std::sync::Arc;

use prowess::source::Disk;
use prowess_testkit::conformance::{Face, Place, Question, check};
use serde_json::Value as Json;

use self::library::LibraryFace;

struct Binary {
    place: Place,
}

impl Binary {
    /// The command line of a question; none if there is none for it.
    fn arguments(&self, question: &Question<'_>) -> Option<Vec<String>> {
        let text = |key: &str| question.text(key).unwrap_or_default();
        let mut arguments: Vec<String> = match question.ask() {
            "list" => vec!["list".into()],
            "catalog" => vec!["catalog".into()],
            "tools" => vec!["catalog".into(), "--tools".into(), text("provider")],
            "activate" => vec!["activate".into()],
            "resource" => vec!["resource".into()],
            "why" => vec!["why".into()],
            "check" => vec!["check".into()],
            _ => return None,
        };
        for option in ["budget", "offset", "length"] {
            if let Some(number) = question.number(option) {
                arguments.extend([format!("--{option}"), number.to_string()]);
            }
        }
        for option in ["format", "style", "origin"] {
            if let Some(value) = question.text(option) {
                arguments.extend([format!("--{option}"), value]);
            }
        }
        for pin in question.texts("pin") {
            arguments.extend(["--pin".into(), pin]);
        }
        let paths = question.texts("paths").into_iter();
        arguments.extend(paths.map(|path| self.place.base().join(path).to_string_lossy().into_owned()));
        let behind = question.text("arguments");
        arguments.splice(1..1, self.globals());
        arguments.extend(question.text("name"));
        arguments.extend(question.text("path"));
        arguments.extend(behind.into_iter().flat_map(|text| ["--".into(), text]));
        Some(arguments)
    }

    fn globals(&self) -> Vec<String> {
        let path = |path: &std::path::Path| path.to_string_lossy().into_owned();
        let place = &self.place;
        let mut globals = vec!["--json".to_owned()];
        globals.extend(["--project".into(), path(&place.project())]);
        globals.extend(["--home".into(), path(&place.home())]);
        globals.extend(["--enterprise".into(), path(&place.enterprise())]);
        for (scope, directory, shares) in place.roots() {
            let plus = if shares { "+" } else { "" };
            globals.push(format!("--root={plus}{scope}={}", path(&directory)));
        }
        if place.prefers_user() {
            globals.push("--preset=claude".into());
        }
        let patterns = place.disabled().into_iter();
        globals.extend(patterns.map(|pattern| format!("--disable={pattern}")));
        for (option, limit) in [("max-depth", "depth"), ("max-directories", "directories")] {
            let limit = place.limit(limit).into_iter();
            globals.extend(limit.map(|limit| format!("--{option}={limit}")));
        }
        globals
    }
}

impl Face for Binary {
    fn answer(&mut self, question: &Question<'_>) -> Result<Option<Json>, String> {
        if !self.place.policy().is_empty() {
            return Ok(None);
        }
        let Some(arguments) = self.arguments(question) else {
            return Ok(None);
        };
        let done = Command::new(env!("CARGO_BIN_EXE_prowess"))
            .args(&arguments)
            .current_dir(self.place.base())
            .output()
            .map_err(|error| error.to_string())?;
        let shown = || String::from_utf8_lossy(&done.stderr).into_owned();
        let answer: Json = serde_json::from_slice(&done.stdout)
            .map_err(|error| format!("{error} in the output of {arguments:?}: {}", shown()))?;
        let found_nothing = answer["entries"].as_array().is_some_and(Vec::is_empty);
        let failed = answer.get("error").is_some() || found_nothing;
        if failed == done.status.success() && question.ask() != "check" {
            return Err(format!("{}, but the answer is {answer}", done.status));
        }
        let library = LibraryFace::new(&self.place, Arc::new(Disk)).answer(question)?;
        match library {
            Some(library) if comparable(&library) != comparable(&answer) => {
                Err(format!("the binary says {answer}, the library {library}"))
            }
            _ => Ok(Some(answer)),
        }
    }
}

/// An answer without what two faces may say differently: the time it took, and the words of an error.
fn comparable(answer: &Json) -> Json {
    let mut answer = answer.clone();
    for (of, field) in [("scan", "elapsed_us"), ("error", "message")] {
        if let Some(fields) = answer.get_mut(of).and_then(Json::as_object_mut) {
            fields.remove(field);
        }
    }
    answer
}

#[test]
fn the_binary_conforms() {
    check(|place| Binary { place: place.clone() });
}
