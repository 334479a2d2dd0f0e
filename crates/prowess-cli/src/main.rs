//! The command line of Prowess. It fills in the defaults that the core does not know (working directory, home,
//! terminal), calls the core, and prints.

#![forbid(unsafe_code)]

mod args;
mod check;
mod commands;
mod completions;
mod context;
mod demo;
mod failure;
mod locked;
mod mcp;
#[cfg(feature = "select")]
mod model;
mod output;
mod select;
mod session;
mod table;
mod trust;
mod why;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;

fn main() -> ExitCode {
    completions::answer();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::of_usage(&error),
    };
    let mut output = Output::new(&cli.global);
    match run(cli, &mut output).and_then(|code| Ok(output.flush().map(|()| code)?)) {
        Ok(code) => code,
        Err(failure) => failure.report(&mut output),
    }
}

fn run(cli: Cli, output: &mut Output) -> Result<ExitCode, Failure> {
    let load = |output: &mut Output| {
        let context = Context::load(&cli.global, output)?;
        trust::tell(&context, output);
        Ok::<_, Failure>(context)
    };
    // For what hands a skill to a model: who sits at a terminal is asked first.
    let ask = |name: Option<&str>, output: &mut Output| {
        let context = trust::ask(Context::load(&cli.global, output)?, name, &cli.global, output)?;
        trust::tell(&context, output);
        Ok::<_, Failure>(context)
    };
    match cli.command {
        Command::List => commands::list(&load(output)?, output)?,
        Command::Catalog(args) => commands::catalog(&ask(None, output)?, &args, output)?,
        Command::Cost(args) => commands::cost(&load(output)?, &args, output)?,
        Command::Activate(args) => commands::activate(&ask(Some(&args.name), output)?, &args, output)?,
        Command::Resource(args) => commands::resource(&ask(Some(&args.name), output)?, &args, output)?,
        Command::Select(args) => select::select(&ask(None, output)?, &args, output)?,
        #[cfg(feature = "select")]
        Command::Run(args) => model::run::run(&ask(None, output)?, &args, output)?,
        #[cfg(feature = "select")]
        Command::Eval(args) => model::eval::eval(&ask(None, output)?, &args, output)?,
        Command::Check(args) => return check::check(&cli.global, &args, output),
        Command::Why(args) => return why::why(&load(output)?, &args, output),
        Command::Completions(args) => completions::print(&args, output)?,
        Command::Compact(args) => session::compact(&load(output)?, &args, output)?,
        Command::Session(args) => session::session(&load(output)?, &args, output)?,
        Command::Trust(args) => trust::trust(&cli.global, &args, output)?,
        Command::Untrust(args) => trust::untrust(&cli.global, &args, output)?,
        Command::Mcp(_) => return mcp::start(),
        Command::Demo(args) => return demo::run(&args, output),
    }
    Ok(ExitCode::SUCCESS)
}
