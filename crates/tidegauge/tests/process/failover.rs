//! PostgreSQL fails over while the service takes events and makes things: the way to it is cut at one message after the
//! other, before the server has it and after it has done what it says. All that was acknowledged is there once, clients
//! are told to try again, and the same process answers them.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use tidegauge_store::StoredValue;

use crate::database::Backend;
use crate::postgres_proxy::{Cut, Proxy, Side};
use crate::process::{Installation, Service, client, until};

/// A dataset that every round sends to; each makes another one by sending to it.
const SHARED: &str = "shared";

/// Of the messages that begin so, up to which one the way is cut, and at each or at one of several. A round makes a dataset
/// and a notifier, which are two transactions at least, and has some hundred messages.
const CUTS: [(&str, usize, usize); 3] = [("Q COMMIT", 4, 1), ("Q BEGIN", 3, 1), ("", 130, 3)];

/// The service, and what its clients know.
struct World {
    service: Service,
    client: Client,
    token: String,
    proxy: Proxy,
    rounds: usize,
    /// Events that were acknowledged: their dataset and their id.
    events: BTreeSet<(String, String)>,
    /// Names of notifiers that were acknowledged.
    made: BTreeSet<String>,
    /// The same of those that may be there, because their client was told to try again.
    open: BTreeSet<String>,
    /// The messages at which it was cut, by their beginning.
    struck: BTreeMap<String, usize>,
}

pub(crate) async fn loses_and_doubles_nothing(backend: Backend) {
    let installation = Installation::new(backend);
    let proxy = Proxy::before(&installation.database_server());
    let installation = installation.behind(proxy.address);
    // Segments are published and the lease is renewed each second, beside the requests.
    let service = installation.try_start(&["--flush-age-seconds", "1", "--lease-seconds", "6"]).unwrap();
    let mut world = World {
        service,
        client: client(),
        token: installation.first_token(),
        proxy,
        rounds: 0,
        events: BTreeSet::new(),
        made: BTreeSet::new(),
        open: BTreeSet::new(),
        struck: BTreeMap::new(),
    };
    for (of, last, each) in CUTS {
        for message in (1..=last).step_by(each) {
            for side in [Side::Before, Side::After] {
                world.round(Cut { of, message, side }).await;
            }
        }
    }
    for wanted in ["Q BEGIN", "Q COMMIT"] {
        assert!(world.struck.get(wanted).is_some_and(|times| *times >= 4), "{wanted}: {:?}", world.struck);
    }
    world.check_answers().await;
    let World { service, proxy, events, .. } = world;
    service.kill();
    drop(proxy);
    check_stored(&installation, &events).await;
}

impl World {
    /// Sends events and makes a notifier while the way is cut once, and repeats what has a key when it is not any more.
    async fn round(&mut self, cut: Cut) {
        let name = format!("round-{}", self.rounds);
        self.rounds += 1;
        self.proxy.cut(cut);
        let datasets = [name.as_str(), SHARED];
        let mut statuses = Vec::new();
        for dataset in datasets {
            statuses.push(status_of(self.ingest(dataset, &name)).await);
        }
        let made = status_of(self.make(&name)).await;
        statuses.push(made);
        let seen = self.proxy.mend();
        let when = format!("{cut:?}, {:?}", seen.cut_at);
        assert!(statuses.iter().all(|status| [200, 503].contains(status)), "{when}: {statuses:?}");
        for dataset in datasets {
            // Also what was acknowledged: it is stored once.
            until(200, || self.ingest(dataset, &name)).await;
            self.events.extend(ids(&name).map(|id| (dataset.to_owned(), id)));
        }
        let known = if made == 200 { &mut self.made } else { &mut self.open };
        known.insert(name);
        if let Some(message) = seen.cut_at {
            *self.struck.entry(message.chars().take(20).collect()).or_default() += 1;
        }
    }

    fn ingest(&self, dataset: &str, key: &str) -> RequestBuilder {
        let url = format!("{}/v1/datasets/{dataset}/ingest", self.service.url);
        let events = ids(key).map(|id| json!({ "id": id }));
        self.client.post(url).bearer_auth(&self.token).header("idempotency-key", key).json(&events)
    }

    fn make(&self, name: &str) -> RequestBuilder {
        let properties = json!({"webhook": {"url": "https://example.com/"}});
        let body = json!({"name": name, "properties": properties});
        self.client.post(format!("{}/v2/notifiers", self.service.url)).bearer_auth(&self.token).json(&body)
    }

    async fn get(&self, path: &str) -> Value {
        let url = format!("{}{path}", self.service.url);
        let answer = until(200, || self.client.get(&url).bearer_auth(&self.token)).await;
        answer.json().await.unwrap()
    }

    /// What the service says, which was not started again.
    async fn check_answers(&self) {
        self.get("/readyz").await;
        let info = self.get(&format!("/v1/datasets/{SHARED}/info")).await;
        let shared = self.events.iter().filter(|(dataset, _)| dataset == SHARED).count();
        assert_eq!(info["numEvents"], shared, "{info}");
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        for notifier in self.get("/v2/notifiers").await.as_array().unwrap() {
            *found.entry(notifier["name"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        for name in &self.made {
            assert_eq!(found.remove(name), Some(1), "{name} was acknowledged");
        }
        for name in &self.open {
            let count = found.remove(name).unwrap_or(0);
            assert!(count <= 1, "{name} is there {count} times");
        }
        assert!(found.is_empty(), "nobody made {found:?}");
    }
}

/// The events of a request.
fn ids(key: &str) -> [String; 2] {
    [format!("{key}-a"), format!("{key}-b")]
}

async fn status_of(request: RequestBuilder) -> u16 {
    request.send().await.unwrap().status().as_u16()
}

/// Every event is there once. The service must not be running.
async fn check_stored(installation: &Installation, sent: &BTreeSet<(String, String)>) {
    let (store, org) = installation.open_store().await;
    assert_eq!(store.damage(), []);
    let mut found: BTreeMap<(String, String), usize> = BTreeMap::new();
    let datasets: BTreeSet<&str> = sent.iter().map(|(dataset, _)| dataset.as_str()).collect();
    for dataset in datasets {
        let state = store.find(&org, dataset).unwrap();
        for row in store.rows(&state).await.unwrap() {
            let [(_, StoredValue::String(id))] = &row.fields[..] else { panic!("{row:?}") };
            *found.entry((dataset.to_owned(), id.clone())).or_default() += 1;
        }
    }
    let doubled: Vec<_> = found.iter().filter(|(_, count)| **count != 1).collect();
    assert!(doubled.is_empty(), "{doubled:?}");
    assert_eq!(found.into_keys().collect::<BTreeSet<_>>(), *sent);
}
