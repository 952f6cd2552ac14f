//! The query tree and the ways to it: the JSON query of the contract, and text. Pure: no I/O, no clock, no panic on
//! any input. What a tree means for stored events is left to `engine`.

pub mod dataset_query;
pub mod diagnostic;
pub mod functions;
pub mod tree;

pub use diagnostic::{Diagnostic, Span};
