//! Short numbers and digests that stand for values.

use std::fmt::Write;

use aws_lc_rs::digest::{Algorithm, SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA512, digest};
use jiff::Timestamp;
use md5::{Digest, Md5};
use tidegauge_lang::tree::Type;
use xxhash_rust::xxh64::xxh64;

use super::call::{Call, Function, function};
use super::rows;
use crate::error::Result;
use crate::expr::Typed;
use crate::kernels::{convert, logic};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("hash", 1, 2, hash),
    function("hash_md5", 1, 1, |call| digest_of(call, |bytes, text| write_hex(&Md5::digest(bytes), text))),
    function("hash_sha1", 1, 1, |call| sha(call, &SHA1_FOR_LEGACY_USE_ONLY)),
    function("hash_sha256", 1, 1, |call| sha(call, &SHA256)),
    function("hash_sha512", 1, 1, |call| sha(call, &SHA512)),
];

/// The steps of 100 nanoseconds from the year 1, from which times are counted for their hashes, to 1970.
const STEPS_TO_1970: i64 = 621_355_968_000_000_000;

/// A number of 64 bits that equal values share: XXH64 of the value's text, or of the bytes of a time. A salt makes
/// another one of it.
fn hash(call: &Call<'_>) -> Result<Value> {
    let Some(salt) = call.text_or(1, "")? else { return Ok(Value::NULL) };
    let seed = |salt: &str| if salt.is_empty() { 0 } else { xxh64(salt.as_bytes(), 0) };
    let mut hashes = Vec::new();
    for variant in &call.value(0).variants {
        let run = if variant.kind == Type::Datetime {
            rows::integers(move |row| {
                let steps = row.integer(0).div_euclid(100) + STEPS_TO_1970;
                Some(xxh64(&steps.to_le_bytes(), seed(row.text(1))).cast_signed())
            })
        } else {
            rows::integers(move |row| Some(xxh64(row.text(0).as_bytes(), seed(row.text(1))).cast_signed()))
        };
        let is_time = variant.kind == Type::Datetime;
        let value = if is_time { variant.clone() } else { convert::to_text(variant.clone())? };
        hashes.push(Typed::call(call.name, Type::Integer, vec![value, salt.clone()], run)?);
    }
    Ok(logic::first_of(hashes)?.map(Value::from).unwrap_or_default())
}

fn sha(call: &Call<'_>, algorithm: &'static Algorithm) -> Result<Value> {
    digest_of(call, move |bytes, text| write_hex(digest(algorithm, bytes).as_ref(), text))
}

/// The digest of the text of a value, in lower-case hexadecimal digits.
fn digest_of(call: &Call<'_>, write: impl Fn(&[u8], &mut String) + Send + Sync + 'static) -> Result<Value> {
    let run = call.texts(move |row, text| {
        write(row.text(0).as_bytes(), text);
        Some(())
    });
    let mut texts = Vec::new();
    for variant in &call.value(0).variants {
        texts.push(match variant.kind {
            Type::Datetime => {
                let run = call.texts(|row, text| write_time(row.integer(0), text));
                Typed::call(call.name, Type::String, vec![variant.clone()], run)?
            }
            _ => convert::to_text(variant.clone())?,
        });
    }
    call.result(Type::String, [logic::first_of(texts)?], run)
}

/// A time with seven digits behind the point, as Kusto writes it, so that digests of both agree.
fn write_time(nanoseconds: i64, text: &mut String) -> Option<()> {
    let time = Timestamp::from_nanosecond(nanoseconds.into()).ok()?;
    let has_more = nanoseconds % 100 != 0;
    let _ = if has_more { write!(text, "{time:.9}") } else { write!(text, "{time:.7}") };
    Some(())
}

fn write_hex(bytes: &[u8], text: &mut String) {
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
}
