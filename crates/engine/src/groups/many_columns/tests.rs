//! Both sides of the number of columns from which groups count what they will take.

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
