//! Counting what `prowess list --json` says about one collection.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::step::Failure;

/// The states of a `SKILL.md`, each with the list of the JSON that has one entry for each file in it.
const STATES: [(&str, &str); 4] =
    [("loaded", "skills"), ("shadowed", "shadowed"), ("duplicate", "duplicates"), ("invalid", "invalid")];

/// How far down a file that did not load is searched for a description.
const LINES_SEARCHED: usize = 60;

/// What became of a collection's skills.
#[derive(Debug, Default)]
pub(super) struct Report {
    scanned: u64,
    /// How many files are in each of [`STATES`].
    states: [usize; STATES.len()],
    codes: BTreeMap<String, usize>,
    /// Location and code of each invalid file that has a line beginning with `description:`, for a person to judge.
    doubtful: Vec<(String, String)>,
}

impl Report {
    /// Lists a directory with the given binary and counts the answer.
    pub(super) fn of(binary: &Path, scope: &str, directory: &Path) -> Result<Report, Failure> {
        let output = Command::new(binary)
            .args(["list", "--json", "--max-depth", "12", "--max-directories", "100000", "--root"])
            .arg(format!("{scope}={}", directory.display()))
            .output()
            .map_err(|error| Failure::new(format!("`{}` did not start: {error}", binary.display())))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(Failure::new(format!("`list` failed ({}): {}", output.status, said.trim())));
        }
        let answer = serde_json::from_slice(&output.stdout)
            .map_err(|error| Failure::new(format!("`list --json` printed no JSON: {error}")))?;
        Report::count(&answer)
    }

    fn count(answer: &Value) -> Result<Report, Failure> {
        let scanned = answer["scan"]["skill_files"]
            .as_u64()
            .ok_or_else(|| Failure::new("`list --json` has no `scan.skill_files`"))?;
        let mut report = Report { scanned, ..Report::default() };
        for (count, (_, list)) in report.states.iter_mut().zip(STATES) {
            *count = entries(answer, list)?.len();
        }
        for diagnostic in entries(answer, "diagnostics")? {
            *report.codes.entry(text(diagnostic, "code")).or_default() += 1;
        }
        report.doubtful = entries(answer, "invalid")?
            .iter()
            .map(|file| (text(file, "location"), text(file, "code")))
            .filter(|(location, _)| seems_described(location))
            .collect();
        Ok(report)
    }

    /// Fails unless each file that was scanned is in one state, and as many were scanned as were counted by hand.
    pub(super) fn check(&self, counted: usize) -> Result<(), Failure> {
        let in_a_state: usize = self.states.iter().sum();
        if in_a_state as u64 == self.scanned && in_a_state == counted {
            return Ok(());
        }
        Err(Failure::new(format!(
            "{counted} skills are there, {} were scanned, and {in_a_state} are in a state",
            self.scanned
        )))
    }

    /// Adds the counts of another collection, but not its files.
    pub(super) fn add(&mut self, other: Report) {
        self.scanned += other.scanned;
        for (count, more) in self.states.iter_mut().zip(other.states) {
            *count += more;
        }
        for (code, count) in other.codes {
            *self.codes.entry(code).or_default() += count;
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {:>6} SKILL.md", self.scanned)?;
        for (count, (state, _)) in self.states.iter().zip(STATES) {
            writeln!(f, "  {count:>6}   {state}")?;
        }
        for (code, count) in &self.codes {
            writeln!(f, "  {count:>6} {code}")?;
        }
        for (location, code) in &self.doubtful {
            writeln!(f, "  has a description, but is invalid ({code}): {location}")?;
        }
        Ok(())
    }
}

fn entries<'a>(answer: &'a Value, list: &str) -> Result<&'a Vec<Value>, Failure> {
    answer[list].as_array().ok_or_else(|| Failure::new(format!("`list --json` has no list `{list}`")))
}

fn text(entry: &Value, field: &str) -> String {
    entry[field].as_str().unwrap_or_default().to_owned()
}

fn seems_described(location: &str) -> bool {
    let bytes = fs::read(location).unwrap_or_default();
    String::from_utf8_lossy(&bytes)
        .lines()
        .take(LINES_SEARCHED)
        .any(|line| line.trim_start().starts_with("description:"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Report;

    #[track_caller]
    fn check(scanned: usize, counted: usize, passes: bool) {
        let answer = json!({
            "skills": [{}, {}], "shadowed": [{}], "duplicates": [], "invalid": [{"code": "unreadable"}],
            "diagnostics": [{"code": "unreadable"}, {"code": "shadowed"}, {"code": "shadowed"}],
            "scan": {"skill_files": scanned},
        });
        let report = Report::count(&answer).unwrap();
        assert_eq!(report.states, [2, 1, 0, 1]);
        assert_eq!(report.codes["shadowed"], 2);
        assert_eq!(report.check(counted).is_ok(), passes);
    }

    #[test]
    fn every_file_must_be_in_a_state() {
        check(4, 4, true);
        check(5, 5, false);
        check(5, 4, false);
        check(4, 5, false);
    }

    #[test]
    fn an_answer_without_a_list_is_refused() {
        assert!(Report::count(&json!({"scan": {"skill_files": 0}})).is_err());
    }
}
