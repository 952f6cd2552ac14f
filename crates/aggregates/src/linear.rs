//! A histogram of numbers with buckets of equal width, for what is asked of distances and not of sizes: the bins of
//! `histogram`, and percentiles of times. The width is the least power of two by which at most 4096 buckets reach from
//! the least number to the greatest, but no less than the distance of two neighbouring numbers there. So the result
//! depends on the numbers alone, not on the order or the parts in which they came, and merging loses nothing.

use std::mem::size_of;

use datafusion_common::Result;

use super::sketched::{Bucket, Sketched};
use super::state::{StateReader, damaged, write_float, write_number};

const BUCKETS_MAX: i64 = 4096;
const MANTISSA_BITS: i32 = 52;
/// Both this power of two and its inverse are numbers with full precision.
const EXPONENT_MIN: i32 = -1022;

/// Counts of finite numbers.
#[derive(Debug)]
pub(super) struct Linear {
    min: f64,
    max: f64,
    /// The width of the buckets is two to the power of this.
    exponent: i32,
    /// The bucket of the least number.
    first: i64,
    /// The counts of all buckets from that of the least number to that of the greatest.
    counts: Vec<u64>,
}

impl Linear {
    /// Makes the buckets reach over these numbers as well.
    fn widen(&mut self, min: f64, max: f64) {
        let (min, max) = (self.min.min(min), self.max.max(max));
        let exponent = exponent_for(min, max);
        let (first, last) = (bucket_of(min, exponent), bucket_of(max, exponent));
        let mut counts = vec![0_u64; usize::try_from(last - first + 1).unwrap_or(0)];
        for (bucket, count) in (self.first..).zip(&self.counts) {
            let place = joined(bucket, exponent - self.exponent) - first;
            if let Some(sum) = usize::try_from(place).ok().and_then(|place| counts.get_mut(place)) {
                *sum = sum.saturating_add(*count);
            }
        }
        *self = Self { min, max, exponent, first, counts };
    }

    fn count_of(&mut self, bucket: i64) -> Option<&mut u64> {
        let place = usize::try_from(bucket.checked_sub(self.first)?).ok()?;
        self.counts.get_mut(place)
    }

    fn bucket(&self, bucket: i64, count: u64) -> Bucket {
        let width = power_of_two(self.exponent);
        let within = |value: f64| value.clamp(self.min, self.max);
        let low = within(bucket as f64 * width);
        // Where there is at most one whole number in a bucket, it is the least of all that can lie there.
        if self.exponent <= 0 {
            return Bucket { low, middle: low, high: low, count };
        }
        let middle = within((bucket as f64 + 0.5) * width);
        Bucket { low, middle, high: within((bucket as f64 + 1.0) * width), count }
    }
}

impl Sketched for Linear {
    fn new() -> Self {
        Self {
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            exponent: EXPONENT_MIN,
            first: 0,
            counts: Vec::new(),
        }
    }

    fn bounds(&self) -> (f64, f64) {
        (self.min, self.max)
    }

    #[inline]
    fn add_within(&mut self, value: f64) -> bool {
        if !(self.min..=self.max).contains(&value) {
            return false;
        }
        let bucket = bucket_of(value, self.exponent);
        match self.count_of(bucket) {
            Some(count) => {
                *count += 1;
                true
            }
            None => false,
        }
    }

    fn add(&mut self, value: f64) {
        if !self.add_within(value) {
            self.widen(value, value);
            self.add_within(value);
        }
    }

    fn heap_bytes(&self) -> usize {
        self.counts.capacity() * size_of::<u64>()
    }

    fn buckets(&self) -> Vec<Bucket> {
        let counted = (self.first..).zip(&self.counts).filter(|(_, count)| **count > 0);
        counted.map(|(bucket, count)| self.bucket(bucket, *count)).collect()
    }

    fn write(&self, state: &mut Vec<u8>) {
        write_float(state, self.min);
        write_float(state, self.max);
        let mut last = 0;
        for (place, count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            write_number(state, (place - last) as u64);
            write_number(state, *count);
            last = place;
        }
    }

    fn merge(&mut self, state: &mut StateReader<'_>) -> Result<()> {
        let (min, max) = (state.float()?, state.float()?);
        if !(min.is_finite() && max.is_finite() && min <= max) {
            return Err(damaged());
        }
        self.widen(min, max);
        let exponent = exponent_for(min, max);
        let mut bucket = bucket_of(min, exponent);
        while !state.is_at_end() {
            let step = i64::try_from(state.number()?).map_err(|_| damaged())?;
            bucket = bucket.checked_add(step).ok_or_else(damaged)?;
            let added = state.number()?;
            let joined = joined(bucket, self.exponent - exponent);
            let count = self.count_of(joined).ok_or_else(damaged)?;
            *count = count.saturating_add(added);
        }
        Ok(())
    }
}

