//! An embeddable skill runtime: finds Agent Skills, tells a model that they exist, hands over a body when the model asks
//! for it, and keeps account of what the conversation holds.
//!
//! ```no_run
//! use prowess::{Catalog, CatalogOptions, Ledger, Library, LoadOptions, Roots};
//!
//! let library = Library::load(&Roots::agents("/src/project", "/home/user"), &LoadOptions::new());
//! for diagnostic in library.diagnostics() {
//!     eprintln!("{diagnostic}");
//! }
//! let catalog = Catalog::build(&library, &CatalogOptions::new().budget(4_000));
//! let system = format!("You are an agent.\n\n{}", catalog.text());
//!
//! // for every tool call of the model, with its name, arguments and id:
//! let mut ledger = Ledger::new();
//! if let Some(request) = library.request("activate_skill", r#"{"name": "pdf-forms"}"#) {
//!     let text = request.deliver(&mut ledger, "call-1").into_text();
//! }
//! ```
//!
//! # Concepts
//!
//! 1. **Disclosure.** [`Roots`] say where to look. [`Library::load`] finds every `SKILL.md` there, reads its frontmatter
//!    leniently, and puts each in one state with a reason. The [`Catalog`] is the text that the model sees every turn.
//! 2. **Activation.** A [`Request`](activate::Request) names a skill; the host delivers or denies it. The body is read
//!    from the disk at that moment. The [`Ledger`] knows which bodies the conversation holds.
//!    A conversation that has grown too long is [compacted](Ledger::plan_compaction): bodies come back whole, or as stubs.
//! 3. **Execution.** A skill's files are read one at a time, [confined](Library::resource) to its directory.
//!
//! # What it does not do
//!
//! It chooses no skill: the model does. It executes nothing, opens no socket, prints nothing, reads no environment
//! variable and no current directory, and has no global state. A load never fails as a whole: what a skill's author can
//! fix is a [`Diagnostic`](diagnostic::Diagnostic), what the host must fix is an [`Error`].
//!
//! # Features
//!
//! * `lint`: what `prowess check` looks for beyond a load.
//! * `serde` (on by default): the JSON shapes in `json`, and the definitions and the dispatch in `tools`, the
//!   conversations in `messages`, and a session as JSON.

#![forbid(unsafe_code)]
// No call panics, whatever it is given. What can't be said to the compiler is an exception with its reason.
#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::get_unwrap,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable,
        clippy::unwrap_used,
    )
)]

pub mod activate;
pub mod catalog;
pub mod compact;
pub mod diagnostic;
pub mod error;
pub mod explain;
pub mod files;
#[cfg(feature = "serde")]
pub mod json;
pub mod ledger;
pub mod library;
#[cfg(feature = "lint")]
pub mod lint;
pub mod mention;
#[cfg(feature = "serde")]
pub mod messages;
pub mod parse;
pub mod resource;
pub mod scope;
pub mod skill;
pub mod source;
pub mod text;
pub mod tokens;
#[cfg(feature = "serde")]
pub mod tools;
pub mod trust;
pub mod value;

mod near;
mod scan;
mod told;
mod word;

pub use catalog::{Catalog, CatalogOptions};
pub use error::{Error, ErrorKind};
pub use ledger::Ledger;
pub use library::{Library, LoadOptions, Origin, Policy};
pub use scope::Roots;

/// The code in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
