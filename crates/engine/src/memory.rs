//! Memory of queries: one bound for all, and a share for each. Operators that can spill do so when their share is used
//! up; those that cannot make the query fail, and only it. Of what there is for all, one organisation has at most half
//! while another has queries, and a part is for queries that need little. What nobody reserved is found by `measured`.

mod measured;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use datafusion_common::DataFusionError;
use datafusion_execution::memory_pool::{MemoryLimit, MemoryPool, MemoryReservation};
use hashbrown::HashMap;

pub(crate) use measured::Measured;

use crate::Error;

/// A query that holds no more than this may use the last part of what there is, which is this part of all.
const SMALL_BYTES: usize = 16 << 20;
const SMALL_PART: usize = 8;

/// What takes memory for the expressions of the rows at hand. It is little and soon given back, and nothing that waits on
/// the disk could make room for it: so a part of what a query may hold is left to it, and no more than this.
pub(crate) const EXPRESSIONS: &str = "expressions";
const EXPRESSIONS_PART: usize = 8;
const EXPRESSIONS_BYTES: usize = 16 << 20;

/// A query that is found to hold more than it may have by this part of it, and no less than these bytes, ends.
const OVER_PART: usize = 10;
const OVER_BYTES_MIN: usize = 8 << 20;

/// What all queries together hold.
#[derive(Debug)]
pub(crate) struct SharedMemory {
    max: usize,
    used: AtomicUsize,
    /// How much of it was found by measuring, and is more than who holds it may have.
    found: AtomicUsize,
    /// What the queries of each organisation hold that has any.
    orgs: Mutex<HashMap<Arc<str>, Weak<OrgMemory>>>,
}

/// What the queries of an organisation hold.
#[derive(Debug, Default)]
struct OrgMemory {
    used: AtomicUsize,
}

/// What one query holds.
#[derive(Debug)]
pub(crate) struct QueryMemory {
    shared: Arc<SharedMemory>,
    org: Arc<OrgMemory>,
    max: usize,
    used: AtomicUsize,
    peak: AtomicUsize,
    /// Whether what was refused last would have been given, had other queries not held so much.
    is_crowded: AtomicBool,
}

impl SharedMemory {
    pub(crate) fn new(max: usize) -> Self {
        Self { max, used: AtomicUsize::new(0), found: AtomicUsize::new(0), orgs: Mutex::default() }
    }

    fn of_org(&self, name: &Arc<str>) -> Arc<OrgMemory> {
        let mut orgs = self.orgs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = orgs.get(name).and_then(Weak::upgrade) {
            return known;
        }
        orgs.retain(|_, org| org.strong_count() > 0);
        let org = Arc::<OrgMemory>::default();
        orgs.insert(Arc::clone(name), Arc::downgrade(&org));
        org
    }

    /// How much one organisation may hold now.
    fn org_max(&self) -> usize {
        let orgs = self.orgs.lock().unwrap_or_else(PoisonError::into_inner);
        match orgs.values().filter(|org| org.strong_count() > 0).nth(1) {
            Some(_) => self.max / 2,
            None => self.max,
        }
    }

    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }
}

impl QueryMemory {
    pub(crate) fn new(shared: Arc<SharedMemory>, max: usize, org: &Arc<str>) -> Self {
        Self {
            org: shared.of_org(org),
            shared,
            max,
            used: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            is_crowded: AtomicBool::new(false),
        }
    }

    pub(crate) fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    pub(crate) fn max(&self) -> usize {
        self.max
    }

    /// Why the last refusal was one: other queries hold too much, or this one asks for more than its share.
    pub(crate) fn refusal(&self) -> Error {
        match self.is_crowded.load(Ordering::Relaxed) {
            true => Error::MemoryTaken,
            false => Error::Memory { limit: (self.max >> 20) as u64 },
        }
    }

