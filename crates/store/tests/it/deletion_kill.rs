//! A process that deletes events is killed by the system in the middle of it, again and again. The one that deletes is
//! this test binary itself, started for the test `victim` alone.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tidegauge_model::rng::SeededRng;
use tidegauge_model::time::ManualClock;
use tidegauge_model::{DatasetId, RowId, Timestamp};
use tidegauge_store::{DatasetState, Store, StoreSettings, StoredRow};

use crate::deletion::{id_of, times};
use crate::events::assert_same;
use crate::house::{House, START, events, open, open_catalog, sqlite};

const FOLDER: &str = "TIDEGAUGE_TEST_VICTIM";
const SEED: &str = "TIDEGAUGE_TEST_VICTIM_SEED";
const REQUESTS: i64 = 24;
const ROWS: i64 = 40;

/// How many deletions are done when each process is killed.
const KILL_AFTER: [u64; 4] = [1, 3, 2, 1];

/// Two of three events go, and of some requests all.
fn is_doomed(row: &StoredRow) -> bool {
    row.index % 3 != 1 || row.sequence.is_multiple_of(6)
}

#[expect(clippy::disallowed_methods, reason = "how a test binary is told what to do")]
fn asked(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

async fn open_again(folder: &Path, seed: u64) -> (Store, Arc<DatasetState>) {
    let catalog = open_catalog(&sqlite(folder)).await;
    let clock = ManualClock::at(Timestamp::from_micros(START).plus(Duration::from_secs(seed)));
    let id: DatasetId = catalog.all_datasets().await.unwrap().remove(0).id;
    let settings = StoreSettings::new(folder.to_owned());
    let rng = Arc::new(SeededRng::new(seed));
    let store = open(&catalog, &Arc::new(clock), &rng, &settings).await.unwrap();
    let state = store.dataset(&id).unwrap();
    (store, state)
}

/// Deletes events and says so after each few.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn victim() {
    let Some(folder) = asked(FOLDER) else { return };
    let seed: u64 = asked(SEED).unwrap().parse().unwrap();
    let (store, state) = open_again(Path::new(&folder), seed).await;
    let rows = store.rows(&state).await.unwrap();
    let doomed: Vec<RowId> = rows.iter().filter(|row| is_doomed(row)).map(id_of).collect();
    for part in doomed.chunks(30) {
        store.delete_rows(&state, part.to_vec()).await.unwrap();
        let mut output = std::io::stdout();
        writeln!(output, "deleted {}", part.len()).unwrap();
        output.flush().unwrap();
    }
}

fn start(folder: &Path, seed: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "deletion_kill::victim", "--nocapture"])
        .env(FOLDER, folder)
        .env(SEED, seed.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Kills the process once it has said so often that it deleted something; says how many events those were.
fn kill_after(mut process: Child, count: u64) -> u64 {
    let lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
    let said = lines.filter_map(|line| line.split_once("deleted ")?.1.parse::<u64>().ok());
    let deleted = said.take(count as usize).sum();
    process.kill().unwrap();
    process.wait().unwrap();
    deleted
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_killed_while_deleting_loses_nothing_else_and_can_go_on() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    for request in 0..REQUESTS {
        house.append(&dataset, &events(&times(request * ROWS / 2, ROWS))).await;
        if request % 2 == 0 {
            house.store.flush(&dataset).await.unwrap();
        }
    }
    let before = house.rows(dataset.id()).await;
    let left: Vec<StoredRow> = before.iter().filter(|row| !is_doomed(row)).cloned().collect();
    let House { folder, store, .. } = house;
    drop(store);
    let mut there = before.len() as u64;
    for (seed, count) in (100..).zip(KILL_AFTER) {
        let deleted = kill_after(start(folder.path(), seed), count);
        let (store, state) = open_again(folder.path(), seed + 1000).await;
        let rows = store.rows(&state).await.unwrap();
        let kept: Vec<StoredRow> = rows.iter().filter(|row| !is_doomed(row)).cloned().collect();
        assert_same(&kept, &left, &format!("killed after {count} deletions"));
        assert!(rows.len() as u64 <= there - deleted, "what was said to be deleted is gone");
        let strange = store.check(true).await.unwrap();
        assert_eq!(strange.iter().filter(|found| found.segment.is_some()).count(), 0, "{strange:?}");
        there = rows.len() as u64;
    }
    let (store, state) = open_again(folder.path(), 5000).await;
    let doomed = before.iter().filter(|row| is_doomed(row)).map(id_of).collect();
    let done = store.delete_rows(&state, doomed).await.unwrap();
    assert_eq!(done.rows, there - left.len() as u64);
    assert_same(&store.rows(&state).await.unwrap(), &left, "in the end");
}
