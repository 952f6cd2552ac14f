//! Buckets of time: where the one of a time begins and ends.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array};
use tidegauge_exec::expr::{At, Typed, Values};
use tidegauge_lang::tree::{Bucket, Type};

use crate::Result;

/// The start of the bucket that a time is in.
pub(super) fn of_time(bucket: Bucket, time: Typed) -> Result<Typed> {
    let run = move |values: &[Values], _: At<'_>| {
        let times = values[0].array().as_primitive::<Int64Type>();
        // Rows come in the order of time, so the bucket of one is mostly that of the one before.
        let (mut start, mut end) = (i64::MAX, i64::MIN);
        let starts: Vec<i64> = times
            .values()
            .iter()
            .map(|time| {
                if *time < start || *time >= end {
                    (start, end) = bounds_of(*time, bucket.step);
                }
                start
            })
            .collect();
        Ok(Arc::new(Int64Array::new(starts.into(), times.nulls().cloned())) as ArrayRef)
    };
    Ok(Typed::call("bucket", Type::Datetime, vec![time], Arc::new(run))?)
}

/// Where the bucket of a time begins and ends. The first bucket of all begins with the least time there is, and the last
/// ends with the greatest, where no time is so little or so great.
pub(in crate::groups) fn bounds_of(time: i64, step: i64) -> (i64, i64) {
    let number = time.div_euclid(step);
    // Of the end too: a start that was cut off is not as far from it as the others are.
    (number.saturating_mul(step), number.saturating_add(1).saturating_mul(step))
}
