//! Damage on the disk: what is not damaged is read, and what is is named.

use std::path::Path;

use tidegauge_model::{DatasetId, FieldKind};
use tidegauge_store::{Finding, FindingKind, StoredValue};

use crate::deletion::id_of;
use crate::events::{Event, SECOND, columns_of};
use crate::house::{House, START, events, files_in, log_files};

fn times(from: i64, count: i64) -> Vec<i64> {
    (from..from + count).map(|at| START * 1000 + at * SECOND).collect()
}

fn flip(path: &Path, at: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[at] ^= 0x10;
    std::fs::write(path, bytes).unwrap();
}

fn kinds(findings: &[Finding]) -> Vec<FindingKind> {
    findings.iter().map(|finding| finding.kind).collect()
}

#[tokio::test]
async fn a_record_that_was_cut_off_is_dropped_without_alarm() {
    let house = House::new().await;
    let id = house.dataset("logs").await.id().clone();
    let dataset = house.store.dataset(&id).unwrap();
    for part in 0..3 {
        house.append(&dataset, &events(&times(part * 10, 10))).await;
    }
    let House { store, .. } = &house;
    store.close().await.unwrap_or_default();
    let house = house.reopened().await;
    let dataset = house.store.dataset(&id).unwrap();
    for part in 3..6 {
        house.append(&dataset, &events(&times(part * 10, 10))).await;
    }
    let folder = house.folder.path().to_owned();
    // The last record is torn as by a power cut, while the store is away.
    let house = house.reopened_after(|| {
        let last = log_files(&folder).pop().unwrap();
        let bytes = std::fs::read(&last).unwrap();
        std::fs::write(&last, &bytes[..bytes.len() - 7]).unwrap();
    });
    let house = house.await;
    assert_eq!(house.store.damage(), []);
    assert_eq!(house.rows(&id).await.len(), 50);
    assert_eq!(house.store.check(true).await.unwrap(), []);
    let dataset = house.store.dataset(&id).unwrap();
    house.append(&dataset, &events(&times(100, 1))).await;
    assert_eq!(house.killed().await.rows(&id).await.len(), 51);
}

