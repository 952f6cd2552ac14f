//! What is deleted is gone: after the sweep and a restart no file of the house has it, whichever way it was deleted and
//! however much was kept of it for later questions; and no memory is spent on segments that are gone.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use tidegauge_engine::{EngineSettings, Options, Place, Places};
use tidegauge_model::{RowId, Timestamp};
use tidegauge_store::DatasetState;

use crate::support::engines::{engine, tried};
use crate::support::house::{Filled, HOUR, House, Placement, SECOND, START, Way, block_on, files_below};

/// What must not be found afterwards, and what stays.
const DOOMED: &str = "doomed.person@example.com";
const SPARED: &str = "spared.person@example.com";

/// So many events have the first address, the others the second.
const DOOMED_EVENTS: usize = 20;

/// Questions of which something is kept.
const QUESTIONS: &[&str] = &[
    "logs | summarize count() by email",
    "logs | summarize count(), m = max(email), s = make_set(email), k = topk(email, 3) by bin(_time, 1m), host",
    "logs | where message contains 'doomed' | summarize count() by message",
    "logs | search 'doomed.person' | take 5",
    "logs | where email startswith 'doomed' | sort by email asc, n asc | project email, message",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deletion {
    Events,
    Trim,
    Retention,
    Dataset,
}

fn request(number: usize) -> String {
    let line = |row: usize| {
        let (time, n) = (START - HOUR + (row as i64 * 5 + number as i64) * SECOND, number * 100 + row);
        let email = if row < DOOMED_EVENTS { DOOMED } else { SPARED };
        let message = format!("user {email} loaded cart {n} with {row} items, session {number} renewed");
        // The name of a field is in the catalogue too.
        format!(
            "{{\"_time\":{time},\"n\":{n},\"host\":\"h{}\",\"email\":\"{email}\",\"message\":\"{message}\",\
             \"of {email}\":{row}}}\n",
            n % 3
        )
    };
    (0..2 * DOOMED_EVENTS).map(line).collect()
}

/// The files that have a text.
fn files_with(house: &House, text: &str) -> Vec<PathBuf> {
    let has = |path: &PathBuf| {
        let bytes = std::fs::read(path).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    files_below(house.folder()).into_iter().filter(has).collect()
}

async fn ask_all(house: &House, state: &Arc<DatasetState>) {
    for way in [[Way::Cached; 4], [Way::Threads; 4]].into_iter().flatten() {
        for text in QUESTIONS {
            house.ask_text(&[("logs", state)], text, way).await.unwrap();
        }
    }
}

async fn delete(house: &House, filled: &Filled, deletion: Deletion) {
    match deletion {
        Deletion::Events => {
            let is_doomed = |at: usize| at % (2 * DOOMED_EVENTS) < DOOMED_EVENTS;
            let doomed: Vec<RowId> =
                filled.ids.iter().enumerate().filter(|(at, _)| is_doomed(*at)).map(|(_, id)| *id).collect();
            let deleted = house.store.delete_rows(&filled.state, doomed.clone()).await.unwrap();
            assert_eq!(deleted.rows, doomed.len() as u64);
        }
        Deletion::Trim => {
            let trimmed = house.store.trim(&filled.state, Timestamp::from_micros(START / 1000)).await;
            assert!(trimmed.unwrap() > 0);
        }
        Deletion::Retention => house.retain_one_day(&filled.state).await,
        Deletion::Dataset => house.delete_dataset(&filled.state).await,
    }
}

async fn check(deletion: Deletion, placement: Placement) {
    let when = format!("{deletion:?} {placement:?}");
    let house = House::new().await;
    let requests: Vec<String> = (0..4).map(request).collect();
    let filled = house.filled(&requests, placement).await;
    // Others are there, which nobody deletes.
    let other = house.filled(&[request(9).replace(DOOMED, SPARED)], Placement::Segments).await;
    ask_all(&house, &filled.state).await;
    ask_all(&house, &other.state).await;
    let before = files_with(&house, DOOMED);
    let is_in = |place: &str| before.iter().any(|file| file.starts_with(house.folder().join(place)));
    assert!(is_in("segments"), "{when}: {before:?}");
    assert!(is_in("groups-1") && is_in("groups-3"), "{when}: nothing was kept of it: {before:?}");
    let is_in_catalog = before.iter().any(|file| file.to_string_lossy().contains("catalog.db"));
    assert!(is_in_catalog, "{when}: {before:?}");
    delete(&house, &filled, deletion).await;
    assert!(
        files_with(&house, DOOMED).iter().all(|file| !file.starts_with(house.folder().join("groups-1"))),
        "{when}: kept groups go with their segments"
    );
    if deletion != Deletion::Dataset {
        // What is asked in between must not bring anything back.
        ask_all(&house, &filled.state).await;
        house.store.vacuum(&filled.state).await.unwrap();
    }
    house.sweep().await;
    assert_eq!(files_with(&house, DOOMED), Vec::<PathBuf>::new(), "{when}, swept");
    let house = Box::pin(house.reopened()).await;
    assert_eq!(files_with(&house, DOOMED), Vec::<PathBuf>::new(), "{when}, after a restart");
    let spared = files_with(&house, SPARED);
    let has_spared = |place: &str| spared.iter().any(|file| file.starts_with(house.folder().join(place)));
    assert!(has_spared("segments") && has_spared("groups-1"), "{when}: all is gone: {spared:?}");
}

#[test]
fn deleted_events_are_in_no_file() {
    block_on(async {
        Box::pin(check(Deletion::Events, Placement::Segments)).await;
        Box::pin(check(Deletion::Events, Placement::Merged)).await;
    });
}

#[test]
fn trimmed_and_expired_events_are_in_no_file() {
    block_on(async {
        Box::pin(check(Deletion::Trim, Placement::Segments)).await;
        Box::pin(check(Deletion::Retention, Placement::Segments)).await;
    });
}

#[test]
fn events_of_a_deleted_dataset_are_in_no_file() {
    block_on(check(Deletion::Dataset, Placement::Segments));
}

/// More rows with texts of events than these engines hold, in an order and in groups.
const SPILLING: [&str; 2] = [
    "logs | extend r = range(1, 1000, 1) | mv-expand r \
        | sort by message asc, email desc | summarize rows = count(), last = max(message)",
    "logs | extend r = range(1, 1000, 1) | mv-expand r | summarize count() by message, email, r | count",
];

/// What queries put on the disk goes with them, and what a crash has left of it goes at the start.
#[test]
fn what_queries_put_on_the_disk_stays_in_no_file() {
    block_on(async {
        let house = House::new().await;
        let requests: Vec<String> = (0..4).map(request).collect();
        let filled = house.filled(&requests, Placement::Segments).await;
        let mut written = 0;
        // Which of them goes to the disk, and which is refused before, depends on which thread comes first.
        for mebibytes in [16, 24, 32, 40, 48] {
            let engine = engine(&house, |settings| {
                settings.memory_bytes = mebibytes << 20;
                settings.query_memory_bytes = mebibytes << 20;
                settings.spill_folder = house.folder().join(format!("spill-of-{mebibytes}"));
            });
            for text in SPILLING {
                // Whether that is enough for an answer does not matter.
                let _ = tried(&engine, &filled.state, text).await;
            }
            written += engine.spilled().written;
            // What worked for a query that was refused ends a little later.
            while engine.spilled().held > 0 {
                tokio::task::yield_now().await;
            }
            if written > 0 {
                break;
            }
        }
        assert!(written > 0, "nothing was put on the disk");
        let left = house.folder().join("spill-1/left");
        std::fs::create_dir_all(&left).unwrap();
        std::fs::write(left.join("rows"), DOOMED).unwrap();
        delete(&house, &filled, Deletion::Events).await;
        house.store.vacuum(&filled.state).await.unwrap();
        house.sweep().await;
        assert_eq!(files_with(&house, DOOMED), [left.join("rows")]);
        let house = Box::pin(house.reopened()).await;
        assert_eq!(files_with(&house, DOOMED), Vec::<PathBuf>::new());
    });
}

/// The process ended between the deletion and its being told, or the settings have changed since.
#[test]
fn what_was_kept_of_segments_that_are_gone_goes_at_the_start() {
    block_on(async {
        let mut house = House::new().await;
        let filled = house.filled(&[request(0)], Placement::Segments).await;
        ask_all(&house, &filled.state).await;
        let folder = house.folder().join("groups-1");
        let kept = files_below(&folder);
        let contents: Vec<Vec<u8>> = kept.iter().map(|file| std::fs::read(file).unwrap()).collect();
        delete(&house, &filled, Deletion::Events).await;
        house.store.vacuum(&filled.state).await.unwrap();
        let bring_back = |name: &str| {
            for (file, bytes) in kept.iter().zip(&contents) {
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(file.with_extension(name), bytes).unwrap();
            }
        };
        bring_back("");
        bring_back("new");
        house.sweep().await;
        assert!(!files_with(&house, DOOMED).is_empty());
        house.restart_engines(|settings| settings);
        assert_eq!(files_with(&house, DOOMED), Vec::<PathBuf>::new());
        bring_back("");
        house.restart_engines(|settings| EngineSettings { groups_disk_bytes: 0, ..settings });
        assert_eq!(files_with(&house, DOOMED), Vec::<PathBuf>::new());
    });
}

#[test]
fn columns_and_groups_of_segments_that_are_gone_take_no_memory() {
    block_on(async {
        let mut house = House::new().await;
        // What compares kept groups with computed ones reads on after an answer.
        house.restart_engines(|settings| EngineSettings { groups_checked_each: 0, ..settings });
        let requests: Vec<String> = (0..4).map(request).collect();
        let filled = house.filled(&requests, Placement::Segments).await;
        let kept = |way: Way| house.engine(way).memory_used().1;
        let is_empty = || kept(Way::Cached) == 0 && kept(Way::Threads) == 0;
        ask_all(&house, &filled.state).await;
        let before = kept(Way::Cached);
        assert!(before > 0);
        house.compact().await;
        assert!(is_empty(), "after a merge: {} of {before}", kept(Way::Cached));
        ask_all(&house, &filled.state).await;
        assert!(kept(Way::Cached) > 0, "the merged one is kept");
        delete(&house, &filled, Deletion::Events).await;
        assert!(is_empty(), "after a deletion: {}", kept(Way::Cached));
        let other = house.filled(&[request(9)], Placement::Segments).await;
        ask_all(&house, &other.state).await;
        let of_other = kept(Way::Cached);
        ask_all(&house, &filled.state).await;
        assert!(kept(Way::Cached) > of_other);
        delete(&house, &filled, Deletion::Dataset).await;
        assert_eq!(kept(Way::Cached), of_other, "others keep what is theirs");
    });
}

/// Says that it is asked, and answers when it is told to.
struct Gate {
    asked: SyncSender<()>,
    go_on: std::sync::Mutex<Receiver<()>>,
}

impl Places for Gate {
    fn find(&self, _: IpAddr) -> Option<Place> {
        // Only the first time somebody listens.
        let _ = self.asked.try_send(());
        let _ = self.go_on.lock().unwrap().recv();
        None
    }
}

#[test]
fn a_question_that_began_before_a_deletion_brings_nothing_back() {
    block_on(async {
        let house = House::new().await;
        let requests: Vec<String> = (0..3).map(request).collect();
        let filled = house.filled(&requests, Placement::Segments).await;
        let (asked, is_asked) = sync_channel(1);
        let (go_on, told) = sync_channel(0);
        let places: Arc<dyn Places> = Arc::new(Gate { asked, go_on: told.into() });
        let options = Options { places: Some(places), ..Options::at(START) };
        let text = "logs | extend p = geo_info_from_ip_address(strcat('10.0.0.', tostring(n % 3)))
            | summarize count() by email, message, tostring(p)";
        let datasets = [("logs", &filled.state)];
        let question = house.ask_with(&datasets, text, Way::Cached, options);
        let deletion = async {
            tokio::task::spawn_blocking(move || is_asked.recv().unwrap()).await.unwrap();
            delete(&house, &filled, Deletion::Dataset).await;
            // From now on nobody is kept waiting.
            drop(go_on);
        };
        let (answer, ()) = tokio::join!(question, deletion);
        assert!(answer.unwrap().tables[0].rows > 0);
        assert_eq!(house.engine(Way::Cached).memory_used(), (0, 0));
    });
}
