//! What ends a command early: a code, a message, and the exit code of its kind.

use std::io;
use std::process::ExitCode;

use prowess::{Error, ErrorKind, json};

use crate::output::{Output, safe};

/// The exit codes, as documented.
const REFUSED: u8 = 1;
const USAGE: u8 = 2;
const ENVIRONMENT: u8 = 3;

#[derive(Debug)]
pub(crate) struct Failure {
    code: &'static str,
    message: String,
    candidates: Vec<String>,
    exit: u8,
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            code: "usage",
            message: message.into(),
            candidates: Vec::new(),
            exit: USAGE,
        }
    }

    /// Prints it: as JSON on stdout, or in words on stderr. A reader that has gone is no failure.
    pub(crate) fn report(self, output: &mut Output) -> ExitCode {
        if self.code == "closed" {
            return ExitCode::SUCCESS;
        }
        if output.is_json() {
            let printed = output.json(&json::failure(self.code, &self.message, &self.candidates));
            let flushed = printed.and_then(|()| output.flush());
            return ExitCode::from(if flushed.is_ok() { self.exit } else { ENVIRONMENT });
        }
        output.error(&self.message);
        ExitCode::from(self.exit)
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let exit = match error.kind() {
            ErrorKind::Io => ENVIRONMENT,
            ErrorKind::Usage => USAGE,
            _ => REFUSED,
        };
        Self {
            code: error.kind().as_str(),
            message: error.to_string(),
            candidates: error.candidates().to_vec(),
            exit,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let closed = error.kind() == io::ErrorKind::BrokenPipe;
        let code = if closed { "closed" } else { "io" };
        Self {
            code,
            message: format!("can't write: {error}"),
            candidates: Vec::new(),
            exit: ENVIRONMENT,
        }
    }
}

/// A command line that does not parse: help and version go to stdout, the rest is a usage error with a hint.
pub(crate) fn of_usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && std::env::args().any(|argument| argument == "--json") {
        let message = error.to_string();
        let first = message
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches("error: ");
        let mut output = Output::for_json();
        return Failure::usage(safe(first)).report(&mut output);
    }
    // A terminal that has gone can't be told.
    let _ = error.print();
    if error.use_stderr() {
        ExitCode::from(USAGE)
    } else {
        ExitCode::SUCCESS
    }
}
