//! Numbers of a block in four bytes each, for where memory is short: times are mostly whole milli- or microseconds of
//! some minutes, integers are close to each other, and measured values have few decimals. Every value is given back as
//! it was, to the bit; numbers of which one could not be are left to others.

use std::sync::Arc;

use arrow_arith::aggregate::{max, min};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use tidegauge_exec::expr::Picked;

/// What steps between integers are counted in: nanoseconds, microseconds and milliseconds, where they are times.
const UNITS: [u64; 3] = [1, 1_000, 1_000_000];

/// By what whole numbers are divided to give decimals, the fewest first.
const DIVISORS: [f64; 4] = [1.0, 10.0, 1_000.0, 1_000_000.0];

/// Up to here every whole number has a float of its own.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// So many values show which divisor may serve all.
const TRIED_FIRST: usize = 64;

#[derive(Debug)]
pub struct Narrow {
    steps: Vec<u32>,
    nulls: Option<NullBuffer>,
    meaning: Meaning,
}

/// What a step stands for.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// `base + step * unit`
    Integer { base: i64, unit: u64 },
    /// `(base + step) / divisor`, where all of them are whole
    Decimal { base: f64, divisor: f64 },
}

impl Narrow {
    /// How many bytes numbers of a column would take; none if it has others than these.
    pub(super) fn bytes_of(array: &ArrayRef) -> Option<usize> {
        let is_wide = matches!(array.data_type(), DataType::Int64 | DataType::Float64);
        is_wide.then(|| array.len() * size_of::<u32>())
    }

    /// The numbers of a column, if each of them can be given back.
    pub fn of(array: &ArrayRef) -> Option<Self> {
        match array.data_type() {
            DataType::Int64 => Self::of_integers(array.as_primitive::<Int64Type>()),
            DataType::Float64 => Self::of_floats(array.as_primitive::<Float64Type>()),
            _ => None,
        }
    }

    fn of_integers(array: &Int64Array) -> Option<Self> {
        let (base, last) = (min(array)?, max(array)?);
        let span = last.abs_diff(base);
        let unit = UNITS.into_iter().find(|unit| span / unit <= u64::from(u32::MAX))?;
        // Dividing by a number that the compiler knows is several times faster.
        let steps = match unit {
            1 => integer_steps::<1>(array, base),
            1_000 => integer_steps::<1_000>(array, base),
            _ => integer_steps::<1_000_000>(array, base),
        };
        let meaning = Meaning::Integer { base, unit };
        Some(Self { steps: steps?, nulls: array.nulls().cloned(), meaning })
    }

    fn of_floats(array: &Float64Array) -> Option<Self> {
        let first: Vec<f64> = array.iter().flatten().take(TRIED_FIRST).collect();
        let divisor = DIVISORS
            .into_iter()
            .find(|divisor| first.iter().all(|value| whole(*value, *divisor).is_some()))?;
        let (base, last) = (whole(min(array)?, divisor)?, whole(max(array)?, divisor)?);
        if last - base > f64::from(u32::MAX) {
            return None;
        }
        let step = |value: Option<f64>| match value {
            Some(value) => whole(value, divisor).map(|whole| (whole - base) as u32),
            None => Some(0),
        };
        let steps = array.iter().map(step).collect::<Option<Vec<u32>>>()?;
        Some(Self { steps, nulls: array.nulls().cloned(), meaning: Meaning::Decimal { base, divisor } })
    }

    /// The numbers of some rows, as they were.
    pub fn at(&self, picked: &Picked) -> ArrayRef {
        match picked {
            Picked::Range(range) => {
                let nulls = self.nulls.as_ref().map(|nulls| nulls.slice(range.start, range.len()));
                self.meaning.of(self.steps[range.clone()].iter().copied(), nulls)
            }
            Picked::Rows(rows) => {
                let is_there =
                    |nulls: &NullBuffer| rows.iter().map(|row| nulls.is_valid(*row as usize)).collect();
                let nulls = self.nulls.as_ref().map(is_there);
                self.meaning.of(rows.iter().map(|row| self.steps[*row as usize]), nulls)
            }
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.steps.capacity() * size_of::<u32>() + self.nulls.as_ref().map_or(0, |nulls| nulls.len() / 8)
    }
}

impl Meaning {
    fn of(self, steps: impl Iterator<Item = u32>, nulls: Option<NullBuffer>) -> ArrayRef {
        match self {
            Self::Integer { base, unit } => {
                let number = |step| base.wrapping_add_unsigned(u64::from(step) * unit);
                Arc::new(Int64Array::new(steps.map(number).collect::<Vec<_>>().into(), nulls))
            }
            Self::Decimal { base, divisor } => {
                let number = |step| (base + f64::from(step)) / divisor;
                Arc::new(Float64Array::new(steps.map(number).collect::<Vec<_>>().into(), nulls))
            }
        }
    }
}

/// How many units each number is above the least; none where one is not a whole number of them.
fn integer_steps<const UNIT: u64>(array: &Int64Array, base: i64) -> Option<Vec<u32>> {
    let above = |value: i64| value.abs_diff(base);
    let is_whole = UNIT == 1 || array.iter().flatten().all(|value| above(value).is_multiple_of(UNIT));
    // What stands where there is no value may be anything, and is never looked at.
    is_whole.then(|| array.values().iter().map(|value| (above(*value) / UNIT) as u32).collect())
}

/// The whole number that gives a value when it is divided, if there is one.
fn whole(value: f64, divisor: f64) -> Option<f64> {
    // Adding nothing makes zero of the one below zero, which cannot be given back.
    let whole = (value * divisor).round() + 0.0;
    (whole.abs() <= WHOLE_MAX && (whole / divisor).to_bits() == value.to_bits()).then_some(whole)
}
