//! What is on its way into the dataset of the audit trail: written with what it tells of, taken in batches that stay as they
//! are, and gone when the segment with its events is there.

use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_catalog::Change;
use tidegauge_catalog::audit::Refusals;
use tidegauge_catalog::event_feed::{FeedBatch, FeedEntry, FeedSize};
use tidegauge_catalog::ingest_keys::IngestKey;
use tidegauge_catalog::monitor_checks::CheckOutcome;
use tidegauge_catalog::monitor_runs::RecordedRun;
use tidegauge_catalog::outbox::attempts::Verdict;
use tidegauge_model::dataset::AUDIT_DATASET;
use tidegauge_model::{ErrorKind, OrgId};

use crate::database::{KEY_BYTE, TestCatalog};
use crate::event_samples::{MANY, dataset, insert, key, segment};
use crate::lease::writer;
use crate::monitor_runs;
use crate::outbox::{claim, delivery, enqueue, record};
use crate::samples::{self, OWNER, at, notifier};

/// Two organisations without entries.
async fn two_orgs(test: &TestCatalog<'_>) -> (OrgId, OrgId) {
    let orgs = samples::two_orgs(test).await;
    forget(test, &orgs.0).await;
    forget(test, &orgs.1).await;
    orgs
}

/// Drops the entries of an organisation that are in no batch.
async fn forget(test: &TestCatalog<'_>, org: &OrgId) {
    test.prune_feed(org, at(1_000_000_000)).await.unwrap();
}

/// The entries of an organisation that are in no batch.
async fn new(test: &TestCatalog<'_>, org: &OrgId) -> Vec<FeedEntry> {
    test.feed_entries(org, "").await.unwrap()
}

fn batch(key: &str, seconds: i64) -> FeedBatch {
    FeedBatch { key: key.to_owned(), at: at(seconds) }
}

async fn make(test: &TestCatalog<'_>, org: &OrgId, name: &str) {
    test.insert_dataset(org, &dataset(org, name), MANY, &samples::change(org)).await.unwrap();
}

fn targets(entries: &[FeedEntry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.target.as_str()).collect()
}

pub(crate) async fn holds_what_is_written_with_a_change(test: &TestCatalog<'_>) {
    let (ours, theirs) = two_orgs(test).await;
    make(test, &ours, "logs").await;
    let entries = new(test, &ours).await;
    let expected = FeedEntry {
        seq: entries[0].seq,
        kind: "audit".to_owned(),
        at: at(60).as_micros(),
        actor: OWNER.to_owned(),
        action: "dataset.create".to_owned(),
        target: "logs".to_owned(),
        outcome: "done".to_owned(),
        detail: "events are kept for 30 days".to_owned(),
        request_id: "req_1".to_owned(),
        times: 1,
        details: "{}".to_owned(),
    };
    assert_eq!(entries, [expected]);
    assert_eq!(test.orgs_with_feed().await.unwrap(), std::slice::from_ref(&ours));
    assert_eq!(test.feed_size().await.unwrap(), FeedSize { waiting: 1, oldest: Some(at(60)) });
    // What belongs to no organisation has no dataset to go to.
    let change = Change { org: None, ..samples::change(&ours) };
    assert!(test.rename_person(&OWNER.into(), "Eva", &change).await.unwrap());
    assert_eq!(test.orgs_with_feed().await.unwrap(), [ours]);
    assert!(new(test, &theirs).await.is_empty());
}

pub(crate) async fn holds_refused_calls(test: &TestCatalog<'_>) {
    let (ours, _) = two_orgs(test).await;
    let refused = |org: Option<&OrgId>| Refusals {
        org: org.cloned(),
        at: at(5),
        actor: "token_7".to_owned(),
        action: "GET /v2/users".to_owned(),
        resource: "/v2/users".to_owned(),
        detail: "no".to_owned(),
        request_id: "req_5".to_owned(),
        times: 3,
    };
    test.insert_refusals(&[refused(Some(&ours)), refused(None)]).await.unwrap();
    let entries = new(test, &ours).await;
    let [entry] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!((entry.kind.as_str(), entry.outcome.as_str(), entry.times), ("refusal", "refused", 3));
    assert_eq!((entry.target.as_str(), entry.request_id.as_str()), ("/v2/users", "req_5"));
    assert_eq!(test.feed_size().await.unwrap().waiting, 1);
}

