//! Single events are deleted: they are gone wherever they lay, all others stay as they were, and nothing that is known
//! of a segment tells of what it had.

use std::time::Duration;

use tidegauge_catalog::Change;
use tidegauge_model::{Clock, DatasetId, RowId};
use tidegauge_store::{Claim, Deleted, IdempotencyKey, Receipt, Store, StoredRow, StoredValue};

use crate::events::{Event, SECOND, assert_same, columns_of, stored};
use crate::house::{House, START, events, files_in, log_files};
use crate::rebuild::rebuilt;
use crate::through_blocks::{all_blocks, assert_blocks};

pub(crate) fn id_of(row: &StoredRow) -> RowId {
    RowId { time: row.time, sequence: row.sequence, index: row.index }
}

/// Splits rows into those to be deleted and those to stay.
pub(crate) fn chosen(rows: &[StoredRow], is_doomed: impl Fn(usize) -> bool) -> (Vec<RowId>, Vec<StoredRow>) {
    let (doomed, left): (Vec<_>, Vec<_>) = rows.iter().enumerate().partition(|(at, _)| is_doomed(*at));
    let ids = doomed.iter().map(|(_, row)| id_of(row)).collect();
    (ids, left.into_iter().map(|(_, row)| row.clone()).collect())
}

pub(crate) fn times(from: i64, count: i64) -> Vec<i64> {
    (from..from + count).map(|at| START * 1000 + at * SECOND).collect()
}

async fn delete(house: &House, id: &DatasetId, doomed: Vec<RowId>) -> Deleted {
    house.store.delete_rows(&house.store.dataset(id).unwrap(), doomed).await.unwrap()
}

/// All that can be known of a dataset fits what is left of it.
async fn check(house: &House, id: &DatasetId, left: &[StoredRow], when: &str) {
    assert_same(&house.rows(id).await, left, when);
    assert_blocks(&house.store, id, left, when).await;
    assert_eq!(house.store.check(true).await.unwrap(), Vec::new(), "{when}");
    let info = house.store.dataset(id).unwrap().info();
    assert_eq!(info.rows, left.len() as u64, "{when}");
    let times = (left.iter().map(|row| row.time).min(), left.iter().map(|row| row.time).max());
    assert_eq!((info.min_time, info.max_time), times, "{when}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleted_events_are_gone_and_all_others_are_as_they_were() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    for part in 0..4 {
        house.append(&dataset, &events(&times(part * 10, 10))).await;
        house.store.flush(&dataset).await.unwrap();
    }
    // Some lie in the buffer, some at the times of others.
    house.append(&dataset, &events(&times(35, 10))).await;
    let before = house.rows(&id).await;
    let raw_bytes = dataset.info().raw_bytes;
    // All of the first segment, some of the second and of the buffer, and two that never were.
    let (mut doomed, left) = chosen(&before, |at| at < 10 || at == 13 || at > 46);
    doomed.extend([RowId::MIN, RowId { index: 77, ..doomed[0] }, doomed[3]]);
    doomed.reverse();
    let deleted = delete(&house, &id, doomed.clone()).await;
    assert_eq!(deleted, Deleted { rows: 14, segments: 3 });
    check(&house, &id, &left, "deleted").await;
    assert_eq!(dataset.info().segments, 4, "a segment without events is not kept");
    let kept_bytes = dataset.info().raw_bytes;
    assert!(kept_bytes < raw_bytes - 100 && kept_bytes > raw_bytes / 2, "{kept_bytes} of {raw_bytes}");

    assert_eq!(delete(&house, &id, doomed).await, Deleted::default(), "a second time there is nothing to do");
    let house = house.killed().await;
    check(&house, &id, &left, "after a kill").await;
    house.advance(Duration::from_secs(3 * 86_400));
    house.compact().await;
    house.advance(Duration::from_secs(7200));
    assert!(house.store.collect_garbage().await.unwrap() >= 4);
    check(&house, &id, &left, "compacted").await;
    let (doomed, left) = chosen(&left, |at| at % 3 == 1);
    assert_eq!(delete(&house, &id, doomed).await, Deleted { rows: 12, segments: 1 });
    check(&house, &id, &left, "deleted from a merged segment").await;
    let everything = left.iter().map(id_of).collect();
    assert_eq!(delete(&house, &id, everything).await.rows, left.len() as u64);
    check(&house.reopened().await, &id, &[], "all are deleted").await;
}

