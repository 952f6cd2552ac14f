//! What happens when something that the store depends on is away, and that nothing is lost by it.

use std::sync::Arc;
use std::time::Duration;

use tidegauge_model::{Clock, DatasetId, ErrorKind};
use tidegauge_store::{FindingKind, StoreSettings};

use crate::events::SECOND;
use crate::house::{
    House, START, events, files_in, give_up_after, log_files, new_dataset, open, open_catalog, set_modified,
    sqlite,
};
use tidegauge_store::Store;

fn times(from: i64, count: i64) -> Vec<i64> {
    (from..from + count).map(|at| START * 1000 + at * SECOND).collect()
}

/// A dataset with four published segments and some events in the buffer.
async fn filled(house: &House) -> DatasetId {
    let dataset = house.dataset("logs").await;
    for part in 0..4 {
        house.append(&dataset, &events(&times(part * 10, 10))).await;
        house.store.flush(&dataset).await.unwrap();
    }
    house.append(&dataset, &events(&times(40, 10))).await;
    dataset.id().clone()
}

#[tokio::test]
async fn a_log_that_held_nothing_at_one_start_keeps_what_comes_after() {
    let house = House::new().await;
    let id = house.dataset("logs").await.id().clone();
    // No event came between the two starts: the second makes a log file of the same name.
    let house = house.reopened().await;
    let dataset = house.store.dataset(&id).unwrap();
    house.append(&dataset, &events(&times(0, 5))).await;
    assert_eq!(house.killed().await.rows(&id).await.len(), 5);
}

