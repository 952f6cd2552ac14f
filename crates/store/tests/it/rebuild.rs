//! The catalogue made anew from the segment files.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tidegauge_catalog::{Catalog, Location};
use tidegauge_model::rng::SeededRng;
use tidegauge_model::{Clock, DatasetId, OrgId};
use tidegauge_store::{Rebuilt, StoreSettings, StoredRow, rebuild};

use crate::events::{SECOND, assert_same};
use crate::house::{House, START, events, files_in, log_files, open, open_catalog, set_up, sqlite};

fn times(from: i64, count: i64) -> Vec<i64> {
    (from..from + count).map(|at| START * 1000 + at * SECOND).collect()
}

/// Ends the store, loses the catalogue, and rebuilds it.
pub(crate) async fn rebuilt(house: House) -> (House, Rebuilt) {
    rebuilt_after(house, || ()).await
}

async fn rebuilt_after(house: House, happens: impl FnOnce()) -> (House, Rebuilt) {
    let catalog = open_catalog(&Location::Sqlite(house.folder.path().join("again.db"))).await;
    set_up(&catalog, house.clock.now()).await;
    let House { folder, clock, org, store, settings, rng, .. } = house;
    drop(store);
    happens();
    let done = put_back(&catalog, &settings, None, clock.now()).await;
    let store = open(&catalog, &clock, &rng, &settings).await.unwrap();
    let house = House { folder, catalog, clock, org, store, settings, rng };
    (house, done)
}

async fn put_back(
    catalog: &Arc<Catalog>,
    settings: &StoreSettings,
    org: Option<&OrgId>,
    now: tidegauge_model::Timestamp,
) -> Rebuilt {
    let change = tidegauge_catalog::Change {
        org: None,
        actor: "user_owner".to_owned(),
        at: now,
        request_id: "doctor".to_owned(),
    };
    rebuild(catalog, settings, org, now, &change).await.unwrap()
}

async fn fill(house: &House, name: &str, parts: i64) -> DatasetId {
    let dataset = house.dataset(name).await;
    for part in 0..parts {
        house.append(&dataset, &events(&times(part * 10, 10))).await;
        house.store.flush(&dataset).await.unwrap();
    }
    dataset.id().clone()
}

