//! PostgreSQL fails over while segments are published, merged and rewritten: at every message that the catalogue sends,
//! before the server has it and after it has done what it says. Whatever was acknowledged is there once, and who asked is
//! told that the catalogue is away. Needs the server that `scripts/with-postgres.sh` starts.

mod proxy;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tidegauge_catalog::Location;
use tidegauge_model::ErrorKind;
use tidegauge_store::{DatasetState, Result, Store, StoredRow};

use crate::deletion::id_of;
use crate::duckdb::{psql, variable};
use crate::events::SECOND;
use crate::house::{House, START, events};
use proxy::{Cut, Proxy, Side};

/// How many events one round appends.
const EVENTS: i64 = 3;

/// A cut strikes every message up to this one, and then one of several: later ones are of work like that of the first.
const EACH_UNTIL: usize = 90;
const THEN_EACH: usize = 7;

/// How many transactions a round has at least: one that publishes a segment, and one that swaps it for what is left of it.
const TRANSACTIONS: usize = 2;

/// What must be there.
struct Model {
    house: House,
    dataset: Arc<DatasetState>,
    proxy: Proxy,
    rounds: i64,
    /// Times of events that were acknowledged and not deleted.
    there: Vec<i64>,
    /// The same of requests that failed: all of one is there, or nothing.
    open: Vec<Vec<i64>>,
    /// The messages at which it was cut, by their beginning.
    struck: BTreeMap<String, usize>,
}

impl Model {
    /// One round of all that is done with segments, with the way cut at a message of those that begin so. Says whether that
    /// came to pass.
    async fn round(&mut self, of: &'static str, message: usize, side: Side) -> bool {
        self.proxy.cut(Cut { of, message, side });
        let doomed = self.there.first().copied();
        let failed = self.work(doomed).await;
        let seen = self.proxy.mend();
        let when = format!("cut {side:?} message {message} of {of:?}: {:?}", seen.cut_at);
        for error in &failed {
            assert_eq!(error.kind(), ErrorKind::Unavailable, "{when}: {error}");
            assert!(error.to_string().contains("catalogue"), "{when}: it says what is wrong: {error}");
        }
        self.compare(&when, doomed).await;
        // There is nothing in the way any more: what was not done is, and nothing is done twice.
        self.house.store.flush_due().await.unwrap();
        self.house.store.flush(&self.dataset).await.unwrap();
        if let Some(time) = doomed {
            self.delete(time).await.unwrap();
            self.there.retain(|known| *known != time);
        }
        self.compare(&when, None).await;
        let Some(message) = seen.cut_at else { return false };
        *self.struck.entry(message.chars().take(20).collect()).or_default() += 1;
        true
    }

    /// Appends, publishes, deletes and merges; gives what went wrong.
    async fn work(&mut self, doomed: Option<i64>) -> Vec<tidegauge_store::Error> {
        let first = self.rounds * EVENTS;
        self.rounds += 1;
        let times: Vec<i64> = (first..first + EVENTS).map(|at| START * 1000 + at * SECOND).collect();
        // A lease that was not renewed for long has to be asked for before anything is acknowledged.
        self.house.advance(Duration::from_secs(86_400));
        let prepared = Store::prepare(&events(&times), self.house.receipt());
        let appended = self.house.store.append(&self.dataset, prepared).await.map(|_| ());
        match appended {
            Ok(()) => self.there.extend(times),
            Err(_) => self.open.push(times),
        }
        let flushed = self.house.store.flush(&self.dataset).await;
        let deleted = match doomed {
            Some(time) => self.delete(time).await,
            None => Ok(()),
        };
        let merged = self.house.store.compact_step().await.map(|_| ());
        let renewed = self.house.store.renew_lease().await;
        [appended, flushed, deleted, merged, renewed].into_iter().filter_map(|done| done.err()).collect()
    }

    async fn delete(&self, time: i64) -> Result<()> {
        let rows = self.rows().await;
        let doomed = rows.iter().filter(|row| row.time == time).map(id_of).collect();
        self.house.store.delete_rows(&self.dataset, doomed).await.map(|_| ())
    }

    async fn rows(&self) -> Vec<StoredRow> {
        self.house.rows(self.dataset.id()).await
    }

    /// All that was acknowledged is there once, but for one that is being deleted.
    async fn compare(&mut self, when: &str, doomed: Option<i64>) {
        let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
        self.rows().await.iter().for_each(|row| *counts.entry(row.time).or_default() += 1);
        for times in std::mem::take(&mut self.open) {
            let there = times.iter().filter(|time| counts.contains_key(*time)).count();
            match there {
                0 => self.open.push(times),
                _ if there == times.len() => self.there.extend(times),
                _ => panic!("{when}: {there} of the {} events of a request are there", times.len()),
            }
        }
        for time in &self.there {
            let count = counts.remove(time).unwrap_or(0);
            let is_doomed = doomed == Some(*time);
            assert!(count == 1 || (is_doomed && count == 0), "{when}: {time} is there {count} times");
        }
        assert!(counts.is_empty(), "{when}: {counts:?} were deleted or never sent");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stderr, reason = "what is not tested is said")]
async fn a_database_that_fails_over_at_any_message_loses_and_doubles_nothing() {
    let Some(url) = variable("TIDEGAUGE_TEST_POSTGRES") else {
        eprintln!("a database that fails over: not run (scripts/with-postgres.sh starts one)");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().file_name().unwrap().to_string_lossy().replace('.', "over_").to_lowercase();
    psql(&url, &format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'"));
    let (user, server) = url.rsplit_once('/').unwrap().0.rsplit_once('@').unwrap();
    let proxy = Proxy::before(server);
    let own = Location::Postgres(format!("{user}@{}/{name}", proxy.address));
    let house = House::at(folder, &own, |_| ()).await;
    let dataset = house.dataset("logs").await;
    let (there, open, struck) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut model = Model { house, dataset, proxy, rounds: 0, there, open, struck };
    let mut message = 1;
    loop {
        let before = model.round("", message, Side::Before).await;
        let after = model.round("", message, Side::After).await;
        if !before && !after {
            break;
        }
        message += if message < EACH_UNTIL { 1 } else { THEN_EACH };
    }
    assert!(message > EACH_UNTIL, "{:?}", model.struck);
    // Which messages those were depends on who of several connections came first. Those that matter most are struck each.
    for wanted in ["Q BEGIN", "Q COMMIT"] {
        for message in 1..=TRANSACTIONS {
            for side in [Side::Before, Side::After] {
                assert!(model.round(wanted, message, side).await, "{wanted} {message}: {:?}", model.struck);
            }
        }
    }
    let Model { house, dataset, mut there, proxy, .. } = model;
    there.sort_unstable();
    let id = dataset.id().clone();
    drop(dataset);
    house.advance(Duration::from_secs(7200));
    house.store.collect_garbage().await.unwrap();
    let house = house.killed().await;
    let mut times: Vec<i64> = house.rows(&id).await.iter().map(|row| row.time).collect();
    times.sort_unstable();
    assert_eq!(times, there, "after one more start");
    let damaged = house.store.check(true).await.unwrap();
    assert_eq!(damaged.iter().filter(|found| found.segment.is_some()).count(), 0, "{damaged:?}");
    house.catalog.close().await;
    drop((house, proxy));
    psql(&url, &format!("DROP DATABASE {name} WITH (FORCE)"));
}
