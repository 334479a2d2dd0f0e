//! An MCP server over a skill library: for any client that speaks MCP, the same skills, the same parser and the same
//! rule of who may see what as everywhere else in Prowess.
//!
//! ```no_run
//! use prowess::{Library, LoadOptions, Roots};
//! use prowess_mcp::{Options, Server};
//!
//! let library = Library::load(&Roots::agents("/src/project", "/home/user"), &LoadOptions::new());
//! prowess_mcp::serve_stdio(Server::new(library, Options::new()))?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Concepts
//!
//! 1. **Tools** for every client: `list_skills`, `activate_skill`, `read_skill_resource`, `why_skill`. The catalog stands
//!    in the description of `activate_skill` and in the server's instructions. Every skill that the user may activate is
//!    a prompt.
//! 2. **The Skills extension** (SEP-2640) for clients that have it: `skills/list`, `skills/get`,
//!    `resources/directory/read`, and `resources/read` of every file as it is, byte for byte. A skill whose name that
//!    extension does not allow is left out of the list and named beside it.
//! 3. **Freshness.** Before each answer the roots are searched again, so that an edited skill is served edited, however
//!    lately it was edited; only the later pages of a listing show what was found for the first one, for five seconds. With
//!    [`Server::watch`] clients also hear of changes before they ask: that lists have changed, when a skill or a file of one
//!    has, and that a file has which they subscribed to.
//! 4. **Sessions.** Each connection has a ledger. A server can't see what its client's conversation still holds, so a body
//!    is delivered as often as it is asked for, unless [`Options::dedup`] says for how long it may be taken to be there.
//!    The revision 2026-07-28 has no sessions over HTTP: there each request stands for itself. Nothing is taken to be
//!    there, and that the user has activated a skill that only the user may is not known to `read_skill_resource` later;
//!    the client reads the files of such a skill with `resources/read`.
//!
//! # Features
//!
//! * `http` (on by default): streamable HTTP beside stdio.
//!
//! # What it does not do
//!
//! It executes nothing, writes nothing, and decides nothing about skills: rules are the core's.

#![forbid(unsafe_code)]

mod address;
mod changes;
mod end;
#[cfg(feature = "http")]
mod http;
mod manifest;
mod options;
mod page;
#[cfg(feature = "http")]
mod pages;
mod prompts;
mod resources;
mod server;
mod session;
#[cfg(feature = "http")]
mod sessions;
mod shelf;
mod stdio;
mod tools;
mod unread;
mod watch;

#[cfg(feature = "http")]
pub use self::http::{HttpOptions, serve_http};
pub use self::options::{CatalogPlace, Options};
pub use self::server::Server;
pub use self::stdio::{serve_lines, serve_stdio};
