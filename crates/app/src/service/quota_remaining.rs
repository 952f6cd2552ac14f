//! What is left of what a licence allows in a month.

use tidegauge_model::Timestamp;
use tidegauge_store::usage::month_of;

/// What is counted by the month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quota {
    /// Bytes of events that are sent.
    Ingest,
    /// Gigabytes that queries hold and read, times the milliseconds that they take.
    Query,
}

/// How much of a month's quota is left, in its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaRemaining {
    pub quota: Quota,
    pub limit: u64,
    pub remaining: u64,
    /// When the next month begins, in seconds since 1970.
    pub reset_at: i64,
}

impl QuotaRemaining {
    /// What is left of a limit when so much was used.
    pub fn of(quota: Quota, limit: u64, used: u64, now: Timestamp) -> Self {
        Self { quota, limit, remaining: limit.saturating_sub(used), reset_at: next_month(now) }
    }

    pub fn less(self, used: u64) -> Self {
        Self { remaining: self.remaining.saturating_sub(used), ..self }
    }
}

/// The first second of the next month.
fn next_month(now: Timestamp) -> i64 {
    let text = month_of(now.as_nanos());
    let number = |part: Option<&str>| part.and_then(|part| part.parse::<i64>().ok()).unwrap_or(1);
    let mut parts = text.split('-');
    let (year, month) = (number(parts.next()), number(parts.next()));
    let (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    let first = Timestamp::parse(&format!("{year:04}-{month:02}-01T00:00:00Z"));
    first.map_or(0, |first| first.as_micros() / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_month_ends_where_the_next_begins() {
        let seconds = |text: &str| next_month(Timestamp::parse(text).unwrap());
        assert_eq!(seconds("2026-12-31T23:59:59Z"), 1_798_761_600);
        assert_eq!(seconds("2026-02-01T00:00:00Z"), 1_772_323_200);
    }
}
