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

/// Groups of more columns are not tried again by way of the disk: what comes back from it at once is too much.
const DISK_COLUMNS_MAX: usize = 1_024;

pub(super) fn come_back_at_once(columns: usize) -> bool {
    columns > DISK_COLUMNS_MAX
}

pub(super) fn are_many(columns: usize) -> bool {
    columns > COLUMNS_MANY
}

/// The states of very many aggregates take so many times what a value does: each has one of its own for a group.
const STATE_VALUES: usize = 16;

/// As how many columns groups count of which so many are aggregated.
pub(super) fn weight(columns: usize, aggregates: usize) -> usize {
    match are_many(aggregates) {
        true => columns.saturating_add(aggregates.saturating_mul(STATE_VALUES)),
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
mod tests;
