//! Several stores on one catalogue: one writes at a time, one that has lost its lease neither publishes nor
//! acknowledges, and what each has acknowledged is there exactly once after they have taken turns.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use tidegauge_catalog::context::{CatalogContext, Point};
use tidegauge_catalog::lease::Writer;
use tidegauge_catalog::{Catalog, Location, SealKey};
use tidegauge_model::rng::SeededRng;
use tidegauge_model::time::{ManualClock, SystemClock};
use tidegauge_model::{Clock, DatasetId, ErrorKind, Rng, RowId, Timestamp};
use tidegauge_store::{Claim, IdempotencyKey, Receipt, Result, Store, StoreSettings, StoredRow};
use tokio::sync::watch;

use crate::events::SECOND;
use crate::house::{House, START, events, files_in, log_files, open, open_catalog, sqlite};
use crate::waiting::WAIT_MAX;

/// More sequences than this are between those of two nodes.
const APART: u64 = 1 << 40;

/// A store in a folder of its own, on the catalogue and the segments of a house.
struct Neighbour {
    _folder: TempDir,
    settings: StoreSettings,
    catalog: Arc<Catalog>,
    rng: Arc<SeededRng>,
}

impl Neighbour {
    async fn of(house: &House) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = house.settings.clone();
        settings.folder = folder.path().to_owned();
        let catalog = open_catalog(&sqlite(house.folder.path())).await;
        Self { _folder: folder, settings, catalog, rng: Arc::new(SeededRng::new(8)) }
    }

    async fn open(&self, house: &House) -> Result<Store> {
        open(&self.catalog, &house.clock, &self.rng, &self.settings).await
    }
}

fn times(from: i64, count: i64) -> Vec<i64> {
    (from..from + count).map(|at| START * 1000 + at * SECOND).collect()
}

async fn append(house: &House, store: &Store, id: &DatasetId, from: i64) -> Result<u64> {
    let dataset = store.dataset(id).unwrap();
    store.append(&dataset, Store::prepare(&events(&times(from, 2)), house.receipt())).await
}

async fn flush(store: &Store, id: &DatasetId) -> Result<()> {
    store.flush(&store.dataset(id).unwrap()).await
}

async fn rows(store: &Store, id: &DatasetId) -> Vec<StoredRow> {
    store.rows(&store.dataset(id).unwrap()).await.unwrap()
}

/// The seconds of the events, which must be those that were sent, each once and with an identity of its own.
fn check(rows: &[StoredRow], sent: impl IntoIterator<Item = i64>) {
    let found: Vec<i64> = rows.iter().map(|row| (row.time - START * 1000) / SECOND).collect();
    assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), sent.into_iter().collect());
    let identities: BTreeSet<_> = rows.iter().map(|row| (row.sequence, row.index)).collect();
    assert_eq!(identities.len(), rows.len());
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), rows.len(), "an event is there twice");
}

#[tokio::test]
async fn a_second_store_is_refused_until_the_first_is_closed() {
    let house = House::with(|settings| settings.address = "first.example:80".to_owned()).await;
    let neighbour = Neighbour::of(&house).await;
    let refused = neighbour.open(&house).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert!(refused.to_string().contains("first.example:80"), "{refused}");
    house.store.close().await.unwrap();
    neighbour.open(&house).await.unwrap();
}

#[tokio::test]
async fn a_lease_that_ran_out_and_that_nobody_took_goes_on() {
    let house = House::new().await;
    let id = house.dataset("logs").await.id().clone();
    append(&house, &house.store, &id, 0).await.unwrap();
    house.advance(Duration::from_secs(86_400));
    append(&house, &house.store, &id, 2).await.unwrap();
    flush(&house.store, &id).await.unwrap();
    check(&rows(&house.store, &id).await, 0..4);
}