async fn all_rows(house: &House, ids: &[&DatasetId]) -> Vec<Vec<StoredRow>> {
    let mut rows = Vec::new();
    for id in ids {
        rows.push(house.rows(id).await);
    }
    rows
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn datasets_columns_and_segments_come_back_and_the_log_goes_on() {
    let house = House::new().await;
    let logs = fill(&house, "logs", 5).await;
    house.advance(Duration::from_secs(3 * 86_400));
    // The inputs of the compaction still lie beside its output.
    house.compact().await;
    let web = fill(&house, "web", 2).await;
    let state = house.store.dataset(&logs).unwrap();
    house.append(&state, &events(&times(500, 7))).await;
    let before = all_rows(&house, &[&logs, &web]).await;
    let columns = house.catalog.dataset_columns(&logs).await.unwrap();
    let live = house.catalog.live_segments(&logs).await.unwrap();

    let (house, done) = rebuilt(house).await;
    assert_eq!(done, Rebuilt { datasets: 2, segments: live.len() as u64 + 2, rows: 70, skipped: Vec::new() });
    assert_eq!(all_rows(&house, &[&logs, &web]).await, before);
    assert_eq!(house.catalog.dataset_columns(&logs).await.unwrap(), columns);
    let again = house.catalog.live_segments(&logs).await.unwrap();
    let plain = |segment: &tidegauge_catalog::segments::Segment| {
        let mut plain = segment.clone();
        plain.added = 0;
        plain
    };
    assert_eq!(again.iter().map(plain).collect::<Vec<_>>(), live.iter().map(plain).collect::<Vec<_>>());
    let found = house.catalog.find_dataset(&house.org, "logs").await.unwrap().unwrap();
    assert_eq!((found.id, found.kind.as_str()), (logs.clone(), "axiom:events:v1"));
    let strange: Vec<_> =
        house.store.check(true).await.unwrap().into_iter().filter(|found| found.segment.is_some()).collect();
    assert_eq!(strange, Vec::new(), "the statistics are those of the files");

    let state = house.store.dataset(&logs).unwrap();
    house.append(&state, &events(&times(600, 1))).await;
    house.store.flush(&state).await.unwrap();
    assert_eq!(house.killed().await.rows(&logs).await.len(), before[0].len() + 1);
}

#[tokio::test]
async fn damaged_files_are_left_out_and_named() {
    let house = House::new().await;
    let logs = fill(&house, "logs", 3).await;
    let files = house.segment_files(&logs).await;
    let mut bytes = std::fs::read(&files[0]).unwrap();
    // In the values of a column, where a reader would not notice.
    bytes[60] ^= 1;
    std::fs::write(&files[0], bytes).unwrap();
    let whole = std::fs::read(&files[1]).unwrap();
    std::fs::write(&files[1], &whole[..whole.len() - 3]).unwrap();
    std::fs::copy(&files[2], files[2].with_file_name("segment_copy.parquet")).unwrap();
    std::fs::write(house.folder.path().join("segments/notes.txt"), b"not ours").unwrap();
    let (house, done) = rebuilt(house).await;
    assert_eq!((done.datasets, done.segments, done.rows), (1, 1, 10));
    assert_eq!(done.skipped.len(), 4, "{:?}", done.skipped);
    let name = |path: &std::path::Path| path.file_name().unwrap().to_string_lossy().into_owned();
    for file in &files[..2] {
        assert!(done.skipped.iter().any(|line| line.contains(&name(file)) && line.contains("damaged")));
    }
    assert_eq!(house.rows(&logs).await.len(), 10);
}

#[tokio::test]
async fn of_an_unfinished_compaction_the_inputs_count() {
    let house = House::with(|settings| settings.segment_rows_max = 4000).await;
    let dataset = house.dataset("logs").await;
    // Two days of 1,500 rows each, so that the compaction writes two segments.
    let day = 86_400 * SECOND;
    for part in 0..4 {
        let mut both = times(part * 400, 400);
        both.extend(times(part * 400, 400).iter().map(|time| time - day));
        house.append(&dataset, &events(&both)).await;
        house.store.flush(&dataset).await.unwrap();
    }
    let id = dataset.id().clone();
    let before = house.rows(&id).await;
    house.advance(Duration::from_secs(5 * 86_400));
    assert!(house.store.compact_step().await.unwrap());
    let outputs = house.segment_files(&id).await;
    assert_eq!(outputs.len(), 2, "{outputs:?}");
    // One of the outputs never got there.
    std::fs::remove_file(&outputs[1]).unwrap();
    let (house, done) = rebuilt(house).await;
    assert_eq!((done.segments, done.skipped.len()), (4, 1), "{:?}", done.skipped);
    assert_same(&house.rows(&id).await, &before, "from the inputs");
}

/// The files of the log with what is in them.
fn log_of(house: &House) -> Vec<(PathBuf, Vec<u8>)> {
    let files = log_files(house.folder.path());
    files.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

#[tokio::test]
async fn what_was_written_twice_and_published_once_counts_once() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    house.append(&dataset, &events(&times(0, 10))).await;
    house.store.flush(&dataset).await.unwrap();
    house.append(&dataset, &events(&times(10, 10))).await;
    house.store.flush(&dataset).await.unwrap();
    house.append(&dataset, &events(&times(20, 10))).await;
    // A store that ends before publishing: its catalogue is a copy that nobody looks at again.
    let twin = tempfile::tempdir().unwrap();
    std::fs::create_dir(twin.path().join("log")).unwrap();
    for (path, bytes) in log_of(&house) {
        std::fs::write(twin.path().join("log").join(path.file_name().unwrap()), bytes).unwrap();
    }
    for name in ["catalog.db", "catalog.db-wal", "log/node"] {
        std::fs::copy(house.folder.path().join(name), twin.path().join(name)).unwrap();
    }
    let mut settings = StoreSettings::new(twin.path().to_owned());
    settings.objects = house.settings.objects.clone();
    let rng = Arc::new(SeededRng::new(99));
    let catalog = open_catalog(&sqlite(twin.path())).await;
    open(&catalog, &house.clock, &rng, &settings).await.unwrap().flush_all().await.unwrap();

    house.append(&dataset, &events(&times(30, 10))).await;
    house.store.flush(&dataset).await.unwrap();
    let before = house.rows(&id).await;
    assert_eq!(files_in(&house.folder.path().join("segments"), "parquet").len(), 4);
    let (house, done) = rebuilt(house).await;
    assert_eq!((done.segments, done.rows, done.skipped.len()), (3, 40, 1), "{:?}", done.skipped);
    assert_same(&house.rows(&id).await, &before, "once");
}

#[tokio::test]
async fn of_a_flush_that_was_cut_short_the_log_counts() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    house.append(&dataset, &events(&times(0, 10))).await;
    house.store.flush(&dataset).await.unwrap();
    // Two hours with enough events for a segment each.
    house.append(&dataset, &events(&times(0, 1100))).await;
    house.append(&dataset, &events(&times(7200, 1100))).await;
    let before = house.rows(&id).await;
    let log = log_of(&house);
    house.store.flush(&dataset).await.unwrap();
    let files = house.segment_files(&id).await;
    assert_eq!(files.len(), 3);
    let folder = house.folder.path().to_owned();
    let lose_half = || {
        std::fs::remove_file(&files[2]).unwrap();
        log_files(&folder).iter().for_each(|path| std::fs::remove_file(path).unwrap());
        log.iter().for_each(|(path, bytes)| std::fs::write(path, bytes).unwrap());
    };
    let (house, done) = rebuilt_after(house, lose_half).await;
    assert_eq!((done.segments, done.rows, done.skipped.len()), (1, 10, 1), "{:?}", done.skipped);
    assert_same(&house.rows(&id).await, &before, "from the log");
}

