//! Keeps events.
