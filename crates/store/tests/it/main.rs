//! The store through its public face, on a real folder and a real catalogue.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, which names the line")]

mod events;
mod house;
mod life;
mod properties;
