//! An embeddable skill runtime.

#![forbid(unsafe_code)]

pub mod diagnostic;
pub mod error;
mod scan;
pub mod scope;
pub mod parse;
pub mod source;
pub mod value;