#[tokio::test]
async fn a_request_larger_than_a_log_file_is_kept_as_well() {
    let house = House::with(|settings| settings.wal_file_bytes = 512).await;
    let dataset = house.dataset("logs").await;
    let other = house.dataset("other").await;
    house.append(&dataset, &events(&times(0, 100))).await;
    // Releases what is below, which must not be the file that is written to.
    house.store.flush(&other).await.unwrap();
    house.append(&dataset, &events(&times(100, 100))).await;
    house.store.flush(&other).await.unwrap();
    let id = dataset.id().clone();
    assert_eq!(house.killed().await.rows(&id).await.len(), 200);
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_delays_and_loses_nothing() {
    let house = House::new().await;
    let id = filled(&house).await;
    let before = house.rows(&id).await;
    let (folder, aside) = (house.folder.path().join("segments"), house.folder.path().join("aside"));
    std::fs::rename(&folder, &aside).unwrap();
    std::fs::write(&folder, b"in the way").unwrap();
    let dataset = house.store.dataset(&id).unwrap();
    assert_eq!(house.store.flush(&dataset).await.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(house.store.flush_all().await.unwrap_err().kind(), ErrorKind::Unavailable);
    house.append(&dataset, &events(&times(50, 1))).await;
    assert_eq!(dataset.info().buffered_batches, 2);
    std::fs::remove_file(&folder).unwrap();
    std::fs::rename(&aside, &folder).unwrap();
    assert_eq!(house.rows(&id).await.len(), before.len() + 1);
    house.store.flush(&dataset).await.unwrap();
    assert_eq!(dataset.info().buffered_batches, 0);
    assert_eq!(house.killed().await.rows(&id).await.len(), before.len() + 1);
}

#[tokio::test]
async fn a_catalogue_that_is_away_delays_and_loses_nothing() {
    // Longer than any pause of the machine, and shorter than the three days below.
    let house = House::with(|settings| settings.lease = Duration::from_secs(86_400)).await;
    let id = filled(&house).await;
    let before = house.rows(&id).await;
    house.catalog.close().await;
    let dataset = house.store.dataset(&id).unwrap();
    assert_eq!(house.store.flush(&dataset).await.unwrap_err().kind(), ErrorKind::Unavailable);
    let sequence = house.append(&dataset, &events(&times(50, 1))).await;
    assert_eq!(house.rows(&id).await.len(), before.len() + 1, "reading and appending go on");
    house.advance(Duration::from_secs(3 * 86_400));
    assert_eq!(house.store.compact_step().await.unwrap_err().kind(), ErrorKind::Unavailable);
    // Beyond the length of the lease, another process may have taken it.
    let refused = house.store.append(&dataset, Store::prepare(&events(&times(51, 1)), house.receipt())).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unavailable);
    let catalog = open_catalog(&sqlite(house.folder.path())).await;
    let house = house.with_catalog(catalog).await;
    let after = house.rows(&id).await;
    assert_eq!(after.len(), before.len() + 1);
    assert_eq!(after.iter().filter(|row| row.sequence == sequence).count(), 1);
    house.flush(&id).await;
    house.compact().await;
    assert_eq!(house.rows(&id).await, after);
    house.store.collect_orphans().await.unwrap();
    assert_eq!(house.rows(&id).await, after, "after a sweep of what the catalogue never knew");
    assert_eq!(house.store.check(true).await.unwrap(), Vec::new());
}

#[tokio::test]
async fn work_that_is_given_up_at_any_point_is_done_later_and_once() {
    let house = House::new().await;
    let id = house.dataset("logs").await.id().clone();
    let dataset = house.store.dataset(&id).unwrap();
    let (mut expected, mut given_up) = (0, 0);
    for round in 0..16 {
        let polls = 1 << round;
        house.append(&dataset, &events(&times(round * 10, 10))).await;
        expected += 10;
        given_up += usize::from(!give_up_after(polls, house.store.flush(&dataset)).await);
        assert_eq!(house.rows(&id).await.len(), expected, "a flush given up after {polls} polls");
        house.advance(Duration::from_secs(86_400));
        give_up_after(polls, house.store.compact_step()).await;
        assert_eq!(house.rows(&id).await.len(), expected, "a compaction given up after {polls} polls");
    }
    assert!(given_up > 3, "{given_up} of 16 flushes were given up");
    house.store.flush(&dataset).await.unwrap();
    house.compact().await;
    house.advance(Duration::from_secs(7200));
    house.store.collect_garbage().await.unwrap();
    house.date_segments();
    house.store.collect_orphans().await.unwrap();
    let house = house.killed().await;
    assert_eq!(house.rows(&id).await.len(), expected);
    assert_eq!(house.store.check(true).await.unwrap(), Vec::new());
}

/// Two stores with one catalogue and one folder of segments, each with a log of its own that holds the same. What one
/// of them publishes is, for the other, a commit whose answer was lost.
pub(crate) async fn with_twin(house: &House) -> (tempfile::TempDir, tidegauge_store::Store) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("log")).unwrap();
    // The same name of the log, so that the catalogue takes both for one process.
    let named = house.folder.path().join("log/node");
    for file in log_files(house.folder.path()).into_iter().chain([named]) {
        std::fs::copy(&file, folder.path().join("log").join(file.file_name().unwrap())).unwrap();
    }
    let mut settings = StoreSettings::new(folder.path().to_owned());
    settings.objects = house.settings.objects.clone();
    let twin = open(&house.catalog, &house.clock, &house.rng, &settings).await.unwrap();
    (folder, twin)
}

#[tokio::test]
async fn a_flush_whose_answer_was_lost_is_not_published_twice() {
    let house = House::new().await;
    let id = filled(&house).await;
    let before = house.rows(&id).await;
    let (_folder, twin) = with_twin(&house).await;
    house.flush(&id).await;
    let state = twin.dataset(&id).unwrap();
    assert_eq!(state.info().buffered_batches, 1, "the twin does not know yet");
    twin.flush(&state).await.unwrap();
    assert_eq!(twin.rows(&state).await.unwrap(), before);
    twin.append(&state, Store::prepare(&events(&times(60, 3)), house.receipt())).await.unwrap();
    twin.flush(&state).await.unwrap();
    assert_eq!(twin.rows(&state).await.unwrap().len(), before.len() + 3);
    assert_eq!(twin.check(true).await.unwrap().iter().filter(|found| found.segment.is_some()).count(), 0);
}

