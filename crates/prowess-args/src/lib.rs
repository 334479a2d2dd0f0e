//! What the executables of Prowess share: the options of every command, and the roots, limits and counters that these
//! mean; and the options of `prowess mcp`, which `prowess` explains and `prowess-mcp` obeys.
//!
//! ```
//! use clap::Parser;
//! use prowess::Library;
//! use prowess_args::Global;
//!
//! #[derive(Parser)]
//! struct Cli {
//!     #[command(flatten)]
//!     global: Global,
//! }
//!
//! let global = Cli::parse_from(["program", "--root", "user=/home/user/skills"]).global;
//! let library = Library::load(&global.roots()?, &global.load_options(global.max_depth)?);
//! # Ok::<(), prowess::Error>(())
//! ```

#![forbid(unsafe_code)]

mod defaults;
pub mod exit;
mod global;
mod mcp;
mod trust;

pub use self::defaults::absolute;
pub use self::global::{Color, Global, PresetArg, Tokens};
pub use self::mcp::{McpArgs, PlaceArg};
pub use self::trust::untrusted;
