//! Counts wrong secrets and codes, so that guessing ends soon. Kept in memory, per node; the secrets themselves are too
//! long to be guessed, so that this only bounds the load and the noise. Typed codes are shorter, and need it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tidegauge_model::Timestamp;

/// Wrong attempts within the time, before the next one is refused unseen.
pub const FAILURES_MAX: u32 = 10;

/// How long attempts count.
const REMEMBERED: Duration = Duration::from_secs(10 * 60);

/// How many senders are remembered.
const SENDERS_MAX: usize = 10_000;

/// Wrong attempts of a while.
#[derive(Debug, Default)]
pub struct Attempts(Mutex<HashMap<String, Failures>>);

#[derive(Debug)]
struct Failures {
    count: u32,
    since: Timestamp,
}

impl Attempts {
    /// Whether another attempt may be made.
    pub fn may_try(&self, key: &str, now: Timestamp) -> bool {
        let attempts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        attempts.get(key).is_none_or(|failures| failures.count < FAILURES_MAX || failures.is_over(now))
    }

    /// Notes a wrong attempt. True if it was the last one for a while.
    pub fn note_failure(&self, key: &str, now: Timestamp) -> bool {
        let mut attempts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if attempts.len() >= SENDERS_MAX && !attempts.contains_key(key) {
            attempts.retain(|_, failures| !failures.is_over(now));
            // So many at once are an attack on the memory; those who are refused already stay so.
            if attempts.len() >= SENDERS_MAX {
                attempts.retain(|_, failures| failures.count >= FAILURES_MAX);
            }
            if attempts.len() >= SENDERS_MAX {
                attempts.clear();
            }
        }
        let failures = attempts.entry(key.to_owned()).or_insert(Failures { count: 0, since: now });
        if failures.is_over(now) {
            *failures = Failures { count: 0, since: now };
        }
        failures.count = failures.count.saturating_add(1);
        failures.count == FAILURES_MAX
    }

    /// Forgets the attempts of who has succeeded.
    pub fn note_success(&self, key: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}

impl Failures {
    fn is_over(&self, now: Timestamp) -> bool {
        self.since.plus(REMEMBERED) <= now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guessing_ends_and_begins_again_later() {
        let (attempts, now) = (Attempts::default(), Timestamp::from_micros(1_000_000));
        for number in 1..=FAILURES_MAX {
            assert!(attempts.may_try("a", now));
            assert_eq!(attempts.note_failure("a", now), number == FAILURES_MAX);
        }
        assert!(!attempts.may_try("a", now) && attempts.may_try("b", now));
        let later = now.plus(REMEMBERED);
        assert!(attempts.may_try("a", later));
        attempts.note_failure("a", later);
        assert!(attempts.may_try("a", later));
        attempts.note_success("a");
        assert!(attempts.0.lock().unwrap().is_empty());
    }

    #[test]
    fn the_memory_is_bounded() {
        let (attempts, now) = (Attempts::default(), Timestamp::from_micros(0));
        for number in 0..3 * SENDERS_MAX {
            attempts.note_failure(&number.to_string(), now);
        }
        assert!(attempts.0.lock().unwrap().len() <= SENDERS_MAX);
    }
}
