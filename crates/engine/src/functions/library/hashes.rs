//! Short numbers that stand for values.

use tidegauge_lang::tree::Type;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::call::{Call, Function, function};
use super::rows;
use crate::Result;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[function("hash", 1, 2, hash)];

/// A number of 64 bits that equal values share: XXH3 of the value's text, with another one as its salt.
fn hash(call: &Call<'_>) -> Result<Value> {
    let run = rows::integers(|row| {
        let salt = row.text(1);
        let seed = if salt.is_empty() { 0 } else { xxh3_64_with_seed(salt.as_bytes(), 0) };
        Some(xxh3_64_with_seed(row.text(0).as_bytes(), seed).cast_signed())
    });
    call.result(Type::Integer, [call.text(0)?, call.text_or(1, "")?], run)
}
