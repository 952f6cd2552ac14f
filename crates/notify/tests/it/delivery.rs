//! A catalogue with notifiers and a worker that sends what is in its outbox, on a clock that the test moves.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tidegauge_catalog::notifiers::Notifier;
use tidegauge_catalog::outbox::NewDelivery;
use tidegauge_catalog::outbox::list::Delivery;
use tidegauge_catalog::tokens::Token;
use tidegauge_catalog::users::Person;
use tidegauge_catalog::{Catalog, Change, Location, SealKey};
use tidegauge_egress::resolver::SystemResolver;
use tidegauge_egress::webhook::WebhookClient;
use tidegauge_model::message::{DeliveryState, Message};
use tidegauge_model::notifier::DisabledUntil;
use tidegauge_model::rng::SeededRng;
use tidegauge_model::time::ManualClock;
use tidegauge_model::{Capabilities, Clock, Org, OrgId};
use tidegauge_notify::backoff::RetryPolicy;
use tidegauge_notify::breaker::Limits;
use tidegauge_notify::channels::Bases;
use tidegauge_notify::signature::SigningKey;
use tidegauge_notify::worker::{Worker, WorkerOptions as Sending};

use crate::receiver::{Receiver, WorkerOptions};
use crate::samples::{at, closed, opened};
use crate::waiting::WAIT_MAX;

pub(crate) const OWNER: &str = "user_owner";

pub(crate) struct Desk {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) worker: Arc<Worker>,
    pub(crate) org: OrgId,
    _folder: TempDir,
}

fn sending(bases: Bases, time_max: Duration) -> Sending {
    Sending {
        webhook_client: WebhookClient {
            allowed: vec!["127.0.0.0/8".parse().unwrap()],
            allows_plain_http: true,
            connect_time_max: time_max,
            time_max,
            response_bytes_max: 64 * 1024,
            resolver: Arc::new(SystemResolver),
        },
        mailer: None,
        bases,
        signing: SigningKey::new(&[7; 32]),
        retry_policy: RetryPolicy {
            attempts_max: 4,
            age_max: Duration::from_secs(3_600),
            first_wait: Duration::from_secs(5),
            wait_max: Duration::from_secs(600),
        },
        limits: Limits {
            in_flight_max: 2,
            failures_max: 3,
            rest: Duration::from_secs(30),
            rest_max: Duration::from_secs(300),
        },
        mails_an_hour_max: 3,
        in_flight_max: 8,
        lease: Duration::from_secs(30),
    }
}

impl Desk {
    pub(crate) async fn new() -> Self {
        Self::with(crate::samples::bases(), Duration::from_secs(600)).await
    }

    pub(crate) async fn with(bases: Bases, time_max: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalog.sqlite");
        crate::sqlite_copy::put(&path, 1);
        let location = Location::Sqlite(path);
        let catalog =
            Arc::new(Catalog::open_waiting(&location, SealKey::new(&[1; 32]), WAIT_MAX).await.unwrap());
        let clock = Arc::new(ManualClock::at(at(0)));
        let org = Org::self_hosted("org_1".into(), "Ours".to_owned(), "a@example.com".to_owned(), at(0));
        let person = Person {
            id: OWNER.into(),
            email: "a@example.com".to_owned(),
            name: "A".to_owned(),
            created: at(0),
        };
        let token = Token {
            id: "token_1".into(),
            org: None,
            person: OWNER.into(),
            name: "T".to_owned(),
            description: String::new(),
            capabilities: Capabilities::default(),
            created: at(0),
            expires_at: None,
            last_used_at: None,
            ends_with_membership: false,
        };
        assert!(catalog.set_up(&org, &person, &token, "digest", &change(&org.id)).await.unwrap());
        let worker = Self::another_worker(&catalog, &clock, bases, time_max);
        Self { catalog, clock, worker, org: org.id, _folder: folder }
    }

