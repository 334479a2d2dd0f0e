//! What ends a command early: a code, a message, and the exit code of its kind.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use prowess::{Error, json};
use prowess_args::exit::{self, ENVIRONMENT, USAGE};
use prowess_select::ErrorKind as SelectKind;

use crate::output::Output;

/// As shells have it for a program that an interrupt ended.
pub(crate) const INTERRUPTED: u8 = 130;

#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of stdout has gone. That is no failure.
    Closed,
    /// Something to tell.
    Told { code: &'static str, message: String, candidates: Vec<String>, exit: u8 },
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Told { code: "usage", message: message.into(), candidates: Vec::new(), exit: USAGE }
    }

    /// What the system refused.
    pub(crate) fn io(message: impl Into<String>) -> Self {
        Self::Told { code: "io", message: message.into(), candidates: Vec::new(), exit: ENVIRONMENT }
    }

    /// What a model did not do.
    #[cfg(feature = "select")]
    pub(crate) fn model(message: impl Into<String>) -> Self {
        Self::Told { code: "model", message: message.into(), candidates: Vec::new(), exit: ENVIRONMENT }
    }

    /// What an interrupt cut short.
    #[cfg(feature = "select")]
    pub(crate) fn interrupted(message: impl Into<String>) -> Self {
        Self::Told { code: "cancelled", message: message.into(), candidates: Vec::new(), exit: INTERRUPTED }
    }

    /// Prints it: as JSON on stdout, or in words on stderr.
    pub(crate) fn report(self, output: &mut Output) -> ExitCode {
        let Self::Told { code, message, candidates, exit } = self else {
            return ExitCode::SUCCESS;
        };
        if !output.is_json() {
            output.error(&message);
            return ExitCode::from(exit);
        }
        let printed = output.json(&json::failure(code, &message, &candidates));
        match printed.and_then(|()| output.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                output.error(&cannot_write(&error));
                ExitCode::from(ENVIRONMENT)
            }
            _ => ExitCode::from(exit),
        }
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        Self::Told {
            code: error.kind().as_str(),
            message: error.to_string(),
            candidates: error.candidates().to_vec(),
            exit: exit::code(error.kind()),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

impl From<prowess_select::Error> for Failure {
    fn from(error: prowess_select::Error) -> Self {
        let exit = match error.kind() {
            SelectKind::Usage => USAGE,
            SelectKind::Cancelled => INTERRUPTED,
            _ => ENVIRONMENT,
        };
        Self::Told { code: error.kind().as_str(), message: error.to_string(), candidates: Vec::new(), exit }
    }
}

/// Errors of printing; what else the system refuses is said with [`Failure::io`].
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::Closed } else { Self::io(cannot_write(&error)) }
    }
}

fn cannot_write(error: &io::Error) -> String {
    format!("can't write: {error}")
}

/// A command line that does not parse: help and version go to stdout, the rest is a usage error with a hint.
pub(crate) fn of_usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && wants_json(std::env::args_os().skip(1)) {
        let failure = Failure::Told {
            code: "usage",
            message: what_is_wrong(error),
            candidates: suggestions(error),
            exit: USAGE,
        };
        return failure.report(&mut Output::for_json());
    }
    // A terminal that has gone can't be told.
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
}

/// Whether `--json` stands among options that could not be parsed.
fn wants_json(arguments: impl IntoIterator<Item = OsString>) -> bool {
    arguments.into_iter().take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

/// The first paragraph of clap's message, as one line; hint and usage follow it.
fn what_is_wrong(error: &clap::Error) -> String {
    let message = error.to_string();
    let lines = message.trim_start_matches("error: ").lines();
    let paragraph: Vec<&str> = lines.map(str::trim).take_while(|line| !line.is_empty()).collect();
    paragraph.join(" ")
}

/// What could have been meant, best first; clap has the best last.
fn suggestions(error: &clap::Error) -> Vec<String> {
    const SUGGESTIONS: [ContextKind; 3] =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    let suggested = SUGGESTIONS.iter().filter_map(|kind| error.get(*kind));
    let texts = suggested.flat_map(|value| match value {
        ContextValue::String(text) => vec![text.clone()],
        ContextValue::Strings(texts) => texts.clone(),
        _ => Vec::new(),
    });
    let mut texts: Vec<String> = texts.collect();
    texts.reverse();
    texts
}
