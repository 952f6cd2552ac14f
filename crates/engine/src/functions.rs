//! The functions of expressions, one file for each family. Each takes bound arguments and gives a bound result; the
//! arrays are computed by the kernels in it. Which functions there are, with their parameters, is told by `lang`.

pub(crate) mod arithmetic;
pub(crate) mod cells;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod digits;
pub(crate) mod extract;
pub(crate) mod json;
pub(crate) mod library;
pub(crate) mod logic;
pub(crate) mod member;
pub(crate) mod redact;
pub(crate) mod text;
pub(crate) mod times;
pub(crate) mod unpack;
