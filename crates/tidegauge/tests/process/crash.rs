//! Kills the service in the middle of writes, again and again. Whatever it acknowledged must be there afterwards.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use reqwest::Client;
use serde_json::{Value, json};

use crate::database::Backend;
use crate::process::{Installation, acknowledged, client};

const ROUNDS: usize = 3;
const WRITERS: usize = 8;

/// Acknowledged changes after which the next round kills; each round at another moment of a writer's work.
const KILL_AFTER: [usize; ROUNDS] = [40, 77, 113];

/// What the service has acknowledged: the newest version of each notifier, or that it was deleted.
type Acknowledged = Arc<Mutex<HashMap<String, Option<u64>>>>;

pub(crate) async fn loses_nothing(backend: Backend) {
    let installation = Installation::new(backend);
    let acknowledged = Acknowledged::default();
    for kill_after in KILL_AFTER {
        let service = installation.start(&[]);
        let token = installation.first_token();
        check(&client(), &service.url, &token, &acknowledged).await;

        let count = Arc::new(AtomicUsize::new(0));
        let (reached, mut enough) = tokio::sync::mpsc::channel(1);
        let mut writers = tokio::task::JoinSet::new();
        for _ in 0..WRITERS {
            let writer = Writer {
                client: client(),
                url: format!("{}/v2/notifiers", service.url),
                token: token.clone(),
                acknowledged: Arc::clone(&acknowledged),
                count: Arc::clone(&count),
                kill_after,
                reached: reached.clone(),
            };
            writers.spawn(writer.run());
        }
        drop(reached);
        enough.recv().await.unwrap();
        service.kill();
        writers.join_all().await;
    }
    let service = installation.start(&[]);
    check(&client(), &service.url, &installation.first_token(), &acknowledged).await;
}

/// Creates, changes and deletes notifiers until the service is gone.
struct Writer {
    client: Client,
    url: String,
    token: String,
    acknowledged: Acknowledged,
    count: Arc<AtomicUsize>,
    kill_after: usize,
    reached: tokio::sync::mpsc::Sender<()>,
}

impl Writer {
    async fn run(self) {
        while self.one_notifier().await.is_some() {}
    }

    async fn one_notifier(&self) -> Option<()> {
        let request = self.client.post(&self.url).bearer_auth(&self.token).json(&body(0));
        let created = acknowledged(request).await?;
        let id = created["id"].as_str().unwrap().to_owned();
        self.note(&id, Some(0));
        let path = format!("{}/{id}", self.url);
        for version in 1..4 {
            acknowledged(self.client.put(&path).bearer_auth(&self.token).json(&body(version))).await?;
            self.note(&id, Some(version));
        }
        if id.ends_with(['0', '1', '2', '3']) {
            // From here on it may be gone, whether or not the answer arrives.
            self.acknowledged.lock().unwrap().remove(&id);
            let deleted = self.client.delete(&path).bearer_auth(&self.token).send().await.ok()?;
            assert_eq!(deleted.status(), 204);
            self.note(&id, None);
        }
        Some(())
    }

    fn note(&self, id: &str, version: Option<u64>) {
        self.acknowledged.lock().unwrap().insert(id.to_owned(), version);
        if self.count.fetch_add(1, Ordering::SeqCst) + 1 == self.kill_after {
            // The receiver takes one message; a full channel means that it has it.
            let _ = self.reached.try_send(());
        }
    }
}

fn body(version: u64) -> Value {
    json!({"name": format!("v{version}"), "properties": {"webhook": {"url": "https://example.com/secret"}}})
}

/// Every acknowledged version is there, or a newer one whose answer was cut off.
async fn check(client: &Client, url: &str, token: &str, known: &Acknowledged) {
    let list = client.get(format!("{url}/v2/notifiers")).bearer_auth(token);
    let list = acknowledged(list).await.unwrap();
    let found: HashMap<&str, u64> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|notifier| {
            assert_eq!(notifier["properties"], body(0)["properties"]);
            let version = notifier["name"].as_str().unwrap().trim_start_matches('v').parse().unwrap();
            (notifier["id"].as_str().unwrap(), version)
        })
        .collect();
    for (id, version) in known.lock().unwrap().iter() {
        let present = found.get(id.as_str());
        match version {
            Some(version) => {
                assert!(present >= Some(version), "{id}: acknowledged v{version}, found {present:?}");
            }
            None => assert_eq!(present, None, "{id} was acknowledged as deleted"),
        }
    }
}
