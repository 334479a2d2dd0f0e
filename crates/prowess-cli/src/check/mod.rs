//! `check`: every diagnostic with its source line, and the corrections written back.

mod fix;
mod github;
mod render;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::diagnostic::{Diagnostic, Severity};
use prowess::{Library, json, lint};
use prowess_args::{Global, exit::ENVIRONMENT};

use crate::args::{CheckArgs, CheckFormat, FailOn};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;

/// What was looked at, and what was found.
struct Report {
    files: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Report {
    fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }

    /// The files that have a correction, each once, however many links lead to it.
    fn repairable(&self) -> Vec<&Path> {
        let repaired = self.diagnostics.iter().filter(|diagnostic| diagnostic.repair.is_some());
        let mut seen = HashSet::new();
        let mut is_new =
            |path: &Path| seen.insert(path.canonicalize().unwrap_or_else(|_| path.to_path_buf()));
        repaired.map(|diagnostic| diagnostic.path.as_path()).filter(|path| is_new(path)).collect()
    }
}

pub(crate) fn check(global: &Global, args: &CheckArgs, output: &mut Output) -> Result<ExitCode, Failure> {
    if let Some(CheckFormat::Json) = args.format {
        output.answer_in_json();
    }
    let mut report = gather(global, &args.paths, output)?;
    let mut unwritten = 0;
    if args.fix {
        for file in report.repairable() {
            match fix::fix(file) {
                Ok(lines) => output.note(&fix::said(file, lines)),
                Err(error) => {
                    unwritten += 1;
                    output.error(&format!("`{}` is left as it was: {error}", file.display()));
                }
            }
        }
        report = gather(global, &args.paths, output)?;
    }
    match args.format.unwrap_or(if output.is_json() { CheckFormat::Json } else { CheckFormat::Human }) {
        CheckFormat::Human => render::human(&report, output)?,
        CheckFormat::Github => github::annotations(&report, output)?,
        CheckFormat::Json => output.json(&json::check(&report.diagnostics, report.files))?,
    }
    if unwritten > 0 {
        return Ok(ExitCode::from(ENVIRONMENT));
    }
    let least = match args.fail_on {
        FailOn::Error => Some(Severity::Error),
        FailOn::Warning => Some(Severity::Warning),
        FailOn::Info => Some(Severity::Info),
        FailOn::Never => None,
    };
    let fails =
        least.is_some_and(|least| report.diagnostics.iter().any(|diagnostic| diagnostic.severity >= least));
    Ok(ExitCode::from(u8::from(fails)))
}

/// Loads the default roots, or each path by itself, and looks for everything.
fn gather(global: &Global, paths: &[PathBuf], output: &mut Output) -> Result<Report, Failure> {
    let contexts = match paths {
        [] => vec![Context::load(global, output)?],
        paths => {
            each_once(paths).map(|path| Context::load_path(global, path)).collect::<Result<Vec<_>, _>>()?
        }
    };
    let mut report = Report { files: 0, diagnostics: Vec::new() };
    for context in &contexts {
        let library: &Library = &context.library;
        report.files += library.scan().skill_files;
        report.diagnostics.extend(lint::check(library, &context.full_catalog()));
    }
    let place = |diagnostic: &Diagnostic| (diagnostic.path.clone(), diagnostic.span.map(|span| span.start));
    report.diagnostics.sort_by_key(place);
    Ok(report)
}

/// The paths without those that are, or lead to, what an earlier one is.
fn each_once(paths: &[PathBuf]) -> impl Iterator<Item = &PathBuf> {
    let mut seen = HashSet::new();
    paths.iter().filter(move |path| seen.insert(path.canonicalize().unwrap_or_else(|_| (*path).clone())))
}

/// A path as seen from the working directory, if it lies below it.
fn relative(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}
