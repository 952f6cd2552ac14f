//! Turns on the threads of queries. A query computes only while it has a turn; a turn ends when its work waits for
//! something or pauses, and the next one goes to the organisation that had least of the threads, within it to the
//! caller that had least, and to the query that had least. A flood of queries so costs others about one turn. Where
//! queries begin and how many is left to `lanes`.

mod shares;
mod task;

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

pub(crate) use shares::Share;
pub(crate) use task::{InTurns, beside, in_turns, pause, spread_to_operators};

use shares::{Account, Accounts};

use crate::Asker;

/// How long a turn lasts before work that could go on lets others do so.
const LENGTH: Duration = Duration::from_millis(2);

/// How far one that had no turn for a while goes before those that had: enough for a small query, and no more, so that
/// nobody saves up time to stop the others with.
const AHEAD_NANOS: u64 = 20_000_000;

/// The turns of an engine: as many at once as there are threads.
#[derive(Debug)]
pub(crate) struct Turns {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Turns that nobody has. None while somebody waits.
    free: usize,
    waiting: Vec<Waiting>,
    accounts: Accounts,
    next_ticket: u64,
}

#[derive(Debug)]
struct Waiting {
    ticket: u64,
    share: Arc<Share>,
    waker: Waker,
    /// Whether it has its turn and is about to take it.
    is_next: bool,
}

impl Turns {
    pub(crate) fn new(threads: usize) -> Arc<Self> {
        let state = State {
            free: threads.max(1),
            waiting: Vec::new(),
            accounts: Accounts::default(),
            next_ticket: 0,
        };
        Arc::new(Self { state: Mutex::new(state) })
    }

    /// The share of a query that begins.
    pub(crate) fn share(self: &Arc<Self>, asker: &Asker) -> Arc<Share> {
        let (org, caller) = self.lock().accounts.of(asker);
        Arc::new(Share { turns: Arc::clone(self), org, caller, query: Account::default() })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a turn, or waits for one under a ticket that is kept for the next call.
    fn poll_take(&self, share: &Arc<Share>, ticket: &mut Option<u64>, context: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        match *ticket {
            Some(number) => {
                let at = state.waiting.iter().position(|waiting| waiting.ticket == number);
                let Some(at) = at else { return Poll::Pending };
                if state.waiting[at].is_next {
                    state.waiting.swap_remove(at);
                    *ticket = None;
                    return Poll::Ready(());
                }
                state.waiting[at].waker.clone_from(context.waker());
                Poll::Pending
            }
            None => {
                share.come_forward(&mut state.accounts);
                if state.free > 0 {
                    state.free -= 1;
                    share.note_turn(&mut state.accounts);
                    return Poll::Ready(());
                }
                let number = state.next_ticket;
                state.next_ticket += 1;
                *ticket = Some(number);
                let (share, waker) = (Arc::clone(share), context.waker().clone());
                state.waiting.push(Waiting { ticket: number, share, waker, is_next: false });
                Poll::Pending
            }
        }
    }

    /// Gives a turn back, after so long: to who waits and had least.
    fn give_back(&self, share: &Share, nanos: u64) {
        share.charge(nanos);
        let mut state = self.lock();
        if let Some(waker) = state.hand_on() {
            drop(state);
            waker.wake();
        }
    }

    /// Gives up waiting, and the turn if it was given meanwhile.
    fn give_up(&self, ticket: u64) {
        let mut state = self.lock();
        let Some(at) = state.waiting.iter().position(|waiting| waiting.ticket == ticket) else { return };
        let gone = state.waiting.swap_remove(at);
        if gone.is_next
            && let Some(waker) = state.hand_on()
        {
            drop(state);
            waker.wake();
        }
    }
}

impl State {
    /// Who has the turn that has become free, if anybody waits for one.
    fn hand_on(&mut self) -> Option<Waker> {
        let waiting = self.waiting.iter_mut().filter(|waiting| !waiting.is_next);
        let Some(next) = waiting.min_by_key(|waiting| (waiting.share.had(), waiting.ticket)) else {
            self.free += 1;
            return None;
        };
        next.is_next = true;
        next.share.note_turn(&mut self.accounts);
        Some(next.waker.clone())
    }
}

/// How much something had, in nanoseconds.
fn nanos(of: &std::sync::atomic::AtomicU64) -> u64 {
    of.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests;
