//! One key of the rows of a block as small numbers. Codes of the column itself are used as they are; integers that lie
//! close together are looked up in a table; everything else is hashed once for each row.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use hashbrown::HashMap;
use tidegauge_exec::expr::{Codes, Input, Rows, Typed};

use crate::Result;
use crate::groups::bucket::bounds_of;
use crate::groups::key_column::KeyColumn;

/// Integers are looked up in a table when they differ by less than this.
const SPREAD_MAX: i128 = 1 << 16;

/// A table of everything that there could be has no more than so many places for each row: to make a larger one takes
/// longer than to hash the rows, of which there may be a few where memory is short or a filter left no more.
const PLACES_FOR_EACH: usize = 16;

pub(super) fn is_worth_a_table(places: usize, rows: usize) -> bool {
    places <= rows.saturating_mul(PLACES_FOR_EACH)
}

/// A key as codes of this block, and the number that each code has among all values of the thread.
pub(super) struct Coded {
    codes: Codes,
    /// Rows without a value; their code is the last of all.
    nulls: Option<NullBuffer>,
    pub(super) numbers: Vec<u32>,
}

/// The codes of a key for these rows.
pub(super) fn of(column: &Typed, rows: &Rows<'_>, key: &mut KeyColumn) -> Result<Coded> {
    if let Some(place) = column.as_input()
        && let Input::Coded { codes, values, nulls } = &rows.inputs[place]
        && is_worth_a_table(values.len(), rows.count)
    {
        let numbers = match values.as_string_view_opt() {
            Some(texts) => (0..texts.len()).map(|code| key.of_text(texts.value(code))).collect(),
            None => {
                let integers = values.as_primitive::<Int64Type>().values();
                integers.iter().map(|integer| key.of_number(*integer)).collect()
            }
        };
        return Ok(Coded::new(codes.clone(), nulls.clone(), numbers, key));
    }
    let array = column.evaluate(rows)?.into_array(rows.count)?;
    Ok(match array.data_type() {
        DataType::Utf8View => texts(&array, key),
        DataType::Boolean => {
            let bits: Vec<i64> = array.as_boolean().values().iter().map(i64::from).collect();
            numbers(&bits, array.nulls(), key)
        }
        DataType::Float64 => {
            let floats = array.as_primitive::<Float64Type>().values().iter();
            let bits: Vec<i64> = floats.map(|float| float.to_bits().cast_signed()).collect();
            numbers(&bits, array.nulls(), key)
        }
        _ => integers(array.as_primitive::<Int64Type>(), key),
    })
}

impl Coded {
    fn new(codes: Codes, nulls: Option<NullBuffer>, mut numbers: Vec<u32>, key: &mut KeyColumn) -> Self {
        let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
        if nulls.is_some() || numbers.is_empty() {
            numbers.push(key.of_null());
        }
        Self { codes, nulls, numbers }
    }

    /// The number that the value of a row has among all values of the thread.
    pub(super) fn number(&self, row: usize) -> u32 {
        match &self.nulls {
            Some(nulls) if nulls.is_null(row) => self.numbers[self.numbers.len() - 1],
            _ => self.numbers[self.codes.at(row)],
        }
    }

    /// Puts the codes behind what the combinations are so far. The caller has made sure that all combinations of all
    /// keys can be counted; each key has a code at least, so those of the first keys can be too, and no step leaves
    /// the range.
    pub(super) fn add_to<N: Combination>(&self, combined: &mut [N]) {
        let different = N::of(self.numbers.len());
        match &self.codes {
            Codes::U8(codes) => push(combined, codes, different),
            Codes::U16(codes) => push(combined, codes, different),
            Codes::U32(codes) => push(combined, codes, different),
        }
        let Some(nulls) = &self.nulls else { return };
        for (row, combination) in combined.iter_mut().enumerate() {
            if nulls.is_null(row) {
                *combination = combination.with_last(different);
            }
        }
    }
}

/// The number of a combination of codes, of 32 or 64 bits.
pub(super) trait Combination: Copy + From<u8> + From<u16> + From<u32> {
    const ZERO: Self;
    /// How many codes a key has: never more than there are combinations of all keys.
    fn of(count: usize) -> Self;
    fn push(self, different: Self, code: Self) -> Self;
    /// With the last of the codes that were pushed last.
    fn with_last(self, different: Self) -> Self;
    fn number(self) -> u64;
}

macro_rules! combination {
    ($number:ty) => {
        impl Combination for $number {
            const ZERO: Self = 0;
            fn of(count: usize) -> Self {
                count as Self
            }
            fn push(self, different: Self, code: Self) -> Self {
                self * different + code
            }
            fn with_last(self, different: Self) -> Self {
                self - self % different + (different - 1)
            }
            fn number(self) -> u64 {
                u64::from(self)
            }
        }
    };
}
combination!(u32);
combination!(u64);

fn push<N: Combination + From<T>, T: Copy>(combined: &mut [N], codes: &[T], different: N) {
    for (combination, code) in combined.iter_mut().zip(codes) {
        *combination = combination.push(different, N::from(*code));
    }
}

