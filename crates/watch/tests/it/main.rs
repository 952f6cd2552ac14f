//! The tests of watching, through its public face.

mod anomalies;
mod events;
mod groups;
mod model;
mod support;
mod thresholds;
mod times;
