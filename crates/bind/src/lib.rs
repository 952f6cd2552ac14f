//! Binds names: expressions of the tree become typed ones over the columns of a scan or of a table. It knows which fields
//! a dataset has and of which types; where a stage stands in a query, and what is read, is left to `engine`.

mod among;
mod bind;
mod operators;
mod scope;
mod special;
mod strict;
mod words;

pub use bind::check_constants;
pub use scope::{Missing, Scope, Surroundings};
pub use special::SPECIAL;
pub use words::unknown_field;
