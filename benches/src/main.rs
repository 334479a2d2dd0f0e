//! Measures Prowess and others. `cargo xtask bench` builds what is needed and runs this.

mod growth;
mod measure;
mod peers;
mod table;
mod trees;
mod walks;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: prowess-benches PROWESS [walk | growth | whole | fresh]...";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["once", what, walk, root] => {
            walks::once(what, walk, root);
            Ok(())
        }
        [prowess] => ["walk", "growth", "whole"].iter().try_for_each(|part| report(part, prowess.as_ref())),
        [prowess, parts @ ..] => parts.iter().try_for_each(|part| report(part, prowess.as_ref())),
        [] => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn report(part: &str, prowess: &Path) -> Result<(), String> {
    match part {
        "walk" => walks::report(),
        "growth" => growth::report(),
        "whole" => peers::report(prowess),
        "fresh" => trees::remove_all().map_err(|error| error.to_string()),
        _ => Err(USAGE.to_owned()),
    }
}