#[tokio::test]
async fn a_compaction_whose_answer_was_lost_is_noticed_before_its_inputs_are_deleted() {
    let house = House::new().await;
    let id = filled(&house).await;
    house.flush(&id).await;
    let before = house.rows(&id).await;
    let (_folder, twin) = with_twin(&house).await;
    house.advance(Duration::from_secs(3 * 86_400));
    house.compact().await;
    let state = twin.dataset(&id).unwrap();
    assert_eq!(state.info().segments, 5, "the twin does not know yet");
    twin.compact_step().await.unwrap();
    assert_eq!(state.info().segments, house.store.dataset(&id).unwrap().info().segments);
    assert!(!twin.compact_step().await.unwrap(), "nothing is merged for ever");
    house.advance(Duration::from_secs(7200));
    house.store.collect_garbage().await.unwrap();
    assert_eq!(twin.rows(&state).await.unwrap(), before);
    assert_eq!(
        files_in(&house.folder.path().join("segments"), "parquet").len() as u64,
        state.info().segments
    );
}

#[tokio::test]
async fn an_answer_that_was_lost_is_made_up_for_without_another_change() {
    let house = House::new().await;
    let id = filled(&house).await;
    house.flush(&id).await;
    let late = house.clock.now().plus(Duration::from_secs(86_400));
    let ((_one, first), (_other, second)) = (with_twin(&house).await, with_twin(&house).await);
    let (of_first, of_second) = (first.dataset(&id).unwrap(), second.dataset(&id).unwrap());
    house.store.trim(&house.store.dataset(&id).unwrap(), late).await.unwrap();
    // Somebody else has the one connection that writes, so that the twins are not answered: they cannot know whether
    // the catalogue has taken what it has.
    let change = house.change();
    let mut busy = Box::pin(house.catalog.note_trim("logs", String::new(), &change));
    assert!(futures_util::poll!(&mut busy).is_pending());
    let (of_trim, of_trim_too) = tokio::join!(first.trim(&of_first, late), second.trim(&of_second, late));
    assert_eq!(of_trim.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(of_trim_too.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!((of_first.info().segments, of_second.info().segments), (5, 5));
    drop(busy);
    // What is read until then may be gone in the catalogue, and nobody keeps it.
    let may_be_kept =
        async |since: u64| first.erasures().keep(&house.org, &["logs".to_owned()], since).await.is_some();
    let meanwhile = first.erasures().mark();
    assert!(!may_be_kept(meanwhile).await);

    // What looks after buffers each second sees to it, although there is nothing to flush.
    first.flush_due().await.unwrap();
    assert_eq!(of_first.info().segments, 0);
    assert!(!may_be_kept(meanwhile).await);
    assert!(may_be_kept(first.erasures().mark()).await);
    // And no file is deleted that a dataset still names; who reads it has until the next time.
    house.advance(Duration::from_secs(7200));
    assert_eq!(second.collect_garbage().await.unwrap(), 0);
    assert_eq!(of_second.info().segments, 0);
    assert_eq!(second.rows(&of_second).await.unwrap(), []);
    assert_eq!(second.collect_garbage().await.unwrap(), 5);
}

#[tokio::test]
async fn what_is_still_being_committed_is_waited_for_before_the_catalogue_is_followed() {
    let house = House::new().await;
    let id = filled(&house).await;
    house.flush(&id).await;
    let (_folder, twin) = with_twin(&house).await;
    let state = twin.dataset(&id).unwrap();
    let live: Vec<_> = state.snapshot().segments.iter().map(|segment| segment.id.clone()).collect();
    assert_eq!(live.len(), 5);
    // A change is under way whose caller is gone: it has the one connection that writes, and is not committed.
    let now = house.clock.now();
    let mut committing = Box::pin(house.catalog.replace_segments(&id, &live, &[], now));
    assert!(futures_util::poll!(&mut committing).is_pending());
    let late = now.plus(Duration::from_secs(86_400));
    assert!(!give_up_after(50, twin.trim(&state, late)).await, "it waits for the connection");
    let mut following = Box::pin(twin.flush_due());
    for _ in 0..200 {
        assert!(futures_util::poll!(&mut following).is_pending());
        tokio::task::yield_now().await;
    }
    committing.await.unwrap();
    following.await.unwrap();
    assert_eq!(state.info().segments, 0, "what was read before the commit is not what there is");
}

#[tokio::test]
async fn a_dataset_that_is_deleted_meanwhile_leaves_nothing_behind() {
    let house = House::new().await;
    let id = filled(&house).await;
    let dataset = house.store.dataset(&id).unwrap();
    assert_eq!(house.delete_dataset("logs").await, id);
    // The store has not heard of it: flush and compaction find out.
    house.advance(Duration::from_secs(3 * 86_400));
    house.store.compact_step().await.unwrap();
    house.store.flush(&dataset).await.unwrap();
    assert_eq!(house.store.stats().buffered_bytes, 0);
    assert!(!house.store.compact_step().await.unwrap());
    house.store.remove(&id);
    assert!(house.store.dataset(&id).is_none());
    house.advance(Duration::from_secs(7200));
    house.store.collect_garbage().await.unwrap();
    assert_eq!(files_in(&house.folder.path().join("segments"), "parquet"), Vec::<std::path::PathBuf>::new());
    let house = house.killed().await;
    assert_eq!(house.store.check(true).await.unwrap(), Vec::new(), "its events in the log are not missed");
}

#[tokio::test]
async fn only_what_nobody_needs_is_deleted() {
    let house = House::new().await;
    let id = filled(&house).await;
    house.flush(&id).await;
    let before = house.rows(&id).await;
    let orphan = |dataset: &str, name: &str| {
        let path = house.folder.path().join("segments/datasets").join(dataset).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, b"never published").unwrap();
        path
    };
    let old = orphan(id.as_str(), "segment_old.parquet");
    let young = orphan(id.as_str(), "segment_young.parquet");
    let unknown = orphan("dataset_01890a5dac96774bbcceb302099a8057", "segment_1.parquet");
    set_modified(&young, Duration::from_secs(3500));
    set_modified(&old, Duration::from_secs(30 * 86_400));
    set_modified(&unknown, Duration::from_secs(30 * 86_400));
    let found = house.store.check(false).await.unwrap();
    assert_eq!(found.iter().filter(|found| found.kind == FindingKind::UnknownObject).count(), 2, "{found:?}");
    assert_eq!(house.store.collect_orphans().await.unwrap(), 1);
    assert!(!old.try_exists().unwrap() && young.try_exists().unwrap(), "it may be on its way");
    assert!(unknown.try_exists().unwrap(), "the catalogue may be the wrong one");
    house.advance(Duration::from_secs(6 * 86_400));
    assert_eq!(house.store.collect_orphans().await.unwrap(), 0, "the catalogue may be an old one");
    house.advance(Duration::from_secs(86_400));
    assert_eq!(house.store.collect_orphans().await.unwrap(), 1);
    assert_eq!(house.store.collect_garbage().await.unwrap(), 0);
    assert_eq!(house.rows(&id).await, before);
}

#[tokio::test]
async fn a_full_buffer_sends_requests_away_until_it_is_flushed() {
    let house = House::with(|settings| {
        settings.buffer_bytes_max = 4000;
        settings.buffer_wait = Duration::from_millis(20);
    })
    .await;
    let dataset = house.dataset("logs").await;
    house.append(&dataset, &events(&times(0, 100))).await;
    let refused =
        house.store.append(&dataset, Store::prepare(&events(&times(100, 1)), house.receipt())).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unavailable);
    house.store.flush_wanted().await;
    house.store.flush_due().await.unwrap();
    house.append(&dataset, &events(&times(100, 1))).await;
    assert_eq!(house.rows(dataset.id()).await.len(), 101);
}

