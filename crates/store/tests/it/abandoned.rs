//! Objects whose writing is given up before the catalogue names them: by a process that ends, or by somebody who stops
//! waiting. They go at the next start or with the next garbage, unless they may hold the only copy of an event.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tidegauge_model::rng::SeededRng;
use tidegauge_model::{Clock, DatasetId, RowId};
use tidegauge_store::StoreSettings;

use crate::deletion::{chosen, times};
use crate::events::assert_same;
use crate::house::{House, events, files_in, log_files, open, open_catalog, sqlite};

/// What can be given up.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    Flush,
    Compaction,
    Deletion,
}

const ALL: [Work; 3] = [Work::Flush, Work::Compaction, Work::Deletion];

fn objects(house: &House) -> Vec<PathBuf> {
    files_in(&house.folder.path().join("segments"), "parquet")
}

pub(crate) fn intents(house: &House) -> Vec<PathBuf> {
    files_in(&house.folder.path().join("intents"), "json")
}

pub(crate) fn is_there(file: &Path) -> bool {
    file.try_exists().unwrap()
}

/// A dataset with two segments of long ago and events in the buffer.
async fn filled(house: &House) -> DatasetId {
    let dataset = house.dataset("logs").await;
    for part in 0..3 {
        house.append(&dataset, &events(&times(part * 10, 10))).await;
        if part < 2 {
            house.store.flush(&dataset).await.unwrap();
        }
    }
    dataset.id().clone()
}

/// Begins a piece of work and gives it up when its object is written; what follows of it is never done. Names the object.
pub(crate) async fn begin(house: &House, id: &DatasetId, work: Work) -> PathBuf {
    let state = house.store.dataset(id).unwrap();
    let rows = house.rows(id).await;
    let before = objects(house);
    let working = async {
        match work {
            Work::Flush => house.store.flush(&state).await.unwrap(),
            Work::Compaction => house.compact().await,
            Work::Deletion => {
                let doomed: Vec<RowId> = chosen(&rows[..10], |at| at % 3 == 0).0;
                house.store.delete_rows(&state, doomed).await.map(|_| ()).unwrap();
            }
        }
    };
    tokio::pin!(working);
    loop {
        let written = objects(house).into_iter().find(|file| !before.contains(file));
        if let Some(written) = written {
            assert_eq!(intents(house).len(), 1, "{work:?} writes down what it is about to write");
            return written;
        }
        assert!(futures_util::poll!(&mut working).is_pending(), "{work:?} writes an object");
        tokio::task::yield_now().await;
    }
}

/// A house in which a piece of work was given up.
async fn given_up(work: Work) -> (House, DatasetId, PathBuf) {
    given_up_in(House::new().await, work).await
}

async fn given_up_in(house: House, work: Work) -> (House, DatasetId, PathBuf) {
    let id = filled(&house).await;
    if !matches!(work, Work::Flush) {
        house.flush(&id).await;
        house.advance(Duration::from_secs(3 * 86_400));
    }
    let written = begin(&house, &id, work).await;
    (house, id, written)
}

/// The part of a file that the library had written when the process ended.
fn unfinished(object: &Path) -> PathBuf {
    let part = PathBuf::from(format!("{}#1", object.display()));
    std::fs::rename(object, &part).unwrap();
    part
}

#[tokio::test]
async fn objects_of_a_process_that_ended_before_it_published_them_are_gone_after_the_next_start() {
    for work in ALL {
        let (house, id, written) = given_up(work).await;
        let rows = house.rows(&id).await;
        let house = house.killed().await;
        assert!(!is_there(&written), "{work:?}");
        assert_eq!(intents(&house), Vec::<PathBuf>::new(), "{work:?}");
        assert_same(&house.rows(&id).await, &rows, &format!("{work:?}"));
        house.flush(&id).await;
        house.compact().await;
        assert_same(&house.rows(&id).await, &rows, &format!("{work:?}, done again"));
        assert_eq!(intents(&house), Vec::<PathBuf>::new(), "{work:?}, done again");
        assert_eq!(house.store.check(true).await.unwrap(), Vec::new(), "{work:?}");
    }
}

