//! Claims of keys: which of several nodes may store a request. A rule of decision 0037 that a case proves is named before
//! it.

use tidegauge_catalog::ingest_keys::IngestKey;
use tidegauge_catalog::nodes::claims::Claimed;
use tidegauge_catalog::nodes::publish::{LogFlush, Published};
use tidegauge_catalog::nodes::{Log, Raise};
use tidegauge_model::{DatasetId, ErrorKind, OrgId};
use tokio::task::JoinSet;

use crate::database::TestCatalog;
use crate::event_samples::{insert, key, one_dataset, segment};
use crate::node_samples::{OVER, commit_of, join, part};
use crate::samples::{at, change};

const CALLERS: u64 = 12;

async fn claim(test: &TestCatalog<'_>, log: Log, dataset: &DatasetId, key: &str) -> Claimed {
    test.claim_key(log, dataset, key, at(0)).await.unwrap()
}

async fn publish(
    test: &TestCatalog<'_>,
    log: Log,
    dataset: &DatasetId,
    bounds: (u64, u64),
    keys: &[IngestKey],
) -> Published {
    let segments = [segment(&format!("segment_{}_{}_{}", log.node, log.epoch, bounds.1))];
    let flush = LogFlush { keys, ..part(dataset, &segments, bounds) };
    test.publish_log(log, flush, at(70)).await.unwrap()
}

/// `ClaimBeforeAppend`.
pub(crate) async fn are_had_by_one_log_at_a_time(test: &TestCatalog<'_>) {
    let org = OrgId::from("org_ours");
    let logs = one_dataset(test).await;
    let quiet = insert(test, &org, "quiet").await.id;
    let (a, b) = (join(test, "a").await, join(test, "b").await);
    for _ in 0..2 {
        assert_eq!(claim(test, a, &logs, "key").await, Claimed::Mine);
        assert_eq!(claim(test, b, &logs, "key").await, Claimed::ByAnother);
    }
    assert_eq!(claim(test, b, &logs, "other").await, Claimed::Mine);
    assert_eq!(claim(test, b, &quiet, "key").await, Claimed::Mine);
    test.delete_dataset(&org, "quiet", at(70), &change(&org)).await.unwrap();
    assert_eq!(test.database.count("ingest_claim").await, 2);
    let gone = test.claim_key(b, &quiet, "key", at(0)).await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
}

/// `PublishingSettlesClaims`.
pub(crate) async fn are_settled_with_their_events(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let (a, b) = (join(test, "a").await, join(test, "b").await);
    assert_eq!(claim(test, a, &logs, "key").await, Claimed::Mine);
    assert_eq!(claim(test, a, &logs, "later").await, Claimed::Mine);
    let stored = key("key", 5);
    commit_of(publish(test, a, &logs, (0, 5), std::slice::from_ref(&stored)).await);
    for log in [a, b] {
        assert_eq!(claim(test, log, &logs, "key").await, Claimed::Stored(stored.clone()));
    }
    assert_eq!(claim(test, b, &logs, "later").await, Claimed::ByAnother);
    assert_eq!(test.database.count("ingest_claim").await, 1, "who finds an answer has no claim");
    // After its time a key has another meaning, wherever it is used; sequences of two logs do not compare.
    let again = test.claim_key(b, &logs, "key", at(6)).await.unwrap();
    assert_eq!(again, Claimed::Mine);
    let other = IngestKey { at: at(60), ..key("key", 2) };
    commit_of(publish(test, b, &logs, (0, 3), std::slice::from_ref(&other)).await);
    assert_eq!(claim(test, a, &logs, "key").await, Claimed::Stored(other));
}

/// `ClaimStandsUntilAdoption`.
pub(crate) async fn stand_until_their_log_is_adopted(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let (a, b) = (join(test, "a").await, join(test, "b").await);
    for name in ["adopted", "never_landed"] {
        assert_eq!(claim(test, a, &logs, name).await, Claimed::Mine);
    }
    assert_eq!(test.raise_epoch(b, a, OVER).await.unwrap(), Raise::Ended);
    assert_eq!(claim(test, b, &logs, "adopted").await, Claimed::ByAnother);
    let (segments, keys) = ([segment("segment_1")], [key("adopted", 4)]);
    let rest = [LogFlush { keys: &keys, ..part(&logs, &segments, (0, 4)) }];
    commit_of(test.adopt_log(b, a, &rest, at(70)).await.unwrap());
    assert_eq!(claim(test, b, &logs, "adopted").await, Claimed::Stored(keys[0].clone()));
    assert_eq!(claim(test, b, &logs, "never_landed").await, Claimed::Mine);
    // A claim that the adopted process makes late stands in nobody's way.
    assert_eq!(claim(test, a, &logs, "late").await, Claimed::Mine);
    assert_eq!(claim(test, b, &logs, "late").await, Claimed::Mine);
    assert_eq!(claim(test, a, &logs, "later").await, Claimed::Mine);
    assert_eq!(test.database.count("ingest_claim").await, 3);
    assert_eq!(test.forget_claims().await.unwrap(), 1);
    assert_eq!(claim(test, a, &logs, "late").await, Claimed::ByAnother);
}

/// `ClaimBeforeAppend`, by many nodes at once.
pub(crate) async fn are_made_by_one_of_many(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let mut nodes = Vec::new();
    for caller in 0..CALLERS {
        nodes.push(join(test, &format!("node_{caller}")).await);
    }
    for round in 0..5 {
        let mut callers = JoinSet::new();
        for log in nodes.clone() {
            let (catalog, logs) = (test.shared(), logs.clone());
            callers.spawn(async move {
                catalog.claim_key(log, &logs, &format!("key_{round}"), at(0)).await.unwrap()
            });
        }
        let claimed = callers.join_all().await;
        assert_eq!(claimed.iter().filter(|claimed| **claimed == Claimed::Mine).count(), 1);
        assert_eq!(claimed.iter().filter(|claimed| **claimed == Claimed::ByAnother).count(), 11);
    }
}
