//! Computes: values whose types are known, expressions over the columns of some rows, and the functions that queries
//! call, over Arrow arrays alone. It reads nothing and waits for nothing; memory and time are handed in. Where columns
//! come from, which names mean them and what becomes of the results is left to `engine`.

mod columns;
mod error;
mod lookup;
mod notices;
mod search;
mod value;

pub mod expr;
pub mod functions;
pub mod kernels;
pub mod operators;
pub mod types;
pub mod words;

pub use columns::{ARRIVAL_FIELD, InputColumn};
pub use error::{Error, Result, invalid, invalid_regex, invalid_with};
pub use lookup::{Lookup, Place, Places};
pub use notices::{Message, Notices};
pub use search::Search;
pub use value::{Value, literal_of_json};