pub(crate) async fn loses_what_is_rolled_back(test: &TestCatalog<'_>) {
    let (ours, _) = two_orgs(test).await;
    make(test, &ours, "logs").await;
    forget(test, &ours).await;
    let again = test.insert_dataset(&ours, &dataset(&ours, "logs"), MANY, &samples::change(&ours)).await;
    assert_eq!(again.unwrap_err().kind(), ErrorKind::Conflict);
    assert!(new(test, &ours).await.is_empty());
}

pub(crate) async fn hands_out_batches_that_stay_the_same(test: &TestCatalog<'_>) {
    let (ours, theirs) = two_orgs(test).await;
    assert_eq!(test.take_feed_batch(&ours, &batch("none", 1), 10).await.unwrap(), 0);
    for name in ["a", "b", "c"] {
        make(test, &ours, name).await;
    }
    make(test, &theirs, "d").await;
    assert_eq!(test.take_feed_batch(&ours, &batch("first", 2), 2).await.unwrap(), 2);
    make(test, &ours, "e").await;
    assert_eq!(test.take_feed_batch(&ours, &batch("second", 3), 10).await.unwrap(), 2);
    assert_eq!(test.take_feed_batch(&ours, &batch("third", 4), 10).await.unwrap(), 0);
    assert_eq!(test.feed_batches(&ours).await.unwrap(), [batch("first", 2), batch("second", 3)]);
    for _ in 0..2 {
        assert_eq!(targets(&test.feed_entries(&ours, "first").await.unwrap()), ["a", "b"]);
        assert_eq!(targets(&test.feed_entries(&ours, "second").await.unwrap()), ["c", "e"]);
    }
    assert!(test.feed_entries(&theirs, "first").await.unwrap().is_empty());
    assert_eq!(test.orgs_with_new_feed().await.unwrap(), [theirs]);
}

pub(crate) async fn drops_a_batch_when_its_segment_is_there(test: &TestCatalog<'_>) {
    let (ours, theirs) = two_orgs(test).await;
    let (own, other) = (insert(test, &ours, "events").await.id, insert(test, &theirs, "events").await.id);
    assert_eq!(test.take_feed_batch(&ours, &batch("first", 2), 10).await.unwrap(), 1);
    make(test, &ours, "b").await;
    assert_eq!(test.take_feed_batch(&ours, &batch("second", 3), 10).await.unwrap(), 1);
    assert_eq!(test.drop_kept_feed(&ours, &own).await.unwrap(), 0);
    // The same key in another dataset is another one.
    test.publish_flush(&other, &[segment("segment_1")], 7, &[key("second", 7)], &[], at(70)).await.unwrap();
    assert_eq!(test.drop_kept_feed(&ours, &own).await.unwrap(), 0);
    test.publish_flush(&own, &[segment("segment_2")], 8, &[key("first", 8)], &[], at(70)).await.unwrap();
    assert_eq!(test.drop_kept_feed(&ours, &own).await.unwrap(), 1);
    assert_eq!(test.feed_batches(&ours).await.unwrap(), [batch("second", 3)]);
}

