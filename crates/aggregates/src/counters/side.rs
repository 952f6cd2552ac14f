//! The buckets on one side of zero of an exponential histogram: bucket i holds values up to base^(i + 1), above base^i,
//! where base is 2^(2^-scale). Only those that are not empty are kept, because the others can be very many.

use std::cmp::Ordering;

use super::super::state::{StateReader, write_float, write_number, write_word};
use datafusion_common::Result;

/// Numbers of buckets and what they count, in the order of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Side(Vec<(i64, f64)>);

impl Side {
    /// The buckets from a number on.
    pub(super) fn new(first: i64, counts: &[f64]) -> Self {
        let buckets = (first..).zip(counts.iter().copied());
        Self(buckets.filter(|(_, count)| *count > 0.0).collect())
    }

    pub(super) fn buckets(&self) -> &[(i64, f64)] {
        &self.0
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.0.capacity() * size_of::<(i64, f64)>()
    }

    pub(super) fn total(&self) -> f64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// How many buckets lie between the first and the last, both included.
    pub(super) fn width(&self) -> u64 {
        match (self.0.first(), self.0.last()) {
            (Some((first, _)), Some((last, _))) => last.abs_diff(*first).saturating_add(1),
            _ => 0,
        }
    }

    /// The same with buckets of a scale that is less by so much.
    pub(super) fn coarser(&self, by: u32) -> Self {
        let mut buckets: Vec<(i64, f64)> = Vec::with_capacity(self.0.len());
        for (number, count) in &self.0 {
            let number = number >> by.min(i64::BITS - 1);
            match buckets.last_mut() {
                Some((last, sum)) if *last == number => *sum += count,
                _ => buckets.push((number, *count)),
            }
        }
        Self(buckets)
    }

    /// Takes out the buckets before a number, and tells what they count.
    pub(super) fn cut_before(&mut self, number: f64) -> f64 {
        let kept = self.0.partition_point(|(bucket, _)| (*bucket as f64) < number);
        self.0.drain(..kept).map(|(_, count)| count).sum()
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        self.with(other, |one, other| Some(one + other)).unwrap_or_default()
    }

    /// Nothing where a bucket counts less than in the other.
    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        self.with(other, |one, other| (one >= other).then_some(one - other))
    }

    fn with(&self, other: &Self, counted: impl Fn(f64, f64) -> Option<f64>) -> Option<Self> {
        let mut buckets = Vec::with_capacity(self.0.len().max(other.0.len()));
        let (mut ours, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let order = match (ours.peek(), theirs.peek()) {
                (None, None) => return Some(Self(buckets)),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((our, _)), Some((their, _))) => our.cmp(their),
            };
            let our = ours.next_if(|_| order.is_le());
            let their = theirs.next_if(|_| order.is_ge());
            let number = our.or(their).map_or(0, |(number, _)| *number);
            let count = |bucket: Option<&(i64, f64)>| bucket.map_or(0.0, |(_, count)| *count);
            let count = counted(count(our), count(their))?;
            if count > 0.0 {
                buckets.push((number, count));
            }
        }
    }

    pub(super) fn write(&self, state: &mut Vec<u8>) {
        write_number(state, self.0.len() as u64);
        for (number, count) in &self.0 {
            write_word(state, number.cast_unsigned());
            write_float(state, *count);
        }
    }

    pub(super) fn read(state: &mut StateReader<'_>) -> Result<Self> {
        let mut buckets = Vec::new();
        for _ in 0..state.number()? {
            buckets.push((state.word()?.cast_signed(), state.float()?));
        }
        Ok(Self(buckets))
    }

    /// By their buckets, one after the other.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let keys =
            |side: &Self| side.0.iter().map(|(number, count)| (*number, count.to_bits())).collect::<Vec<_>>();
        keys(self).cmp(&keys(other))
    }
}
