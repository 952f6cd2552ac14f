//! Quantiles of histograms: added up over the rows of a group, then the bucket that the quantile lies in, and a place in
//! it. In buckets of listed bounds values are taken to be spread evenly, in exponential ones by their logarithms.
//! Buckets come as histograms, or one by one with all that lies up to a bound.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use datafusion_common::Result;

use super::counters::{Added, Histogram, of_exponential};
use super::grouped::{Aggregate, Bytes, Rows, floats, texts};
use super::state::{StateReader, write_float, write_word};

/// Which share of all observations lies below what is looked for, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Share(u64);

impl Share {
    pub(super) fn new(share: f64) -> Self {
        Self(share.to_bits())
    }

    fn value(self) -> f64 {
        f64::from_bits(self.0)
    }

    fn of(self, histogram: &Histogram) -> Option<f64> {
        let found = match histogram {
            Histogram::Listed(listed) => of_listed(self.value(), listed.bounds(), listed.counts()),
            Histogram::Exponential(exponential) => of_exponential(self.value(), exponential),
        };
        found.filter(|found| found.is_finite())
    }
}

/// The quantile of counts between bounds. Beyond the last bound nothing is known but the bound, and the first bucket
/// begins at zero if it ends above.
fn of_listed(share: f64, bounds: &[f64], counts: &[f64]) -> Option<f64> {
    let total: f64 = counts.iter().sum();
    let last = bounds.last().filter(|_| total > 0.0)?;
    let rank = share * total;
    let mut below = 0.0;
    for (place, (bound, count)) in bounds.iter().zip(counts).enumerate() {
        let is_here = *count > 0.0 && below + count >= rank;
        if is_here {
            let start = match place.checked_sub(1).and_then(|before| bounds.get(before)) {
                Some(start) => *start,
                None if *bound <= 0.0 => return Some(*bound),
                None => 0.0,
            };
            return Some(start + (bound - start) * ((rank - below) / count).clamp(0.0, 1.0));
        }
        below += count;
    }
    Some(*last)
}

/// Of histograms, as JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct OfHistograms(pub(super) Share);

impl Aggregate for OfHistograms {
    type Group = Added;

    fn name(&self) -> &'static str {
        "histogram_quantile"
    }

    fn output_type(&self) -> DataType {
        DataType::Float64
    }

    fn update(
        &self,
        groups: &mut [Added],
        inputs: &[ArrayRef],
        rows: &Rows<'_>,
        bytes: &mut Bytes,
    ) -> Result<()> {
        let histograms = texts(inputs, 0)?;
        rows.for_each(histograms.nulls(), |row, group| {
            if let Some(histogram) = Histogram::of_json(histograms.value(row)) {
                let before = groups[group].heap_bytes();
                groups[group].add(&histogram);
                bytes.replace(before, groups[group].heap_bytes());
            }
        });
        Ok(())
    }

    fn merge(&self, group: &mut Added, state: &mut StateReader<'_>, bytes: &mut Bytes) -> Result<()> {
        let before = group.heap_bytes();
        group.merge(state)?;
        bytes.replace(before, group.heap_bytes());
        Ok(())
    }

    fn write_state(&self, group: &mut Added, state: &mut Vec<u8>) {
        group.write(state);
    }

    fn evaluate(&self, groups: Vec<Added>) -> Result<ArrayRef> {
        let quantile = |group: Added| group.together().and_then(|histogram| self.0.of(&histogram));
        Ok(Arc::new(groups.into_iter().map(quantile).collect::<Float64Array>()))
    }

    fn heap_bytes(group: &Added) -> usize {
        group.heap_bytes()
    }
}

/// Of buckets that come one by one: a bound as text or as a number in text, and how much lies up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct OfBounds(pub(super) Share);

/// How much lies up to each bound, by the place that the bound has among all floats.
#[derive(Debug, Default)]
pub(super) struct UpTo(BTreeMap<u64, f64>);

/// About what a bound takes in the map.
const BOUND_BYTES: usize = 32;

impl UpTo {
    fn add(&mut self, place: u64, count: f64, bytes: &mut Bytes) {
        let before = self.heap_bytes();
        *self.0.entry(place).or_insert(0.0) += count;
        bytes.replace(before, self.heap_bytes());
    }

    fn heap_bytes(&self) -> usize {
        self.0.len() * BOUND_BYTES
    }

