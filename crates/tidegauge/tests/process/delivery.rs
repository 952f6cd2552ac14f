//! Kills the service at every step of sending a message. Each message arrives at least once, always under its id, and
//! one whose end was noted never again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use serde_json::{Value, json};
use tidegauge_catalog::outbox::NewDelivery;
use tidegauge_model::message::Message;
use tidegauge_model::monitor::AlertState;
use tidegauge_model::time::SystemClock;
use tidegauge_model::{Clock, DeliveryId, NotifierId, OrgId};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::database::Backend;
use crate::process::{HANGS, Installation, Service, client, eventually};

/// An attempt may take a second, so that a message of a service that was killed is free after three.
pub(crate) const SETTINGS: [&str; 6] = settings("1");

/// An attempt may take as long as it likes, so that none is made again.
const PATIENT: [&str; 6] = settings("600");

const fn settings(seconds: &str) -> [&str; 6] {
    let (plain, networks) = ("--notify-plain-http", "--notify-allowed-networks");
    [plain, "true", networks, "127.0.0.0/8", "--notify-timeout-seconds", seconds]
}

const MESSAGES: u64 = 40;

/// Messages that have arrived when the service is killed; each time at another moment of its work.
const KILL_AFTER: [usize; 4] = [1, 4, 9, 17];

struct Shared {
    /// The ids and the bodies, in the order in which they came.
    received: Mutex<Vec<(String, String)>>,
    /// How many of them get an answer; the others wait for one.
    answered: Mutex<usize>,
    came: Notify,
}

pub(crate) struct Receiver {
    pub(crate) url: String,
    shared: Arc<Shared>,
    _tasks: JoinSet<()>,
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (received, answered) = (Mutex::default(), Mutex::new(usize::MAX));
        let shared = Arc::new(Shared { received, answered, came: Notify::new() });
        let router = Router::new().fallback(receive).with_state(Arc::clone(&shared));
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, shared, _tasks: tasks }
    }

    /// Answers so many messages, counted from the first of all. The sender cannot get further than that, however long
    /// it takes until it is killed.
    pub(crate) fn answer(&self, count: usize) {
        *self.shared.answered.lock().unwrap() = count;
    }

    pub(crate) fn received(&self) -> Vec<(String, String)> {
        self.shared.received.lock().unwrap().clone()
    }

    /// Waits until so many came in all.
    pub(crate) async fn had(&self, count: usize) {
        let wait = async {
            while self.received().len() < count {
                self.shared.came.notified().await;
            }
        };
        let waited = tokio::time::timeout(HANGS, wait).await;
        assert!(waited.is_ok(), "only {} of {count} messages came", self.received().len());
    }
}

async fn receive(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: String) {
    let id = headers["webhook-id"].to_str().unwrap().to_owned();
    let place = {
        let mut received = shared.received.lock().unwrap();
        received.push((id, body));
        received.len()
    };
    shared.came.notify_one();
    let answered = *shared.answered.lock().unwrap();
    if place > answered {
        std::future::pending::<()>().await;
    }
}

fn message(number: u64) -> Message {
    let now = SystemClock.now();
    Message {
        state: AlertState::Open,
        monitor: "mon_00000000000000000000000000000001".into(),
        incident: format!("incident {number}"),
        title: format!("Message {number}"),
        body: String::new(),
        description: String::new(),
        query_start: now,
        query_end: now,
        timestamp: now,
        value: 1.0,
        matched_event: None,
        group: Vec::new(),
        is_test: false,
    }
}

fn id(number: u64) -> DeliveryId {
    DeliveryId::parse(&format!("msg_{number:032x}")).unwrap()
}

/// Puts messages into the outbox beside the service, as another node would.
async fn enqueue(
    installation: &Installation,
    org: &OrgId,
    notifier: &NotifierId,
    numbers: std::ops::Range<u64>,
) {
    let catalog = installation.open_catalog().await;
    let deliveries: Vec<NewDelivery> = numbers
        .map(|number| NewDelivery {
            id: id(number),
            org: org.clone(),
            notifier: notifier.clone(),
            message: message(number),
            due: SystemClock.now(),
        })
        .collect();
    assert_eq!(catalog.enqueue_deliveries(&deliveries).await.unwrap(), deliveries.len() as u64);
    catalog.close().await;
}

