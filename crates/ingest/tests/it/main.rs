//! Tests of reading bodies, through the public face of the crate.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod chunks;
mod csv;
mod decompress;
mod events;
mod fields;
mod flattening;
mod hostile;
mod labels;
mod layouts;
mod lines;
mod malformed;
mod properties;
mod support;
mod times;
mod values;