// No key has more different values in a block than that has rows, whose numbers have 32 bits: no code below is cut off.

fn texts(array: &ArrayRef, key: &mut KeyColumn) -> Coded {
    let texts = array.as_string_view();
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let mut all = Vec::new();
    let codes: Vec<u32> = (0..texts.len())
        .map(|row| {
            if texts.is_null(row) {
                return 0;
            }
            let text = texts.value(row);
            *seen.entry(text).or_insert_with(|| {
                all.push(key.of_text(text));
                all.len() as u32 - 1
            })
        })
        .collect();
    Coded::new(Codes::U32(codes.into()), array.nulls().cloned(), all, key)
}

/// Numbers by hash, with an eye on the one before: equal ones often stand together.
fn numbers(values: &[i64], nulls: Option<&NullBuffer>, key: &mut KeyColumn) -> Coded {
    let mut seen: HashMap<i64, u32> = HashMap::new();
    let mut all = Vec::new();
    let (mut before, mut code) = (0, u32::MAX);
    let mut code_of = |value: i64| {
        if value != before || code == u32::MAX {
            before = value;
            code = *seen.entry(value).or_insert_with(|| {
                all.push(key.of_number(value));
                all.len() as u32 - 1
            });
        }
        code
    };
    let codes = each(values, nulls, &mut code_of);
    Coded::new(Codes::U32(codes.into()), nulls.cloned(), all, key)
}

fn integers(values: &PrimitiveArray<Int64Type>, key: &mut KeyColumn) -> Coded {
    let bounds = arrow_arith::aggregate::min(values).zip(arrow_arith::aggregate::max(values));
    let spread = bounds.map(|(min, max)| (min, i128::from(max) - i128::from(min)));
    let Some((min, places)) = spread
        .filter(|(_, spread)| *spread < SPREAD_MAX)
        .map(|(min, spread)| (min, spread as usize + 1))
        .filter(|(_, places)| is_worth_a_table(*places, values.len()))
    else {
        return numbers(values.values(), values.nulls(), key);
    };
    let mut table = vec![u32::MAX; places];
    let mut all = Vec::new();
    let mut code_of = |value: i64| {
        let code = &mut table[value.wrapping_sub(min) as usize];
        if *code == u32::MAX {
            *code = all.len() as u32;
            all.push(key.of_number(value));
        }
        *code
    };
    let codes = each(values.values(), values.nulls(), &mut code_of);
    Coded::new(Codes::U32(codes.into()), values.nulls().cloned(), all, key)
}

/// The code of each value; null has none of its own yet.
fn each(values: &[i64], nulls: Option<&NullBuffer>, code_of: &mut impl FnMut(i64) -> u32) -> Vec<u32> {
    match nulls.filter(|nulls| nulls.null_count() > 0) {
        None => values.iter().map(|value| code_of(*value)).collect(),
        Some(nulls) => {
            let coded = values.iter().zip(nulls.iter());
            coded.map(|(value, is_there)| if is_there { code_of(*value) } else { 0 }).collect()
        }
    }
}

/// The bucket of each time. Rows come in the order of time, so that the next ones are mostly in the same.
pub(super) fn of_times(times: &PrimitiveArray<Int64Type>, step: i64, key: &mut KeyColumn) -> Coded {
    let mut all: Vec<u32> = Vec::new();
    let mut seen: HashMap<i64, u32> = HashMap::new();
    let mut bucket_of = |time: i64| {
        let (start, end) = bounds_of(time, step);
        let code = *seen.entry(start).or_insert_with(|| {
            all.push(key.of_number(start));
            all.len() as u32 - 1
        });
        (start..end, code)
    };
    let codes = match times.nulls() {
        None => runs(times.values(), &mut bucket_of),
        // A time that is computed may be missing.
        nulls => each(times.values(), nulls, &mut |time| bucket_of(time).1),
    };
    Coded::new(Codes::U32(codes.into()), times.nulls().cloned(), all, key)
}

/// The codes of times, by runs of them that are in one bucket.
fn runs(times: &[i64], bucket_of: &mut impl FnMut(i64) -> (Range<i64>, u32)) -> Vec<u32> {
    /// So many are compared at once, without a look at each.
    const AT_ONCE: usize = 64;
    let mut codes = Vec::with_capacity(times.len());
    let mut rest = times;
    while let Some(first) = rest.first() {
        let (bucket, code) = bucket_of(*first);
        let is_inside = |time: &i64| *time >= bucket.start && *time < bucket.end;
        let whole = |times: &&[i64]| times.iter().fold(true, |all, time| all & is_inside(time));
        let sure = rest.chunks_exact(AT_ONCE).take_while(whole).count() * AT_ONCE;
        let more = rest[sure..].iter().take_while(|time| is_inside(time)).count();
        // The last time of all is behind the end of its bucket.
        let run = (sure + more).max(1);
        codes.resize(codes.len() + run, code);
        rest = &rest[run..];
    }
    codes
}