pub(crate) async fn keeps_the_keys_of_batches_that_wait(test: &TestCatalog<'_>) {
    let (ours, _) = two_orgs(test).await;
    let own = insert(test, &ours, "events").await.id;
    test.take_feed_batch(&ours, &batch("waits", 2), 10).await.unwrap();
    let keys: Vec<IngestKey> = ["waits", "done"].map(|name| IngestKey { at: at(1), ..key(name, 7) }).into();
    test.publish_flush(&own, &[], 7, &keys, &[], at(70)).await.unwrap();
    assert_eq!(test.prune_ingest_keys(at(1_000_000)).await.unwrap(), 1);
    assert_eq!(test.find_ingest_key(&own, "waits", at(0)).await.unwrap(), Some(keys[0].clone()));
    assert_eq!(test.drop_kept_feed(&ours, &own).await.unwrap(), 1);
    assert_eq!(test.prune_ingest_keys(at(1_000_000)).await.unwrap(), 1);
}

pub(crate) async fn is_moved_by_who_has_the_lease(test: &TestCatalog<'_>) {
    let (ours, _) = two_orgs(test).await;
    make(test, &ours, "a").await;
    let other = test.database.open(KEY_BYTE).await.unwrap();
    other.take_lease(&writer("b"), Duration::from_secs(3_600)).await.unwrap();
    let refused = test.take_feed_batch(&ours, &batch("first", 2), 10).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(other.take_feed_batch(&ours, &batch("second", 2), 10).await.unwrap(), 1);
    assert_eq!(test.feed_batches(&ours).await.unwrap(), [batch("second", 2)]);
    other.close().await;
}

pub(crate) async fn is_pruned_where_nobody_takes_it(test: &TestCatalog<'_>) {
    let (ours, theirs) = two_orgs(test).await;
    make(test, &ours, "a").await;
    test.take_feed_batch(&ours, &batch("taken", 2), 10).await.unwrap();
    make(test, &ours, "b").await;
    make(test, &theirs, "c").await;
    assert_eq!(test.prune_feed(&ours, at(60)).await.unwrap(), 0);
    assert_eq!(test.prune_feed(&ours, at(61)).await.unwrap(), 1);
    assert_eq!(targets(&test.feed_entries(&ours, "taken").await.unwrap()), ["a"]);
    assert_eq!(new(test, &theirs).await.len(), 1);
}

/// Records a run of a monitor, and gives what is told of it.
async fn told(
    test: &TestCatalog<'_>,
    org: &OrgId,
    monitor: &str,
    outcome: CheckOutcome,
    is_change: bool,
) -> Vec<FeedEntry> {
    test.lease_monitor(org, &monitor.into(), "a", at(0), at(50)).await.unwrap().unwrap();
    let mut run: RecordedRun = monitor_runs::recorded(org, monitor, "a");
    for check in &mut run.checks {
        (check.outcome, check.is_change) = (outcome, is_change);
    }
    forget(test, org).await;
    assert!(test.record_monitor_run(&run).await.unwrap());
    new(test, org).await
}

pub(crate) async fn tells_of_runs_that_are_not_quiet(test: &TestCatalog<'_>) {
    let (ours, _) = two_orgs(test).await;
    monitor_runs::insert(test, &ours, "mon_1", |_| {}).await;
    let reads_audit = |monitor: &mut tidegauge_catalog::monitors::Monitor| {
        monitor.reads.datasets = vec!["logs".to_owned(), AUDIT_DATASET.to_owned()];
    };
    monitor_runs::insert(test, &ours, "mon_2", reads_audit).await;
    let (judged, failed) = (CheckOutcome::Evaluated, CheckOutcome::Failed);
    for (monitor, outcome, is_change, expected) in [
        ("mon_1", judged, false, 0),
        ("mon_1", judged, true, 1),
        ("mon_1", failed, false, 1),
        // It would find what it is told of itself, and have that to tell again.
        ("mon_2", judged, true, 0),
        ("mon_2", failed, false, 1),
    ] {
        let entries = told(test, &ours, monitor, outcome, is_change).await;
        assert_eq!(entries.len(), expected, "{monitor} {outcome:?} {is_change}");
        let Some(entry) = entries.first() else { continue };
        let said =
            (entry.kind.as_str(), entry.action.as_str(), entry.target.as_str(), entry.outcome.as_str());
        assert_eq!(said, ("monitor_run", "monitor.run", monitor, outcome.name()));
        assert_eq!(entry.at, at(11).as_micros());
        // Neither the group nor the reason: they are made of events.
        assert!(!format!("{entry:?}").contains("host") && entry.detail.is_empty(), "{entry:?}");
    }
    let entries = told(test, &ours, "mon_1", CheckOutcome::NoData, true).await;
    let details: Value = serde_json::from_str(&entries[0].details).unwrap();
    let expected = json!({
        "checks": 1, "changed": 1, "open": 1, "failed": 0, "withoutData": 1, "missed": 2, "messages": 1,
        "windowStart": at(-50).to_string(), "windowEnd": at(10).to_string(),
    });
    assert_eq!(details, expected);
}