#[tokio::test]
async fn who_has_lost_the_lease_publishes_and_acknowledges_nothing() {
    let house = House::with(|settings| settings.lease = Duration::ZERO).await;
    let id = house.dataset("logs").await.id().clone();
    for part in 0..4 {
        append(&house, &house.store, &id, part * 2).await.unwrap();
        flush(&house.store, &id).await.unwrap();
    }
    append(&house, &house.store, &id, 8).await.unwrap();
    let stored = rows(&house.store, &id).await;
    let neighbour = Neighbour::of(&house).await;
    let other = neighbour.open(&house).await.unwrap();
    append(&house, &other, &id, 10).await.unwrap();
    flush(&other, &id).await.unwrap();
    let live = neighbour.catalog.live_segments(&id).await.unwrap();

    let (store, state) = (&house.store, house.store.dataset(&id).unwrap());
    let first = RowId { time: stored[0].time, sequence: stored[0].sequence, index: stored[0].index };
    let late = Timestamp::from_micros(START + 3_600_000_000);
    let refused = [
        append(&house, store, &id, 12).await.map(|_| ()),
        store.flush(&state).await,
        store.compact_step().await.map(|_| ()),
        store.delete_rows(&state, vec![first]).await.map(|_| ()),
        store.trim(&state, late).await.map(|_| ()),
        store.vacuum(&state).await,
        store.collect_garbage().await.map(|_| ()),
        store.collect_orphans().await.map(|_| ()),
        store.renew_lease().await,
    ];
    for (place, refused) in refused.into_iter().enumerate() {
        let refused = refused.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unavailable, "{place}: {refused}");
    }
    assert!(store.lease_lost().await.contains("may not write any more"));
    assert_eq!(neighbour.catalog.live_segments(&id).await.unwrap(), live);
    assert_eq!(state.buffered_batches(), 1, "what was acknowledged is not let go of");

    // What was refused was not stored, and what was acknowledged before is, wherever.
    other.close().await.unwrap();
    let house = house.reopened().await;
    check(&rows(&house.store, &id).await, 0..12);
}

#[tokio::test]
async fn folders_that_take_turns_lose_and_double_nothing() {
    let house = House::with(|settings| settings.lease = Duration::ZERO).await;
    let id = house.dataset("logs").await.id().clone();
    let never_flushed = house.dataset("quiet").await.id().clone();
    append(&house, &house.store, &id, 0).await.unwrap();
    flush(&house.store, &id).await.unwrap();
    append(&house, &house.store, &id, 2).await.unwrap();
    assert_eq!(append(&house, &house.store, &never_flushed, 0).await.unwrap(), 3);
    let neighbour = Neighbour::of(&house).await;
    for turn in 0..2 {
        // The log of the new folder is empty: its sequences begin above all marks, and above what is in the other's log.
        let other = neighbour.open(&house).await.unwrap();
        assert!(append(&house, &other, &id, 10 + turn * 2).await.unwrap() > APART);
        append(&house, &other, &never_flushed, 10 + turn * 2).await.unwrap();
        flush(&other, &id).await.unwrap();
    }
    // The first opens again twice, the second time as after a kill right after the start.
    let house = house.killed().await;
    check(&rows(&house.store, &id).await, [0, 1, 2, 3, 10, 11, 12, 13]);
    let house = house.killed().await;
    assert_eq!(house.store.damage(), []);
    check(&rows(&house.store, &id).await, [0, 1, 2, 3, 10, 11, 12, 13]);
    append(&house, &house.store, &id, 20).await.unwrap();
    flush(&house.store, &id).await.unwrap();
    let house = house.killed().await;
    check(&rows(&house.store, &id).await, [0, 1, 2, 3, 10, 11, 12, 13, 20, 21]);

    // What only the neighbour has logged comes back with it.
    check(&rows(&house.store, &never_flushed).await, [0, 1]);
    let other = neighbour.open(&house).await.unwrap();
    check(&rows(&other, &never_flushed).await, [0, 1, 10, 11, 12, 13]);
    assert_eq!(other.damage(), []);
}

#[tokio::test]
async fn a_start_that_fails_before_all_is_taken_over_leaves_it_for_the_next() {
    let house = House::with(|settings| settings.lease = Duration::ZERO).await;
    let id = house.dataset("logs").await.id().clone();
    append(&house, &house.store, &id, 0).await.unwrap();
    let neighbour = Neighbour::of(&house).await;
    let other = neighbour.open(&house).await.unwrap();
    append(&house, &other, &id, 10).await.unwrap();
    flush(&other, &id).await.unwrap();
    drop(other);

    // The first comes back and cannot write its segment: something stands where the folder of the dataset was.
    let House { folder, catalog, clock, org, store, settings, rng } = house;
    drop(store);
    let objects = folder.path().join("segments/datasets");
    let aside = folder.path().join("aside");
    std::fs::rename(&objects, &aside).unwrap();
    std::fs::write(&objects, "in the way").unwrap();
    open(&catalog, &clock, &rng, &settings).await.unwrap_err();
    std::fs::remove_file(&objects).unwrap();
    std::fs::rename(&aside, &objects).unwrap();

    // The other writes in between, far beyond the mark that the first had.
    let other = open(&neighbour.catalog, &clock, &neighbour.rng, &neighbour.settings).await.unwrap();
    let dataset = other.dataset(&id).unwrap();
    let receipt = tidegauge_store::Receipt { arrival: START * 1000, raw_bytes: 1, key: None };
    other.append(&dataset, Store::prepare(&events(&times(20, 2)), receipt)).await.unwrap();
    other.close().await.unwrap();

    let store = open(&catalog, &clock, &rng, &settings).await.unwrap();
    let house = House { folder, catalog, clock, org, store, settings, rng };
    check(&rows(&house.store, &id).await, [0, 1, 10, 11, 20, 21]);
}

