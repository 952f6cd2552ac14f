//! How far a backtest is, for those who wait for it: which share of the time it has looked at, with how many queries
//! and what they cost.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tidegauge_alerting::Window;
use tidegauge_model::Timestamp;

/// All of a backtest. A share is kept in parts of this.
const WHOLE: u64 = 1_000_000;

/// How far a backtest is. Clones tell of the same one.
#[derive(Clone, Debug)]
pub struct Progress {
    counts: Arc<Counts>,
    /// Which of how many definitions is tried.
    part: (u64, u64),
}

#[derive(Debug, Default)]
struct Counts {
    share: AtomicU64,
    queries: AtomicU64,
    cost: AtomicU64,
}

/// How far it is at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoFar {
    /// From 0 to 1.
    pub share: f64,
    pub queries: u64,
    /// In gigabytes times milliseconds.
    pub cost: u64,
}

impl Default for Progress {
    fn default() -> Self {
        Self { counts: Arc::default(), part: (0, 1) }
    }
}

impl Progress {
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    pub fn so_far(&self) -> SoFar {
        SoFar {
            share: self.counts.share.load(Ordering::Relaxed) as f64 / WHOLE as f64,
            queries: self.counts.queries.load(Ordering::Relaxed),
            cost: self.counts.cost.load(Ordering::Relaxed),
        }
    }

    /// The same for one of several definitions, which are tried one after the other.
    pub(super) fn of_part(&self, part: u64, of: u64) -> Self {
        Self { counts: Arc::clone(&self.counts), part: (part, of.max(1)) }
    }

    /// One more query was answered.
    pub(super) fn note_query(&self, cost: u64) {
        self.counts.queries.fetch_add(1, Ordering::Relaxed);
        self.counts.cost.fetch_add(cost, Ordering::Relaxed);
    }

    /// Events of a stretch of time were looked at up to a moment.
    pub(super) fn reach_in(&self, whole: Window, up_to: Timestamp) {
        let micros = |to: Timestamp| u64::try_from(to.as_micros() - whole.start.as_micros()).unwrap_or(0);
        self.reach(micros(up_to), micros(whole.end));
    }

    /// So much of the present definition is done. It never goes back.
    pub(super) fn reach(&self, done: u64, of: u64) {
        let (part, parts) = (u128::from(self.part.0), u128::from(self.part.1));
        let (done, of) = (u128::from(done.min(of)), u128::from(of.max(1)));
        let share = (part * of + done) * u128::from(WHOLE) / (parts * of);
        self.counts.share.fetch_max(u64::try_from(share).unwrap_or(WHOLE), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_two_definitions_follow_each_other_and_never_go_back() {
        let progress = Progress::default();
        let (first, second) = (progress.of_part(0, 2), progress.of_part(1, 2));
        first.reach(1, 2);
        assert!((progress.so_far().share - 0.25).abs() < 1e-9);
        first.reach(2, 2);
        second.reach(0, 10);
        assert!((progress.so_far().share - 0.5).abs() < 1e-9);
        second.reach(10, 10);
        first.reach(1, 2);
        assert!((progress.so_far().share - 1.0).abs() < 1e-9);
        second.note_query(7);
        first.note_query(3);
        assert_eq!((progress.so_far().queries, progress.so_far().cost), (2, 10));
    }
}
