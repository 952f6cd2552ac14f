//! The engine through its public face, and its aggregates through the plans they are made for.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, which names the line")]

mod functions;