/// Sends two events with a key that nobody knows there.
async fn send(house: &House, store: &Store, id: &DatasetId, (key, fingerprint): (&str, u64), from: i64) {
    let dataset = store.dataset(id).unwrap();
    let Claim::First(_guard) = store.claim(&dataset, key, house.clock.now()).await.unwrap() else {
        panic!("{key} is known")
    };
    let key = IdempotencyKey { key: key.to_owned(), fingerprint, answer: "{}".to_owned() };
    let receipt = Receipt { key: Some(key), ..house.receipt() };
    store.append(&dataset, Store::prepare(&events(&times(from, 2)), receipt)).await.unwrap();
}

#[tokio::test]
async fn a_request_that_was_sent_again_to_another_node_is_there_once() {
    let house = House::with(|settings| settings.lease = Duration::ZERO).await;
    let id = house.dataset("logs").await.id().clone();
    for (key, from) in [(("again", 1), 0), (("alone", 2), 2), (("other body", 3), 4), (("anew", 4), 6)] {
        send(&house, &house.store, &id, key, from).await;
    }
    send(&house, &house.store, &id, ("again, last", 5), 8).await;
    let neighbour = Neighbour::of(&house).await;
    let other = neighbour.open(&house).await.unwrap();
    send(&house, &other, &id, ("again", 1), 0).await;
    send(&house, &other, &id, ("again, last", 5), 8).await;
    send(&house, &other, &id, ("other body", 33), 10).await;
    // When a key is forgotten, it means another request.
    house.advance(house.settings.key_age + Duration::from_secs(1));
    send(&house, &other, &id, ("anew", 4), 12).await;
    flush(&other, &id).await.unwrap();
    check(&rows(&other, &id).await, [0, 1, 8, 9, 10, 11, 12, 13]);

    let house = house.killed().await;
    check(&rows(&house.store, &id).await, 0..14);
    // All of the log has been seen to, also its last request: nothing is left for another start.
    let house = house.killed().await;
    check(&rows(&house.store, &id).await, 0..14);
}

/// A clock at which another node takes the lease as soon as it is asked for the time the second time.
#[derive(Debug)]
struct Thief {
    clock: Arc<ManualClock>,
    asked: AtomicUsize,
    catalog: Location,
}

impl Clock for Thief {
    fn now(&self) -> Timestamp {
        if self.asked.fetch_add(1, Ordering::SeqCst) == 1 {
            let location = self.catalog.clone();
            std::thread::spawn(move || take_over(&location)).join().unwrap();
        }
        self.clock.now()
    }
}

fn take_over(location: &Location) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let other = Writer {
            node: "other".to_owned(),
            host: String::new(),
            process: 1,
            address: String::new(),
            has_log: false,
        };
        open_catalog(location).await.take_lease(&other, Duration::ZERO).await.unwrap();
    });
}

#[tokio::test]
async fn a_start_whose_lease_is_taken_meanwhile_lets_no_file_of_the_log_go() {
    let house = House::with(|settings| settings.lease = Duration::ZERO).await;
    let id = house.dataset("logs").await.id().clone();
    append(&house, &house.store, &id, 0).await.unwrap();
    let House { folder, catalog, clock, org, store, settings, rng } = house;
    drop(store);
    let before = log_files(folder.path());
    // The first time is asked for before the lease is taken, the second after all that is believed was read.
    let location = sqlite(folder.path());
    let thief = Thief { clock: Arc::clone(&clock), asked: AtomicUsize::new(0), catalog: location };
    let (thief, by_chance) = (Arc::new(thief), Arc::clone(&rng) as Arc<dyn Rng>);
    let opened = Store::open(Arc::clone(&catalog), thief, by_chance, settings.clone()).await;
    assert_eq!(opened.unwrap_err().kind(), ErrorKind::Unavailable);
    let after = log_files(folder.path());
    assert!(before.iter().all(|file| after.contains(file)), "{before:?} {after:?}");
    let store = open(&catalog, &clock, &rng, &settings).await.unwrap();
    let house = House { folder, catalog, clock, org, store, settings, rng };
    check(&rows(&house.store, &id).await, 0..2);
}

