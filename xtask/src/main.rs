//! The project's own commands: `cargo xtask COMMAND`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "commands talk to a person")]

mod bench;
mod collections;
mod deny;
mod lint;
mod model;
mod step;
mod test;
mod test_mcp;

use std::process::ExitCode;

use step::Failure;

const USAGE: &str = "\
usage: cargo xtask COMMAND

commands:
  test                         everything that must pass, on a fresh machine too
  test-mcp                     the MCP server, by clients that others wrote (installs them below target)
  lint                         clippy, formatting and documentation, without a warning
  collections [--binary PATH]  loads skill collections that others published, and counts what became of them
  test-model [qwen|smollm2]    the commands that ask a model, against a real one that it fetches (500 MB)
  bench [walk|growth|whole|fresh]...
                               times: the walk, how they grow, whole programs beside others (installs them below target);
                               `fresh` makes the trees anew
  deny [CHECK...]              licences and sources of all dependencies (installs cargo-deny)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["test"] => test::run(),
        ["test-mcp"] => test_mcp::run(),
        ["lint"] => lint::run(),
        ["collections"] => collections::run(None),
        ["collections", "--binary", path] => collections::run(Some(path.as_ref())),
        ["test-model"] => model::run(None),
        ["test-model", kind @ ("qwen" | "smollm2")] => model::run(Some(kind)),
        ["bench", parts @ ..] => bench::run(parts),
        ["deny", checks @ ..] => deny::run(checks),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(Failure { code: 2, message: USAGE.to_owned() }),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{}", failure.message);
            ExitCode::from(failure.code)
        }
    }
}
