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

#[test]
fn very_many_aggregates_and_columns_are_told_from_many() {
    let columns = COLUMNS_MANY;
    assert_eq!(weight(3, columns), 3);
    assert_eq!(weight(3, columns + 1), 3 + (columns + 1) * STATE_VALUES);
    assert_eq!(weight(usize::MAX, columns + 1), usize::MAX);
    assert_eq!(weight(3, usize::MAX), usize::MAX);
    let come_back = [DISK_COLUMNS_MAX - 1, DISK_COLUMNS_MAX, DISK_COLUMNS_MAX + 1].map(come_back_at_once);
    assert_eq!(come_back, [false, false, true]);
}
