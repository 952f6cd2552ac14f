//! Who had how much of the threads: organisations, callers within them, and queries of those. One that comes back after
//! a while does not keep what others had meanwhile as a credit: it comes forward to where they are.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashMap;

use super::spare::Queries;
use crate::Asker;

/// How far one that had no turn for a while goes before those that had: enough for a small query, and no more, so that
/// nobody saves up time to stop the others with.
const AHEAD_NANOS: u64 = 20_000_000;

/// So many organisations, and callers of each, are remembered while none of their queries runs. One that was forgotten
/// begins where the others are.
const REMEMBERED_MAX: usize = 1_024;

/// What somebody had.
#[derive(Debug, Default)]
pub(super) struct Account {
    pub(super) had: AtomicU64,
    /// Where those within it are: what the last of them to get a turn had before.
    pub(super) within: AtomicU64,
    /// Of an organisation: how many queries it has.
    pub(super) queries: Queries,
}

impl Account {
    pub(super) fn come_forward(&self, clock: u64) {
        self.had.fetch_max(clock.saturating_sub(AHEAD_NANOS), Ordering::Relaxed);
    }
}

/// The accounts of organisations and their callers.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    orgs: HashMap<Arc<str>, Org>,
    /// Where organisations are: what the last of them to get a turn had before.
    pub(super) clock: u64,
}

#[derive(Debug, Default)]
struct Org {
    account: Arc<Account>,
    callers: HashMap<Arc<str>, Arc<Account>>,
}

impl Accounts {
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

/// How much something had, in nanoseconds.
pub(super) fn nanos(of: &AtomicU64) -> u64 {
    of.load(Ordering::Relaxed)
}