    fn another_worker(
        catalog: &Arc<Catalog>,
        clock: &Arc<ManualClock>,
        bases: Bases,
        time_max: Duration,
    ) -> Arc<Worker> {
        let clock: Arc<dyn Clock> = Arc::clone(clock) as Arc<dyn Clock>;
        let rng = Arc::new(SeededRng::new(1));
        Arc::new(Worker::new(Arc::clone(catalog), clock, rng, sending(bases, time_max)))
    }

    pub(crate) async fn notifier(&self, id: &str, properties: Value) -> Notifier {
        self.notifier_until(id, properties, None).await
    }

    async fn notifier_until(&self, id: &str, properties: Value, until: Option<DisabledUntil>) -> Notifier {
        let notifier = Notifier {
            id: id.into(),
            name: id.to_owned(),
            channel: "webhook".to_owned(),
            properties: properties.to_string(),
            disabled_until: until,
            created: at(0),
            created_by: OWNER.into(),
            modified: at(0),
        };
        self.catalog.insert_notifier(&self.org, &notifier, &change(&self.org)).await.unwrap();
        notifier
    }

    pub(crate) async fn webhook(&self, id: &str, receiver: &Receiver) {
        self.notifier(id, json!({"webhook": {"url": receiver.url("/hook")}})).await;
    }

    pub(crate) async fn enqueue(&self, id: &str, notifier: &str, message: Message) {
        let due = self.clock.now();
        let delivery =
            NewDelivery { id: id.into(), org: self.org.clone(), notifier: notifier.into(), message, due };
        self.catalog.enqueue_deliveries(&[delivery]).await.unwrap();
    }

    pub(crate) async fn delivery(&self, notifier: &str, id: &str) -> Delivery {
        self.catalog.find_delivery(&self.org, &notifier.into(), &id.into()).await.unwrap().unwrap()
    }

    pub(crate) async fn step(&self) -> usize {
        self.worker.step().await.unwrap()
    }

    /// Steps through time until nothing waits.
    pub(crate) async fn run_out(&self) {
        for _ in 0..200 {
            self.step().await;
            if self.catalog.outbox_size().await.unwrap().waiting == 0 {
                return;
            }
            self.clock.advance(Duration::from_secs(20));
        }
        panic!("something waits for ever");
    }
}

fn change(org: &OrgId) -> Change {
    Change { org: Some(org.clone()), actor: OWNER.to_owned(), at: at(0), request_id: "req_1".to_owned() }
}

#[tokio::test]
async fn a_message_is_sent_once_and_its_attempt_is_kept() {
    let (desk, receiver) = (Desk::new().await, Receiver::start(WorkerOptions::Status(204, "")).await);
    desk.webhook("notify_1", &receiver).await;
    desk.enqueue("msg_1", "notify_1", opened()).await;
    desk.enqueue("msg_1", "notify_1", opened()).await;
    assert_eq!(desk.step().await, 1);
    assert_eq!(desk.step().await, 0);
    let requests = receiver.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].head.starts_with("POST /hook HTTP/1.1"), "{requests:?}");
    assert_eq!(requests[0].header("webhook-id").unwrap(), "msg_1");
    assert!(requests[0].header("webhook-signature").unwrap().starts_with("v1,"));
    let body: Value = serde_json::from_str(&requests[0].body).unwrap();
    assert_eq!(body["event"]["title"], "Errors Triggered");
    let delivery = desk.delivery("notify_1", "msg_1").await;
    assert_eq!(delivery.state, DeliveryState::Sent);
    assert_eq!((delivery.attempts.len(), delivery.attempts[0].status), (1, Some(204)));
    assert_eq!(desk.worker.counts.read(), (1, 0, 0));
}

#[tokio::test]
async fn the_end_of_an_alert_follows_its_beginning() {
    let (desk, receiver) = (Desk::new().await, Receiver::start(WorkerOptions::Status(500, "")).await);
    desk.webhook("notify_1", &receiver).await;
    desk.enqueue("msg_2", "notify_1", opened()).await;
    desk.clock.advance(Duration::from_secs(1));
    desk.enqueue("msg_1", "notify_1", closed()).await;
    desk.step().await;
    receiver.behave(WorkerOptions::Status(200, ""));
    desk.run_out().await;
    let ids: Vec<String> = receiver.requests().iter().filter_map(|one| one.header("webhook-id")).collect();
    assert_eq!(ids, ["msg_2", "msg_2", "msg_1"]);
}

