//! Percentiles by nearest rank: exact for up to 1024 numbers in a group, within 0.4 % of the value above, or of times
//! within a 2048th of the time between the first and the last. All percentiles of one column share what is kept.

use std::marker::PhantomData;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{Float64Builder, ListBuilder};
use arrow_schema::{DataType, Field};
use datafusion_common::Result;

use super::grouped::{estimate_type, estimates};
use super::linear::Linear;
use super::sketch::Sketch;
use super::sketched::Sketched;
use super::values::{OverNumbers, Summary, Values};

/// Which percentiles are asked for, as the bits of numbers from 0 to 100, since settings are compared and hashed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Percentiles<M> {
    wanted: Vec<u64>,
    measure: PhantomData<M>,
}

/// What a percentile may be wrong by.
pub(super) trait Measure:
    Clone + std::fmt::Debug + Eq + std::hash::Hash + Send + Sync + 'static
{
    type Sketch: Sketched;
    const NAME: &'static str;
}

/// A share of the number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct BySize;

/// A share of the distance between the least and the greatest number. Of times the size says nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ByDistance;

impl Measure for BySize {
    type Sketch = Sketch;
    const NAME: &'static str = "percentiles";
}

impl Measure for ByDistance {
    type Sketch = Linear;
    const NAME: &'static str = "percentiles_of_times";
}

impl<M: Measure> Percentiles<M> {
    pub(super) fn new(wanted: &[f64]) -> Self {
        let wanted = wanted.iter().map(|percentile| percentile.clamp(0.0, 100.0).to_bits()).collect();
        Self { wanted, measure: PhantomData }
    }
}

impl<M: Measure> OverNumbers for Percentiles<M> {
    type Sketch = M::Sketch;

    fn name(&self) -> &'static str {
        M::NAME
    }

    fn output_type(&self) -> DataType {
        estimate_type(DataType::List(Arc::new(Field::new_list_field(DataType::Float64, true))))
    }

    fn evaluate(&self, groups: Vec<Values<M::Sketch>>) -> Result<ArrayRef> {
        let mut column = ListBuilder::new(Float64Builder::new());
        let mut is_estimate = Vec::with_capacity(groups.len());
        for group in groups {
            let ranked = Ranked::new(group.summarise());
            is_estimate.push(ranked.summary.is_estimate());
            for wanted in self.wanted.iter().filter(|_| ranked.count > 0) {
                column.values().append_value(ranked.percentile(f64::from_bits(*wanted)));
            }
            column.append(ranked.count > 0);
        }
        estimates(Arc::new(column.finish()), is_estimate)
    }
}

/// Numbers with the ranks of their buckets.
#[derive(Debug)]
struct Ranked {
    summary: Summary,
    /// How many numbers lie in a bucket and in those before it.
    up_to: Vec<u64>,
    count: u64,
}

impl Ranked {
    fn new(summary: Summary) -> Self {
        let mut up_to = Vec::new();
        let count = match &summary {
            Summary::Exact(values) => values.len() as u64,
            Summary::Estimate { buckets, .. } => {
                let mut count = 0;
                up_to.extend(buckets.iter().map(|bucket| {
                    count += bucket.count;
                    count
                }));
                count
            }
        };
        Self { summary, up_to, count }
    }

    fn percentile(&self, percentile: f64) -> f64 {
        let rank = rank(percentile, self.count);
        match &self.summary {
            Summary::Exact(values) => values[rank as usize - 1],
            Summary::Estimate { min, .. } if rank == 1 => *min,
            Summary::Estimate { max, .. } if rank == self.count => *max,
            Summary::Estimate { buckets, max, .. } => {
                let index = self.up_to.partition_point(|count| *count < rank);
                buckets.get(index).map_or(*max, |bucket| bucket.middle)
            }
        }
    }
}

/// The rank of a percentile among so many numbers, from 1.
fn rank(percentile: f64, count: u64) -> u64 {
    let exact = percentile * count as f64 / 100.0;
    // A percentile such as 99.9 is not a binary fraction: what is a whole rank but for that must not be rounded up.
    let nearest = exact.round();
    let rank = if (exact - nearest).abs() <= 1e-12 * nearest { nearest } else { exact.ceil() };
    (rank as u64).clamp(1, count)
}
