//! What is kept of blocks between queries, because blocks never change: decoded columns, strings without their templates,
//! which are also searched in that form, and partial aggregates. All of it goes with its segments. What is read and
//! computed, and for whom, is left to `engine`.

mod columns;
mod forget;
pub mod partials;
pub mod templates;

pub use columns::{ColumnCache, Kept, Narrow};
pub use forget::{Columns, Keeping};
