//! The audit trail. That every change writes one entry is checked where the change is.

use tidegauge_catalog::audit::Refusals;
use tidegauge_catalog::{AuditEntry, Change, Outcome};
use tidegauge_model::{OrgId, Timestamp};

use crate::database::TestCatalog;
use crate::samples::{self, OWNER, at};

fn refusals(org: Option<&OrgId>, seconds: i64) -> Refusals {
    Refusals {
        org: org.cloned(),
        at: at(seconds),
        actor: "token_7".to_owned(),
        action: "notifier.delete".to_owned(),
        resource: "notify_1".to_owned(),
        detail: "notifiers|delete is not granted".to_owned(),
        request_id: format!("req_{seconds}"),
        times: 3,
    }
}

/// Writes one refusal at each of the given seconds.
async fn refuse(test: &TestCatalog<'_>, org: Option<&OrgId>, seconds: &[i64]) {
    let batch: Vec<Refusals> = seconds.iter().map(|&second| refusals(org, second)).collect();
    test.insert_refusals(&batch).await.unwrap();
}

async fn list(test: &TestCatalog<'_>, org: Option<&OrgId>) -> Vec<AuditEntry> {
    test.list_audit(org, Timestamp::from_micros(0), i64::MAX, 100).await.unwrap()
}

fn seconds(entries: &[AuditEntry]) -> Vec<i64> {
    entries.iter().map(|entry| (entry.at - at(0).as_micros()) / 1_000_000).collect()
}

pub(crate) async fn holds_all_that_is_known_of_a_change(test: &TestCatalog<'_>) {
    let (_, theirs) = samples::two_orgs(test).await;
    let change = Change {
        org: Some(theirs.clone()),
        actor: "token_9".to_owned(),
        at: at(77),
        request_id: "req_77".to_owned(),
    };
    assert!(test.rename_person(&OWNER.into(), "Ada", &change).await.unwrap());
    let entries = list(test, Some(&theirs)).await;
    let expected = AuditEntry {
        seq: entries[0].seq,
        org_id: Some("org_theirs".to_owned()),
        at: at(77).as_micros(),
        actor: "token_9".to_owned(),
        action: "user.update".to_owned(),
        resource: OWNER.to_owned(),
        outcome: Outcome::Done.name().to_owned(),
        detail: "\"Ada\"".to_owned(),
        request_id: "req_77".to_owned(),
        times: 1,
    };
    assert_eq!(entries, [expected]);

    assert!(test.rename_person(&OWNER.into(), "Eva", &Change { org: None, ..change }).await.unwrap());
    let entries = list(test, None).await;
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].org_id.as_deref(), entries[0].action.as_str()), (None, "user.update"));
}

pub(crate) async fn lists_the_newest_first_by_pages(test: &TestCatalog<'_>) {
    let ours = OrgId::from("org_ours");
    refuse(test, Some(&ours), &[1, 2, 3, 4, 5]).await;
    let (mut before, mut pages) = (i64::MAX, Vec::new());
    for _ in 0..4 {
        let page = test.list_audit(Some(&ours), at(0), before, 2).await.unwrap();
        before = page.last().map_or(before, |oldest| oldest.seq);
        pages.push(seconds(&page));
    }
    assert_eq!(pages, [vec![5, 4], vec![3, 2], vec![1], vec![]]);
}

pub(crate) async fn lists_since_a_time(test: &TestCatalog<'_>) {
    let ours = OrgId::from("org_ours");
    // Nodes write in their own order, so a later entry may be of an earlier time.
    refuse(test, Some(&ours), &[1, 3, 2]).await;
    let since = |second| test.list_audit(Some(&ours), at(second), i64::MAX, 100);
    assert_eq!(seconds(&since(0).await.unwrap()), [2, 3, 1]);
    assert_eq!(seconds(&since(2).await.unwrap()), [2, 3]);
    assert!(since(4).await.unwrap().is_empty());
}

pub(crate) async fn writes_refusals_in_one_batch(test: &TestCatalog<'_>) {
    let ours = OrgId::from("org_ours");
    test.insert_refusals(&[]).await.unwrap();
    assert!(test.new_audit().await.is_empty());

    test.insert_refusals(&[refusals(Some(&ours), 1), refusals(None, 2)]).await.unwrap();
    let entries = list(test, Some(&ours)).await;
    let expected = AuditEntry {
        seq: entries[0].seq,
        org_id: Some("org_ours".to_owned()),
        at: at(1).as_micros(),
        actor: "token_7".to_owned(),
        action: "notifier.delete".to_owned(),
        resource: "notify_1".to_owned(),
        outcome: Outcome::Refused.name().to_owned(),
        detail: "notifiers|delete is not granted".to_owned(),
        request_id: "req_1".to_owned(),
        times: 3,
    };
    assert_eq!(entries, [expected]);
    assert_eq!(seconds(&list(test, None).await), [2]);
}

