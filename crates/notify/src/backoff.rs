//! When a message that could not be sent is tried again: after a time drawn by chance up to a bound that doubles, not
//! before the receiver asks for, and not for ever.

use std::time::Duration;

use tidegauge_model::Timestamp;
use tidegauge_model::rng::{self, Rng};

/// How often and how long a message is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    pub attempts_max: u32,
    /// From the beginning of a round to its last attempt.
    pub age_max: Duration,
    /// The bound of the first wait.
    pub first_wait: Duration,
    /// The longest wait, also where a receiver asks for a longer one.
    pub wait_max: Duration,
}

/// What is known of a message whose attempt has just failed.
#[derive(Clone, Copy, Debug)]
pub struct Failed {
    /// With this one.
    pub failures: u32,
    pub began: Timestamp,
    pub now: Timestamp,
    /// How long the receiver asks to be left alone.
    pub retry_after: Option<Duration>,
}

impl RetryPolicy {
    /// When to try again; none if the message is to be given up.
    pub fn next(&self, failed: Failed, rng: &dyn Rng) -> Option<Timestamp> {
        if failed.failures >= self.attempts_max {
            return None;
        }
        let bound = self
            .first_wait
            .saturating_mul(1_u32.checked_shl(failed.failures.saturating_sub(1)).unwrap_or(u32::MAX))
            .min(self.wait_max);
        // At least a moment, so that a message whose draw is nought does not come back at once.
        let drawn = drawn_below(bound, rng).max(Duration::from_secs(1).min(bound));
        let wait = drawn.max(failed.retry_after.unwrap_or_default().min(self.wait_max));
        let next = failed.now.plus(wait);
        (next <= failed.began.plus(self.age_max)).then_some(next)
    }
}

fn drawn_below(bound: Duration, rng: &dyn Rng) -> Duration {
    let draw = u32::from_le_bytes(rng::bytes(rng));
    bound.mul_f64(f64::from(draw) / f64::from(u32::MAX))
}

/// How long a receiver asks to be left alone, by the header of that name: seconds, or a date.
pub fn read_retry_after(text: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let micros = Timestamp::parse_http_date(text.trim())?.as_micros() - now.as_micros();
    Some(Duration::from_micros(u64::try_from(micros).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use tidegauge_model::rng::SeededRng;

    use super::*;

    const RETRY_POLICY: RetryPolicy = RetryPolicy {
        attempts_max: 12,
        age_max: Duration::from_secs(24 * 3_600),
        first_wait: Duration::from_secs(5),
        wait_max: Duration::from_secs(1_800),
    };

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros((1_780_000_000 + seconds) * 1_000_000)
    }

    fn failed(failures: u32) -> Failed {
        Failed { failures, began: at(0), now: at(10), retry_after: None }
    }

    #[test]
    fn waits_grow_to_their_bound_and_are_drawn_over_all_of_it() {
        let rng = SeededRng::new(1);
        for (failures, bound) in [(1, 5), (2, 10), (3, 20), (8, 640), (10, 1_800), (11, 1_800)] {
            let waits: Vec<i64> = (0..500)
                .map(|_| RETRY_POLICY.next(failed(failures), &rng).unwrap().as_micros() - at(10).as_micros())
                .collect();
            let (least, most) = (waits.iter().min().unwrap(), waits.iter().max().unwrap());
            assert!(*least >= 1_000_000 && *least < 1_000_000 * (1 + bound / 5), "{failures}: {least}");
            assert!(*most <= 1_000_000 * bound && *most > 900_000 * bound, "{failures}: {most}");
        }
    }

    #[test]
    fn attempts_and_age_are_bounded() {
        let rng = SeededRng::new(1);
        assert!(RETRY_POLICY.next(failed(11), &rng).is_some());
        assert_eq!(RETRY_POLICY.next(failed(12), &rng), None);
        let old = Failed { now: at(24 * 3_600), ..failed(1) };
        assert_eq!(RETRY_POLICY.next(old, &rng), None);
    }

    #[test]
    fn receivers_are_left_alone_as_long_as_they_ask_within_bounds() {
        let rng = SeededRng::new(1);
        let asked = |seconds| Failed { retry_after: Some(Duration::from_secs(seconds)), ..failed(1) };
        assert_eq!(RETRY_POLICY.next(asked(90), &rng), Some(at(100)));
        assert_eq!(RETRY_POLICY.next(asked(1_000_000_000), &rng), Some(at(1_810)));
        assert!(RETRY_POLICY.next(asked(0), &rng).unwrap() <= at(15));
    }

    #[test]
    fn both_forms_of_the_header_are_read() {
        let now = Timestamp::parse("2026-06-01T12:00:00Z").unwrap();
        let read = |text| read_retry_after(text, now).map(|wait| wait.as_millis());
        assert_eq!(read("17"), Some(17_000));
        assert_eq!(read("0.25"), Some(250));
        assert_eq!(read("Mon, 01 Jun 2026 12:01:00 GMT"), Some(60_000));
        assert_eq!(read("Mon, 01 Jun 2026 11:00:00 GMT"), Some(0));
        for wrong in ["", "soon", "-5", "NaN", "1e999"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
