//! The query tree and the ways to it: the JSON query of the contract, and text. Pure: no I/O, no clock, no panic on
//! any input. What a tree means for stored events is left to `engine`.

pub mod complete;
mod cursor;
pub mod dataset_query;
mod datetime;
pub mod diagnostic;
mod format;
pub mod functions;
mod lexer;
mod parser;
mod print;
mod program;
pub mod reference;
mod resolve;
mod sources;
pub mod stages;
mod suggest;
mod timespan;
pub mod tree;

pub use complete::complete;
pub use datetime::read_datetime;
pub use diagnostic::{Diagnostic, Position, Span};
pub use format::format;
pub use parser::parse_expression;
pub use print::{print_expression, print_query, print_stage};
pub use program::parse_query;
pub use resolve::{OWN_FIELD, Resolved, dataset_names, resolve, resolve_view, set_range};
pub use suggest::nearest;
pub use timespan::read as read_timespan;
