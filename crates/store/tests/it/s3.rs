//! The life of events in a bucket of an S3 server, such as the one that `scripts/with-s3.sh` starts and names in
//! `TIDEGAUGE_TEST_S3`; without it nothing is tested here.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use tidegauge_model::{Clock, ErrorKind};
use tidegauge_store::{FindingKind, ObjectLocation, S3Location, StoreSettings, StoredValue, rebuild};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::deletion::chosen;
use crate::events::{Event, SECOND, columns_of};
use crate::house::{House, START, events, files_in, open, open_catalog, set_up, sqlite};
use crate::through_blocks::assert_blocks;

#[expect(clippy::disallowed_methods, reason = "a test binary has no settings but these")]
#[expect(clippy::print_stderr, reason = "what is not tested is said")]
fn server() -> Option<SocketAddr> {
    let Some(endpoint) = std::env::var("TIDEGAUGE_TEST_S3").ok().filter(|endpoint| !endpoint.is_empty())
    else {
        eprintln!("S3: not run (scripts/with-s3.sh starts a server)");
        return None;
    };
    let address = endpoint.trim_start_matches("http://").trim_end_matches('/');
    Some(address.parse().unwrap_or_else(|_| panic!("{endpoint} is not http://address:port")))
}

fn make_bucket(server: SocketAddr, bucket: &str) {
    let mut connection = TcpStream::connect(server).unwrap();
    write!(
        connection,
        "PUT /{bucket} HTTP/1.1\r\nHost: {server}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

fn in_bucket(endpoint: SocketAddr, bucket: &str) -> impl FnOnce(&mut StoreSettings) + use<'_> {
    move |settings| {
        settings.objects = ObjectLocation::S3(S3Location {
            bucket: bucket.to_owned(),
            // Odd characters, as people write them.
            prefix: "/our data/größe/".to_owned(),
            endpoint: Some(format!("http://{endpoint}")),
            region: Some("us-east-1".to_owned()),
        });
    }
}

fn times(from: i64, count: i64) -> Vec<i64> {
    (from..from + count).map(|at| START * 1000 + at * SECOND).collect()
}

/// A way to the server that can be cut.
struct Way {
    address: SocketAddr,
    server: SocketAddr,
    tasks: JoinSet<()>,
}

impl Way {
    async fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut way = Self { address: listener.local_addr().unwrap(), server, tasks: JoinSet::new() };
        way.tasks.spawn(serve(listener, server));
        way
    }

    async fn cut(&mut self) {
        self.tasks.shutdown().await;
    }

    async fn mend(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.tasks.spawn(serve(listener, self.server));
    }
}

async fn serve(listener: TcpListener, server: SocketAddr) {
    let mut connections = JoinSet::new();
    loop {
        let (mut from, _) = listener.accept().await.unwrap();
        connections.spawn(async move {
            let mut to = tokio::net::TcpStream::connect(server).await.unwrap();
            // Either side may end the connection at any time.
            let _ = tokio::io::copy_bidirectional(&mut from, &mut to).await;
        });
    }
}