#[tokio::test]
async fn half_an_object_is_gone_after_the_next_start() {
    for work in ALL {
        let (house, id, written) = given_up(work).await;
        let rows = house.rows(&id).await;
        let part = unfinished(&written);
        let house = house.killed().await;
        assert!(!is_there(&part), "{work:?}");
        assert_same(&house.rows(&id).await, &rows, &format!("{work:?}"));
    }
}

#[tokio::test]
async fn half_an_object_that_no_intent_names_is_swept_after_an_hour() {
    let house = House::new().await;
    let id = filled(&house).await;
    let segment = house.segment_files(&id).await.remove(0);
    let part = PathBuf::from(format!("{}#7", segment.display()));
    std::fs::write(&part, b"PAR1").unwrap();
    crate::house::set_modified(&part, Duration::ZERO);
    house.advance(Duration::from_secs(3000));
    assert_eq!(house.store.collect_orphans().await.unwrap(), 0);
    house.advance(Duration::from_secs(1000));
    assert_eq!(house.store.collect_orphans().await.unwrap(), 1);
    assert!(!is_there(&part));
    assert!(is_there(&segment));
}

#[tokio::test]
async fn objects_that_somebody_stopped_waiting_for_go_with_the_next_garbage() {
    for work in ALL {
        let (house, id, written) = given_up(work).await;
        let rows = house.rows(&id).await;
        // What is not waited for may still be at work.
        while house.store.collect_garbage().await.unwrap() == 0 {
            tokio::task::yield_now().await;
        }
        assert!(!is_there(&written), "{work:?}");
        assert_eq!(intents(&house), Vec::<PathBuf>::new(), "{work:?}");
        assert_same(&house.rows(&id).await, &rows, &format!("{work:?}"));
    }
}

#[tokio::test]
async fn objects_of_a_dataset_that_was_deleted_meanwhile_are_gone_too() {
    for work in ALL {
        let (house, _, written) = given_up(work).await;
        let id = house.delete_dataset("logs").await;
        house.store.remove(&id);
        // What is logged after it is there only with the note that the dataset is deleted.
        let other = house.dataset("other").await;
        house.append(&other, &events(&times(0, 1))).await;
        let house = house.killed().await;
        assert!(!is_there(&written), "{work:?}");
        assert_eq!(intents(&house), Vec::<PathBuf>::new(), "{work:?}");
    }
}

#[tokio::test]
async fn objects_of_a_dataset_that_another_store_deleted_are_gone_too() {
    for work in ALL {
        let house = House::with(|settings| settings.lease = Duration::ZERO).await;
        let (house, id, written) = given_up_in(house, work).await;
        let change = house.change();
        let House { folder, catalog, clock, org, store, settings, rng } = house;
        drop(store);
        let elsewhere = tempfile::tempdir().unwrap();
        let other = StoreSettings { folder: elsewhere.path().to_owned(), ..settings.clone() };
        let catalog_there = open_catalog(&sqlite(folder.path())).await;
        let store = open(&catalog_there, &clock, &Arc::new(SeededRng::new(8)), &other).await.unwrap();
        let deleted = catalog_there.delete_dataset(&org, "logs", clock.now(), &change).await.unwrap();
        assert_eq!(deleted.as_ref(), Some(&id));
        store.remove(&id);
        clock.advance(settings.grace + Duration::from_secs(1));
        store.collect_garbage().await.unwrap();
        assert!(is_there(&written), "{work:?}: the other store knows nothing of it");
        store.close().await.unwrap();

        let store = open(&catalog, &clock, &rng, &settings).await.unwrap();
        let house = House { folder, catalog, clock, org, store, settings, rng };
        assert!(!is_there(&written), "{work:?}");
        assert_eq!(intents(&house), Vec::<PathBuf>::new(), "{work:?}");
        // Nor are its events in the log put aside as those of an unknown dataset.
        assert_eq!(house.store.check(true).await.unwrap(), Vec::new(), "{work:?}");
    }
}

