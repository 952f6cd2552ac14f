//! Made-up events for measurements: streams that are the same for the same seed, byte for byte, on every machine.
//! `event` writes one of web-service logs, `firehose` one of a social network; the files beside them hold what they draw
//! from. Measuring is left to `benches`. `demo` has others, which are to be looked at.

pub mod demo;
pub mod draws;
pub mod event;
pub mod family;
pub mod firehose;
pub mod fleet;
pub mod lines;
pub mod message;
pub mod pace;
pub mod questions;
pub mod shape;
pub mod text;
pub mod words;

pub use event::Events;
pub use family::Family;
pub use lines::write;
pub use pace::Pace;
pub use shape::Shape;

#[cfg(test)]
mod tests;
