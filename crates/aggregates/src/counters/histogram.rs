//! A histogram as one value: counts between listed bounds, or those of exponential buckets. It is read from the map that
//! its fields make, by the names that they have in datasets of metrics.

use std::cmp::Ordering;

use datafusion_common::Result;
use serde_json::{Map, Value};

use super::super::state::{StateReader, damaged, write_float, write_number, write_word};
use super::side::Side;

/// Beyond these scales buckets are wider than all floats, or narrower than any sender makes them.
const SCALES: std::ops::RangeInclusive<i64> = -10..=20;

/// Numbers of buckets beyond this stand for no float at any of these scales.
const BUCKET_MAX: i64 = 1 << 32;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Histogram {
    Listed(Listed),
    Exponential(Exponential),
}

/// Counts between bounds, which rise: the first is what lies up to the first bound, the last what lies beyond all.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Listed {
    pub(super) bounds: Vec<f64>,
    pub(super) counts: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Exponential {
    pub(super) scale: i32,
    /// What lies as near to zero as this is counted by itself.
    pub(super) zero_threshold: f64,
    pub(super) zero_count: f64,
    pub(super) positive: Side,
    pub(super) negative: Side,
}

impl Histogram {
    /// None where it is no histogram: counts that are negative or no numbers, bounds that do not rise or do not fit.
    pub(crate) fn of_json(json: &str) -> Option<Self> {
        let fields: Map<String, Value> = serde_json::from_str(json).ok()?;
        if fields.get("scale").is_some_and(|scale| !scale.is_null()) {
            return Exponential::of(&fields).map(Self::Exponential);
        }
        let counts = numbers(&fields, "counts")?.filter(|counts| !counts.is_empty())?;
        let bounds = numbers(&fields, "bounds")?.unwrap_or_default();
        Listed::new(bounds, counts).map(Self::Listed)
    }

    /// What was added since the point before: all of it, if some count fell or buckets are others, because then it
    /// began anew.
    pub(super) fn since(&self, before: &Self) -> Self {
        let added = match (self, before) {
            (Self::Listed(now), Self::Listed(before)) => now.since(before).map(Self::Listed),
            (Self::Exponential(now), Self::Exponential(before)) => now.since(before).map(Self::Exponential),
            _ => None,
        };
        added.unwrap_or_else(|| self.clone())
    }

    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Self::Listed(listed) => (listed.bounds.capacity() + listed.counts.capacity()) * size_of::<f64>(),
            Self::Exponential(exponential) => {
                exponential.positive.heap_bytes() + exponential.negative.heap_bytes()
            }
        }
    }

    pub(super) fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Listed(one), Self::Listed(other)) => {
                let by = |one: &[f64], other: &[f64]| {
                    let bits =
                        |list: &[f64]| list.iter().map(|number| number.to_bits()).collect::<Vec<u64>>();
                    bits(one).cmp(&bits(other))
                };
                let total = |of: &Listed| of.counts.iter().sum::<f64>();
                let totals = total(one).total_cmp(&total(other));
                totals
                    .then_with(|| by(&one.counts, &other.counts))
                    .then_with(|| by(&one.bounds, &other.bounds))
            }
            (Self::Exponential(one), Self::Exponential(other)) => {
                let totals = one.total().total_cmp(&other.total());
                let thresholds = || one.zero_threshold.total_cmp(&other.zero_threshold);
                totals
                    .then_with(|| one.scale.cmp(&other.scale))
                    .then_with(thresholds)
                    .then_with(|| one.positive.order(&other.positive))
                    .then_with(|| one.negative.order(&other.negative))
            }
            (Self::Listed(_), Self::Exponential(_)) => Ordering::Less,
            (Self::Exponential(_), Self::Listed(_)) => Ordering::Greater,
        }
    }

    pub(super) fn write(&self, state: &mut Vec<u8>) {
        match self {
            Self::Listed(listed) => {
                state.push(0);
                write_number(state, listed.bounds.len() as u64);
                listed.bounds.iter().chain(&listed.counts).for_each(|number| write_float(state, *number));
            }
            Self::Exponential(exponential) => {
                state.push(1);
                write_word(state, i64::from(exponential.scale).cast_unsigned());
                write_float(state, exponential.zero_threshold);
                write_float(state, exponential.zero_count);
                exponential.positive.write(state);
                exponential.negative.write(state);
            }
        }
    }

    pub(super) fn read(state: &mut StateReader<'_>) -> Result<Self> {
        if state.byte()? == 0 {
            let count = state.number()?;
            let bounds = (0..count).map(|_| state.float()).collect::<Result<Vec<f64>>>()?;
            let counts = (0..=count).map(|_| state.float()).collect::<Result<Vec<f64>>>()?;
            return Ok(Self::Listed(Listed { bounds, counts }));
        }
        let scale = i32::try_from(state.word()?.cast_signed()).map_err(|_| damaged())?;
        let (zero_threshold, zero_count) = (state.float()?, state.float()?);
        let (positive, negative) = (Side::read(state)?, Side::read(state)?);
        Ok(Self::Exponential(Exponential { scale, zero_threshold, zero_count, positive, negative }))
    }
}

