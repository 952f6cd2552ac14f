//! What a query really holds of the heap. Operators reserve memory before they take it; what none of them thought of is
//! found by looking at the heap after each turn, and counts as the query's from then on, so that operators spill and
//! others are refused in time. A query that is found far beyond its share ends: it gets no further turn.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion_execution::memory_pool::MemoryPool;
use tokio::sync::Notify;

use super::QueryMemory;

/// So much of what nobody reserved is not counted: what every query needs for its plan and the rows at hand.
const FREE_BYTES: i64 = 4 << 20;

/// What a query holds is compared with what it reserved when it has changed by so much.
const STEP_BYTES: i64 = 1 << 20;

#[derive(Debug)]
pub(crate) struct Measured {
    memory: Arc<QueryMemory>,
    held: AtomicI64,
    /// What it held when it was compared last.
    compared: AtomicI64,
    /// What is counted beside what operators reserved.
    beside: Mutex<usize>,
    is_over: AtomicBool,
    ended: Notify,
}

impl Measured {
    pub(crate) fn new(memory: Arc<QueryMemory>) -> Self {
        Self {
            memory,
            held: AtomicI64::new(0),
            compared: AtomicI64::new(0),
            beside: Mutex::new(0),
            is_over: AtomicBool::new(false),
            ended: Notify::new(),
        }
    }

    /// Adds what a turn took; less than nothing where it gave back.
    pub(crate) fn add(&self, bytes: i64) {
        let held = self.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if (held - self.compared.load(Ordering::Relaxed)).abs() >= STEP_BYTES {
            self.compared.store(held, Ordering::Relaxed);
            self.compare(held);
        }
    }

    /// Whether it holds so much that it gets no further turn.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Waits until it is.
    pub(crate) async fn over(&self) {
        self.ended.notified().await;
    }

    fn compare(&self, held: i64) {
        let mut beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
        let reserved = self.memory.reserved().saturating_sub(*beside);
        let unreserved = held.saturating_sub(FREE_BYTES).saturating_sub_unsigned(reserved as u64);
        let found = usize::try_from(unreserved).unwrap_or(0);
        if found < *beside {
            self.memory.give_back_found(*beside - found);
        } else if found > *beside {
            self.memory.add_found(found - *beside);
            if self.memory.is_over() && !self.is_over.swap(true, Ordering::Relaxed) {
                tracing::debug!(held, reserved, "a query holds more than it may have");
                self.ended.notify_one();
            }
        }
        *beside = found;
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        let beside = self.beside.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.memory.give_back_found(std::mem::take(beside));
    }
}

#[cfg(test)]
mod tests {
    use datafusion_execution::memory_pool::MemoryConsumer;

    use super::*;
    use crate::Error;
    use crate::memory::SharedMemory;

    const MIB: usize = 1 << 20;

    fn query(shared: &Arc<SharedMemory>, max: usize) -> (Arc<QueryMemory>, Measured) {
        let memory = Arc::new(QueryMemory::new(Arc::clone(shared), max, &Arc::from("org")));
        (Arc::clone(&memory), Measured::new(memory))
    }

    #[test]
    fn what_nobody_reserved_counts_and_is_given_back() {
        let shared = Arc::new(SharedMemory::new(1_000 * MIB));
        let (memory, measured) = query(&shared, 100 * MIB);
        measured.add(3 << 20);
        assert_eq!(memory.reserved(), 0);
        measured.add(47 << 20);
        assert_eq!((memory.reserved(), shared.used()), (46 * MIB, 46 * MIB));
        measured.add(-(40 << 20));
        assert_eq!(memory.reserved(), 6 * MIB);
        measured.add(30 << 20);
        drop(measured);
        assert_eq!((memory.reserved(), shared.used()), (0, 0));
    }

    #[test]
    fn what_is_reserved_does_not_count_twice() {
        let shared = Arc::new(SharedMemory::new(1_000 * MIB));
        let (memory, measured) = query(&shared, 100 * MIB);
        let pool: Arc<dyn MemoryPool> = Arc::clone(&memory) as _;
        let reservation = MemoryConsumer::new("sort").register(&pool);
        reservation.try_grow(60 * MIB).expect("there is room");
        measured.add(50 << 20);
        assert_eq!(memory.reserved(), 60 * MIB);
        measured.add(20 << 20);
        assert_eq!(memory.reserved(), 66 * MIB);
        // An operator finds less room, and goes to the disk.
        assert!(reservation.try_grow(30 * MIB).is_err());
        assert!(!measured.is_over());
    }

    #[tokio::test]
    async fn a_query_ends_beyond_its_share_and_a_tenth() {
        let shared = Arc::new(SharedMemory::new(1_000 * MIB));
        let (memory, measured) = query(&shared, 100 * MIB);
        measured.add(114 << 20);
        assert!(!measured.is_over());
        measured.add(2 << 20);
        assert!(measured.is_over());
        measured.over().await;
        assert!(matches!(memory.refusal(), Error::Memory { limit: 100 }));
    }

    #[test]
    fn all_together_end_those_that_are_not_small() {
        let shared = Arc::new(SharedMemory::new(100 * MIB));
        let (_first, large) = query(&shared, 90 * MIB);
        let (memory, second) = query(&shared, 90 * MIB);
        let (_third, small) = query(&shared, 90 * MIB);
        large.add(84 << 20);
        second.add(32 << 20);
        assert!(!second.is_over());
        small.add(12 << 20);
        assert!(!small.is_over());
        second.add(2 << 20);
        assert!(second.is_over() && !large.is_over());
        assert!(matches!(memory.refusal(), Error::MemoryTaken));
    }

    #[test]
    fn what_is_found_with_one_query_does_not_refuse_small_ones() {
        let shared = Arc::new(SharedMemory::new(100 * MIB));
        let (_memory, large) = query(&shared, 90 * MIB);
        large.add(400 << 20);
        assert!(large.is_over());
        let (memory, _measured) = query(&shared, 90 * MIB);
        let pool: Arc<dyn MemoryPool> = memory;
        let reservation = MemoryConsumer::new("small").register(&pool);
        reservation.try_grow(10 * MIB).expect("it is small");
        assert!(reservation.try_grow(20 * MIB).is_err());
    }
}
