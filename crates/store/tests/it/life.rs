//! The life of events: from the buffer through segments and compaction to the end of their retention.

use std::time::Duration;

use tidegauge_model::OrgId;

use crate::house::{House, START, events};

const SECOND: i64 = 1_000_000_000;

fn times(count: i64) -> Vec<i64> {
    (0..count).map(|at| START * 1000 + at * SECOND).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_the_same_in_the_buffer_in_segments_after_a_restart_and_after_compaction() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    for part in times(5000).chunks(500) {
        house.append(&dataset, &events(part)).await;
    }
    let before = house.rows(&id).await;
    assert_eq!(before.len(), 5000);
    assert_eq!(before[2].fields.len(), 2);

    let house = house.reopened().await;
    assert_eq!(house.rows(&id).await, before, "from the log");

    let dataset = house.store.dataset(&id).unwrap();
    house.store.flush(&dataset).await.unwrap();
    assert_eq!(dataset.info().buffered_batches, 0);
    assert_eq!(house.rows(&id).await, before, "from segments");

    let house = house.reopened().await;
    assert_eq!(house.rows(&id).await, before, "from segments after a restart");

    let dataset = house.store.dataset(&id).unwrap();
    let more: Vec<i64> = times(4000).iter().map(|time| time + 7).collect();
    for part in more.chunks(1000) {
        house.append(&dataset, &events(part)).await;
        house.store.flush(&dataset).await.unwrap();
    }
    let all = house.rows(&id).await;
    assert_eq!(all.len(), 9000);
    let segments = dataset.info().segments;
    house.advance(Duration::from_secs(3 * 86_400));
    while house.store.compact_step().await.unwrap() {}
    assert!(dataset.info().segments < segments, "{segments} segments before");
    assert_eq!(house.rows(&id).await, all, "after compaction");
    assert_eq!(house.store.collect_garbage().await.unwrap(), 0, "in the grace time");
    house.advance(Duration::from_secs(2 * 3600));
    assert!(house.store.collect_garbage().await.unwrap() > 0);
    let house = house.reopened().await;
    assert_eq!(house.rows(&id).await, all, "after garbage collection");
}

/// Whoever remembers the catalogue's counts reads them anew when they are others, and only then.
#[tokio::test]
async fn flushes_count_for_the_organisation_whose_events_they_move() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let flushes = || (house.store.flushes(dataset.org()), house.store.flushes(&OrgId::from("org_other")));
    house.append(&dataset, &events(&times(3))).await;
    assert_eq!(flushes(), (0, 0));
    house.store.flush(&dataset).await.unwrap();
    assert_eq!(flushes(), (1, 0));
    house.store.flush(&dataset).await.unwrap();
    assert_eq!(flushes(), (1, 0), "there was nothing to move");
}

/// Syncs of the log, and what merging writes anew, are what datasets share of the disk.
#[tokio::test]
async fn syncs_and_segments_that_are_written_anew_are_counted() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let stats = house.store.stats();
    assert_eq!((stats.wal_syncs, stats.rewritten_segments, stats.rewritten_bytes), (0, 0, 0));
    for part in times(400).chunks(100) {
        house.append(&dataset, &events(part)).await;
        house.store.flush(&dataset).await.unwrap();
    }
    let stats = house.store.stats();
    assert_eq!((stats.wal_syncs, stats.rewritten_segments, stats.rewritten_bytes), (4, 0, 0));

    house.advance(Duration::from_secs(3 * 86_400));
    while house.store.compact_step().await.unwrap() {}
    let (segments, stats) = (dataset.info().segments, house.store.stats());
    assert!(segments < 4 && stats.rewritten_segments >= 4, "{segments} are left: {stats:?}");
    assert!(stats.rewritten_bytes > 0, "{stats:?}");
}