/// A database that does not answer who asks for the columns of segments while it is told not to.
#[derive(Debug)]
struct Held(watch::Sender<bool>);

impl CatalogContext for Held {
    fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    fn pass(&self, _: Point, place: &'static str) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        let is_held = place.ends_with("columns.rs");
        Box::pin(async move { !is_held || self.0.subscribe().wait_for(|is_open| *is_open).await.is_ok() })
    }
}

#[tokio::test]
async fn a_stop_that_takes_long_keeps_the_lease_until_all_is_written() {
    let house = House::with(|settings| settings.lease = Duration::from_millis(60)).await;
    let held = Arc::new(Held(watch::Sender::new(true)));
    let location = sqlite(house.folder.path());
    let mut catalog = Catalog::open_waiting(&location, SealKey::new(&[7; 32]), WAIT_MAX).await.unwrap();
    catalog.set_context(Arc::clone(&held) as Arc<dyn CatalogContext>);
    let house = house.with_catalog(Arc::new(catalog)).await;
    let id = house.dataset("logs").await.id().clone();
    append(&house, &house.store, &id, 0).await.unwrap();
    let state = house.store.dataset(&id).unwrap();
    // Somebody is at work on the dataset, and takes long. It is not looked after meanwhile, so it must not have got as
    // far as the one connection that writes, which renewals need.
    held.0.send_replace(false);
    let mut at_work = Box::pin(house.store.flush(&state));
    assert!(futures_util::poll!(&mut at_work).is_pending());
    let holder = async || house.catalog.lease_holder().await.unwrap().unwrap();
    let is_renewed_twice = async {
        for _ in 0..2 {
            let before = holder().await.ends_at;
            while holder().await.ends_at <= before {
                tokio::task::yield_now().await;
            }
        }
    };
    let mut closing = Box::pin(house.store.close());
    tokio::select! {
        closed = &mut closing => panic!("it did not wait: {closed:?}"),
        renewed = tokio::time::timeout(Duration::from_secs(1_200), is_renewed_twice) => renewed.unwrap(),
    }
    assert!(!holder().await.has_given_back());
    held.0.send_replace(true);
    let (worked, closed) = tokio::join!(at_work, closing);
    worked.unwrap();
    closed.unwrap();
    assert!(holder().await.has_given_back());
    let neighbour = Neighbour::of(&house).await;
    check(&rows(&neighbour.open(&house).await.unwrap(), &id).await, 0..2);
}

#[tokio::test]
async fn an_object_that_another_node_kept_from_being_published_is_gone_after_the_next_start() {
    let house = House::with(|settings| settings.lease = Duration::ZERO).await;
    let id = house.dataset("logs").await.id().clone();
    append(&house, &house.store, &id, 0).await.unwrap();
    flush(&house.store, &id).await.unwrap();
    append(&house, &house.store, &id, 2).await.unwrap();
    let objects = |house: &House| files_in(&house.folder.path().join("segments"), "parquet");
    let before = objects(&house);
    let state = house.store.dataset(&id).unwrap();
    let mut flushing = Box::pin(house.store.flush(&state));
    while objects(&house).len() == before.len() {
        assert!(futures_util::poll!(&mut flushing).is_pending());
        tokio::task::yield_now().await;
    }
    let written = objects(&house).into_iter().find(|file| !before.contains(file)).unwrap();
    let neighbour = Neighbour::of(&house).await;
    let other = neighbour.open(&house).await.unwrap();
    append(&house, &other, &id, 10).await.unwrap();
    flush(&other, &id).await.unwrap();
    assert_eq!(flushing.await.unwrap_err().kind(), ErrorKind::Unavailable);
    other.close().await.unwrap();

    let house = house.killed().await;
    assert!(!written.try_exists().unwrap(), "its events are in the log, and in a segment by now");
    assert_eq!(files_in(&house.folder.path().join("intents"), "json"), Vec::<std::path::PathBuf>::new());
    check(&rows(&house.store, &id).await, [0, 1, 2, 3, 10, 11]);
    assert_eq!(house.store.check(true).await.unwrap(), Vec::new());
}
