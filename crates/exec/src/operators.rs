//! What operators of the language compute of values, which may have several types: comparisons, tests of text, members
//! of maps and arrays, and values that were put into JSON.

pub mod compare;
pub mod member;
pub mod text;
pub mod unpack;
