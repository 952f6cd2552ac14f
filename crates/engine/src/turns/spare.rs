//! The threads of lent turns. A turn is lent to another organisation only, so they are awake while queries of several
//! organisations run. Otherwise they sleep in a task that does nothing: the runtime would wake them for each query that
//! has more tasks than turns, and all they could do is to wait for a turn. Who gets one is left to `overdue`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;

/// So long they stay awake after queries of several organisations ran: organisations that ask by turns would send them to
/// sleep and wake them with each query.
const AWAKE: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct Spare {
    threads_max: usize,
    runtime: OnceLock<Handle>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Organisations that have queries.
    asking: usize,
    /// When there were several last.
    several_at: Option<Instant>,
    /// Threads that sleep, or are about to.
    asleep: usize,
    is_ending: bool,
}

/// How many queries an organisation has.
#[derive(Debug, Default)]
pub(super) struct Queries(AtomicUsize);

impl Spare {
    pub(super) fn new(threads_max: usize) -> Self {
        Self { threads_max, runtime: OnceLock::new(), state: Mutex::default(), changed: Condvar::new() }
    }

    /// A query begins. Threads are awake then if another organisation has one.
    pub(super) fn begin(self: &Arc<Self>, of_org: &Queries) {
        let mut state = self.lock();
        state.asking += usize::from(of_org.0.fetch_add(1, Ordering::Relaxed) == 0);
        if state.asking > 1 {
            state.several_at = Some(Instant::now());
            if state.asleep > 0 {
                self.changed.notify_all();
            }
        } else if state.several_at.is_none_or(|at| at.elapsed() >= AWAKE) {
            self.send_to_sleep(&mut state);
        }
    }

    pub(super) fn end(&self, of_org: &Queries) {
        let mut state = self.lock();
        if state.asking > 1 {
            state.several_at = Some(Instant::now());
        }
        state.asking -= usize::from(of_org.0.fetch_sub(1, Ordering::Relaxed) == 1);
    }

    /// From now on they sleep on the threads of this runtime while they are not needed.
    pub(super) fn sleep_on(&self, runtime: Handle) {
        let _ = self.runtime.set(runtime);
    }

    /// Wakes them for good: a runtime cannot end before they do.
    pub(super) fn stop(&self) {
        self.lock().is_ending = true;
        self.changed.notify_all();
    }

    fn send_to_sleep(self: &Arc<Self>, state: &mut State) {
        let Some(runtime) = self.runtime.get() else { return };
        while state.asleep < self.threads_max && !state.is_ending {
            state.asleep += 1;
            let spare = Arc::clone(self);
            runtime.spawn(async move { spare.sleep() });
        }
    }

    /// Keeps the thread that calls it. That is what it is for, on a thread of which there is one more than turns.
    fn sleep(&self) {
        let mut state = self.lock();
        while state.asking < 2 && !state.is_ending {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.asleep -= 1;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl Spare {
    pub(super) fn asleep(&self) -> usize {
        self.lock().asleep
    }

    /// Returns when none sleeps any more.
    pub(super) fn all_awake(&self) {
        let mut state = self.lock();
        while state.asleep > 0 {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// As if several organisations had asked later.
    pub(super) fn put_off(&self, by: Duration) {
        let mut state = self.lock();
        state.several_at = state.several_at.map(|at| at + by);
    }

    /// As if several organisations had asked longer ago.
    pub(super) fn let_pass(&self, by: Duration) {
        let mut state = self.lock();
        state.several_at = state.several_at.map(|at| at - by);
    }
}
