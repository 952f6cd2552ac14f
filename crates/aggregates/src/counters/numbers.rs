//! Counters that are numbers.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array};
use arrow_schema::DataType;
use datafusion_common::Result;

use super::super::grouped::floats;
use super::super::state::{StateReader, write_float, write_number};
use super::kind::Kind;

/// Whole numbers below this are told apart by a float, and their differences fit into what is written of them.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// In the place of a difference: the number stands behind it.
const AS_IT_IS: u64 = 1;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Numbers;

/// The whole number that a float is.
fn whole(value: f64) -> Option<i64> {
    (value.abs() < WHOLE_MAX && value.trunc() == value).then_some(value as i64)
}

impl Kind for Numbers {
    type Value = f64;
    type Sum = Option<f64>;

    const NAME: &'static str = "increase";

    fn output_type() -> DataType {
        DataType::Float64
    }

    fn reader(column: &ArrayRef) -> Result<impl Fn(usize) -> Option<f64> + '_> {
        let floats = floats(std::slice::from_ref(column))?;
        Ok(move |row: usize| Some(floats.value(row)).filter(|value| value.is_finite()))
    }

    fn order(one: &f64, other: &f64) -> Ordering {
        one.total_cmp(other)
    }

    fn since(value: &f64, before: &f64) -> f64 {
        if value < before { *value } else { value - before }
    }

    fn heap_bytes(_: &f64) -> usize {
        0
    }

    /// Whole numbers as the difference to the one before, which is short.
    fn write(value: &f64, before: Option<&f64>, state: &mut Vec<u8>) {
        match (whole(*value), before.map_or(Some(0), |before| whole(*before))) {
            (Some(value), Some(before)) => {
                let difference = value - before;
                let zigzag = ((difference << 1) ^ (difference >> 63)).cast_unsigned();
                write_number(state, zigzag << 1);
            }
            _ => {
                write_number(state, AS_IT_IS);
                write_float(state, *value);
            }
        }
    }

    fn read(before: Option<&f64>, state: &mut StateReader<'_>) -> Result<f64> {
        let number = state.number()?;
        if number == AS_IT_IS {
            return state.float();
        }
        let zigzag = number >> 1;
        let difference = (zigzag >> 1).cast_signed() ^ -((zigzag & 1).cast_signed());
        let before = before.and_then(|before| whole(*before)).unwrap_or(0);
        Ok(before.wrapping_add(difference) as f64)
    }

    fn add(sum: &mut Option<f64>, increase: &f64) {
        *sum = Some(sum.unwrap_or(0.0) + increase);
    }

    fn write_sum(sum: &Option<f64>, state: &mut Vec<u8>) {
        state.push(u8::from(sum.is_some()));
        if let Some(sum) = sum {
            write_float(state, *sum);
        }
    }

    fn read_sum(state: &mut StateReader<'_>) -> Result<Option<f64>> {
        match state.byte()? {
            0 => Ok(None),
            _ => state.float().map(Some),
        }
    }

    fn finish(sums: Vec<Option<f64>>) -> ArrayRef {
        Arc::new(Float64Array::from(sums))
    }
}