#[tokio::test]
async fn a_dataset_finds_its_place_or_is_named() {
    let house = House::new().await;
    let id = fill(&house, "logs", 1).await;
    let elsewhere = tempfile::tempdir().unwrap();
    let catalog = open_catalog(&sqlite(elsewhere.path())).await;
    let refused = rebuild(&catalog, &house.settings, None, house.clock.now(), &house.change()).await;
    assert_eq!(refused.unwrap_err().kind(), tidegauge_model::ErrorKind::Conflict, "the store is open");
    let House { folder, clock, settings, store, .. } = house;
    drop(store);

    let done = put_back(&catalog, &settings, None, clock.now()).await;
    assert_eq!((done.datasets, done.skipped.len()), (0, 1), "{:?}", done.skipped);
    assert!(done.skipped[0].contains("org_house"), "{:?}", done.skipped);

    set_up(&catalog, clock.now()).await;
    let done = put_back(&catalog, &settings, None, clock.now()).await;
    assert_eq!((done.datasets, done.rows), (1, 10));
    let done = put_back(&catalog, &settings, None, clock.now()).await;
    assert_eq!((done.datasets, done.skipped.len()), (0, 1), "it is there already");
    assert!(done.skipped[0].contains(id.as_str()), "{:?}", done.skipped);
    drop(folder);
}

/// A new catalogue in the place of one that was lost, of which another process has just been killed.
async fn lost_twice(house: House, lease: Duration) -> (House, Arc<Catalog>) {
    let location = Location::Sqlite(house.folder.path().join("again.db"));
    let catalog = open_catalog(&location).await;
    set_up(&catalog, house.clock.now()).await;
    let House { folder, clock, org, store, mut settings, rng, .. } = house;
    drop(store);
    settings.lease = lease;
    let store = open(&catalog, &clock, &rng, &settings).await.unwrap();
    let house = House { folder, catalog, clock, org, store, settings, rng };
    (house, open_catalog(&location).await)
}

#[tokio::test]
async fn a_lease_that_a_crash_left_behind_is_no_obstacle_for_its_own_folder() {
    let house = House::new().await;
    let logs = fill(&house, "logs", 2).await;
    let before = house.rows(&logs).await;
    // So long that it does not end while the test runs.
    let (house, catalog) = lost_twice(house, Duration::from_secs(3600)).await;
    let House { folder, clock, org, store, settings, rng, .. } = house;
    drop(store);
    let done = put_back(&catalog, &settings, None, clock.now()).await;
    assert_eq!((done.datasets, done.rows, done.skipped), (1, 20, Vec::new()));
    let store = open(&catalog, &clock, &rng, &settings).await.unwrap();
    let house = House { folder, catalog, clock, org, store, settings, rng };
    assert_same(&house.rows(&logs).await, &before, "put back");
}

#[tokio::test]
async fn nor_for_a_folder_that_lost_its_log_once_the_lease_has_ended() {
    let house = House::new().await;
    let logs = fill(&house, "logs", 2).await;
    let before = house.rows(&logs).await;
    let (house, catalog) = lost_twice(house, Duration::ZERO).await;
    let House { folder, clock, org, store, settings, rng, .. } = house;
    drop(store);
    std::fs::remove_dir_all(folder.path().join("log")).unwrap();
    let done = put_back(&catalog, &settings, None, clock.now()).await;
    assert_eq!((done.datasets, done.rows, done.skipped), (1, 20, Vec::new()));
    let store = open(&catalog, &clock, &rng, &settings).await.unwrap();
    let house = House { folder, catalog, clock, org, store, settings, rng };
    assert_same(&house.rows(&logs).await, &before, "put back");
}