#[tokio::test]
async fn nothing_to_delete_changes_nothing() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    house.append(&dataset, &events(&times(0, 10))).await;
    house.store.flush(&dataset).await.unwrap();
    house.append(&dataset, &events(&times(10, 10))).await;
    let row = id_of(&house.rows(dataset.id()).await[4]);
    let live = house.catalog.live_segments(dataset.id()).await.unwrap();
    for doomed in [Vec::new(), vec![RowId { index: 99, ..row }], vec![RowId { time: row.time + 1, ..row }]] {
        assert_eq!(delete(&house, dataset.id(), doomed).await, Deleted::default());
    }
    assert_eq!(house.catalog.live_segments(dataset.id()).await.unwrap(), live);
    assert_eq!(dataset.info().buffered_batches, 1, "events that came later stay in the buffer");
}

/// Events of which the last alone has a field of its own, and more fields than a segment has columns.
fn wide(number: i64) -> Vec<Event> {
    let event = |row: i64| {
        let common = (0..600).map(|field| (format!("f{field}"), StoredValue::Integer(row * field)));
        let own = (row == 4).then(|| (format!("only {number}"), StoredValue::String("secret".to_owned())));
        let rare = (row == 3).then(|| ("f0".to_owned(), StoredValue::Float(0.5)));
        Event::new(START * 1000 + row, common.take(if row < 2 { 600 } else { 3 }).chain(own).chain(rare))
    };
    (0..5).map(event).collect()
}

#[tokio::test]
async fn fields_that_only_deleted_events_had_are_in_no_segment_and_can_be_forgotten() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    let mut all = Vec::new();
    for number in 0..2 {
        let sequence = house.append(&dataset, &columns_of(&wide(number))).await;
        all.extend(stored(&wide(number), sequence, house.receipt().arrival));
    }
    // Both rows with many fields of one request, and the secret of the other.
    let (doomed, left) = chosen(&all, |at| at < 2 || at == 9);
    assert_eq!(delete(&house, &id, doomed).await, Deleted { rows: 3, segments: 1 });
    check(&house, &id, &left, "deleted").await;
    let mut fields = Vec::new();
    for block in all_blocks(&house.store, &id).await.blocks {
        block.fields(&mut |field, _| fields.push(field.to_owned()));
    }
    assert!(fields.contains(&"only 0".to_owned()) && !fields.contains(&"only 1".to_owned()), "{fields:?}");
    for file in house.segment_files(&id).await {
        assert!(!has(&std::fs::read(file).unwrap(), "only 1"), "not even its name is left in the file");
    }
    assert!(dataset.has_field("only 1"), "a field is known until it is forgotten");
    house.store.vacuum(&dataset).await.unwrap();
    assert!(!dataset.has_field("only 1") && dataset.has_field("only 0") && dataset.has_field("f599"));
    check(&house, &id, &left, "vacuumed").await;
    let (doomed, left) = chosen(&left, |at| left[at].fields.len() > 3);
    delete(&house, &id, doomed).await;
    house.store.vacuum(&dataset).await.unwrap();
    assert_eq!(dataset.fields().len(), 3, "{:?}", dataset.fields().keys());
    check(&house, &id, &left, "vacuumed again").await;
}

#[tokio::test]
async fn a_repeated_request_does_not_bring_deleted_events_back() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    let key = IdempotencyKey { key: "k".to_owned(), fingerprint: 7, answer: "{}".to_owned() };
    let receipt = Receipt { key: Some(key), ..house.receipt() };
    house.store.append(&dataset, Store::prepare(&events(&times(0, 3)), receipt)).await.unwrap();
    let doomed = house.rows(&id).await.iter().map(id_of).collect();
    assert_eq!(delete(&house, &id, doomed).await.rows, 3);
    for house in [house.killed().await] {
        let dataset = house.store.dataset(&id).unwrap();
        let claim = house.store.claim(&dataset, "k", house.clock.now()).await.unwrap();
        assert!(matches!(claim, Claim::Repeated(first) if first.fingerprint == 7));
        assert_eq!(house.rows(&id).await, Vec::new());
    }
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Whether a text is anywhere in the log.
fn is_logged(house: &House, text: &str) -> bool {
    log_files(house.folder.path()).iter().any(|path| has(&std::fs::read(path).unwrap(), text))
}

