//! Writers, readers, flushes and compactions at the same time: every reader sees each event that was acknowledged
//! before exactly once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tidegauge_model::{DatasetId, FieldKind};
use tokio::task::JoinSet;

use crate::events::SECOND;
use crate::house::{House, START, events};
use crate::through_blocks::all_blocks;

const WRITERS: i64 = 3;
const REQUESTS: i64 = 40;
const ROWS: i64 = 5;

struct Shared {
    house: House,
    id: DatasetId,
    acknowledged: AtomicU64,
    is_over: AtomicBool,
}

async fn write(shared: Arc<Shared>, writer: i64) {
    let dataset = shared.house.store.dataset(&shared.id).unwrap();
    for request in 0..REQUESTS {
        let start = START * 1000 + (request * WRITERS + writer) * ROWS * SECOND;
        let times: Vec<i64> = (0..ROWS).map(|row| start + row * SECOND).collect();
        shared.house.append(&dataset, &events(&times)).await;
        shared.acknowledged.fetch_add(ROWS as u64, Ordering::SeqCst);
    }
}

async fn read(shared: Arc<Shared>) {
    while !shared.is_over.load(Ordering::SeqCst) {
        let before = shared.acknowledged.load(Ordering::SeqCst);
        let rows = shared.house.rows(&shared.id).await;
        let distinct: BTreeSet<(u64, u32)> = rows.iter().map(|row| (row.sequence, row.index)).collect();
        assert_eq!(distinct.len(), rows.len(), "an event is seen twice");
        assert!(rows.len() as u64 >= before, "{} events of {before}", rows.len());
    }
}

/// The same through what queries read.
async fn read_blocks(shared: Arc<Shared>) {
    while !shared.is_over.load(Ordering::SeqCst) {
        let before = shared.acknowledged.load(Ordering::SeqCst);
        let mut seen = BTreeSet::new();
        for block in all_blocks(&shared.house.store, &shared.id).await.blocks {
            let names = block.column("name", FieldKind::String).await.unwrap().unwrap();
            assert_eq!(names.len(), block.rows());
            let (sequences, indexes) = (block.sequences().await.unwrap(), block.indexes().await.unwrap());
            for id in sequences.iter().zip(indexes.iter()) {
                assert!(seen.insert((*id.0, *id.1)), "an event is seen twice");
            }
        }
        assert!(seen.len() as u64 >= before, "{} events of {before}", seen.len());
    }
}

async fn flush(shared: Arc<Shared>) {
    while !shared.is_over.load(Ordering::SeqCst) {
        shared.house.flush(&shared.id).await;
        tokio::task::yield_now().await;
    }
}

async fn compact(shared: Arc<Shared>) {
    while !shared.is_over.load(Ordering::SeqCst) {
        shared.house.store.compact_step().await.unwrap();
        shared.house.store.collect_orphans().await.unwrap();
        shared.house.store.collect_garbage().await.unwrap();
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_see_each_acknowledged_event_once_whatever_goes_on() {
    let house = House::with(|settings| settings.wal_file_bytes = 4096).await;
    let id = house.dataset("logs").await.id().clone();
    let shared = Arc::new(Shared {
        house,
        id: id.clone(),
        acknowledged: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
    });
    let mut others = JoinSet::new();
    others.spawn(read(Arc::clone(&shared)));
    others.spawn(read(Arc::clone(&shared)));
    others.spawn(read_blocks(Arc::clone(&shared)));
    others.spawn(flush(Arc::clone(&shared)));
    others.spawn(compact(Arc::clone(&shared)));
    let mut writers = JoinSet::new();
    (0..WRITERS).for_each(|writer| drop(writers.spawn(write(Arc::clone(&shared), writer))));
    writers.join_all().await;
    shared.is_over.store(true, Ordering::SeqCst);
    others.join_all().await;
    let Some(Shared { house, .. }) = Arc::into_inner(shared) else { panic!("all others have ended") };
    let house = house.killed().await;
    house.advance(Duration::from_secs(7200));
    house.store.collect_garbage().await.unwrap();
    assert_eq!(house.rows(&id).await.len() as i64, WRITERS * REQUESTS * ROWS);
    assert_eq!(house.store.check(true).await.unwrap(), Vec::new());
}
