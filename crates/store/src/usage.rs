//! Months and days, by which ingested bytes are counted.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};

use crate::buffered_batch::BufferedBatch;

/// The month of a time in nanoseconds, such as `2026-11`, in UTC.
pub fn month_of(nanoseconds: i64) -> String {
    let epoch: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);
    let civil = epoch.saturating_add(SignedDuration::from_nanos(nanoseconds));
    format!("{:04}-{:02}", civil.year(), civil.month())
}

/// The day of a time in nanoseconds, such as `2026-11-18`, in UTC. It begins with its month.
pub fn day_of(nanoseconds: i64) -> String {
    let epoch: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);
    let civil = epoch.saturating_add(SignedDuration::from_nanos(nanoseconds));
    format!("{:04}-{:02}-{:02}", civil.year(), civil.month(), civil.day())
}

/// The bytes that requests brought, by day.
pub(crate) fn by_day(batches: &[Arc<BufferedBatch>]) -> Vec<(String, u64)> {
    let mut days: BTreeMap<String, u64> = BTreeMap::new();
    for batch in batches {
        let receipt = batch.payload.receipt();
        *days.entry(day_of(receipt.arrival)).or_default() += receipt.raw_bytes;
    }
    days.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{day_of, month_of};

    #[test]
    fn months_are_those_of_utc() {
        assert_eq!(month_of(0), "1970-01");
        assert_eq!(month_of(-1), "1969-12");
        assert_eq!(month_of(1_793_750_399_999_999_999), "2026-11");
    }

    #[test]
    fn days_are_those_of_utc_and_begin_with_their_month() {
        assert_eq!(day_of(0), "1970-01-01");
        assert_eq!(day_of(-1), "1969-12-31");
        let time = 1_793_750_399_999_999_999;
        assert!(day_of(time).starts_with(&month_of(time)));
    }
}
