//! How many messages go to one receiver at once, and for how long one that fails again and again is left alone, so
//! that a receiver in trouble costs the others nothing. Known to this process only; it learns again after a start.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tidegauge_model::Timestamp;

/// When a receiver is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub in_flight_max: usize,
    /// Failures one after the other until it is left alone.
    pub failures_max: u32,
    /// How long, at first; it doubles with each trial that fails.
    pub rest: Duration,
    pub rest_max: Duration,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    in_flight: usize,
    failures: u32,
    /// Until when it is left alone, and for how long that was.
    resting: Option<(Timestamp, Duration)>,
}

/// Whether a message may be sent now.
#[derive(Debug, PartialEq, Eq)]
pub enum Admission {
    /// It may, and how it went must be told.
    Go,
    /// Others are on their way to the receiver.
    Busy,
    /// The receiver is left alone.
    Resting { until: Timestamp },
}

/// The receivers that something is known of.
#[derive(Debug)]
pub struct Breaker {
    limits: Limits,
    targets: Mutex<HashMap<String, State>>,
}

impl Breaker {
    pub fn new(limits: Limits) -> Self {
        Self { limits, targets: Mutex::default() }
    }

    pub fn admit(&self, target: &str, now: Timestamp) -> Admission {
        let mut targets = self.targets();
        let state = targets.entry(target.to_owned()).or_default();
        let in_flight_max = match state.resting {
            Some((until, _)) if until > now => return Admission::Resting { until },
            // Its time is over: one message tries whether it is well again.
            Some(_) => 1,
            None => self.limits.in_flight_max,
        };
        if state.in_flight >= in_flight_max {
            return Admission::Busy;
        }
        state.in_flight += 1;
        Admission::Go
    }

    /// Tells how an admitted message went. A receiver that refused it is well.
    pub fn report(&self, target: &str, is_well: bool, now: Timestamp) {
        let mut targets = self.targets();
        let Some(state) = targets.get_mut(target) else {
            return;
        };
        state.in_flight = state.in_flight.saturating_sub(1);
        if is_well {
            state.failures = 0;
            state.resting = None;
            if state.in_flight == 0 {
                targets.remove(target);
            }
            return;
        }
        state.failures = state.failures.saturating_add(1);
        match state.resting {
            // Another that was admitted before has failed too.
            Some((until, _)) if until > now => {}
            Some((_, rest)) => {
                let rest = rest.saturating_mul(2).min(self.limits.rest_max);
                state.resting = Some((now.plus(rest), rest));
            }
            None if state.failures >= self.limits.failures_max => {
                state.resting = Some((now.plus(self.limits.rest), self.limits.rest));
            }
            None => {}
        }
    }

    fn targets(&self) -> MutexGuard<'_, HashMap<String, State>> {
        self.targets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn breaker() -> Breaker {
        Breaker::new(Limits {
            in_flight_max: 2,
            failures_max: 3,
            rest: Duration::from_secs(30),
            rest_max: Duration::from_secs(100),
        })
    }

    fn fail(breaker: &Breaker, target: &str, seconds: i64) {
        assert_eq!(breaker.admit(target, at(seconds)), Admission::Go);
        breaker.report(target, false, at(seconds));
    }

    #[test]
    fn few_go_to_one_receiver_at_once() {
        let breaker = breaker();
        assert_eq!(breaker.admit("a", at(0)), Admission::Go);
        assert_eq!(breaker.admit("a", at(0)), Admission::Go);
        assert_eq!(breaker.admit("a", at(0)), Admission::Busy);
        assert_eq!(breaker.admit("b", at(0)), Admission::Go);
        breaker.report("a", true, at(1));
        assert_eq!(breaker.admit("a", at(1)), Admission::Go);
    }

    #[test]
    fn who_fails_again_and_again_is_left_alone_for_longer_and_longer() {
        let breaker = breaker();
        fail(&breaker, "a", 0);
        fail(&breaker, "a", 1);
        fail(&breaker, "a", 2);
        assert_eq!(breaker.admit("a", at(3)), Admission::Resting { until: at(32) });
        assert_eq!(breaker.admit("b", at(3)), Admission::Go);
        // One tries at a time.
        assert_eq!(breaker.admit("a", at(32)), Admission::Go);
        assert_eq!(breaker.admit("a", at(32)), Admission::Busy);
        breaker.report("a", false, at(33));
        assert_eq!(breaker.admit("a", at(40)), Admission::Resting { until: at(93) });
        fail(&breaker, "a", 93);
        assert_eq!(breaker.admit("a", at(94)), Admission::Resting { until: at(193) });
        assert_eq!(breaker.admit("a", at(193)), Admission::Go);
        breaker.report("a", true, at(194));
        fail(&breaker, "a", 195);
        assert_eq!(breaker.admit("a", at(196)), Admission::Go);
    }

    #[test]
    fn receivers_that_are_well_are_forgotten() {
        let breaker = breaker();
        for number in 0..100 {
            let target = number.to_string();
            assert_eq!(breaker.admit(&target, at(0)), Admission::Go);
            breaker.report(&target, true, at(0));
        }
        assert!(breaker.targets().is_empty());
    }
}
