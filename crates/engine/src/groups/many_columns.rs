//! Memory of groups with very many columns. The operators' library keeps the keys of a group as bytes, in which a null
//! takes next to nothing, and hands out a value for every column of every group at once. So of very many columns, which
//! are mostly nulls, it counts a fraction of what it will take: here that is counted beforehand.

use std::fmt;
use std::sync::Arc;

use datafusion_common::DataFusionError;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use datafusion_execution::runtime_env::RuntimeEnv;

/// Of more columns than these, groups count so many times what the operator says: a null is one byte in a key, and a
/// view of a text with its bit in a column.
const COLUMNS_MANY: usize = 64;
const NULL_FACTOR: usize = 17;

pub(super) fn are_many(columns: usize) -> bool {
    columns > COLUMNS_MANY
}

/// The states of very many aggregates take so many times what a value does: each has one of its own for a group.
const STATE_VALUES: usize = 16;

/// As how many columns groups count of which so many are aggregated.
pub(super) fn weight(columns: usize, aggregates: usize) -> usize {
    match are_many(aggregates) {
        true => columns + aggregates * STATE_VALUES,
        false => columns,
    }
}

/// What operators that group by so many columns run in.
pub(super) fn context(context: Arc<TaskContext>, columns: usize) -> Arc<TaskContext> {
    if !are_many(columns) {
        return context;
    }
    let pool = Arc::new(ManyColumns { query: Arc::clone(context.memory_pool()) });
    let environment = RuntimeEnv { memory_pool: pool, ..(*context.runtime_env()).clone() };
    let config = context.session_config().clone();
    Arc::new(TaskContext::default().with_session_config(config).with_runtime(Arc::new(environment)))
}

#[derive(Debug)]
struct ManyColumns {
    query: Arc<dyn MemoryPool>,
}

impl ManyColumns {
    /// What a change of the operator's own count stands for. Other operators hold the columns and count them.
    fn bytes(by: &MemoryReservation, bytes: usize) -> usize {
        match by.consumer().name().contains("Aggregate") {
            true => bytes.saturating_mul(NULL_FACTOR),
            false => bytes,
        }
    }
}

impl MemoryPool for ManyColumns {
    fn name(&self) -> &str {
        self.query.name()
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.query.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.query.unregister(consumer);
    }

    fn grow(&self, by: &MemoryReservation, additional: usize) {
        self.query.grow(by, Self::bytes(by, additional));
    }

    fn shrink(&self, by: &MemoryReservation, shrink: usize) {
        self.query.shrink(by, Self::bytes(by, shrink));
    }

    fn try_grow(&self, by: &MemoryReservation, additional: usize) -> Result<(), DataFusionError> {
        self.query.try_grow(by, Self::bytes(by, additional))
    }

    fn reserved(&self) -> usize {
        self.query.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.query.memory_limit()
    }
}

impl fmt::Display for ManyColumns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.query.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{QueryMemory, SharedMemory};

    fn pool_of(columns: usize) -> Arc<dyn MemoryPool> {
        let shared = Arc::new(SharedMemory::new(1 << 30));
        let query = Arc::new(QueryMemory::new(shared, 1 << 20, &Arc::from("org")));
        let environment = RuntimeEnv { memory_pool: query, ..RuntimeEnv::default() };
        let plain = Arc::new(TaskContext::default().with_runtime(Arc::new(environment)));
        Arc::clone(context(plain, columns).memory_pool())
    }

    #[test]
    fn groups_of_very_many_columns_count_what_they_will_take() {
        for (columns, name, counted) in [
            (COLUMNS_MANY, "GroupedHashAggregateStream", 1_000),
            (COLUMNS_MANY + 1, "GroupedHashAggregateStream", 17_000),
            (COLUMNS_MANY + 1, "sort", 1_000),
        ] {
            let pool = pool_of(columns);
            let reservation = MemoryConsumer::new(name).register(&pool);
            reservation.try_grow(1_000).expect("there is room");
            assert_eq!(pool.reserved(), counted, "{columns} {name}");
            reservation.shrink(400);
            assert_eq!(pool.reserved(), counted / 10 * 6, "{columns} {name}");
            drop(reservation);
            assert_eq!(pool.reserved(), 0);
        }
        let pool = pool_of(COLUMNS_MANY + 1);
        assert!(MemoryConsumer::new("PartialHashAggregateStream").register(&pool).try_grow(100_000).is_err());
    }
}