#[tokio::test]
async fn a_request_may_wait_for_less_time_than_the_settings_say() {
    let house = House::with(|settings| {
        settings.buffer_bytes_max = 4000;
        settings.buffer_wait = Duration::from_secs(3600);
    })
    .await;
    let dataset = house.dataset("logs").await;
    house.append(&dataset, &events(&times(0, 100))).await;
    let prepared = Store::prepare(&events(&times(100, 1)), house.receipt());
    let refused = house.store.append_within(&dataset, prepared, Duration::from_millis(20)).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn who_fills_the_buffer_waits_alone() {
    let house = House::new().await;
    house.append(&house.dataset("logs").await, &events(&times(0, 100))).await;
    let filled = usize::try_from(house.store.stats().buffered_bytes).unwrap();
    let house = House::with(|settings| {
        settings.buffer_bytes_max = filled * 11 / 10;
        settings.buffer_wait = Duration::from_millis(20);
    })
    .await;
    let loud = house.dataset("logs").await;
    house.append(&loud, &events(&times(0, 100))).await;
    let one = || Store::prepare(&events(&times(100, 1)), house.receipt());
    let refused = house.store.append(&loud, one()).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unavailable);
    let now = house.clock.now();
    let id = DatasetId::generate(now, &*house.rng);
    let quiet = house.store.add(&new_dataset(id, &"org_quiet".into(), "logs", now)).unwrap();
    house.store.append(&quiet, one()).await.unwrap();
    // What is left for others has an end as well.
    house.append(&quiet, &events(&times(0, 10))).await;
    let refused = house.store.append(&quiet, one()).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_request_that_waits_for_room_goes_on_when_there_is_some() {
    let house = House::with(|settings| {
        settings.buffer_bytes_max = 4000;
        settings.buffer_wait = Duration::from_secs(3600);
    })
    .await;
    let dataset = house.dataset("logs").await;
    house.append(&dataset, &events(&times(0, 100))).await;
    let columns = events(&times(100, 1));
    let waiting = house.store.append(&dataset, Store::prepare(&columns, house.receipt()));
    let flushing = async {
        house.store.flush_wanted().await;
        house.store.flush_due().await.unwrap();
    };
    let (appended, ()) = tokio::join!(waiting, flushing);
    appended.unwrap();
    assert_eq!(house.rows(dataset.id()).await.len(), 101);
}

#[tokio::test]
async fn two_stores_cannot_use_one_folder() {
    let house = House::new().await;
    let refused = open(&house.catalog, &house.clock, &house.rng, &house.settings).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Conflict);
    let _again = house.reopened().await;
}