#[tokio::test]
async fn a_disabled_notifier_sends_nothing_until_its_time() {
    let (desk, receiver) = (Desk::new().await, Receiver::start(WorkerOptions::Status(200, "")).await);
    let until = DisabledUntil { text: "later".to_owned(), time: at(60) };
    let properties = json!({"webhook": {"url": receiver.url("/")}});
    desk.notifier_until("notify_1", properties, Some(until)).await;
    desk.enqueue("msg_1", "notify_1", opened()).await;
    assert_eq!(desk.step().await, 0);
    assert!(receiver.requests().is_empty());
    desk.clock.advance(Duration::from_secs(60));
    assert_eq!(desk.step().await, 1);
    assert_eq!(receiver.requests().len(), 1);
}

/// A node that ends after it has sent and before it has recorded that: the message comes again, under its id.
#[tokio::test]
async fn what_was_sent_and_not_recorded_is_sent_again_under_the_same_id() {
    let (desk, receiver) = (Desk::new().await, Receiver::start(WorkerOptions::Hang).await);
    desk.webhook("notify_1", &receiver).await;
    desk.enqueue("msg_1", "notify_1", opened()).await;
    {
        let worker = Arc::clone(&desk.worker);
        let mut ended = std::pin::pin!(worker.step());
        tokio::select! {
            _ = &mut ended => panic!("the receiver hangs"),
            () = receiver.had(1) => {}
        }
    }
    receiver.behave(WorkerOptions::Status(200, ""));
    let bases = crate::samples::bases();
    let next = Desk::another_worker(&desk.catalog, &desk.clock, bases, Duration::from_secs(600));
    assert_eq!(next.step().await.unwrap(), 0, "the lease of the node that ended still counts");
    desk.clock.advance(Duration::from_secs(31));
    assert_eq!(next.step().await.unwrap(), 1);
    let ids: Vec<String> = receiver.requests().iter().filter_map(|one| one.header("webhook-id")).collect();
    assert_eq!(ids, ["msg_1", "msg_1"]);
    assert_eq!(desk.delivery("notify_1", "msg_1").await.state, DeliveryState::Sent);
}

#[tokio::test]
async fn a_test_is_sent_at_once_and_never_again() {
    let (desk, receiver) = (Desk::new().await, Receiver::start(WorkerOptions::Status(503, "")).await);
    let notifier = desk.notifier("notify_1", json!({"webhook": {"url": receiver.url("/")}})).await;
    let message = Message { is_test: true, ..opened() };
    let (id, tried) = desk.worker.send_now(&desk.org, &notifier, message).await.unwrap().unwrap();
    assert_eq!(
        (tried.attempt.status, tried.attempt.error.as_deref()),
        (Some(503), Some("the server answers 503"))
    );
    desk.clock.advance(Duration::from_secs(3_000));
    assert_eq!(desk.step().await, 0);
    let delivery = desk.delivery("notify_1", id.as_str()).await;
    assert_eq!((delivery.state, delivery.attempts.len()), (DeliveryState::Dead, 1));
    assert!(delivery.message.is_test);
}

#[tokio::test]
async fn a_message_without_a_mail_server_is_given_up_with_the_reason() {
    let desk = Desk::new().await;
    desk.notifier("notify_1", json!({"email": {"emails": ["a@example.com"]}})).await;
    desk.enqueue("msg_1", "notify_1", opened()).await;
    desk.step().await;
    let delivery = desk.delivery("notify_1", "msg_1").await;
    assert_eq!(delivery.state, DeliveryState::Dead);
    assert!(delivery.attempts[0].error.as_ref().unwrap().contains("set smtp_host"), "{delivery:?}");
}
