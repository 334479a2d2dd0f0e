//! `mcp`: the library for clients that speak MCP.

use std::net::SocketAddr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use prowess_mcp::{CatalogPlace, HttpOptions, Options, Server};
use serde_json::json;

use crate::args::Global;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Listen for streamable HTTP instead, at this address and the path /mcp
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, default_missing_value = "127.0.0.1:8808")]
    http: Option<SocketAddr>,
    /// Let HTTP requests name this host, beside the loopback ones; repeatable
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// Let pages of this origin in, beside the loopback ones; repeatable
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// The most that the catalog may cost, in tokens
    #[arg(long, value_name = "N", default_value_t = 8000)]
    budget: usize,
    /// Where the catalog stands: in the description of the tool, in the server's instructions, or in both
    #[arg(long, value_enum, default_value_t)]
    catalog: PlaceArg,
    /// Answer with a short note when an unchanged skill is activated again within this time; default: never
    #[arg(long, value_name = "SECONDS")]
    dedup: Option<u64>,
    /// Print what a client's configuration needs for a server with these options, and end
    #[arg(long)]
    print_config: bool,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum PlaceArg {
    #[default]
    Both,
    Tool,
    Instructions,
}

pub(crate) fn serve(global: &Global, args: &McpArgs, output: &mut Output) -> Result<(), Failure> {
    if args.print_config {
        return print_config(output);
    }
    let context = Context::load(global, output)?;
    let place = match args.catalog {
        PlaceArg::Both => CatalogPlace::Both,
        PlaceArg::Tool => CatalogPlace::Tool,
        PlaceArg::Instructions => CatalogPlace::Instructions,
    };
    let mut options = Options::new().budget(args.budget).catalog(place);
    if let Some(seconds) = args.dedup {
        options = options.dedup(Duration::from_secs(seconds));
    }
    let server = Server::new(context.library, options);
    server.watch();
    let served = match args.http {
        None => prowess_mcp::serve_stdio(server),
        Some(address) => {
            let options = HttpOptions::new(address);
            let options = args.allow_host.iter().fold(options, |options, host| options.host(host));
            let options = args.allow_origin.iter().fold(options, |options, origin| options.origin(origin));
            prowess_mcp::serve_http(server, options, |address| output.note(&format!("http://{address}/mcp")))
        }
    };
    served.map_err(|error| Failure::io(error.to_string()))
}

/// The form that most clients share: a program and its arguments, which are those of this call.
fn print_config(output: &mut Output) -> Result<(), Failure> {
    let program = std::env::current_exe().map_err(|error| Failure::io(error.to_string()))?;
    let arguments = std::env::args_os().skip(1).filter(|argument| argument != "--print-config");
    let arguments: Vec<String> = arguments.map(|argument| argument.to_string_lossy().into_owned()).collect();
    let server = json!({"command": program.to_string_lossy(), "args": arguments});
    Ok(output.json(&json!({"mcpServers": {"prowess": server}}))?)
}