pub(crate) async fn notifier(
    installation: &Installation,
    service: &Service,
    url: &str,
) -> (OrgId, NotifierId) {
    let body = json!({"name": "n", "properties": {"webhook": {"url": url}}});
    let path = format!("{}/v2/notifiers", service.url);
    let made = client().post(path).bearer_auth(installation.first_token()).json(&body).send().await.unwrap();
    let made: Value = made.error_for_status().unwrap().json().await.unwrap();
    let catalog = installation.open_catalog().await;
    let org = catalog.list_all_orgs().await.unwrap().remove(0).id;
    catalog.close().await;
    (org, NotifierId::from(made["id"].as_str().unwrap()))
}

async fn wait_until_nothing_waits(installation: &Installation) {
    let catalog = installation.open_catalog().await;
    eventually("an empty outbox", async || (catalog.outbox_size().await.unwrap().waiting == 0).then_some(()))
        .await;
    catalog.close().await;
}

/// Killed between sending and noting it: the receiver has the message, and the service does not know.
pub(crate) async fn between_sending_and_noting(backend: Backend) {
    let (installation, receiver) = (Installation::new(backend), Receiver::start().await);
    let service = installation.start(&SETTINGS);
    let (org, notifier) = notifier(&installation, &service, &receiver.url).await;
    receiver.answer(0);
    enqueue(&installation, &org, &notifier, 0..1).await;
    receiver.had(1).await;
    service.kill();

    receiver.answer(usize::MAX);
    let before = receiver.received().len();
    let service = installation.start(&PATIENT);
    receiver.had(before + 1).await;
    let mut received = receiver.received();
    received.dedup();
    assert_eq!(received.len(), 1, "the same message under the same id");
    wait_until_nothing_waits(&installation).await;
    service.kill();

    // Its end was noted, so that the next start sends what is new and nothing else.
    enqueue(&installation, &org, &notifier, 1..2).await;
    let _service = installation.start(&PATIENT);
    receiver.had(before + 2).await;
    wait_until_nothing_waits(&installation).await;
    let mut ids: Vec<String> = receiver.received().into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), before + 2);
    ids.dedup();
    assert_eq!(ids, [id(0), id(1)].map(DeliveryId::into_string));
}

/// Killed while many messages are sent, again and again.
pub(crate) async fn in_the_middle_of_many(backend: Backend) {
    let (installation, receiver) = (Installation::new(backend), Receiver::start().await);
    let service = installation.start(&SETTINGS);
    let mut notifiers = Vec::new();
    for _ in 0..4 {
        notifiers.push(notifier(&installation, &service, &receiver.url).await);
    }
    service.kill();
    for (index, (org, notifier)) in notifiers.iter().enumerate() {
        let (share, index) = (MESSAGES / 4, index as u64);
        enqueue(&installation, org, notifier, index * share..(index + 1) * share).await;
    }
    for more in KILL_AFTER {
        let wanted = receiver.received().len() + more;
        receiver.answer(wanted);
        let service = installation.start(&SETTINGS);
        receiver.had(wanted).await;
        service.kill();
    }
    receiver.answer(usize::MAX);
    let _service = installation.start(&SETTINGS);
    wait_until_nothing_waits(&installation).await;

    let mut bodies: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (id, body) in receiver.received() {
        bodies.entry(id).or_default().insert(body);
    }
    let expected: BTreeSet<String> = (0..MESSAGES).map(|number| id(number).into_string()).collect();
    assert_eq!(bodies.keys().cloned().collect::<BTreeSet<_>>(), expected);
    assert!(bodies.values().all(|bodies| bodies.len() == 1), "a message came with another body");
}