impl Listed {
    pub(crate) fn bounds(&self) -> &[f64] {
        &self.bounds
    }

    pub(crate) fn counts(&self) -> &[f64] {
        &self.counts
    }

    fn new(bounds: Vec<f64>, counts: Vec<f64>) -> Option<Self> {
        let is_rising = bounds.windows(2).all(|pair| pair[0] < pair[1]);
        let is_right =
            is_rising && counts.len() == bounds.len() + 1 && counts.iter().all(|count| *count >= 0.0);
        is_right.then_some(Self { bounds, counts })
    }

    fn since(&self, before: &Self) -> Option<Self> {
        let is_more = self.counts.iter().zip(&before.counts).all(|(now, before)| now >= before);
        let counts = self.counts.iter().zip(&before.counts).map(|(now, before)| now - before);
        (self.bounds == before.bounds && is_more)
            .then(|| Self { bounds: self.bounds.clone(), counts: counts.collect() })
    }

    /// With these bounds alone, all of which it has.
    pub(super) fn with_bounds(&self, wanted: &[f64]) -> Self {
        let mut counts = vec![0.0; wanted.len() + 1];
        for (place, count) in self.counts.iter().enumerate() {
            // What lies below a bound lies below the next one that is kept; what lies beyond all of them is last.
            let end = self
                .bounds
                .get(place)
                .map_or(wanted.len(), |bound| wanted.partition_point(|kept| kept < bound));
            counts[end] += count;
        }
        Self { bounds: wanted.to_vec(), counts }
    }
}

impl Exponential {
    fn of(fields: &Map<String, Value>) -> Option<Self> {
        let scale = fields.get("scale")?.as_f64().filter(|scale| scale.trunc() == *scale)? as i64;
        let number = |name: &str| match fields.get(name) {
            None | Some(Value::Null) => Some(0.0),
            Some(value) => value.as_f64().filter(|number| *number >= 0.0),
        };
        let side = |offset: &str, counts: &str| {
            let first = match fields.get(offset) {
                None | Some(Value::Null) => 0,
                Some(value) => value.as_i64().filter(|first| (-BUCKET_MAX..=BUCKET_MAX).contains(first))?,
            };
            let counts = numbers(fields, counts)?.unwrap_or_default();
            counts.iter().all(|count| *count >= 0.0).then(|| Side::new(first, &counts))
        };
        Some(Self {
            scale: i32::try_from(scale).ok().filter(|_| SCALES.contains(&scale))?,
            zero_threshold: number("zero_threshold")?,
            zero_count: number("zero_count")?,
            positive: side("positive.offset", "positive.counts")?,
            negative: side("negative.offset", "negative.counts")?,
        })
    }

    pub(super) fn total(&self) -> f64 {
        self.zero_count + self.positive.total() + self.negative.total()
    }

    /// With a scale that is not greater, and with a zero that is not narrower.
    pub(super) fn coarser(&self, scale: i32, zero_threshold: f64) -> Self {
        let by = self.scale.abs_diff(scale);
        let mut coarser = Self {
            scale,
            zero_threshold,
            zero_count: self.zero_count,
            positive: self.positive.coarser(by),
            negative: self.negative.coarser(by),
        };
        if zero_threshold > self.zero_threshold {
            // Buckets that begin nearer to zero. A power of two beside its bucket's number is exact enough: a bucket that
            // begins at the threshold stays.
            let first = zero_threshold.log2() * f64::from(scale).exp2();
            coarser.zero_count += coarser.positive.cut_before(first) + coarser.negative.cut_before(first);
        }
        coarser
    }

    /// Both with the scale and the zero of the coarser one.
    pub(super) fn alike(&self, other: &Self) -> (Self, Self) {
        let scale = self.scale.min(other.scale);
        let zero = self.zero_threshold.max(other.zero_threshold);
        (self.coarser(scale, zero), other.coarser(scale, zero))
    }

    fn since(&self, before: &Self) -> Option<Self> {
        let (now, before) = self.alike(before);
        let zero_count = now.zero_count - before.zero_count;
        let positive = now.positive.minus(&before.positive)?;
        let negative = now.negative.minus(&before.negative)?;
        (zero_count >= 0.0).then_some(Self { zero_count, positive, negative, ..now })
    }

    /// Both together, which have the same scale and zero.
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            scale: self.scale,
            zero_threshold: self.zero_threshold,
            zero_count: self.zero_count + other.zero_count,
            positive: self.positive.plus(&other.positive),
            negative: self.negative.plus(&other.negative),
        }
    }
}

/// The numbers of a list. None if one of its elements is no number; nothing if there is no list.
fn numbers(fields: &Map<String, Value>, name: &str) -> Option<Option<Vec<f64>>> {
    match fields.get(name) {
        None | Some(Value::Null) => Some(None),
        Some(Value::Array(elements)) => {
            elements.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>().map(Some)
        }
        Some(_) => None,
    }
}
