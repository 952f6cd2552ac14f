//! Turns on the threads of queries. A query computes only while it has a turn; a turn ends when its work waits for
//! something or pauses, and the next one goes to the organisation that had least of the threads, within it to the
//! caller that had least, and to the query that had least. A flood of queries so costs others about one turn. A turn
//! whose work does not pause is lent to others meanwhile. What turns and shares are is in `state`; where queries begin
//! and how many is left to `lanes`.

mod overdue;
mod priority;
mod shares;
mod spare;
mod state;
mod task;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll};

use tokio::runtime::Handle;
use tokio::time::Instant;

pub(crate) use overdue::Watch;
pub(crate) use priority::give_way_to_requests;
pub use priority::lower_priority;
pub(crate) use state::{Share, Turns};
pub(crate) use task::{InTurns, beside, in_turns, pause, spread_to_operators};

use overdue::Woken;
use shares::{Account, Accounts, nanos};
use spare::Spare;
use state::{State, Waiting};

use crate::Asker;
use crate::memory::Measured;

impl Turns {
    pub(crate) fn new(threads: usize) -> Arc<Self> {
        let threads = threads.max(1);
        let state = State {
            free: threads,
            running: Vec::new(),
            lent_max: overdue::lent_max(threads),
            is_watched: false,
            to_wake: Vec::new(),
            is_ending: false,
            waiting: Vec::new(),
            accounts: Accounts::default(),
            next_ticket: 0,
        };
        Arc::new(Self {
            state: Mutex::new(state),
            waited: Condvar::new(),
            is_pressed: AtomicBool::new(false),
            spare: Arc::new(Spare::new(overdue::lent_max(threads))),
        })
    }

    /// How many threads it takes, so that one is there for every turn while others compute in lent ones.
    pub(crate) fn threads(turns: usize) -> usize {
        turns.max(1) + overdue::lent_max(turns.max(1))
    }

    /// The runtime whose threads compute in these turns, as many as it takes.
    pub(crate) fn compute_on(&self, runtime: &Handle) {
        self.spare.sleep_on(runtime.clone());
    }

    /// Before that runtime ends.
    pub(crate) fn stop(&self) {
        self.spare.stop();
    }

    /// The share of a query that begins.
    pub(crate) fn share(self: &Arc<Self>, asker: &Asker, heap: Option<Arc<Measured>>) -> Arc<Share> {
        let (org, caller) = self.lock().accounts.of(asker);
        self.spare.begin(&org.queries);
        Arc::new(Share { turns: Arc::clone(self), org, caller, query: Account::default(), heap })
    }

    /// Takes a turn, or waits for one under a ticket that is kept for the next call. Returns the number of the turn.
    fn poll_take(&self, share: &Arc<Share>, ticket: &mut Option<u64>, context: &Context<'_>) -> Poll<u64> {
        let mut state = self.lock();
        match *ticket {
            Some(number) => {
                let at = state.waiting.iter().position(|waiting| waiting.ticket == number);
                let Some(at) = at else { return Poll::Pending };
                if state.waiting[at].is_next {
                    state.waiting.swap_remove(at);
                    *ticket = None;
                    state.begin(number, share);
                    return Poll::Ready(number);
                }
                state.waiting[at].waker.clone_from(context.waker());
                Poll::Pending
            }
            None => {
                share.come_forward(&mut state.accounts);
                let number = state.next_ticket;
                state.next_ticket += 1;
                let is_free = state.free > 0 && state.may_have_turn(share);
                if is_free || state.lend_at_once(share, Instant::now()) {
                    state.free -= usize::from(is_free);
                    share.note_turn(&mut state.accounts);
                    state.begin(number, share);
                    return Poll::Ready(number);
                }
                *ticket = Some(number);
                if nanos(&share.org.had) < state.accounts.clock {
                    self.is_pressed.store(true, Ordering::Relaxed);
                }
                let (share, waker) = (Arc::clone(share), context.waker().clone());
                state.waiting.push(Waiting { ticket: number, share, waker, is_next: false });
                // One who looks after the others is looking already.
                if state.waiting.len() == 1 {
                    self.waited.notify_one();
                }
                Poll::Pending
            }
        }
    }

    /// Gives a turn back, after so long: to who waits and had least.
    fn give_back(&self, turn: u64, nanos: u64) {
        let mut state = self.lock();
        let woken = state.end(turn, nanos);
        self.is_pressed.store(state.is_pressed(), Ordering::Relaxed);
        // A task that is woken here may be put behind others of this thread, where none of the idle ones looks for it. So
        // those of other organisations are woken from outside.
        let (own, others): (Vec<Woken>, Vec<Woken>) =
            woken.into_iter().partition(|woken| woken.is_own || !state.is_watched);
        if !others.is_empty() {
            state.to_wake.extend(others.into_iter().map(|woken| woken.waker));
            self.waited.notify_one();
        }
        drop(state);
        own.into_iter().for_each(|woken| woken.waker.wake());
    }

    /// Gives up waiting, and the turn if it was given meanwhile.
    fn give_up(&self, ticket: u64) {
        let mut state = self.lock();
        let Some(at) = state.waiting.iter().position(|waiting| waiting.ticket == ticket) else { return };
        let gone = state.waiting.swap_remove(at);
        if gone.is_next
            && let Some(woken) = state.hand_on(|_| false)
        {
            drop(state);
            woken.waker.wake();
        }
    }
}

impl State {
    /// Who has the turn that has become free, if anybody waits for one and may have it.
    fn hand_on(&mut self, is_own: impl Fn(&Arc<Account>) -> bool) -> Option<Woken> {
        let Some(next) = self.next() else {
            self.free += 1;
            return None;
        };
        let next = &mut self.waiting[next];
        next.is_next = true;
        next.share.note_turn(&mut self.accounts);
        Some(Woken { waker: next.waker.clone(), is_own: is_own(&next.share.org) })
    }

    /// Whether an organisation waits that had less than those who compute.
    fn is_pressed(&self) -> bool {
        let clock = self.accounts.clock;
        self.waiting.iter().any(|waiting| !waiting.is_next && nanos(&waiting.share.org.had) < clock)
    }

    /// The place of the one that is next.
    fn next(&self) -> Option<usize> {
        self.next_of(|_| true)
    }

    /// The place of the one that is next of some.
    fn next_of(&self, is_one: impl Fn(&Share) -> bool) -> Option<usize> {
        let waiting = self.waiting.iter().enumerate().filter(|(_, waiting)| is_one(&waiting.share));
        let allowed = waiting.filter(|(_, waiting)| !waiting.is_next && self.may_have_turn(&waiting.share));
        let next = allowed.min_by_key(|(_, waiting)| (waiting.share.had(), waiting.ticket));
        next.map(|(at, _)| at)
    }
}

#[cfg(test)]
mod tests;
