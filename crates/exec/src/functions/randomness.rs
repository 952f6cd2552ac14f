//! Numbers that differ from row to row. They come from the moment of the query and the place of the call in it, so
//! that two calls differ, and need no source of chance.

use std::sync::atomic::{AtomicU64, Ordering};

use tidegauge_lang::tree::Type;
use xxhash_rust::xxh64::xxh64;

use super::call::{Call, Function, function};
use super::rows;
use crate::error::Result;
use crate::expr::Typed;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[function("rand", 0, 1, rand)];

/// The numbers of one run of rows, which start at another place than those of every other run.
struct Numbers {
    seed: u64,
    drawn: u64,
}

impl Numbers {
    fn next(&mut self) -> u64 {
        self.drawn += 1;
        xxh64(&self.drawn.to_le_bytes(), self.seed)
    }
}

/// A float from 0 to below 1, or an integer from 0 to below the argument.
fn rand(call: &Call<'_>) -> Result<Value> {
    let (seed, runs) = (xxh64(&call.now.to_le_bytes(), call.span.start.into()), AtomicU64::new(0));
    let begin = move || {
        let run = runs.fetch_add(1, Ordering::Relaxed);
        Numbers { seed: xxh64(&run.to_le_bytes(), seed), drawn: 0 }
    };
    if call.count() == 0 {
        // As many bits as a float tells apart below one.
        let run =
            rows::floats_with(begin, |numbers, _| Some((numbers.next() >> 11) as f64 / (1_u64 << 53) as f64));
        return Ok(Typed::call_per_row(call.name, Type::Float, Vec::new(), run).into());
    }
    let Some(limit) = call.integer(0)? else { return Ok(Value::NULL) };
    let run = rows::integers_with(begin, |numbers, row| {
        let limit = u64::try_from(row.integer(0)).ok().filter(|limit| *limit > 0)?;
        i64::try_from(numbers.next() % limit).ok()
    });
    Ok(Typed::call_per_row(call.name, Type::Integer, vec![limit], run).into())
}