#[tokio::test]
async fn an_intent_is_forgotten_when_the_object_that_it_spared_is_gone() {
    let (house, _, written) = given_up(Work::Flush).await;
    let log = log_files(house.folder.path());
    let house =
        house.reopened_after(|| log.iter().for_each(|file| std::fs::remove_file(file).unwrap())).await;
    assert!(is_there(&written), "it is the only copy");
    assert_eq!(intents(&house).len(), 1);
    // Somebody has looked at it and taken it away.
    std::fs::remove_file(&written).unwrap();
    let house = house.reopened().await;
    assert_eq!(intents(&house), Vec::<PathBuf>::new());

    let (house, _, written) = given_up(Work::Flush).await;
    let log = log_files(house.folder.path());
    let house =
        house.reopened_after(|| log.iter().for_each(|file| std::fs::remove_file(file).unwrap())).await;
    std::fs::remove_file(&written).unwrap();
    house.store.collect_orphans().await.unwrap();
    assert_eq!(intents(&house), Vec::<PathBuf>::new(), "without a start");
}

#[tokio::test]
async fn an_intent_that_was_cut_off_while_it_was_written_is_dropped() {
    let house = House::new().await;
    let id = filled(&house).await;
    let rows = house.rows(&id).await;
    let before = objects(&house);
    let intent = house.folder.path().join("intents/segment_1.json");
    let house = house.reopened_after(|| std::fs::write(&intent, b"{\"objects\":[\"datasets/").unwrap()).await;
    assert!(!is_there(&intent));
    assert_eq!(objects(&house), before);
    assert_same(&house.rows(&id).await, &rows, "after a cut");
}

#[tokio::test]
async fn an_intent_that_came_back_takes_nothing_that_was_published() {
    let (house, id, written) = given_up(Work::Flush).await;
    let intent = intents(&house).remove(0);
    let text = std::fs::read_to_string(&intent).unwrap();
    let house = house.killed().await;
    house.flush(&id).await;
    let published = house.segment_files(&id).await.remove(2);
    let stem = |file: &Path| file.file_stem().unwrap().to_str().unwrap().to_owned();
    let text = text.replace(&stem(&written), &stem(&published));
    let house = house.reopened_after(|| std::fs::write(&intent, text).unwrap()).await;
    assert!(!is_there(&intent));
    assert!(is_there(&published));
    assert_eq!(house.store.check(true).await.unwrap(), Vec::new());
}

#[tokio::test]
async fn an_object_stays_when_the_log_has_lost_some_of_its_events() {
    let (house, _, written) = given_up(Work::Flush).await;
    let log = log_files(house.folder.path());
    let house =
        house.reopened_after(|| log.iter().for_each(|file| std::fs::remove_file(file).unwrap())).await;
    assert!(is_there(&written), "it is the only copy");
    house.store.collect_garbage().await.unwrap();
    assert!(is_there(&written));
}

#[tokio::test]
async fn an_object_stays_when_its_events_are_not_read_from_the_log_any_more() {
    let (house, id, written) = given_up(Work::Flush).await;
    let (intent, bytes) = (intents(&house).remove(0), std::fs::read(&written).unwrap());
    let text = std::fs::read(&intent).unwrap();
    let house = house.killed().await;
    house.flush(&id).await;
    let come_back = || {
        std::fs::write(&intent, text).unwrap();
        std::fs::write(&written, bytes).unwrap();
    };
    let house = house.reopened_after(come_back).await;
    house.store.collect_garbage().await.unwrap();
    assert!(is_there(&written), "the segments with its events may be lost, as after a restored backup");
}

#[tokio::test]
async fn an_object_stays_when_one_that_it_was_to_replace_is_lost() {
    for work in [Work::Compaction, Work::Deletion] {
        let (house, id, written) = given_up(work).await;
        let lost = house.segment_files(&id).await;
        let house =
            house.reopened_after(|| lost.iter().for_each(|file| std::fs::remove_file(file).unwrap())).await;
        assert!(is_there(&written), "{work:?}: it is the only copy");
        house.store.collect_garbage().await.unwrap();
        assert!(is_there(&written), "{work:?}");
    }
}
