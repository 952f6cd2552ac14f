//! Histograms with bins of equal width between the least and the greatest number: exact for up to 1024 numbers in a
//! group, above from buckets of which 2048 or more lie between the two.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::StringViewBuilder;
use arrow_schema::DataType;
use datafusion_common::Result;

use super::grouped::{estimate_type, estimates};
use super::linear::Linear;
use super::sketched::Bucket;
use super::values::{OverNumbers, Summary, Values};

/// About how long the text of a bin is: two bounds and a count.
const BIN_BYTES: usize = 64;

/// How many bins are asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Histogram {
    bins: usize,
}

impl Histogram {
    pub(super) fn new(bins: usize) -> Self {
        Self { bins: bins.max(1) }
    }

    /// The bounds of the bins: one more than there are bins. Equal numbers need one bin only.
    fn bounds(&self, min: f64, max: f64) -> Vec<f64> {
        let bins = if min < max { self.bins } else { 1 };
        let bound = |bin: usize| {
            let plain = min + (max - min) * bin as f64 / bins as f64;
            // The width of all numbers is no number any more.
            let share = bin as f64 / bins as f64;
            let bound = if plain.is_finite() { plain } else { min * (1.0 - share) + max * share };
            bound.clamp(min, max)
        };
        let mut bounds: Vec<f64> = (0..bins).map(bound).collect();
        bounds.push(max);
        bounds
    }
}

impl OverNumbers for Histogram {
    type Sketch = Linear;

    fn name(&self) -> &'static str {
        "histogram"
    }

    fn output_type(&self) -> DataType {
        estimate_type(DataType::Utf8View)
    }

    fn evaluate(&self, groups: Vec<Values<Linear>>) -> Result<ArrayRef> {
        let mut column = StringViewBuilder::new();
        let mut is_estimate = Vec::with_capacity(groups.len());
        for group in groups {
            let summary = group.summarise();
            is_estimate.push(summary.is_estimate());
            let (bounds, counts) = match &summary {
                Summary::Exact(values) => match (values.first(), values.last()) {
                    (Some(min), Some(max)) => {
                        let bounds = self.bounds(*min, *max);
                        let counts = count_values(values, &bounds);
                        (bounds, counts)
                    }
                    _ => (Vec::new(), Vec::new()),
                },
                Summary::Estimate { buckets, min, max } => {
                    let bounds = self.bounds(*min, *max);
                    let counts = count_buckets(buckets, &bounds);
                    (bounds, counts)
                }
            };
            column.append_value(json(&bounds, &counts));
        }
        estimates(Arc::new(column.finish()), is_estimate)
    }

    /// Few numbers have as many bins as many have.
    fn answer_bytes(&self) -> usize {
        self.bins.saturating_mul(BIN_BYTES)
    }
}

/// How many of the sorted values lie in each bin. A value on a bound belongs to the bin above, the greatest to the
/// last bin.
fn count_values(values: &[f64], bounds: &[f64]) -> Vec<u64> {
    let below = |bound: f64| values.partition_point(|value| *value < bound) as u64;
    differences(bounds, values.len() as u64, below)
}

/// The same of buckets. A bucket that lies in two bins is divided by how much of it lies in each.
fn count_buckets(buckets: &[Bucket], bounds: &[f64]) -> Vec<u64> {
    let mut passed = 0;
    let mut below_passed = 0;
    let below = |bound: f64| {
        while let Some(bucket) = buckets.get(passed).filter(|bucket| bucket.high <= bound) {
            // A bucket without width is one value, and a value on a bound belongs above it.
            if bucket.low == bound {
                break;
            }
            below_passed += bucket.count;
            passed += 1;
        }
        let divided = buckets
            .get(passed)
            .filter(|bucket| bucket.low < bound)
            .map_or(0.0, |bucket| (bound - bucket.low) / (bucket.high - bucket.low) * bucket.count as f64);
        below_passed + divided.round() as u64
    };
    let total = buckets.iter().map(|bucket| bucket.count).sum();
    differences(bounds, total, below)
}

/// The counts of the bins, from how many lie below a bound.
fn differences(bounds: &[f64], total: u64, mut below: impl FnMut(f64) -> u64) -> Vec<u64> {
    let mut counts = Vec::with_capacity(bounds.len().saturating_sub(1));
    let mut last = 0;
    for (index, bound) in bounds.iter().enumerate().skip(1) {
        let up_to = if index + 1 == bounds.len() { total } else { below(*bound).max(last) };
        counts.push(up_to - last);
        last = up_to;
    }
    counts
}

fn json(bounds: &[f64], counts: &[u64]) -> String {
    let mut text = String::from("[");
    for (index, count) in counts.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let from = serde_json::Value::from(bounds[index]);
        let to = serde_json::Value::from(bounds[index + 1]);
        // Writing to a text cannot fail.
        let _ = write!(text, r#"{comma}{{"from":{from},"to":{to},"count":{count}}}"#);
    }
    text.push(']');
    text
}
