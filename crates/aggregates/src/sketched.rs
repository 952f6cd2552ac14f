//! What is kept of many numbers: counts in buckets. Which buckets there are is left to each kind of sketch.

use std::fmt::Debug;

use datafusion_common::Result;

use super::state::StateReader;

/// So many numbers lie between these bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    pub(super) low: f64,
    /// The number that stands for all.
    pub(super) middle: f64,
    pub(super) high: f64,
    pub(super) count: u64,
}

/// Counts of finite numbers in buckets, which merge without loss.
pub(super) trait Sketched: Debug + Send + Sync + 'static {
    fn new() -> Self;

    /// The least and the greatest number.
    fn bounds(&self) -> (f64, f64);

    /// Counts a number if it lies within the bounds so far and has a bucket already, and tells whether that was so.
    fn add_within(&mut self, value: f64) -> bool;

    /// Counts a finite number.
    fn add(&mut self, value: f64);

    fn heap_bytes(&self) -> usize;

    /// The buckets that hold something, by value.
    fn buckets(&self) -> Vec<Bucket>;

    fn write(&self, state: &mut Vec<u8>);

    /// Takes in what another sketch wrote.
    fn merge(&mut self, state: &mut StateReader<'_>) -> Result<()>;
}
