//! What the sample rows of version 6 must mean that are messages to notifiers, and attempts to send them.

use std::time::Duration;

use tidegauge_catalog::Catalog;
use tidegauge_catalog::outbox::NewDelivery;
use tidegauge_catalog::outbox::attempts::{Attempt, Verdict};
use tidegauge_catalog::outbox::list::{Delivery, OutboxSize};
use tidegauge_model::message::{DeliveryState, Message};
use tidegauge_model::monitor::AlertState;
use tidegauge_model::{DeliveryId, NotifierId, OrgId, Timestamp};

use crate::stored_monitors::{HIGH_WATER, NOTIFIER, SHIPS, seconds};
use crate::stored_sign_in::ORG;

const FIRST_SHIP: &str = "msg_a75421201a70259a279b0f9fcc93f188";
const SECOND_SHIP: &str = "msg_935c6c6bb481a7bd2096ab424507c086";
const OPENED: &str = "msg_9793658ba7a7d46bedd954ed365d609a";
const CLOSED: &str = "msg_df3fe51f5316f201b35a5b4e80b71862";
const OPENED_AGAIN: &str = "msg_4ca912ee06f7b73cc418124a75b4948a";
const TEST: &str = "msg_018bcfe56800700080000000000001a1";

/// Who had leased the test message.
const OWNER: &str = "00112233445566778899aabbccddeeff";

/// Checks the outbox, and then empties it as far as it can be sent.
pub(crate) async fn check_outbox(catalog: &Catalog) {
    let (org, notifier): (OrgId, NotifierId) = (ORG.into(), NOTIFIER.into());
    let all = [test(), opened_again(), closed(), opened(), first_ship(), second_ship()];
    assert_eq!(catalog.list_deliveries(&org, &notifier, 9, 0).await.unwrap(), all);
    let size = OutboxSize { waiting: 4, dead: 1, oldest: Some(seconds(460)) };
    assert_eq!(catalog.outbox_size().await.unwrap(), size);
    check_lease(catalog).await;
    check_claims(catalog).await;
}

/// Whoever had leased a message still has it.
async fn check_lease(catalog: &Catalog) {
    let (id, sent) = (DeliveryId::from(TEST), attempt(1_951, 5_000, Some(200), None));
    assert!(!catalog.record_attempt("another", &id, &sent, Verdict::Sent).await.unwrap());
    assert!(catalog.record_attempt(OWNER, &id, &sent, Verdict::Sent).await.unwrap());
    let finished = seconds(1_951).plus(Duration::from_millis(5));
    let found = catalog.find_delivery(&ORG.into(), &NOTIFIER.into(), &id).await.unwrap();
    let state = DeliveryState::Sent;
    let expected = Delivery { state, next: None, finished: Some(finished), attempts: vec![sent], ..test() };
    assert_eq!(found, Some(expected));
}

/// What waits is sent in its turn, once the notifier is not disabled any more.
async fn check_claims(catalog: &Catalog) {
    let enabled = Timestamp::from_micros(1_893_456_000_000_000);
    let lease_until = enabled.plus(Duration::from_secs(30));
    let early = enabled.minus(Duration::from_micros(1));
    assert!(catalog.claim_deliveries(OWNER, early, lease_until, 9).await.unwrap().is_empty());
    // Another message of an incident waits for the stored one, although that is tried later.
    let (id, due) = (DeliveryId::from("msg_new"), seconds(500));
    let new = NewDelivery { id, org: ORG.into(), notifier: NOTIFIER.into(), message: closed().message, due };
    assert_eq!(catalog.enqueue_deliveries(std::slice::from_ref(&new)).await.unwrap(), 1);
    let last = Delivery { id: new.id, ..closed() };
    for (delivery, failures, began) in [
        (opened_again(), 0, seconds(1_010)),
        (first_ship(), 0, seconds(2_000)),
        (closed(), 1, seconds(460)),
        (last, 0, seconds(500)),
    ] {
        let claimed = catalog.claim_deliveries(OWNER, enabled, lease_until, 9).await.unwrap();
        assert_eq!(claimed.len(), 1);
        let claimed = &claimed[0];
        assert_eq!((&claimed.id, claimed.message.as_ref()), (&delivery.id, Some(&delivery.message)));
        assert_eq!((claimed.org.as_str(), claimed.notifier.as_str()), (ORG, NOTIFIER));
        assert_eq!((claimed.failures, claimed.began), (failures, began), "{}", delivery.id);
        let sent = Attempt { at: enabled, ..attempt(0, 5_000, Some(200), None) };
        assert!(catalog.record_attempt(OWNER, &delivery.id, &sent, Verdict::Sent).await.unwrap());
    }
    assert!(catalog.claim_deliveries(OWNER, enabled, lease_until, 9).await.unwrap().is_empty());
}

fn attempt(at: i64, micros: u64, status: Option<u16>, error: Option<&str>) -> Attempt {
    let latency = Duration::from_micros(micros);
    Attempt { at: seconds(at), latency, status, error: error.map(str::to_owned) }
}

