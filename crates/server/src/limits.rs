//! The request rate of an organisation: a bucket that holds one second's worth of requests and refills at the
//! licensed rate. Kept in memory, per node.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tidegauge_model::Timestamp;

/// The bucket counts in millionths of a request, so that a microsecond refills a whole number of them.
const UNIT: i64 = 1_000_000;

const SECONDS_PER_MINUTE: i64 = 60;

/// Counts requests per key. Keys are ids of the catalogue, so their number is bounded by it.
#[derive(Debug, Default)]
pub struct RateLimiter {
    buckets: Mutex<HashMap<String, Bucket>>,
}

#[derive(Debug)]
struct Bucket {
    level: i64,
    filled_at: Timestamp,
    minute: i64,
    used_in_minute: i64,
}

/// Whether a request may go on, and what the rate headers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub allowed: bool,
    /// Requests per minute.
    pub limit: i64,
    /// Requests left in this minute; none when refused.
    pub remaining: i64,
    /// When more can be sent, in seconds since 1970.
    pub reset_at: i64,
}

impl RateLimiter {
    /// Takes one request of `per_second` from the key's bucket.
    pub fn take(&self, key: &str, per_second: i64, now: Timestamp) -> Allowance {
        let per_second = per_second.max(1);
        let full = per_second.saturating_mul(UNIT);
        let minute = now.as_seconds().div_euclid(SECONDS_PER_MINUTE);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if !buckets.contains_key(key) {
            let bucket = Bucket { level: full, filled_at: now, minute, used_in_minute: 0 };
            buckets.insert(key.to_owned(), bucket);
        }
        match buckets.get_mut(key) {
            Some(bucket) => bucket.take(per_second, full, minute, now),
            None => unreachable!("the bucket was inserted under the same lock"),
        }
    }
}

impl Bucket {
    fn take(&mut self, per_second: i64, full: i64, minute: i64, now: Timestamp) -> Allowance {
        // A clock that was set back refills nothing.
        let elapsed = now.as_micros().saturating_sub(self.filled_at.as_micros()).max(0);
        self.level = self.level.saturating_add(elapsed.saturating_mul(per_second)).min(full);
        self.filled_at = now;
        if self.minute != minute {
            self.minute = minute;
            self.used_in_minute = 0;
        }
        let limit = per_second.saturating_mul(SECONDS_PER_MINUTE);
        if self.level < UNIT {
            return Allowance { allowed: false, limit, remaining: 0, reset_at: now.as_seconds() + 1 };
        }
        self.level -= UNIT;
        self.used_in_minute += 1;
        let remaining = (limit - self.used_in_minute).max(0);
        Allowance { allowed: true, limit, remaining, reset_at: (minute + 1) * SECONDS_PER_MINUTE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_micros(120_000_000 + micros)
    }

    #[test]
    fn a_second_holds_as_many_as_the_licence_says_and_refills() {
        let limiter = RateLimiter::default();
        assert!((0..3).all(|_| limiter.take("org", 3, at(0)).allowed));
        let refused = limiter.take("org", 3, at(0));
        assert_eq!(refused, Allowance { allowed: false, limit: 180, remaining: 0, reset_at: 121 });

        assert!(!limiter.take("org", 3, at(300_000)).allowed);
        assert!(limiter.take("org", 3, at(400_000)).allowed);
        assert!(limiter.take("other", 3, at(400_000)).allowed);
    }

    #[test]
    fn the_headers_count_down_within_the_minute() {
        let limiter = RateLimiter::default();
        assert_eq!(limiter.take("org", 10, at(0)).remaining, 599);
        assert_eq!(limiter.take("org", 10, at(1)).remaining, 598);
        let next_minute = limiter.take("org", 10, at(60_000_000));
        assert_eq!((next_minute.remaining, next_minute.reset_at), (599, 240));
    }

    #[test]
    fn extremes_do_not_overflow() {
        let limiter = RateLimiter::default();
        assert!(limiter.take("org", i64::MAX, at(0)).allowed);
        assert!(limiter.take("org", i64::MAX, Timestamp::from_micros(i64::MAX)).allowed);
        assert!(limiter.take("new", 0, Timestamp::from_micros(i64::MIN)).allowed);
    }
}
