//! Deletions that are cut off, that find something away or damaged, or that meet others at work: no event is lost that
//! was not to go, and the same deletion again does the rest.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tidegauge_model::{DatasetId, ErrorKind, RowId};
use tidegauge_store::{Deleted, Store, StoredRow};
use tokio::task::JoinSet;

use crate::deletion::{chosen, id_of, times};
use crate::events::assert_same;
use crate::house::{House, events, files_in, give_up_after, log_files, open_catalog, sqlite};
use crate::lost_answers::with_twin;
use crate::rebuild::rebuilt;

/// A dataset with four segments of ten events and some in the buffer, and what is to be deleted from it.
async fn filled(house: &House) -> (DatasetId, Vec<RowId>, Vec<StoredRow>) {
    let dataset = house.dataset("logs").await;
    for part in 0..5 {
        house.append(&dataset, &events(&times(part * 10, 10))).await;
        if part < 4 {
            house.store.flush(&dataset).await.unwrap();
        }
    }
    // All of the third segment and something of each other.
    let rows = house.rows(dataset.id()).await;
    let (doomed, left) = chosen(&rows, |at| at % 4 == 1 || (20..30).contains(&at));
    (dataset.id().clone(), doomed, left)
}

async fn delete(house: &House, id: &DatasetId, doomed: &[RowId]) -> tidegauge_store::Result<Deleted> {
    house.store.delete_rows(&house.store.dataset(id).unwrap(), doomed.to_vec()).await
}

/// What is to stay is there, and nothing but what was.
fn check_partly(rows: &[StoredRow], doomed: &[RowId], left: &[StoredRow], when: &str) {
    let (found, others): (Vec<StoredRow>, Vec<StoredRow>) =
        rows.iter().cloned().partition(|row| doomed.binary_search(&id_of(row)).is_err());
    assert_same(&found, left, when);
    let distinct: BTreeSet<RowId> = others.iter().map(id_of).collect();
    assert_eq!(distinct.len(), others.len(), "{when}");
}

#[tokio::test]
async fn a_deletion_that_is_cut_off_anywhere_by_a_kill_is_finished_by_the_next() {
    for round in 0..12 {
        let house = House::new().await;
        let (id, doomed, left) = filled(&house).await;
        let polls = (1 << round) + round;
        let dataset = house.store.dataset(&id).unwrap();
        let ended = give_up_after(polls, house.store.delete_rows(&dataset, doomed.clone())).await;
        let house = house.killed().await;
        let when = format!("cut off after {polls} polls, ended: {ended}");
        let rows = house.rows(&id).await;
        check_partly(&rows, &doomed, &left, &when);
        let deleted = delete(&house, &id, &doomed).await.unwrap();
        assert_eq!(deleted.rows, (rows.len() - left.len()) as u64, "{when}");
        assert_same(&house.rows(&id).await, &left, &when);
        house.advance(Duration::from_secs(7200));
        house.store.collect_garbage().await.unwrap();
        house.advance(Duration::from_secs(8 * 86_400));
        house.date_segments();
        house.store.collect_orphans().await.unwrap();
        let house = house.killed().await;
        assert_same(&house.rows(&id).await, &left, &when);
        assert_eq!(house.store.check(true).await.unwrap(), Vec::new(), "{when}");
        let segments = house.store.dataset(&id).unwrap().info().segments;
        assert_eq!(files_in(&house.folder.path().join("segments"), "parquet").len() as u64, segments);
    }
}

#[tokio::test]
async fn a_kill_between_two_segments_leaves_one_done_and_the_others_as_they_were() {
    let house = House::new().await;
    let (id, doomed, left) = filled(&house).await;
    let dataset = house.store.dataset(&id).unwrap();
    let mut deleting = Box::pin(house.store.delete_rows(&dataset, doomed.clone()));
    while dataset.info().rows == 50 {
        assert!(futures_util::poll!(&mut deleting).is_pending());
        tokio::task::yield_now().await;
    }
    drop(deleting);
    let house = house.killed().await;
    let rows = house.rows(&id).await;
    check_partly(&rows, &doomed, &left, "killed");
    assert!(rows.len() > left.len() && rows.len() < 50, "{} events", rows.len());
    assert_eq!(delete(&house, &id, &doomed).await.unwrap().rows, (rows.len() - left.len()) as u64);
    assert_same(&house.rows(&id).await, &left, "finished");
}