#[tokio::test]
async fn the_log_keeps_no_copy_of_deleted_events_beyond_what_others_need() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let other = house.dataset("other").await;
    let id = dataset.id().clone();
    house.append(&dataset, &events(&times(0, 3))).await;
    house.append(&other, &events(&times(100, 3))).await;
    let (doomed, left) = chosen(&house.rows(&id).await, |at| at == 1);
    let text = format!("event at {}", doomed[0].time);
    assert!(is_logged(&house, &text));
    delete(&house, &id, doomed.clone()).await;
    assert!(is_logged(&house, &text), "the other dataset needs the file");
    house.append(&dataset, &events(&times(200, 3))).await;
    house.store.flush(&other).await.unwrap();
    assert!(!is_logged(&house, &text));
    assert!(is_logged(&house, &format!("event at {}", times(200, 1)[0])));
    let files = log_files(house.folder.path()).len();
    let missing = vec![RowId { index: 50, ..doomed[0] }];
    delete(&house, &id, missing).await;
    assert_eq!(log_files(house.folder.path()).len(), files, "nothing was deleted");
    let house = house.killed().await;
    assert_eq!(house.rows(&id).await.len(), left.len() + 3);
    assert_eq!(house.store.check(true).await.unwrap(), Vec::new());
}

#[tokio::test]
async fn what_is_put_aside_has_no_copy_of_events_that_can_be_deleted() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let other = house.dataset("other").await;
    let id = dataset.id().clone();
    house.append(&dataset, &events(&times(0, 3))).await;
    house.append(&other, &events(&times(100, 3))).await;
    house.append(&dataset, &events(&times(200, 3))).await;
    // The catalogue does not know the other dataset any more: it forgets with a later deletion that it was deleted.
    let later = house.dataset("later").await;
    let now = house.clock.now();
    let months = Duration::from_secs(100 * 24 * 60 * 60);
    for (gone, name, at) in [(&other, "other", now.minus(months)), (&later, "later", now)] {
        let change =
            Change { org: Some(gone.org().clone()), actor: "test".into(), at, request_id: String::new() };
        house.catalog.delete_dataset(gone.org(), name, at, &change).await.unwrap();
    }
    let house = house.killed().await;
    let doomed = house.rows(&id).await.iter().map(id_of).collect();
    assert_eq!(delete(&house, &id, doomed).await.rows, 6);
    let aside = files_in(&house.folder.path().join("quarantine"), "log");
    let is_aside = |time: i64| {
        let text = format!("event at {time}");
        aside.iter().any(|path| has(&std::fs::read(path).unwrap(), &text))
    };
    assert!(times(100, 3).into_iter().all(is_aside), "{aside:?}");
    assert!(!times(0, 3).into_iter().chain(times(200, 3)).any(is_aside), "{aside:?}");
}

#[tokio::test]
async fn a_lost_catalogue_does_not_bring_back_what_was_deleted_from_a_segment() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let other = house.dataset("other").await;
    let id = dataset.id().clone();
    house.append(&other, &events(&times(0, 1))).await;
    house.append(&dataset, &events(&times(0, 5))).await;
    house.append(&dataset, &events(&times(5, 5))).await;
    house.append(&dataset, &events(&times(10, 5))).await;
    // All of the last request: no event is left that tells how far the log had been written as segments.
    let (doomed, left) = chosen(&house.rows(&id).await, |at| at == 2 || at >= 10);
    assert_eq!(delete(&house, &id, doomed).await, Deleted { rows: 6, segments: 1 });
    let sequence = house.append(&dataset, &events(&times(20, 2))).await;
    assert!(is_logged(&house, &format!("event at {}", times(12, 1)[0])), "the other dataset holds the log");
    let (house, done) = rebuilt(house).await;
    assert_eq!(done.skipped, Vec::<String>::new());
    let rows = house.rows(&id).await;
    assert_same(&rows[..9], &left, "from the segment");
    assert_eq!(rows.iter().filter(|row| row.sequence == sequence).count(), 2, "from the log");
    assert_eq!(rows.len(), 11);
}
