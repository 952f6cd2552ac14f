//! Turns that last too long: their work does not pause, because a function takes long over one value or an operator of a
//! library sorts a great deal at once. Such a turn is lent to an organisation that waits, and both compute at the same
//! time; the system shares its processors out between them. Whoever does not pause gets no further turn meanwhile. An
//! organisation that had little is lent one at once.

use std::sync::{Arc, PoisonError};
use std::task::Waker;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::time::Instant;

use super::shares::{Account, nanos};
use super::state::{LENGTH, Running, Share, State, Turns};

/// After so long a turn can be lent: twice what it should last.
const OVERDUE: Duration = LENGTH.saturating_mul(2);

/// Who had so much less than those who compute need not wait for them at all.
const BEHIND_NANOS: u64 = 2_000_000;

/// How often somebody looks, while others wait.
const LOOK_EACH: Duration = Duration::from_millis(1);

/// How many turns can be lent for each that there is: beyond that, processors would be shared out among too many.
const LENT_SHARE: usize = 1;

/// One that goes on, and whether it is of the organisation that gave its turn back.
pub(super) struct Woken {
    pub(super) waker: Waker,
    pub(super) is_own: bool,
}

pub(super) fn lent_max(turns: usize) -> usize {
    turns * LENT_SHARE
}

impl State {
    pub(super) fn begin(&mut self, turn: u64, share: &Arc<Share>) {
        let (share, began) = (Arc::clone(share), Instant::now());
        self.running.push(Running { turn, share, began, is_lent: false, charged: 0 });
    }

    /// Ends a turn that took so long. Who goes on is to be woken.
    pub(super) fn end(&mut self, turn: u64, nanos: u64) -> Vec<Woken> {
        let Some(at) = self.running.iter().position(|running| running.turn == turn) else {
            return Vec::new();
        };
        let ended = self.running.swap_remove(at);
        ended.share.charge(nanos.saturating_sub(ended.charged));
        let is_own = |org: &Arc<Account>| Arc::ptr_eq(org, &ended.share.org);
        if !ended.is_lent {
            return self.hand_on(is_own).into_iter().collect();
        }
        // Somebody else has had it since. Those who were kept back because of this one may go on now.
        let mut woken = Vec::new();
        while self.free > 0 && self.next().is_some() {
            self.free -= 1;
            woken.extend(self.hand_on(is_own));
        }
        woken
    }

    /// Whether one may have a turn beside those that are lent: its organisation must not compute in one of them.
    pub(super) fn may_have_turn(&self, share: &Share) -> bool {
        !self.lent().any(|running| Arc::ptr_eq(&running.share.org, &share.org))
    }

    pub(super) fn lent(&self) -> impl Iterator<Item = &Running> {
        self.running.iter().filter(|running| running.is_lent)
    }

    /// Lends the turn that has lasted longest, if it is overdue and somebody of another organisation waits.
    pub(super) fn lend(&mut self, now: Instant) -> Option<Waker> {
        let next = Arc::clone(&self.waiting[self.next()?].share);
        let is_overdue = |running: &Running| now.saturating_duration_since(running.began) >= OVERDUE;
        if !self.lend_one(&next, now, is_overdue) {
            // Who is next may be of the organisation that does not pause, which must not keep others waiting behind it.
            let other = self.next_of(|share| !Arc::ptr_eq(&share.org, &next.org))?;
            let other = Arc::clone(&self.waiting[other].share);
            if !self.lend_one(&other, now, is_overdue) {
                return None;
            }
        }
        self.hand_on(|_| false).map(|woken| woken.waker)
    }

    /// Lends a turn at once to one whose organisation had little: a small query is a chain of short steps, and would wait
    /// for a turn before each. It computes beside who has the turn, until it had as much.
    pub(super) fn lend_at_once(&mut self, share: &Share, now: Instant) -> bool {
        let had = nanos(&share.org.had).saturating_add(BEHIND_NANOS);
        self.may_have_turn(share) && self.lend_one(share, now, |running| nanos(&running.share.org.had) >= had)
    }

    fn lend_one(&mut self, to: &Share, now: Instant, is_lendable: impl Fn(&Running) -> bool) -> bool {
        if self.lent().count() >= self.lent_max {
            return false;
        }
        let lendable = self.running.iter_mut().filter(|running| {
            !running.is_lent && !Arc::ptr_eq(&running.share.org, &to.org) && is_lendable(running)
        });
        let Some(lent) = lendable.min_by_key(|running| running.began) else { return false };
        lent.is_lent = true;
        // Charged now: the next one is who had least.
        let so_far = now.saturating_duration_since(lent.began).as_nanos();
        lent.charged = u64::try_from(so_far).unwrap_or(u64::MAX);
        lent.share.charge(lent.charged);
        true
    }
}

/// Looks after the turns of an engine, on a thread of its own: those of queries may all be taken. Ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Watch {
    turns: Arc<Turns>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    pub(crate) fn begin(turns: &Arc<Turns>) -> std::io::Result<Self> {
        let watched = Arc::clone(turns);
        turns.lock().is_watched = true;
        let thread =
            std::thread::Builder::new().name("query-turns".to_owned()).spawn(move || watched.watch())?;
        Ok(Self { turns: Arc::clone(turns), thread: Some(thread) })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.turns.lock().is_ending = true;
        self.turns.waited.notify_all();
        if let Some(thread) = self.thread.take() {
            // It waits for nothing but this lock.
            let _ = thread.join();
        }
    }
}

impl Turns {
    fn watch(&self) {
        let mut state = self.lock();
        loop {
            let mut woken = std::mem::take(&mut state.to_wake);
            woken.extend(std::iter::from_fn(|| state.lend(Instant::now())));
            if !woken.is_empty() {
                drop(state);
                woken.into_iter().for_each(Waker::wake);
                state = self.lock();
                continue;
            }
            if state.is_ending {
                // Nobody else would wake them from now on.
                state.is_watched = false;
                return;
            }
            state = match state.waiting.is_empty() {
                true => self.waited.wait(state).unwrap_or_else(PoisonError::into_inner),
                false => self.waited.wait_timeout(state, LOOK_EACH).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
    }
}
