//! Who has a turn and who waits for one, by their shares, and how long a turn lasts. A query's share knows the turns that
//! it is of, and these know the shares of those who compute and wait; who comes next is left to others.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use tokio::time::Instant;

use super::shares::{Account, Accounts, nanos};
use super::spare::Spare;
use crate::memory::Measured;

/// How long a turn lasts before work that could go on lets others do so.
pub(super) const LENGTH: Duration = Duration::from_millis(2);

/// The same while an organisation waits that had less.
pub(super) const SHORT: Duration = Duration::from_micros(300);

/// The turns of an engine: as many at once as it computes with.
#[derive(Debug)]
pub(crate) struct Turns {
    pub(super) state: Mutex<State>,
    /// Told when somebody waits, and at the end: for who looks after overdue turns.
    pub(super) waited: Condvar,
    /// Whether an organisation waits that had less than those who compute.
    pub(super) is_pressed: AtomicBool,
    pub(super) spare: Arc<Spare>,
}

#[derive(Debug)]
pub(super) struct State {
    /// Turns that nobody has. None while somebody waits who may have one.
    pub(super) free: usize,
    /// Turns that last, and how many of them can be lent.
    pub(super) running: Vec<Running>,
    pub(super) lent_max: usize,
    /// Whether somebody looks after overdue turns, and whom it has to wake.
    pub(super) is_watched: bool,
    pub(super) to_wake: Vec<Waker>,
    pub(super) is_ending: bool,
    pub(super) waiting: Vec<Waiting>,
    pub(super) accounts: Accounts,
    pub(super) next_ticket: u64,
}

#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) ticket: u64,
    pub(super) share: Arc<Share>,
    pub(super) waker: Waker,
    /// Whether it has its turn and is about to take it.
    pub(super) is_next: bool,
}

/// A turn that lasts.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) turn: u64,
    pub(super) share: Arc<Share>,
    pub(super) began: Instant,
    pub(super) is_lent: bool,
    /// What of it was charged already.
    pub(super) charged: u64,
}

impl Turns {
    /// How long a turn lasts now before its work should pause.
    pub(super) fn length(&self) -> Duration {
        if self.is_pressed.load(Ordering::Relaxed) { SHORT } else { LENGTH }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A query's part in the turns.
#[derive(Debug)]
pub(crate) struct Share {
    pub(super) turns: Arc<Turns>,
    pub(super) org: Arc<Account>,
    pub(super) caller: Arc<Account>,
    pub(super) query: Account,
    /// What its work holds of the heap, where that is counted.
    pub(super) heap: Option<Arc<Measured>>,
}

impl Share {
    /// Notes what was computed beside the turns.
    pub(crate) fn charge(&self, by: u64) {
        for account in [&*self.org, &*self.caller, &self.query] {
            account.had.fetch_add(by, Ordering::Relaxed);
        }
    }

    /// Notes what work took from the heap.
    pub(super) fn took(&self, bytes: i64) {
        if let Some(heap) = &self.heap {
            heap.add(bytes);
        }
    }

    /// Whether the query holds so much that it gets no further turn.
    pub(super) fn is_over(&self) -> bool {
        self.heap.as_ref().is_some_and(|heap| heap.is_over())
    }

    pub(super) fn had(&self) -> (u64, u64, u64) {
        (nanos(&self.org.had), nanos(&self.caller.had), nanos(&self.query.had))
    }

    /// Before it waits: what others had meanwhile is no credit.
    pub(super) fn come_forward(&self, accounts: &mut Accounts) {
        self.org.come_forward(accounts.clock);
        self.caller.come_forward(nanos(&self.org.within));
        self.query.come_forward(nanos(&self.caller.within));
    }

    /// When it gets a turn: who comes later begins from here.
    pub(super) fn note_turn(&self, accounts: &mut Accounts) {
        let (org, caller, query) = self.had();
        accounts.clock = accounts.clock.max(org);
        self.org.within.fetch_max(caller, Ordering::Relaxed);
        self.caller.within.fetch_max(query, Ordering::Relaxed);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.turns.spare.end(&self.org.queries);
    }
}
