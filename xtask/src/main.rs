//! The project's own commands: `cargo xtask COMMAND`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "commands talk to a person")]

mod bench;
mod bench_mcp;
mod collections;
mod deny;
mod dist;
mod fuzz;
mod lint;
mod model;
mod node;
mod process;
mod python;
mod soak;
mod step;
mod test;
mod test_mcp;
mod venv;

use std::process::ExitCode;

use step::Failure;

const USAGE: &str = "\
usage: cargo xtask COMMAND

commands:
  test                         everything that must pass, on a fresh machine too
  test-python                  the Python package: its tests, its types, and the recipes with real SDKs
  bench-python                 the Python package against others of PyPI, over 1,000 skills
  test-node                    the npm package: its tests, its types, and the recipes with real SDKs
  bench-node                   a load by the npm package, beside the same work done with other packages
  test-mcp                     the MCP server, by clients that others wrote (installs them below target)
  bench-mcp                    the MCP server's figures beside those of others (Linux; installs them below target)
  soak [MINUTES]               the MCP server under clients while skills change; 10 minutes by default (Linux)
  lint                         clippy, formatting and documentation, without a warning
  collections [--binary PATH]  loads skill collections that others published, and counts what became of them
  fuzz [--sanitizer none|address] [SECONDS] [TARGET...]
                               every fuzz target for 60 seconds (installs cargo-fuzz); fails on a crash or time-out
  test-model [qwen|smollm2]    the commands that ask a model, against a real one that it fetches (500 MB)
  bench [walk|growth|whole|fresh]...
                               times: the walk, how they grow, whole programs beside others (installs them below target);
                               `fresh` makes the trees anew
  dist                         what is published: programs, wheel, source distribution and npm package, summed up and tried
  deny [CHECK...]              licences and sources of all dependencies (installs cargo-deny)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["test"] => test::run(),
        ["test-python"] => python::test(),
        ["bench-python"] => python::bench(),
        ["test-node"] => node::test(),
        ["bench-node"] => node::bench(),
        ["test-mcp"] => test_mcp::run(),
        ["bench-mcp"] => bench_mcp::run(),
        ["soak"] => soak::run("10"),
        ["soak", minutes] => soak::run(minutes),
        ["lint"] => lint::run(),
        ["collections"] => collections::run(None),
        ["collections", "--binary", path] => collections::run(Some(path.as_ref())),
        ["test-model"] => model::run(None),
        ["test-model", kind @ ("qwen" | "smollm2")] => model::run(Some(kind)),
        ["bench", parts @ ..] => bench::run(parts),
        ["fuzz", arguments @ ..] => fuzz::run(arguments),
        ["dist"] => dist::run(),
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
