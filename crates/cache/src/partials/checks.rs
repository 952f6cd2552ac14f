//! How kept states are watched over: of the questions that are answered from them, one in so many says that some are to
//! be computed anew and compared. What becomes of states that turn out wrong is left to those who keep them.

use std::sync::atomic::{AtomicU64, Ordering};

/// How often it was looked.
#[derive(Debug)]
pub(super) struct Checks {
    /// One question of so many is checked; 0 is none.
    each: u64,
    used: AtomicU64,
    right: AtomicU64,
    wrong: AtomicU64,
}

/// How many comparisons of kept groups with computed ones found them the same, and how many did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    pub right: u64,
    pub wrong: u64,
}

impl Checks {
    pub(super) fn new(each: u64) -> Self {
        Self { each, used: AtomicU64::new(0), right: AtomicU64::new(0), wrong: AtomicU64::new(0) }
    }

    pub(super) fn done(&self) -> Checked {
        Checked { right: self.right.load(Ordering::Relaxed), wrong: self.wrong.load(Ordering::Relaxed) }
    }

    /// Whether something of a question is to be compared, with a number that tells what. Asking counts.
    pub(super) fn is_due(&self) -> Option<u64> {
        let used = self.used.fetch_add(1, Ordering::Relaxed);
        (self.each > 0 && used.is_multiple_of(self.each)).then(|| used / self.each)
    }

    /// Notes how a comparison came out.
    pub(super) fn note(&self, is_right: bool) {
        let outcome = if is_right { &self.right } else { &self.wrong };
        outcome.fetch_add(1, Ordering::Relaxed);
    }
}
