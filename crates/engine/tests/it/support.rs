//! What the tests of whole queries stand on: a store with events in the places that a test wants, JSON queries, and
//! answers in plain values.

pub(crate) mod body;
pub(crate) mod engines;
pub(crate) mod house;
pub(crate) mod naive;
pub(crate) mod pipes;
pub(crate) mod reply;
pub(crate) mod tables;
