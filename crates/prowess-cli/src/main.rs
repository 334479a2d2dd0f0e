//! The command line of Prowess.
fn main() {}