pub(crate) async fn tells_of_attempts_to_send(test: &TestCatalog<'_>) {
    let (ours, _) = two_orgs(test).await;
    test.insert_notifier(&ours, &notifier("notify_1"), &samples::change(&ours)).await.unwrap();
    forget(test, &ours).await;
    enqueue(test, &[delivery(&ours, "msg_1", "notify_1", "i", 0)]).await;
    assert!(new(test, &ours).await.is_empty());
    let again = at(10);
    for (seconds, verdict) in [(1, Verdict::TryAgain { at: again }), (11, Verdict::Sent)] {
        assert_eq!(claim(test, "a", seconds).await, ["msg_1"]);
        assert!(record(test, "a", "msg_1", seconds, verdict).await);
    }
    assert!(!record(test, "b", "msg_1", 12, Verdict::Sent).await, "nobody else has it");
    let entries = new(test, &ours).await;
    let said = |entry: &FeedEntry| (entry.action.clone(), entry.outcome.clone(), entry.detail.clone());
    let attempt =
        |outcome: &str, detail: &str| ("delivery.attempt".to_owned(), outcome.to_owned(), detail.to_owned());
    let expected = [attempt("failed", "the server answers 500"), attempt("sent", "")];
    assert_eq!(entries.iter().map(said).collect::<Vec<_>>(), expected);
    let details: Value = serde_json::from_str(&entries[0].details).unwrap();
    let wanted =
        json!({"notifier": "notify_1", "monitor": "mon_1", "attempt": 1, "latencyMs": 250, "status": 500});
    assert_eq!(details, wanted);
    // Nothing of the message itself.
    for secret in ["Errors Triggered", "front", "status\\\": 500", samples::SECRET] {
        assert!(!format!("{entries:?}").contains(secret), "{secret}");
    }
    check_the_end(test, &ours).await;
}

/// Messages that are given up are told, also those of a monitor that reads what is told here.
async fn check_the_end(test: &TestCatalog<'_>, ours: &OrgId) {
    let reads_audit = |monitor: &mut tidegauge_catalog::monitors::Monitor| {
        monitor.reads.datasets = vec![AUDIT_DATASET.to_owned()];
    };
    monitor_runs::insert(test, ours, "mon_1", reads_audit).await;
    forget(test, ours).await;
    for (id, verdict, expected) in [("msg_2", Verdict::Sent, 0), ("msg_3", Verdict::Dead, 1)] {
        enqueue(test, &[delivery(ours, id, "notify_1", id, 20)]).await;
        assert_eq!(claim(test, "a", 20).await, [id]);
        assert!(record(test, "a", id, 20, verdict).await);
        assert_eq!(new(test, ours).await.len(), expected, "{id}");
    }
    enqueue(test, &[delivery(ours, "msg_4", "notify_1", "j", 30)]).await;
    forget(test, ours).await;
    assert_eq!(test.expire_deliveries(at(40), at(50)).await.unwrap(), 1);
    let entries = new(test, ours).await;
    assert_eq!((entries[0].action.as_str(), entries[0].outcome.as_str()), ("delivery.expire", "dead"));
    assert_eq!(targets(&entries), ["msg_4"]);
}
