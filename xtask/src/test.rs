//! `cargo xtask test`: everything that must pass.

use crate::step::{self, Failure, cargo};

/// Runs every test, builds what is not a test but must build, tests the Python and the npm package, loads the published
/// collections, and has others' clients ask the MCP server.
pub(crate) fn run() -> Result<(), Failure> {
    // This builds the examples as well.
    step::run(&mut cargo(&["test", "--workspace"]))?;
    step::run(
        cargo(&["build", "--manifest-path", "fuzz/Cargo.toml", "--bins", "--examples"])
            .args(["--target-dir", "target/fuzz"]),
    )?;
    crate::python::test()?;
    crate::node::test()?;
    crate::collections::run(None)?;
    crate::test_mcp::run()
}
