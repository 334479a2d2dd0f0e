//! `prowess._prowess`: the core for Python. Reports, messages and tool calls cross the border as JSON text; the package in
//! `python/prowess` makes objects of it.
//!
//! Whatever reads a disk or takes long is detached from the interpreter. A ledger's lock is taken there as well, and
//! nothing waits for the interpreter while it holds one.

mod convert;
mod ledger;
mod library;

use pyo3::prelude::*;

#[pymodule]
mod _prowess {
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    use super::ledger::{Ledger, Plan};
    #[pymodule_export]
    use super::library::{Library, Request};
    #[pymodule_export]
    use super::placement;
}

#[pyfunction]
fn placement(text: &str) -> String {
    prowess::messages::placement(text)
}