    /// Takes from what there is for all; false where there is not enough.
    fn take_shared(&self, additional: usize, is_small: bool) -> bool {
        let shared = &self.shared;
        let (max, org_max) = match is_small {
            // What is found with others, who are about to end, is not at the cost of those who need little.
            true => {
                let max = shared.max.saturating_add(shared.found.load(Ordering::Relaxed));
                (max, max)
            }
            false => (shared.max - shared.max / SMALL_PART, shared.org_max()),
        };
        if !add_within(&self.org.used, additional, org_max) {
            return false;
        }
        let is_given = add_within(&shared.used, additional, max);
        if !is_given {
            self.org.used.fetch_sub(additional, Ordering::Relaxed);
        }
        is_given
    }

    /// How much a query may hold when somebody takes more for it.
    fn max_for(&self, by: &MemoryReservation) -> usize {
        match by.consumer().name() {
            EXPRESSIONS => self.max,
            _ => self.max - (self.max / EXPRESSIONS_PART).min(EXPRESSIONS_BYTES),
        }
    }

    /// Whether a query holds more than it may have, or all together do and it is not a small one, by more than a tenth:
    /// what is measured is known afterwards, and operators that reserve make room meanwhile.
    fn is_over(&self) -> bool {
        let used = self.used.load(Ordering::Relaxed);
        let is_own = used > self.max + (self.max / OVER_PART).max(OVER_BYTES_MIN);
        let is_shared =
            self.shared.used() > self.shared.max + self.shared.max / OVER_PART && used > SMALL_BYTES;
        if is_own || is_shared {
            self.is_crowded.store(!is_own, Ordering::Relaxed);
        }
        is_own || is_shared
    }

    /// Counts what was found to be held already.
    fn add_found(&self, bytes: usize) {
        self.shared.found.fetch_add(bytes, Ordering::Relaxed);
        self.add(bytes);
    }

    fn give_back_found(&self, bytes: usize) {
        self.give_back(bytes);
        self.shared.found.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Counts what is held already.
    fn add(&self, additional: usize) {
        self.shared.used.fetch_add(additional, Ordering::Relaxed);
        self.org.used.fetch_add(additional, Ordering::Relaxed);
        self.took(additional);
    }

    fn give_back(&self, bytes: usize) {
        self.shared.used.fetch_sub(bytes, Ordering::Relaxed);
        self.org.used.fetch_sub(bytes, Ordering::Relaxed);
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn took(&self, additional: usize) {
        let used = self.used.fetch_add(additional, Ordering::Relaxed) + additional;
        self.peak.fetch_max(used, Ordering::Relaxed);
    }
}

/// Adds to a count unless it would pass its bound.
fn add_within(count: &AtomicUsize, additional: usize, max: usize) -> bool {
    let add = |used: usize| used.checked_add(additional).filter(|used| *used <= max);
    count.try_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok()
}

impl MemoryPool for QueryMemory {
    fn name(&self) -> &str {
        "query"
    }

    fn grow(&self, _: &MemoryReservation, additional: usize) {
        self.add(additional);
    }

    fn shrink(&self, _: &MemoryReservation, shrink: usize) {
        self.give_back(shrink);
    }

    fn try_grow(&self, by: &MemoryReservation, additional: usize) -> Result<(), DataFusionError> {
        let refused = |is_crowded: bool| {
            let (consumer, held, used) = (by.consumer().name(), by.size(), self.reserved());
            tracing::debug!(consumer, held, additional, used, is_crowded, "memory of a query is refused");
            self.is_crowded.store(is_crowded, Ordering::Relaxed);
            DataFusionError::ResourcesExhausted("the memory of the query is used up".to_owned())
        };
        if !add_within(&self.used, additional, self.max_for(by)) {
            return Err(refused(false));
        }
        let is_small = self.used.load(Ordering::Relaxed) <= SMALL_BYTES;
        if !self.take_shared(additional, is_small) {
            let wanted = self.used.fetch_sub(additional, Ordering::Relaxed);
            // Where all there is would not be enough for this one alone, waiting for others does not help.
            return Err(refused(wanted <= self.shared.max));
        }
        self.peak.fetch_max(self.used.load(Ordering::Relaxed), Ordering::Relaxed);
        // There was room again, so that a later failure has another reason.
        if self.is_crowded.load(Ordering::Relaxed) {
            self.is_crowded.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.max)
    }
}

impl fmt::Display for QueryMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "query memory of {} bytes", self.max)
    }
}
