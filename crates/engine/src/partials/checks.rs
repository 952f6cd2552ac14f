//! How kept states are watched over: of the questions that are answered from them, one in so many says that some are to
//! be computed anew and compared. States that turn out wrong are forgotten, and their question is not kept again.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Partials;

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
}

impl Partials {
    /// Whether something of this question is to be compared, with a number that tells what. Asking counts.
    pub(crate) fn is_check_due(&self) -> Option<u64> {
        let checks = &self.cache.checks;
        let used = checks.used.fetch_add(1, Ordering::Relaxed);
        (checks.each > 0 && used.is_multiple_of(checks.each)).then(|| used / checks.each)
    }

    /// Notes how a comparison came out.
    pub(crate) fn note_check(&self, is_right: bool) {
        let checks = &self.cache.checks;
        let outcome = if is_right { &checks.right } else { &checks.wrong };
        outcome.fetch_add(1, Ordering::Relaxed);
        if !is_right {
            self.give_up();
            self.cache.kept().forget(self.fingerprint);
            if let Some(disk) = &self.cache.disk {
                disk.forget(self.fingerprint);
            }
        }
    }
}
