//! The exit codes, as documented.

use prowess::ErrorKind;

/// Not found, or refused.
const REFUSED: u8 = 1;
/// Wrong usage.
pub const USAGE: u8 = 2;
/// The system, the network or a model failed.
pub const ENVIRONMENT: u8 = 3;

/// The exit code of an error of this kind.
#[must_use]
pub fn code(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Io => ENVIRONMENT,
        ErrorKind::Usage => USAGE,
        _ => REFUSED,
    }
}