pub(crate) async fn prunes_what_is_older(test: &TestCatalog<'_>) {
    let ours = OrgId::from("org_ours");
    refuse(test, Some(&ours), &[1, 2, 3]).await;
    assert_eq!(test.prune_audit(Some(&ours), at(1)).await.unwrap(), 0);
    assert_eq!(test.prune_audit(Some(&ours), at(3)).await.unwrap(), 2);
    assert_eq!(seconds(&list(test, Some(&ours)).await), [3]);

    // A pruned number is never given again, or a reader between two pages would meet it twice.
    let last = list(test, Some(&ours)).await[0].seq;
    assert_eq!(test.prune_audit(Some(&ours), at(9)).await.unwrap(), 1);
    refuse(test, Some(&ours), &[4]).await;
    assert!(list(test, Some(&ours)).await[0].seq > last);
}

/// Writes a number of refusals at one second.
async fn refuse_many(test: &TestCatalog<'_>, org: Option<&OrgId>, second: i64, count: usize) {
    refuse(test, org, &vec![second; count]).await;
}

async fn all_seconds(test: &TestCatalog<'_>, org: Option<&OrgId>) -> Vec<i64> {
    seconds(&test.list_audit(org, Timestamp::from_micros(0), i64::MAX, i64::MAX).await.unwrap())
}

pub(crate) async fn prunes_more_than_one_batch(test: &TestCatalog<'_>) {
    let (ours, theirs) = (OrgId::from("org_ours"), OrgId::from("org_theirs"));
    // The order in which they were written says nothing about their time.
    for (second, count) in [(1, 2_000), (10, 3), (9, 2_500), (11, 2), (5, 500)] {
        refuse_many(test, Some(&ours), second, count).await;
    }
    refuse_many(test, Some(&theirs), 1, 2_100).await;
    refuse_many(test, None, 1, 30).await;
    assert_eq!(test.prune_audit(Some(&ours), at(10)).await.unwrap(), 5_000);
    assert_eq!(all_seconds(test, Some(&ours)).await, [11, 11, 10, 10, 10]);
    assert_eq!(all_seconds(test, Some(&theirs)).await, [1; 2_100]);
    assert_eq!(all_seconds(test, None).await, [1; 30]);
    assert_eq!(test.prune_audit(Some(&ours), at(10)).await.unwrap(), 0);

    assert_eq!(test.prune_audit(None, at(10)).await.unwrap(), 30);
    assert_eq!(all_seconds(test, Some(&theirs)).await.len(), 2_100);
}

pub(crate) async fn prunes_from_two_nodes_at_once(test: &TestCatalog<'_>) {
    let ours = OrgId::from("org_ours");
    refuse_many(test, Some(&ours), 1, 5_000).await;
    refuse_many(test, Some(&ours), 10, 3).await;
    let (first, second) =
        tokio::join!(test.prune_audit(Some(&ours), at(10)), test.prune_audit(Some(&ours), at(10)));
    assert_eq!(first.unwrap() + second.unwrap(), 5_000);
    assert_eq!(all_seconds(test, Some(&ours)).await, [10; 3]);
}

pub(crate) async fn stays_within_its_org(test: &TestCatalog<'_>) {
    let (ours, theirs) = (OrgId::from("org_ours"), OrgId::from("org_theirs"));
    refuse(test, Some(&ours), &[1]).await;
    refuse(test, Some(&theirs), &[2]).await;
    refuse(test, None, &[3]).await;
    assert_eq!(seconds(&list(test, Some(&ours)).await), [1]);
    assert_eq!(seconds(&list(test, Some(&theirs)).await), [2]);
    assert_eq!(seconds(&list(test, None).await), [3]);

    assert_eq!(test.prune_audit(Some(&theirs), at(9)).await.unwrap(), 1);
    assert_eq!(test.prune_audit(None, at(9)).await.unwrap(), 1);
    assert_eq!(seconds(&list(test, Some(&ours)).await), [1]);
    assert!(list(test, None).await.is_empty());
}