    /// None without what lies up to infinity, because then nobody knows how much there is.
    fn quantile(&self, share: f64) -> Option<f64> {
        let (last, _) = self.0.last_key_value().filter(|(last, _)| bound_at(**last) == f64::INFINITY)?;
        let mut bounds = Vec::with_capacity(self.0.len());
        let mut counts = Vec::with_capacity(self.0.len());
        let mut below = 0.0_f64;
        for (place, count) in &self.0 {
            // Points of buckets that were not taken at one moment may seem to fall.
            counts.push((count - below).max(0.0));
            below = below.max(*count);
            if place != last {
                bounds.push(bound_at(*place));
            }
        }
        of_listed(share, &bounds, &counts)
    }
}

/// A number in the order of floats.
fn place_of(bound: f64) -> u64 {
    let bits = (bound + 0.0).to_bits();
    if bits >> 63 == 0 { bits | (1 << 63) } else { !bits }
}

fn bound_at(place: u64) -> f64 {
    f64::from_bits(if place >> 63 == 1 { place & !(1 << 63) } else { !place })
}

impl Aggregate for OfBounds {
    type Group = UpTo;

    fn name(&self) -> &'static str {
        "histogram_quantile"
    }

    fn output_type(&self) -> DataType {
        DataType::Float64
    }

    fn update(
        &self,
        groups: &mut [UpTo],
        inputs: &[ArrayRef],
        rows: &Rows<'_>,
        bytes: &mut Bytes,
    ) -> Result<()> {
        let counts = floats(inputs)?;
        let bounds = texts(inputs, 1)?;
        let nulls = NullBuffer::union(counts.nulls(), bounds.nulls());
        rows.for_each(nulls.as_ref(), |row, group| {
            let bound = bounds.value(row).trim().parse::<f64>().ok().filter(|bound| !bound.is_nan());
            let count = counts.value(row);
            if let Some(bound) = bound.filter(|_| count.is_finite()) {
                groups[group].add(place_of(bound), count, bytes);
            }
        });
        Ok(())
    }

    fn merge(&self, group: &mut UpTo, state: &mut StateReader<'_>, bytes: &mut Bytes) -> Result<()> {
        while !state.is_at_end() {
            let place = state.word()?;
            group.add(place, state.float()?, bytes);
        }
        Ok(())
    }

    fn write_state(&self, group: &mut UpTo, state: &mut Vec<u8>) {
        for (place, count) in &group.0 {
            write_word(state, *place);
            write_float(state, *count);
        }
    }

    fn evaluate(&self, groups: Vec<UpTo>) -> Result<ArrayRef> {
        let share = self.0.value();
        let quantile = |group: UpTo| group.quantile(share).filter(|found| found.is_finite());
        Ok(Arc::new(groups.into_iter().map(quantile).collect::<Float64Array>()))
    }

    fn heap_bytes(group: &UpTo) -> usize {
        group.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_have_places_in_their_order() {
        let bounds = [f64::NEG_INFINITY, -2.5, -1e-300, 0.0, 1e-300, 1.0, f64::INFINITY];
        assert!(bounds.windows(2).all(|pair| place_of(pair[0]) < place_of(pair[1])));
        assert!(bounds.iter().all(|bound| bound_at(place_of(*bound)) == *bound));
        assert_eq!(place_of(-0.0), place_of(0.0));
    }

    #[test]
    fn listed_bounds_are_interpolated() {
        let bounds = [1.0, 2.0, 4.0];
        for (share, counts, expected) in [
            (0.5, [4.0, 4.0, 0.0, 0.0], Some(1.0)),
            (0.75, [4.0, 4.0, 0.0, 0.0], Some(1.5)),
            (0.0, [0.0, 4.0, 0.0, 0.0], Some(1.0)),
            (1.0, [4.0, 4.0, 0.0, 0.0], Some(2.0)),
            (0.9, [0.0, 0.0, 1.0, 9.0], Some(4.0)),
            (0.5, [0.0; 4], None),
        ] {
            assert_eq!(of_listed(share, &bounds, &counts), expected, "{share} {counts:?}");
        }
        assert_eq!(of_listed(0.5, &[-1.0, 1.0], &[10.0, 0.0, 0.0]), Some(-1.0));
        assert_eq!(of_listed(0.5, &[], &[10.0]), None);
    }
}
