//! `prowess-mcp`: the MCP server, as a program. `prowess mcp` starts it.

#![forbid(unsafe_code)]

mod config;
mod findings;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};
use prowess::text::visible;
use prowess::{Error, ErrorKind, Library, json};
use prowess_args::{Global, McpArgs, PlaceArg, exit};
use prowess_mcp::{CatalogPlace, HttpOptions, Options, Server};

/// Serve Agent Skills to any client that speaks MCP, over stdin and stdout or HTTP
#[derive(Debug, Parser)]
#[command(name = "prowess-mcp", version, max_term_width = 80)]
#[command(after_help = "\
Examples:
  prowess-mcp
  prowess-mcp --http
  prowess-mcp --project ~/src/app --print-config")]
struct Cli {
    /// The command as `prowess` hands it on
    #[arg(hide = true, value_parser = ["mcp"])]
    command: Option<String>,
    #[command(flatten)]
    args: McpArgs,
    #[command(flatten)]
    global: Global,
}

fn main() -> ExitCode {
    let matches = Cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let Err(error) = run(&cli, &matches) else { return ExitCode::SUCCESS };
    match cli.global.json {
        true => print(&json::error(&error).to_string()),
        false => talk(&format!("error: {error}")),
    }
    ExitCode::from(exit::code(error.kind()))
}

fn run(cli: &Cli, matches: &ArgMatches) -> Result<(), Error> {
    let (roots, load) = (cli.global.roots()?, cli.global.load_options(cli.global.max_depth)?);
    if cli.args.print_config {
        let config = config::render(&cli.args, matches)?;
        print(&format!("{config:#}"));
        return Ok(());
    }
    for place in cli.global.missing().filter(|_| !cli.global.quiet) {
        talk(&format!("no directory: {}", place.display()));
    }
    let library = Library::load(&roots, &load);
    for line in prowess_args::untrusted(&library).filter(|_| !cli.global.quiet) {
        talk(&line);
    }
    for line in findings::of_load(&library, &cli.global) {
        talk(&line);
    }
    let server = Server::new(library, options(cli));
    for line in findings::left_out(&server.left_out()).iter().filter(|_| !cli.global.quiet) {
        talk(line);
    }
    server.watch();
    let served = match cli.args.http {
        None => prowess_mcp::serve_stdio(server),
        Some(address) => {
            prowess_mcp::serve_http(server, http_options(&cli.args, address), |address| print(&url(address)))
        }
    };
    served.map_err(|error| Error::new(ErrorKind::Io, error.to_string()))
}

fn options(cli: &Cli) -> Options {
    let place = match cli.args.catalog {
        PlaceArg::Both => CatalogPlace::Both,
        PlaceArg::Tool => CatalogPlace::Tool,
        PlaceArg::Instructions => CatalogPlace::Instructions,
    };
    let options = Options::new().budget(cli.args.budget).catalog(place).tokenizer(cli.global.tokenizer());
    match cli.args.dedup {
        Some(seconds) => options.dedup(Duration::from_secs(seconds)),
        None => options,
    }
}

fn http_options(args: &McpArgs, address: SocketAddr) -> HttpOptions {
    let options = HttpOptions::new(address);
    let options = args.allow_host.iter().fold(options, |options, host| options.host(host));
    args.allow_origin.iter().fold(options, |options, origin| options.origin(origin))
}

fn url(address: SocketAddr) -> String {
    format!("http://{address}/mcp")
}

/// Writes data. Whoever no longer reads it is served all the same.
fn print(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
}

/// Says something that is no data. Nobody is left to be told that stderr has gone.
fn talk(text: &str) {
    let _ = writeln!(io::stderr(), "{}", visible(text));
}