/// Was given up, and then put in line again by hand.
fn first_ship() -> Delivery {
    let event = r#"{"_time":"2023-11-14T22:15:31Z","ship":true,"name":"Ærø 1"}"#;
    Delivery {
        id: FIRST_SHIP.into(),
        message: ship("77.1", event),
        state: DeliveryState::Waiting,
        created: seconds(165),
        next: Some(seconds(2_000)),
        finished: None,
        attempts: vec![attempt(172, 20_000, Some(404), Some("the server answers 404"))],
    }
}

/// Was given up. The attempt came to no answer.
fn second_ship() -> Delivery {
    let event = r#"{"_time":"2023-11-14T22:15:32Z","ship":true,"name":"Ærø 2"}"#;
    Delivery {
        id: SECOND_SHIP.into(),
        message: ship("77.2", event),
        state: DeliveryState::Dead,
        next: None,
        finished: Some(seconds(171).plus(Duration::from_micros(1))),
        attempts: vec![attempt(166, 5_000_001, None, Some("the connection timed out"))],
        ..first_ship()
    }
}

/// Was sent at the second attempt.
fn opened() -> Delivery {
    Delivery {
        id: OPENED.into(),
        message: high_water_opened(),
        state: DeliveryState::Sent,
        created: seconds(410),
        next: None,
        finished: Some(seconds(441).plus(Duration::from_millis(125))),
        attempts: vec![
            attempt(411, 250_000, Some(503), Some("the server answers 503")),
            attempt(441, 125_000, Some(200), None),
        ],
    }
}

/// Waits for its second attempt.
fn closed() -> Delivery {
    let message = Message {
        state: AlertState::Closed,
        title: "High water Resolved".to_owned(),
        body: "Closed by hand, for place = south".to_owned(),
        query_start: seconds(460),
        query_end: seconds(460),
        timestamp: seconds(460),
        value: 0.0,
        ..high_water_opened()
    };
    Delivery {
        id: CLOSED.into(),
        message,
        state: DeliveryState::Waiting,
        created: seconds(460),
        next: Some(seconds(3_000)),
        finished: None,
        attempts: vec![attempt(461, 250_000, Some(500), Some("the server answers 500"))],
    }
}

/// Waits for its first attempt.
fn opened_again() -> Delivery {
    let message = Message {
        incident: format!("{HIGH_WATER}-1700001000000000"),
        body: "Current value of 6.25 is above or equal to the threshold value of 4.1, for place = east"
            .to_owned(),
        query_start: seconds(370),
        query_end: seconds(970),
        timestamp: seconds(1_000),
        value: 6.25,
        group: vec![("place".to_owned(), "east".to_owned())],
        ..high_water_opened()
    };
    Delivery {
        id: OPENED_AGAIN.into(),
        message,
        state: DeliveryState::Waiting,
        created: seconds(1_010),
        next: Some(seconds(1_010)),
        finished: None,
        attempts: Vec::new(),
    }
}

/// Is being sent.
fn test() -> Delivery {
    let message = Message {
        state: AlertState::Open,
        monitor: "mon_00000000000000000000000000000000".into(),
        incident: format!("test.{NOTIFIER}"),
        title: "Test of Night shift".to_owned(),
        body: "This message was sent to try the notifier. Nothing has happened.".to_owned(),
        description: String::new(),
        query_start: seconds(1_650),
        query_end: seconds(1_950),
        timestamp: seconds(1_950),
        value: 0.0,
        matched_event: None,
        group: Vec::new(),
        is_test: true,
    };
    let id = TEST.into();
    Delivery { id, message, created: seconds(1_950), next: Some(seconds(1_950)), ..opened_again() }
}

fn ship(event_id: &str, event: &str) -> Message {
    Message {
        state: AlertState::Open,
        monitor: SHIPS.into(),
        incident: format!("{SHIPS}-{event_id}"),
        title: "Ships Triggered".to_owned(),
        body: "An event matched".to_owned(),
        description: String::new(),
        query_start: seconds(100),
        query_end: seconds(160),
        timestamp: seconds(160),
        value: 1.0,
        matched_event: Some(event.to_owned()),
        group: Vec::new(),
        is_test: false,
    }
}

fn high_water_opened() -> Message {
    let body = "Current value of 5.5 is above or equal to the threshold value of 4.1, for place = south \
         and 1 more group";
    Message {
        state: AlertState::Open,
        monitor: HIGH_WATER.into(),
        incident: format!("{HIGH_WATER}-1700000400000000"),
        title: "High water Triggered".to_owned(),
        body: body.to_owned(),
        description: "close the \"north\" gate\n".to_owned(),
        query_start: seconds(-230),
        query_end: seconds(370),
        timestamp: seconds(400),
        value: 5.5,
        matched_event: None,
        group: vec![("place".to_owned(), "south".to_owned())],
        is_test: false,
    }
}