#[tokio::test]
async fn a_deletion_that_is_given_up_leaves_a_store_that_goes_on() {
    let house = House::new().await;
    let (id, doomed, left) = filled(&house).await;
    let dataset = house.store.dataset(&id).unwrap();
    for round in 0..12 {
        let polls = 1 << round;
        give_up_after(polls, house.store.delete_rows(&dataset, doomed.clone())).await;
        check_partly(&house.rows(&id).await, &doomed, &left, &format!("given up after {polls} polls"));
    }
    delete(&house, &id, &doomed).await.unwrap();
    assert_same(&house.rows(&id).await, &left, "at last");
    house.advance(Duration::from_secs(86_400));
    house.compact().await;
    assert_same(&house.rows(&id).await, &left, "compacted");
    assert_eq!(house.store.check(true).await.unwrap().iter().filter(|f| f.segment.is_some()).count(), 0);
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_delays_a_deletion() {
    let house = House::new().await;
    let (id, doomed, left) = filled(&house).await;
    house.flush(&id).await;
    let before = house.rows(&id).await;
    let folder = house.folder.path().join("segments/datasets").join(id.as_str());
    let aside = house.folder.path().join("aside");
    std::fs::rename(&folder, &aside).unwrap();
    std::fs::write(&folder, b"in the way").unwrap();
    assert!(delete(&house, &id, &doomed).await.is_err());
    std::fs::remove_file(&folder).unwrap();
    std::fs::rename(&aside, &folder).unwrap();
    assert_eq!(house.rows(&id).await, before);
    let house = house.reopened().await;
    assert_eq!(delete(&house, &id, &doomed).await.unwrap().rows, doomed.len() as u64);
    assert_same(&house.rows(&id).await, &left, "the folder is back");
}

#[tokio::test]
async fn a_catalogue_that_is_away_delays_a_deletion() {
    let house = House::new().await;
    let (id, doomed, left) = filled(&house).await;
    house.flush(&id).await;
    let before = house.rows(&id).await;
    house.catalog.close().await;
    assert_eq!(delete(&house, &id, &doomed).await.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(house.rows(&id).await, before, "reading goes on");
    let catalog = open_catalog(&sqlite(house.folder.path())).await;
    let house = house.with_catalog(catalog).await;
    assert_eq!(house.rows(&id).await, before);
    assert_eq!(delete(&house, &id, &doomed).await.unwrap().rows, doomed.len() as u64);
    assert_same(&house.rows(&id).await, &left, "the catalogue is back");
}

#[tokio::test]
async fn a_deletion_whose_answer_was_lost_is_not_done_twice() {
    let house = House::new().await;
    let (id, doomed, left) = filled(&house).await;
    house.flush(&id).await;
    let (_folder, twin) = with_twin(&house).await;
    let state = twin.dataset(&id).unwrap();
    delete(&house, &id, &doomed).await.unwrap();
    assert_eq!(state.info().rows, 50, "the twin does not know yet");
    let deleted = twin.delete_rows(&state, doomed.clone()).await.unwrap();
    assert_eq!(deleted, Deleted::default(), "it finds out");
    assert_same(&twin.rows(&state).await.unwrap(), &left, "in the twin");
    assert_same(&house.rows(&id).await, &left, "in the first");
    let segments = state.info().segments;
    house.advance(Duration::from_secs(7200));
    house.store.collect_garbage().await.unwrap();
    assert_eq!(files_in(&house.folder.path().join("segments"), "parquet").len() as u64, segments);
    assert_same(&twin.rows(&state).await.unwrap(), &left, "after the old ones are gone");
}

#[tokio::test]
async fn a_damaged_segment_is_named_and_the_others_are_done() {
    let house = House::new().await;
    let (id, doomed, left) = filled(&house).await;
    house.flush(&id).await;
    let file = house.segment_files(&id).await.remove(0);
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let error = delete(&house, &id, &doomed).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    assert!(error.to_string().contains("segment_"), "{error}");
    std::fs::write(&file, &whole).unwrap();
    let rows = house.rows(&id).await;
    check_partly(&rows, &doomed, &left, "one segment could not be read");
    let of_first = doomed.iter().filter(|id| id.time < times(10, 1)[0]).count();
    assert_eq!(rows.len(), left.len() + of_first, "all others are done");
    assert_eq!(delete(&house, &id, &doomed).await.unwrap().rows, of_first as u64);
    assert_same(&house.rows(&id).await, &left, "it was restored");
}

#[tokio::test]
async fn a_dataset_that_is_deleted_meanwhile_has_nothing_to_delete() {
    let house = House::new().await;
    let (id, doomed, _) = filled(&house).await;
    house.flush(&id).await;
    house.delete_dataset("logs").await;
    assert_eq!(delete(&house, &id, &doomed).await.unwrap(), Deleted::default());
    assert_eq!(house.store.dataset(&id).unwrap().info().rows, 0);
}

/// A process that ended between writing and publishing: of what it wrote and what it wrote from, one counts.
#[tokio::test]
async fn a_catalogue_lost_after_a_deletion_that_was_cut_off_loses_no_event() {
    let house = House::new().await;
    let (id, doomed, left) = filled(&house).await;
    house.flush(&id).await;
    let live = house.catalog.live_segments(&id).await.unwrap();
    delete(&house, &id, &doomed).await.unwrap();
    let now = house.catalog.live_segments(&id).await.unwrap();
    assert_eq!((live.len(), now.len()), (5, 4), "one segment had no other events");
    let (house, done) = rebuilt(house).await;
    assert_eq!(done.segments, 5, "what was removed not long ago comes back: {:?}", done.skipped);
    check_partly(&house.rows(&id).await, &doomed, &left, "rebuilt");
    delete(&house, &id, &doomed).await.unwrap();
    assert_same(&house.rows(&id).await, &left, "deleted again");
}

struct Shared {
    house: House,
    id: DatasetId,
    is_over: AtomicBool,
}

const REQUESTS: i64 = 60;
const ROWS: i64 = 10;

async fn write_and_delete(shared: Arc<Shared>, writer: i64) -> Vec<RowId> {
    let dataset = shared.house.store.dataset(&shared.id).unwrap();
    let mut left = Vec::new();
    for request in 0..REQUESTS {
        let times = times((request * 2 + writer) * ROWS, ROWS);
        let prepared = Store::prepare(&events(&times), shared.house.receipt());
        let sequence = shared.house.store.append(&dataset, prepared).await.unwrap();
        let ids = (0..).zip(&times).map(|(index, time)| RowId { time: *time, sequence, index });
        let (doomed, kept): (Vec<RowId>, Vec<RowId>) =
            ids.partition(|id| (i64::from(id.index) + request) % 3 == 0);
        left.extend(kept);
        if request % 4 != 0 {
            let deleted = shared.house.store.delete_rows(&dataset, doomed.clone()).await.unwrap();
            assert_eq!(deleted.rows, doomed.len() as u64);
        } else {
            left.extend(doomed);
        }
    }
    left
}

/// Readers never miss an event that was not to go: each request has some that stay.
async fn read(shared: Arc<Shared>) {
    while !shared.is_over.load(Ordering::SeqCst) {
        let ids: Vec<RowId> = shared.house.rows(&shared.id).await.iter().map(id_of).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "an event is seen twice");
        let dataset = shared.house.store.dataset(&shared.id).unwrap();
        assert!(dataset.info().rows as usize >= ids.len() / 2);
    }
}

async fn keep_house(shared: Arc<Shared>) {
    while !shared.is_over.load(Ordering::SeqCst) {
        shared.house.flush(&shared.id).await;
        shared.house.store.compact_step().await.unwrap();
        shared.house.store.collect_garbage().await.unwrap();
        shared.house.store.collect_orphans().await.unwrap();
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn deletions_and_all_else_at_the_same_time() {
    let house = House::with(|settings| settings.wal_file_bytes = 4096).await;
    let id = house.dataset("logs").await.id().clone();
    let shared = Arc::new(Shared { house, id: id.clone(), is_over: AtomicBool::new(false) });
    let mut others = JoinSet::new();
    others.spawn(read(Arc::clone(&shared)));
    others.spawn(keep_house(Arc::clone(&shared)));
    let mut writers = JoinSet::new();
    (0..2).for_each(|writer| drop(writers.spawn(write_and_delete(Arc::clone(&shared), writer))));
    let mut left: Vec<RowId> = writers.join_all().await.into_iter().flatten().collect();
    shared.is_over.store(true, Ordering::SeqCst);
    others.join_all().await;
    let Some(Shared { house, .. }) = Arc::into_inner(shared) else { panic!("all others have ended") };
    let house = house.killed().await;
    house.advance(Duration::from_secs(7200));
    house.store.collect_garbage().await.unwrap();
    left.sort_unstable();
    let found: Vec<RowId> = house.rows(&id).await.iter().map(id_of).collect();
    assert_eq!(found, left);
    assert_eq!(house.store.check(true).await.unwrap(), Vec::new());
}

#[tokio::test]
async fn a_sweep_that_fails_does_not_forget_what_has_to_leave_the_log() {
    let house = House::with(|settings| settings.wal_file_bytes = 4096).await;
    let dataset = house.dataset("logs").await;
    // Fills a file of the log and is in a segment; what comes after is in the next file alone.
    house.append(&dataset, &events(&times(0, 200))).await;
    house.store.flush(&dataset).await.unwrap();
    house.append(&dataset, &events(&times(500, 2))).await;
    let text = format!("event at {}", times(500, 1)[0]);
    let is_logged = || {
        let has = |bytes: Vec<u8>| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        log_files(house.folder.path()).iter().any(|file| has(std::fs::read(file).unwrap()))
    };
    assert!(is_logged());
    let files = house.segment_files(dataset.id()).await;
    let id = house.delete_dataset("logs").await;
    house.store.remove(&id);
    // Something stands where the file of the segment was, and cannot be deleted.
    std::fs::remove_file(&files[0]).unwrap();
    std::fs::create_dir_all(files[0].join("in the way")).unwrap();
    house.advance(Duration::from_secs(7200));
    assert_eq!(house.store.collect_garbage().await.unwrap_err().kind(), ErrorKind::Unavailable);
    std::fs::remove_dir_all(&files[0]).unwrap();
    assert_eq!(house.store.collect_garbage().await.unwrap(), files.len());
    assert!(!is_logged());
}
