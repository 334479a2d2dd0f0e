//! Trees for tests.