#[tokio::test]
async fn the_copy_of_a_damaged_part_goes_with_events_that_may_be_in_it() {
    let house = House::with(|settings| settings.wal_file_bytes = 2000).await;
    // What comes first stays in the buffer, so that all of the log is kept.
    let first = house.dataset("first").await.id().clone();
    let other = house.dataset("other").await.id().clone();
    let id = house.dataset("logs").await.id().clone();
    let of_logs = (0..10).map(|part| (&id, part * 10));
    for (dataset, from) in [(&first, 1000), (&other, 2000)].into_iter().chain(of_logs) {
        house.append(&house.store.dataset(dataset).unwrap(), &events(&times(from, 10))).await;
    }
    let folder = house.folder.path().to_owned();
    let house = house.reopened_after(|| flip(&log_files(&folder)[2], 24 + 48 + 200)).await;
    let [damage] = house.store.damage() else { panic!("{:?}", house.store.damage()) };
    assert_eq!(damage.dataset.as_ref(), Some(&id));
    // Its requests have the sequences from the third on. Most of the bytes can still be read.
    let from = (i64::try_from(damage.first_sequence).unwrap() - 3) * 10;
    let texts: Vec<String> = times(from, 10).iter().map(|time| format!("event at {time}")).collect();
    let has_text = |path: &Path| {
        let bytes = std::fs::read(path).unwrap();
        texts.iter().any(|text| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    };
    let copy = damage.quarantined.clone();
    assert!(has_text(&copy));
    let delete_one = async |house: &House, dataset: &DatasetId| {
        let doomed = vec![id_of(&house.rows(dataset).await[0])];
        house.store.delete_rows(&house.store.dataset(dataset).unwrap(), doomed).await.unwrap();
    };
    delete_one(&house, &other).await;
    assert!(copy.try_exists().unwrap(), "no event of this dataset can be in it");
    delete_one(&house, &id).await;
    assert!(!copy.try_exists().unwrap());
    assert!(copy.with_extension("txt").try_exists().unwrap(), "what was lost is still known");

    // The log is still needed, and read again. In the end nothing has the text.
    let house = house.killed().await;
    assert_eq!(house.store.damage().len(), 1);
    assert!(!copy.try_exists().unwrap());
    delete_one(&house, &first).await;
    house.advance(std::time::Duration::from_secs(7200));
    house.store.collect_garbage().await.unwrap();
    let left = ["log", "bin", "txt", "parquet"].map(|kind| files_in(&folder, kind)).concat();
    assert!(left.iter().all(|file| !has_text(file)), "{left:?}");
}

#[tokio::test]
async fn damage_in_an_older_file_of_the_log_is_named_and_the_rest_is_read() {
    let house = House::with(|settings| settings.wal_file_bytes = 2000).await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    for part in 0..8 {
        house.append(&dataset, &events(&times(part * 10, 10))).await;
    }
    let folder = house.folder.path().to_owned();
    assert!(log_files(&folder).len() > 2);
    let house = house.reopened_after(|| flip(&log_files(&folder)[1], 24 + 48 + 200)).await;
    let [damage] = house.store.damage() else { panic!("{:?}", house.store.damage()) };
    assert_eq!(damage.dataset.as_ref(), Some(&id));
    assert_eq!(damage.first_sequence, damage.last_sequence);
    assert!(damage.quarantined.try_exists().unwrap());
    let found = house.store.check(false).await.unwrap();
    assert_eq!(kinds(&found), [FindingKind::WalDamage]);
    assert_eq!(found[0].dataset.as_ref(), Some(&id));
    let rows = house.rows(&id).await;
    assert_eq!(rows.len(), 70);
    assert!(rows.iter().all(|row| row.sequence != damage.first_sequence));
    house.flush(&id).await;
    assert_eq!(house.killed().await.rows(&id).await.len(), 70);
}

/// Two datasets with two segments each.
async fn segments(house: &House) -> (DatasetId, DatasetId) {
    let (one, two) = (house.dataset("one").await, house.dataset("two").await);
    for dataset in [&one, &two] {
        for part in 0..5 {
            house.append(dataset, &events(&times(part * 10, 10))).await;
            house.store.flush(dataset).await.unwrap();
        }
    }
    (one.id().clone(), two.id().clone())
}

#[tokio::test]
async fn damaged_segments_are_named_and_the_rest_is_read() {
    let house = House::new().await;
    let (one, two) = segments(&house).await;
    let files = house.segment_files(&one).await;
    let live = house.catalog.live_segments(&one).await.unwrap();
    let whole = std::fs::read(&files[0]).unwrap();
    std::fs::write(&files[0], &whole[..whole.len() / 2]).unwrap();
    flip(&files[1], 100);
    std::fs::remove_file(&files[2]).unwrap();

    let shallow = house.store.check(false).await.unwrap();
    assert_eq!(kinds(&shallow), [FindingKind::WrongSize, FindingKind::MissingObject]);
    let deep = house.store.check(true).await.unwrap();
    let wanted = [FindingKind::WrongSize, FindingKind::WrongChecksum, FindingKind::MissingObject];
    assert_eq!(kinds(&deep), wanted);
    for (finding, segment) in deep.iter().zip(&live) {
        assert_eq!(finding.segment.as_ref(), Some(&segment.id));
        assert_eq!((finding.dataset.as_ref(), finding.rows), (Some(&one), Some(10)));
        assert_eq!(finding.times, Some((segment.min_time, segment.max_time)));
        assert!(finding.to_string().contains("restore the object"), "{finding}");
    }

    let state = house.store.dataset(&one).unwrap();
    assert_eq!(house.store.rows(&state).await.unwrap_err().kind(), tidegauge_model::ErrorKind::Corrupt);
    let (rows, errors) = house.store.readable_rows(&state).await.unwrap();
    assert_eq!((rows.len(), errors.len()), (20, 3));
    assert_eq!(house.rows(&two).await.len(), 50);
}

#[tokio::test]
async fn a_damaged_segment_does_not_keep_the_others_from_being_merged() {
    let house = House::new().await;
    let (one, two) = segments(&house).await;
    flip(&house.segment_files(&one).await[1], 100);
    house.advance(std::time::Duration::from_secs(3 * 86_400));
    let mut failures = 0;
    loop {
        match house.store.compact_step().await {
            Ok(true) => {}
            Ok(false) => break,
            Err(_) => failures += 1,
        }
        assert!(failures < 3, "the same segment again and again");
    }
    assert_eq!(failures, 1);
    let info = |id: &DatasetId| house.store.dataset(id).unwrap().info().segments;
    assert_eq!((info(&one), info(&two)), (2, 1));
}

#[tokio::test]
async fn a_catalogue_that_says_something_else_than_the_files_is_noticed() {
    let house = House::new().await;
    let (one, two) = segments(&house).await;
    let live = house.catalog.live_segments(&one).await.unwrap();
    let other = house.catalog.live_segments(&two).await.unwrap();
    let stats = house.catalog.segment_stats(&live[0].id).await.unwrap();
    let folder = house.folder.path().join("segments");
    let copied = |of: &tidegauge_catalog::segments::Segment, id: &str| {
        let path = format!("datasets/{id}.parquet");
        std::fs::copy(folder.join(&of.path), folder.join(&path)).unwrap();
        path
    };
    let altered =
        |of: &tidegauge_catalog::segments::Segment, id: &str| tidegauge_catalog::segments::NewSegment {
            id: id.into(),
            path: copied(of, id),
            rows: of.rows,
            bytes: of.bytes,
            raw_bytes: of.raw_bytes,
            footer_bytes: of.footer_bytes,
            min_time: of.min_time,
            max_time: of.max_time,
            min_sequence: of.min_sequence,
            max_sequence: of.max_sequence,
            level: of.level,
            checksum: of.checksum.clone(),
            stats: stats.clone(),
            sidecar: None,
        };
    let mut rows = altered(&live[0], "segment_rows");
    rows.rows += 1;
    let mut times = altered(&live[1], "segment_times");
    times.min_time -= 1;
    let wrong_stats = altered(&other[3], "segment_stats");
    let now = tidegauge_model::Timestamp::from_micros(START);
    let ids: Vec<_> = live.iter().map(|segment| segment.id.clone()).collect();
    house.catalog.replace_segments(&one, &ids, &[rows, times], now).await.unwrap();
    let ids: Vec<_> = other.iter().map(|segment| segment.id.clone()).collect();
    house.catalog.replace_segments(&two, &ids, &[wrong_stats], now).await.unwrap();
    let found = house.store.check(true).await.unwrap();
    let mut kinds = kinds(&found);
    kinds.sort_by_key(|kind| format!("{kind:?}"));
    assert_eq!(kinds, [FindingKind::WrongContents, FindingKind::WrongContents, FindingKind::WrongStatistics]);
}

/// Templates only say again what the texts say: damage to them takes nothing away from what can be read.
#[tokio::test]
async fn damaged_templates_are_left_out_and_found_by_a_check() {
    const ROWS: u8 = 37;
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    let event = |number: i64| {
        let text = format!("request {number} of user usr_{:012x} was answered", number * 7_919_000_123);
        let fields = [("message".to_owned(), StoredValue::String(text))];
        Event::new(START * 1000 + number * SECOND, fields)
    };
    let events: Vec<Event> = (0..i64::from(ROWS)).map(event).collect();
    house.append(&dataset, &columns_of(&events)).await;
    house.flush(&id).await;
    let files = house.segment_files(&id).await;
    let [file] = files.as_slice() else { panic!("{files:?}") };
    let bytes = std::fs::read(file).unwrap();
    let head = [1, 0, 0, 0, ROWS, 0, 0, 0];
    let place = bytes.windows(head.len()).position(|window| window == head).unwrap();
    let house = house.reopened_after(|| flip(file, place + 40)).await;
    let snapshot = house.store.dataset(&id).unwrap().snapshot();
    let blocks = house.store.blocks(&snapshot, i64::MIN, i64::MAX).await.unwrap().blocks;
    let [block] = blocks.as_slice() else { panic!("{blocks:?}") };
    assert!(block.templates("message").await.unwrap().is_none());
    let column = block.column("message", FieldKind::String).await.unwrap().unwrap();
    assert_eq!(column.len(), usize::from(ROWS));
    assert_eq!(kinds(&house.store.check(true).await.unwrap()), [FindingKind::WrongChecksum]);
}