/// Objects in a bucket are deleted an hour after they were given up. Until then there may be many starts, and the log has
/// moved on when the second of them looks at it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_object_that_was_given_up_leaves_the_bucket_also_when_the_log_has_moved_on() {
    let Some(server) = server() else { return };
    make_bucket(server, "tidegauge-given-up");
    let house = House::with(in_bucket(server, "tidegauge-given-up")).await;
    let intents = |house: &House| files_in(&house.folder.path().join("intents"), "json");
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    house.append(&dataset, &events(&times(0, 10))).await;
    {
        let mut flushing = Box::pin(house.store.flush(&dataset));
        while intents(&house).is_empty() {
            assert!(futures_util::poll!(&mut flushing).is_pending());
            tokio::task::yield_now().await;
        }
    }
    let before = house.rows(&id).await;
    drop(dataset);
    let house = house.killed().await;
    house.flush(&id).await;
    let house = house.killed().await;
    assert_eq!(intents(&house).len(), 1, "the request to the bucket may still be under way");
    house.advance(Duration::from_secs(3601));
    assert_eq!(house.store.collect_garbage().await.unwrap(), 1);
    assert_eq!(intents(&house), Vec::<std::path::PathBuf>::new());
    assert_eq!(house.rows(&id).await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_live_in_a_bucket_as_they_do_in_a_folder() {
    let Some(server) = server() else { return };
    make_bucket(server, "tidegauge-life");
    let house = House::with(in_bucket(server, "tidegauge-life")).await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    for part in 0..5 {
        house.append(&dataset, &events(&times(part * 10, 10))).await;
        house.store.flush(&dataset).await.unwrap();
    }
    let before = house.rows(&id).await;
    assert_blocks(&house.store, &id, &before, "in a bucket").await;
    let house = house.killed().await;
    assert_eq!(house.rows(&id).await, before);
    house.advance(Duration::from_secs(3 * 86_400));
    house.compact().await;
    assert_eq!(house.store.dataset(&id).unwrap().info().segments, 1);
    assert_blocks(&house.store, &id, &before, "compacted in a bucket").await;
    assert_eq!(house.store.check(true).await.unwrap(), Vec::new());
    assert_eq!(house.store.collect_orphans().await.unwrap(), 0, "replaced segments are known");
    house.advance(Duration::from_secs(7200));
    assert_eq!(house.store.collect_garbage().await.unwrap(), 5);
    assert_eq!(house.rows(&id).await, before);

    // Without the catalogue: the objects tell what they are.
    let elsewhere = tempfile::tempdir().unwrap();
    let catalog = open_catalog(&sqlite(elsewhere.path())).await;
    set_up(&catalog, house.clock.now()).await;
    let change = house.change();
    let House { clock, store, settings, rng, folder: _folder, .. } = house;
    drop(store);
    let done = rebuild(&catalog, &settings, None, clock.now(), &change).await.unwrap();
    assert_eq!((done.datasets, done.segments, done.rows, done.skipped), (1, 1, 50, Vec::new()));
    let store = open(&catalog, &clock, &rng, &settings).await.unwrap();
    assert_eq!(store.rows(&store.dataset(&id).unwrap()).await.unwrap(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_deleted_in_a_bucket_as_they_are_in_a_folder() {
    let Some(server) = server() else { return };
    make_bucket(server, "tidegauge-delete");
    let mut way = Way::to(server).await;
    let house = House::with(in_bucket(way.address, "tidegauge-delete")).await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    for part in 0..3 {
        house.append(&dataset, &events(&times(part * 10, 10))).await;
        house.store.flush(&dataset).await.unwrap();
    }
    house.append(&dataset, &events(&times(30, 10))).await;
    let before = house.rows(&id).await;
    let (doomed, left) = chosen(&before, |at| at < 10 || at % 3 == 0);
    way.cut().await;
    let error = house.store.delete_rows(&dataset, doomed.clone()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    way.mend().await;
    assert_eq!(house.rows(&id).await, before);
    let deleted = house.store.delete_rows(&dataset, doomed.clone()).await.unwrap();
    assert_eq!((deleted.rows, deleted.segments), (doomed.len() as u64, 4));
    assert_blocks(&house.store, &id, &left, "deleted in a bucket").await;
    let house = house.killed().await;
    assert_eq!(house.rows(&id).await, left);
    house.advance(Duration::from_secs(7200));
    // Also the object whose writing failed, which may be there all the same.
    assert_eq!(house.store.collect_garbage().await.unwrap(), 4 + 1);
    assert_eq!(house.store.check(true).await.unwrap(), Vec::new());
    assert_eq!(house.rows(&id).await, left);
}

/// What the server answers to a question, without its head.
fn get(server: SocketAddr, path: &str) -> Vec<u8> {
    let mut connection = TcpStream::connect(server).unwrap();
    // The server wants to hear who asks, and takes their word.
    let who = "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0";
    write!(connection, "GET {path} HTTP/1.0\r\nHost: {server}\r\nAuthorization: {who}\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer).unwrap();
    let head = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head_text = String::from_utf8_lossy(&answer[..head]);
    assert_eq!(head_text.split(' ').nth(1), Some("200"), "{path}: {head_text}");
    answer.split_off(head + 4)
}

/// The objects of a bucket that have a text, whoever knows of them.
fn objects_with(server: SocketAddr, bucket: &str, text: &str) -> Vec<String> {
    let list = String::from_utf8(get(server, &format!("/{bucket}?list-type=2"))).unwrap();
    let keys = list.split("<Key>").skip(1).map(|key| key.split("</Key>").next().unwrap().to_owned());
    let has = |key: &String| {
        let bytes = get(server, &format!("/{bucket}/{key}"));
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    keys.filter(has).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleted_events_are_in_no_object() {
    const BUCKET: &str = "tidegauge-forgotten";
    let (doomed, spared) = ("doomed.person@example.com", "spared.person@example.com");
    let Some(server) = server() else { return };
    make_bucket(server, BUCKET);
    let house = House::with(|settings| {
        in_bucket(server, BUCKET)(settings);
        if let ObjectLocation::S3(location) = &mut settings.objects {
            "plain".clone_into(&mut location.prefix);
        }
    })
    .await;
    let dataset = house.dataset("logs").await;
    let email = |row: i64| StoredValue::String([doomed, spared][row as usize % 2].to_owned());
    let event = |row: i64| Event::new(START * 1000 + row * SECOND, [("email".to_owned(), email(row))]);
    for part in 0..3 {
        let part: Vec<Event> = (part * 10..part * 10 + 10).map(event).collect();
        house.append(&dataset, &columns_of(&part)).await;
        house.store.flush(&dataset).await.unwrap();
    }
    assert_eq!(objects_with(server, BUCKET, doomed).len(), 3);
    let rows = house.rows(dataset.id()).await;
    let (ids, left) = chosen(&rows, |at| rows[at].fields[0].1 == email(0));
    assert_eq!(house.store.delete_rows(&dataset, ids).await.unwrap().rows, 15);
    house.advance(Duration::from_secs(7200));
    assert_eq!(house.store.collect_garbage().await.unwrap(), 3);
    assert_eq!(objects_with(server, BUCKET, doomed), Vec::<String>::new());
    assert_eq!(objects_with(server, BUCKET, spared).len(), 3);
    assert_eq!(house.rows(dataset.id()).await, left);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_away_delays_and_loses_nothing() {
    let Some(server) = server() else { return };
    make_bucket(server, "tidegauge-away");
    let mut way = Way::to(server).await;
    let house = House::with(in_bucket(way.address, "tidegauge-away")).await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    house.append(&dataset, &events(&times(0, 10))).await;
    house.store.flush(&dataset).await.unwrap();
    way.cut().await;
    house.append(&dataset, &events(&times(10, 10))).await;
    let error = house.store.blocks(&dataset.snapshot(), i64::MIN, i64::MAX).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("segment_"), "{error}");
    assert_eq!(house.store.flush(&dataset).await.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(house.store.check(false).await.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(dataset.info().buffered_batches, 1);
    way.mend().await;
    house.store.flush(&dataset).await.unwrap();
    assert_eq!(house.killed().await.rows(&id).await.len(), 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_is_not_there_is_named_and_nothing_is_lost() {
    let Some(server) = server() else { return };
    let house = House::with(in_bucket(server, "tidegauge-later")).await;
    let dataset = house.dataset("logs").await;
    house.append(&dataset, &events(&times(0, 10))).await;
    let error = house.store.flush(&dataset).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("bucket"), "{error}");
    make_bucket(server, "tidegauge-later");
    house.store.flush(&dataset).await.unwrap();
    assert_eq!(house.rows(dataset.id()).await.len(), 10);
    let found = house.store.check(true).await.unwrap();
    assert!(found.iter().all(|found| found.kind == FindingKind::UnknownObject), "{found:?}");
}
