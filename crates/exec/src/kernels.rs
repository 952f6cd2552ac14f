//! What is computed of arrays of one known type each, one file for each family. They know neither names nor values of
//! several types; `operators` and `functions` put them together.

pub mod arithmetic;
pub mod cells;
pub mod cellwise;
pub mod convert;
pub mod digits;
pub mod extract;
pub mod json;
pub mod logic;
pub mod order;
pub mod ranks;
pub mod redact;
pub mod text;
pub mod times;