/// The exponent of the width that buckets between two finite numbers have.
fn exponent_for(min: f64, max: f64) -> i32 {
    let neighbours = exponent_of(min.abs().max(max.abs())) - MANTISSA_BITS;
    // With twice as many buckets as there may be, or more, at the first try.
    let wide = exponent_of((max - min).min(f64::MAX)) - BUCKETS_MAX.ilog2() as i32 - 1;
    let mut exponent = neighbours.max(wide).max(EXPONENT_MIN);
    while bucket_of(max, exponent) - bucket_of(min, exponent) >= BUCKETS_MAX {
        exponent += 1;
    }
    exponent
}

/// The greatest power of two that is no greater than a number, or less for those that are nearly zero.
fn exponent_of(number: f64) -> i32 {
    (number.to_bits() >> MANTISSA_BITS & 0x7ff) as i32 - 1023
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << MANTISSA_BITS)
}

/// The bucket of a number. It is below 2^53 with every width that is used for the number.
#[inline]
fn bucket_of(value: f64, exponent: i32) -> i64 {
    let scaled = value * power_of_two(-exponent);
    // What is too small to be told from zero lies below it all the same.
    if scaled == 0.0 && value < 0.0 { -1 } else { scaled.floor() as i64 }
}

/// The bucket that a bucket belongs to when pairs were joined so often.
fn joined(bucket: i64, times: i32) -> i64 {
    bucket >> times.clamp(0, 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(values: &[f64]) -> Linear {
        let mut linear = Linear::new();
        values.iter().for_each(|value| linear.add(*value));
        linear
    }

    fn shown(linear: &Linear) -> Vec<(f64, f64, u64)> {
        linear.buckets().iter().map(|bucket| (bucket.low, bucket.high, bucket.count)).collect()
    }

    #[test]
    fn whole_numbers_stay_apart_while_buckets_reach() {
        let range = |last: i64| (0..=last).map(|number| number as f64 - 7.0).collect::<Vec<f64>>();
        assert_eq!(shown(&counted(&range(4_095))).len(), 4_096);
        assert!(shown(&counted(&range(4_095))).iter().all(|(low, high, count)| low == high && *count == 1));
        // One more, and pairs are joined.
        let joined = shown(&counted(&range(4_096)));
        assert_eq!(joined.len(), 2_049);
        assert_eq!(joined[1], (-6.0, -4.0, 2));
    }

    #[test]
    fn the_order_and_the_parts_do_not_matter() {
        let extremes =
            [f64::MAX, -f64::MAX, f64::MIN_POSITIVE, -f64::MIN_POSITIVE, 5e-324, -5e-324, 0.0, -0.0];
        let few = [1.78e18, 1.78e18 + 1e9, 1.78e18 + 3.6e12, 3.0, 0.1, 1e300];
        for values in [&extremes[..], &few[..], &few[..3], &extremes[2..]] {
            let forwards = counted(values);
            assert!(forwards.counts.len() <= 4_096);
            let reversed = counted(&values.iter().rev().copied().collect::<Vec<f64>>());
            assert_eq!(shown(&forwards), shown(&reversed), "{values:?}");
            for cut in 0..=values.len() {
                let mut merged = Linear::new();
                for part in [&values[..cut], &values[cut..]].into_iter().filter(|part| !part.is_empty()) {
                    let mut state = Vec::new();
                    counted(part).write(&mut state);
                    merged.merge(&mut StateReader::new(&state)).unwrap();
                }
                assert_eq!(shown(&merged), shown(&forwards), "{values:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn damaged_states_are_refused() {
        let mut state = Vec::new();
        counted(&[1.0, 2.0, 3.0]).write(&mut state);
        state.extend([255, 1, 1]);
        assert!(Linear::new().merge(&mut StateReader::new(&state)).is_err());
        for bounds in [[f64::NAN, 1.0], [2.0, 1.0], [0.0, f64::INFINITY]] {
            let mut state = Vec::new();
            bounds.iter().for_each(|bound| write_float(&mut state, *bound));
            assert!(Linear::new().merge(&mut StateReader::new(&state)).is_err());
        }
    }
}
