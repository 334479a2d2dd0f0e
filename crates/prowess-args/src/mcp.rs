use std::net::SocketAddr;

use clap::{Args, ValueEnum};

/// Options of the MCP server.
#[derive(Debug, Clone, Args)]
pub struct McpArgs {
    /// Listen for streamable HTTP instead, at this address and the path /mcp; the URL is printed
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, default_missing_value = "127.0.0.1:8808")]
    pub http: Option<SocketAddr>,
    /// Let HTTP requests name this host, beside the loopback ones; repeatable
    #[arg(long, value_name = "HOST", requires = "http")]
    pub allow_host: Vec<String>,
    /// Let pages of this origin in, beside the loopback ones; repeatable
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub allow_origin: Vec<String>,
    /// The most that the catalog may cost, in tokens
    #[arg(long, value_name = "N", default_value_t = 8000)]
    pub budget: usize,
    /// Where the catalog stands: in the description of the tool, in the server's instructions, or in both
    #[arg(long, value_enum, default_value_t)]
    pub catalog: PlaceArg,
    /// Answer with a short note when an unchanged skill is activated again within this time, in the same session: over
    /// HTTP the revision 2026-07-28 has none; default: never
    #[arg(long, value_name = "SECONDS")]
    pub dedup: Option<u64>,
    /// Print what a client's configuration needs for a server with these options, and end
    #[arg(long)]
    pub print_config: bool,
}

/// Where the catalog stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "clap would print a variant's text in every help")]
pub enum PlaceArg {
    #[default]
    Both,
    Tool,
    Instructions,
}
