//! What the tests of this crate need beyond its face. Nobody else should use it.

pub use crate::aggregates::{
    argmax, argmin, avg, avg_time, count, distinct, histogram, makelist, makeset, max, min, percentiles,
    split_estimates, split_sums, stdev, sum, topk, variance,
};