#[tokio::test]
async fn the_wrong_catalogue_destroys_nothing() {
    let house = House::new().await;
    let id = filled(&house).await;
    let before = house.rows(&id).await;
    let right = Arc::clone(&house.catalog);
    let elsewhere = tempfile::tempdir().unwrap();
    let wrong = open_catalog(&sqlite(elsewhere.path())).await;
    let house = house.with_catalog(wrong).await;
    house.advance(Duration::from_secs(86_400));
    house.store.collect_garbage().await.unwrap();
    house.date_segments();
    assert_eq!(house.store.collect_orphans().await.unwrap(), 0);
    let kinds: Vec<FindingKind> =
        house.store.check(true).await.unwrap().into_iter().map(|found| found.kind).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == FindingKind::UnknownObject).count(), 4, "{kinds:?}");
    assert!(kinds.contains(&FindingKind::OrphanedEvents), "{kinds:?}");
    // What the advice says: put the log's files back once the catalogue is the right one.
    let folder = house.folder.path().to_owned();
    let House { store, .. } = &house;
    store.close().await.unwrap();
    for file in files_in(&folder.join("quarantine"), "log") {
        std::fs::rename(&file, folder.join("log").join(file.file_name().unwrap())).unwrap();
    }
    let house = house.with_catalog(right).await;
    assert_eq!(house.rows(&id).await, before);
}
