//! What the sample rows of version 15 must mean: entries on their way into the dataset of the audit trail.

use tidegauge_catalog::Catalog;
use tidegauge_catalog::event_feed::{FeedBatch, FeedEntry, FeedSize};
use tidegauge_model::{OrgId, Timestamp};

use crate::database::{Database, KEY_BYTE};
use crate::stored_dashboards::check_dashboards;
use crate::{stored_forms, stored_rows};

const ORG: &str = "org_018bcfe56800700080000000000000a1";
const KEY: &str = "audit-000102030405060708090a0b0c0d0e0f";

pub(crate) async fn version_15_is_still_read(database: &Database) {
    stored_rows::restore(database, 15).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    stored_forms::check_resources(&catalog).await;
    check_dashboards(&catalog).await;
    check_feed(&catalog).await;
    catalog.close().await;
}

async fn check_feed(catalog: &Catalog) {
    let org: OrgId = ORG.into();
    assert_eq!(catalog.orgs_with_feed().await.unwrap(), std::slice::from_ref(&org));
    assert_eq!(catalog.feed_size().await.unwrap(), FeedSize { waiting: 1, oldest: Some(micros(96)) });
    let batch = FeedBatch { key: KEY.to_owned(), at: micros(95) };
    assert_eq!(catalog.feed_batches(&org).await.unwrap(), [batch]);
    assert_eq!(catalog.feed_entries(&org, KEY).await.unwrap(), [refusal(), delivery()]);
    let new = catalog.feed_entries(&org, "").await.unwrap();
    assert_eq!(new.iter().map(|entry| entry.target.as_str()).collect::<Vec<_>>(), ["tide.levels"]);
}

/// So many microseconds after the time that the sample begins with.
fn micros(micros: i64) -> Timestamp {
    Timestamp::from_micros(1_700_000_000_000_000 + micros)
}

fn refusal() -> FeedEntry {
    FeedEntry {
        seq: 3,
        kind: "refusal".to_owned(),
        at: micros(91).as_micros(),
        actor: "user_018bcfe56800700080000000000000b1 (token_018bcfe56800700080000000000000c2)".to_owned(),
        action: "GET /v2/notifiers".to_owned(),
        target: "/v2/notifiers".to_owned(),
        outcome: "refused".to_owned(),
        detail: "notifiers|read is not granted".to_owned(),
        request_id: "req_91".to_owned(),
        times: 4,
        details: "{}".to_owned(),
    }
}

fn delivery() -> FeedEntry {
    let details = concat!(
        r#"{"attempt":1,"latencyMs":12,"monitor":"mon_018bcfe5680070008000000000000181","#,
        r#""notifier":"notify_018bcfe56800700080000000000000d1","status":503}"#
    );
    FeedEntry {
        seq: 4,
        kind: "delivery".to_owned(),
        at: micros(92).as_micros(),
        actor: "service".to_owned(),
        action: "delivery.attempt".to_owned(),
        target: "msg_a75421201a70259a279b0f9fcc93f188".to_owned(),
        outcome: "failed".to_owned(),
        detail: "the receiver answered 503".to_owned(),
        request_id: String::new(),
        times: 1,
        details: details.to_owned(),
    }
}
