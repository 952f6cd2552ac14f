//! Who had how much of the threads: organisations, callers within them, and queries of those. One that comes back after
//! a while does not keep what others had meanwhile as a credit: it comes forward to where they are.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashMap;

use super::spare::Queries;
use super::{AHEAD_NANOS, Turns, nanos};
use crate::Asker;
use crate::memory::Measured;

/// So many organisations, and callers of each, are remembered while none of their queries runs. One that was forgotten
/// begins where the others are.
const REMEMBERED_MAX: usize = 1_024;

/// What somebody had.
#[derive(Debug, Default)]
pub(crate) struct Account {
    pub(super) had: AtomicU64,
    /// Where those within it are: what the last of them to get a turn had before.
    within: AtomicU64,
    /// Of an organisation: how many queries it has.
    pub(super) queries: Queries,
}

impl Account {
    fn come_forward(&self, clock: u64) {
        self.had.fetch_max(clock.saturating_sub(AHEAD_NANOS), Ordering::Relaxed);
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

/// The accounts of organisations and their callers.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    orgs: HashMap<Arc<str>, Org>,
    /// Where organisations are: what the last of them to get a turn had before.
    clock: u64,
}

#[derive(Debug, Default)]
struct Org {
    account: Arc<Account>,
    callers: HashMap<Arc<str>, Arc<Account>>,
}

impl Accounts {
    pub(super) fn clock(&self) -> u64 {
        self.clock
    }

    pub(super) fn of(&mut self, asker: &Asker) -> (Arc<Account>, Arc<Account>) {
        if self.orgs.len() >= REMEMBERED_MAX {
            self.orgs.retain(|_, org| Arc::strong_count(&org.account) > 1);
        }
        let org = self.orgs.entry(Arc::clone(&asker.org)).or_default();
        if org.callers.len() >= REMEMBERED_MAX {
            org.callers.retain(|_, caller| Arc::strong_count(caller) > 1);
        }
        let caller = org.callers.entry(Arc::clone(&asker.caller)).or_default();
        (Arc::clone(&org.account), Arc::clone(caller))
    }
}
