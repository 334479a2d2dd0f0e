//! Completion: the script that a shell loads, and the answers to its questions.

use clap::CommandFactory;
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, CompletionCandidate};
use prowess::{Library, LoadOptions, Roots};

use crate::args::{Cli, CompletionsArgs};
use crate::failure::Failure;
use crate::output::Output;

/// The variable by which a shell asks.
const VARIABLE: &str = "COMPLETE";

/// Answers a shell that asks for completions, and ends the program then.
pub(crate) fn answer() {
    CompleteEnv::with_factory(Cli::command).var(VARIABLE).complete();
}

pub(crate) fn print(args: &CompletionsArgs, output: &mut Output) -> Result<(), Failure> {
    let shells = Shells::builtins();
    let shell =
        shells.completer(&args.shell).ok_or_else(|| Failure::usage(format!("no shell `{}`", args.shell)))?;
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "prowess", "prowess", "prowess", &mut script)?;
    Ok(output.exact(&script)?)
}

/// The names of the skills that the working directory and the home have.
pub(crate) fn skill_names() -> Vec<CompletionCandidate> {
    let project = std::env::current_dir().unwrap_or_default();
    let roots = Roots::agents(project, std::env::home_dir().unwrap_or_default());
    let library = Library::load(&roots, &LoadOptions::new());
    let candidate = |name: &str, description: &str| {
        let first = description.lines().next().unwrap_or_default().to_owned();
        CompletionCandidate::new(name).help(Some(first.into()))
    };
    library.skills().iter().map(|skill| candidate(library.call_name(skill), skill.description())).collect()
}
