//! Months, by which ingested bytes are counted.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};

use crate::part::Logged;

/// The month of a time in nanoseconds, such as `2026-11`, in UTC.
pub fn month_of(nanoseconds: i64) -> String {
    let epoch: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);
    let civil = epoch.saturating_add(SignedDuration::from_nanos(nanoseconds));
    format!("{:04}-{:02}", civil.year(), civil.month())
}

/// The bytes that requests brought, by month.
pub(crate) fn by_month(logged: &[Arc<Logged>]) -> Vec<(String, u64)> {
    let mut months: BTreeMap<String, u64> = BTreeMap::new();
    for logged in logged {
        let receipt = logged.frame.receipt();
        *months.entry(month_of(receipt.arrival)).or_default() += receipt.raw_bytes;
    }
    months.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::month_of;

    #[test]
    fn months_are_those_of_utc() {
        assert_eq!(month_of(0), "1970-01");
        assert_eq!(month_of(-1), "1969-12");
        assert_eq!(month_of(1_793_750_399_999_999_999), "2026-11");
    }
}
