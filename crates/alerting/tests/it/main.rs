//! The tests of watching, through its public face.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, which names the line")]

mod anomalies;
mod events;
mod groups;
mod model;
mod stored_states;
mod support;
mod thresholds;
mod times;
