//! Kills the service while clients send events, again and again. Clients repeat what was not acknowledged with its
//! key, and in the end every event is stored exactly once.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::{Client, StatusCode};
use tidegauge_store::StoredValue;

use crate::database::Backend;
use crate::process::{Installation, client};

const WRITERS: usize = 6;
const DATASETS: usize = 2;

/// Acknowledged requests after which each round kills.
const KILL_AFTER: [usize; 5] = [1, 37, 64, 150, 101];

/// With the settings as they come: what is killed is the log.
pub(crate) async fn in_the_log(backend: Backend) {
    let segments = run(backend, &[]).await;
    assert_eq!(segments, 0, "nothing was to be flushed here");
}

/// With a buffer of a few requests: what is killed are flushes, and compactions, which begin with each start.
pub(crate) async fn in_segments(backend: Backend) {
    let small = ["--flush-rows", "60", "--buffer-bytes", "1048576", "--flush-bytes", "1048576"];
    let segments = run(backend, &[&small[..], &["--flush-age-seconds", "1"]].concat()).await;
    assert!(segments > 0, "nothing was flushed");
}

/// One request with events that has not been acknowledged yet.
#[derive(Clone)]
struct Batch {
    key: String,
    body: String,
}

/// A client that sends one batch after the other, and knows what it has sent.
struct Writer {
    number: usize,
    next_event: usize,
    next_batch: usize,
    unacknowledged: Option<Batch>,
}

struct Round {
    client: Client,
    url: String,
    token: String,
    acknowledged: AtomicUsize,
    kill_after: usize,
    reached: tokio::sync::Notify,
}

/// Returns how many segments there are in the end.
async fn run(backend: Backend, settings: &[&str]) -> u64 {
    let installation = Installation::new(backend);
    let new = |number| Writer { number, next_event: 0, next_batch: 0, unacknowledged: None };
    let mut writers: Vec<Writer> = (0..WRITERS).map(new).collect();
    for kill_after in KILL_AFTER {
        let service = installation.start(settings);
        let round = Arc::new(Round::new(&service.url, &installation, kill_after));
        let mut running = tokio::task::JoinSet::new();
        for writer in writers {
            running.spawn(writer.run(Arc::clone(&round)));
        }
        round.reached.notified().await;
        service.kill();
        writers = running.join_all().await;
    }
    // The last answers that were cut off.
    let service = installation.start(settings);
    let round = Round::new(&service.url, &installation, usize::MAX);
    for writer in &mut writers {
        while writer.unacknowledged.is_some() {
            assert!(writer.send(&round).await, "a service that is not killed answers");
        }
    }
    service.kill();
    check(&installation, &writers).await
}

impl Round {
    fn new(url: &str, installation: &Installation, kill_after: usize) -> Self {
        Self {
            client: client(),
            url: url.to_owned(),
            token: installation.first_token(),
            acknowledged: AtomicUsize::new(0),
            kill_after,
            reached: tokio::sync::Notify::new(),
        }
    }
}

impl Writer {
    async fn run(mut self, round: Arc<Round>) -> Self {
        loop {
            if self.unacknowledged.is_none() {
                self.unacknowledged = Some(self.next());
            }
            if !self.send(&round).await {
                return self;
            }
            if round.acknowledged.fetch_add(1, Ordering::SeqCst) + 1 == round.kill_after {
                round.reached.notify_one();
            }
        }
    }

    fn next(&mut self) -> Batch {
        let events = 1 + (self.number * 7 + self.next_batch * 3) % 12;
        let first = self.next_event;
        self.next_event += events;
        self.next_batch += 1;
        let line = |event: usize| format!("{{\"id\":\"{}-{event}\",\"n\":{event}}}\n", self.number);
        Batch {
            key: format!("{}-{}", self.number, self.next_batch),
            body: (first..self.next_event).map(line).collect(),
        }
    }

    /// Whether the service has acknowledged the batch.
    async fn send(&mut self, round: &Round) -> bool {
        let Some(batch) = self.unacknowledged.clone() else { return true };
        let url = format!("{}/v1/datasets/crash-{}/ingest", round.url, self.number % DATASETS);
        let request = round.client.post(url).bearer_auth(&round.token).body(batch.body.clone());
        let request = request.header("content-type", "application/x-ndjson");
        let Ok(response) = request.header("idempotency-key", &batch.key).send().await else { return false };
        let status = response.status();
        let Ok(text) = response.text().await else { return false };
        assert_eq!(status, StatusCode::OK, "{text}");
        let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer["ingested"], batch.body.lines().count(), "{text}");
        self.unacknowledged = None;
        true
    }
}

/// Every event that was sent is there, exactly once, with its value.
async fn check(installation: &Installation, writers: &[Writer]) -> u64 {
    let (store, org) = installation.open_store().await;
    assert_eq!(store.damage(), [], "a kill is no damage");
    let mut found: HashMap<String, usize> = HashMap::new();
    let mut segments = 0;
    for dataset in 0..DATASETS {
        let state = store.find(&org, &format!("crash-{dataset}")).unwrap();
        segments += state.info().segments;
        for row in store.rows(&state).await.unwrap() {
            let [(_, StoredValue::String(id)), (_, StoredValue::Integer(n))] = &row.fields[..] else {
                panic!("{row:?}");
            };
            assert!(id.ends_with(&format!("-{n}")), "{row:?}");
            *found.entry(id.clone()).or_default() += 1;
        }
    }
    let mut sent = 0;
    for writer in writers {
        for event in 0..writer.next_event {
            let id = format!("{}-{event}", writer.number);
            assert_eq!(found.get(&id), Some(&1), "event {id}");
        }
        sent += writer.next_event;
    }
    assert_eq!(found.len(), sent, "nothing is there that nobody sent");
    segments
}
