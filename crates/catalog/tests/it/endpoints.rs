//! Endpoints: kept with the digest of their address, and with what came in by them.

use tidegauge_catalog::endpoints::{Endpoint, EndpointAt, LastError, Stats};
use tidegauge_model::{Action, DatasetArea, EndpointKind, ErrorKind, OrgId, Timestamp};

use crate::database::{Database, KEY_BYTE, TestCatalog};
use crate::event_samples;
use crate::samples::{self, OWNER, at};
use crate::stored_sign_in::sha256;
use crate::{stored_forms, stored_rows};

fn endpoint(id: &str, kind: EndpointKind) -> Endpoint {
    Endpoint {
        id: id.into(),
        name: format!("Endpoint {id}"),
        kind,
        dataset: "logs".to_owned(),
        labels: r#"{"site":"ä"}"#.to_owned(),
        created: at(5),
        created_by: OWNER.into(),
        modified: at(6),
        stats: Stats::default(),
    }
}

async fn insert(test: &TestCatalog<'_>, org: &OrgId, endpoint: &Endpoint) {
    let digest = format!("digest of {}", endpoint.id);
    test.insert_endpoint(org, endpoint, &digest, 100, &samples::change(org)).await.unwrap();
    assert_eq!(test.new_audit().await, [format!("endpoint.create {}", endpoint.id)]);
}

pub(crate) async fn read_back_what_was_inserted(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    for (number, kind) in EndpointKind::ALL.iter().enumerate() {
        let wanted = endpoint(&format!("endpoint_{number:02}"), *kind);
        insert(test, &ours, &wanted).await;
        assert_eq!(test.find_endpoint(&ours, &wanted.id).await.unwrap(), Some(wanted));
    }
    let listed = test.list_endpoints(&ours).await.unwrap();
    assert_eq!(listed.len(), EndpointKind::ALL.len());
    assert!(listed.is_sorted_by_key(|endpoint| endpoint.id.clone()));
    assert!(test.list_endpoints(&theirs).await.unwrap().is_empty());
}

pub(crate) async fn replace_what_a_caller_may_set(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let before = endpoint("endpoint_1", EndpointKind::Loki);
    insert(test, &ours, &before).await;
    let counted = Stats { events: 3, ..Stats::default() };
    test.count_endpoints(&[(before.as_it_stands(), counted.clone())]).await.unwrap();
    let wanted = Endpoint {
        name: "after".to_owned(),
        kind: EndpointKind::Hec,
        dataset: "other".to_owned(),
        labels: "{}".to_owned(),
        created: at(70),
        created_by: "user_strange".into(),
        modified: at(71),
        ..before.clone()
    };
    let replaced = test.replace_endpoint(&ours, &wanted, &samples::change(&ours)).await.unwrap().unwrap();
    let (created, created_by) = (before.created, before.created_by);
    assert_eq!(replaced, Endpoint { created, created_by, stats: counted, ..wanted });
    assert_eq!(test.new_audit().await, ["endpoint.update endpoint_1"]);
    let bearer = test.find_endpoint_bearer("digest of endpoint_1").await.unwrap().unwrap();
    assert_eq!(bearer.endpoint.as_deref(), Some(&replaced), "its address stays");
    let unknown = endpoint("endpoint_2", EndpointKind::Loki);
    assert_eq!(test.replace_endpoint(&ours, &unknown, &samples::change(&ours)).await.unwrap(), None);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn stay_within_their_org(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let kept = endpoint("endpoint_1", EndpointKind::Loki);
    insert(test, &ours, &kept).await;
    let change = samples::change(&theirs);
    assert_eq!(test.find_endpoint(&theirs, &kept.id).await.unwrap(), None);
    assert_eq!(test.replace_endpoint(&theirs, &kept, &change).await.unwrap(), None);
    assert!(!test.delete_endpoint(&theirs, &kept.id, &change).await.unwrap());
    assert!(test.new_audit().await.is_empty());
    assert!(test.delete_endpoint(&ours, &kept.id, &samples::change(&ours)).await.unwrap());
    assert_eq!(test.new_audit().await, ["endpoint.delete endpoint_1"]);
    assert!(test.find_endpoint_bearer("digest of endpoint_1").await.unwrap().is_none());
}

pub(crate) async fn are_as_many_as_the_licence_allows(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let add = async |org: &OrgId, id: &str| {
        test.insert_endpoint(org, &endpoint(id, EndpointKind::Loki), id, 2, &change).await
    };
    add(&ours, "endpoint_1").await.unwrap();
    add(&ours, "endpoint_2").await.unwrap();
    assert_eq!(add(&ours, "endpoint_3").await.unwrap_err().kind(), ErrorKind::LimitReached);
    add(&theirs, "endpoint_4").await.unwrap();
    // A digest is of one address.
    let fifth = endpoint("endpoint_5", EndpointKind::Loki);
    let twice = test.insert_endpoint(&theirs, &fifth, "endpoint_1", 9, &change);
    assert_eq!(twice.await.unwrap_err().kind(), ErrorKind::Conflict);
}

pub(crate) async fn let_their_senders_in_by_the_digest_alone(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let kept = endpoint("endpoint_1", EndpointKind::Syslog);
    insert(test, &ours, &kept).await;
    for unknown in ["endpoint_1", "digest", ""] {
        assert!(test.find_endpoint_bearer(unknown).await.unwrap().is_none(), "{unknown}");
    }
    let by_address = test.find_endpoint_bearer("digest of endpoint_1").await.unwrap().unwrap();
    let by_id = test.find_endpoint_bearer_by_id(&kept.id).await.unwrap().unwrap();
    for bearer in [by_address, by_id] {
        assert!(bearer.is_api_token && bearer.expires_at.is_none() && bearer.user == OWNER.into());
        assert_eq!(bearer.org_contexts.len(), 1);
        assert_eq!(bearer.org_contexts[0].org, ours);
        assert!(bearer.org_contexts[0].limits().unwrap().max_endpoints > 0);
        assert!(bearer.capabilities.allows_dataset("logs", DatasetArea::Ingest, Action::Create));
        assert!(!bearer.capabilities.allows_dataset("other", DatasetArea::Ingest, Action::Create));
        assert!(!bearer.capabilities.allows_dataset("logs", DatasetArea::Query, Action::Read));
        assert!(bearer.capabilities.org.is_empty() && bearer.capabilities.view.is_empty());
        assert_eq!(bearer.endpoint.as_deref(), Some(&kept));
    }
    // No token is found by it, nor it by a token.
    assert!(test.find_bearer("digest of endpoint_1", None).await.unwrap().is_none());
}

pub(crate) async fn count_what_came_in(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let kept = endpoint("endpoint_1", EndpointKind::Loki);
    insert(test, &ours, &kept).await;
    let changes = test.changes();
    let error = LastError { at: at(20), message: "no".to_owned() };
    let first = Stats {
        events: 2,
        bytes: 20,
        failures: 1,
        last_event: Some(at(19)),
        last_error: Some(error.clone()),
    };
    let second = Stats { events: 3, bytes: 30, last_event: Some(at(21)), ..Stats::default() };
    for stats in [first, second] {
        let gone = EndpointAt { id: "endpoint_gone".into(), version: None };
        test.count_endpoints(&[(kept.as_it_stands(), stats.clone()), (gone, stats)]).await.unwrap();
    }
    let found = test.find_endpoint(&ours, &kept.id).await.unwrap().unwrap();
    let all = Stats { events: 5, bytes: 50, failures: 1, last_event: Some(at(21)), last_error: Some(error) };
    assert_eq!(found.stats, all);
    assert_eq!(test.changes(), changes, "nobody is looked up again for it");
    assert!(test.new_audit().await.is_empty());
}

/// Why something was not stored may quote an event, which is for who may query where that was to go.
pub(crate) async fn tell_why_something_failed_as_they_stood_then(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let before = endpoint("endpoint_1", EndpointKind::Loki);
    insert(test, &ours, &before).await;
    event_samples::insert(test, &ours, "other").await;
    let count = async |endpoint: EndpointAt, message: &str, time: i64| {
        let last_error = Some(LastError { at: at(time), message: message.to_owned() });
        let stats = Stats { failures: 1, last_error, ..Stats::default() };
        test.count_endpoints(&[(endpoint, stats)]).await.unwrap();
        let found = test.find_endpoint(&ours, &before.id).await.unwrap().unwrap();
        (found.stats.failures, found.stats.last_error.map(|error| error.message))
    };
    let told = |message: &str| Some(message.to_owned());
    assert_eq!(count(before.as_it_stands(), "of logs", 20).await, (1, told("of logs")));
    let after = Endpoint { dataset: "other".to_owned(), modified: at(21), ..before.clone() };
    test.replace_endpoint(&ours, &after, &samples::change(&ours)).await.unwrap().unwrap();
    // What was under way comes too late to be told, and is counted.
    assert_eq!(count(before.as_it_stands(), "of logs", 22).await, (2, None));
    assert_eq!(count(after.as_it_stands(), "of other", 23).await, (3, told("of other")));
    assert_eq!(count(before.as_it_stands(), "of logs", 24).await, (4, told("of other")));
    // It goes with its dataset, and does not come back with another one of its name.
    test.delete_dataset(&ours, "other", at(20), &samples::change(&ours)).await.unwrap().unwrap();
    event_samples::insert(test, &ours, "other").await;
    assert_eq!(count(after.as_it_stands(), "of the first other", 25).await, (5, None));
    let present = test.find_endpoint(&ours, &before.id).await.unwrap().unwrap();
    assert_eq!(count(present.as_it_stands(), "of the second", 26).await, (6, told("of the second")));
    // Where nobody got as far as the endpoint, nothing of an event was looked at.
    let unknown = EndpointAt { id: before.id.clone(), version: None };
    assert_eq!(count(unknown, "cannot be found", 27).await, (7, told("cannot be found")));
}

/// An endpoint with what came in by it.
pub(crate) async fn version_13_is_still_read(database: &Database) {
    stored_rows::restore(database, 13).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    stored_forms::check_resources(&catalog).await;
    let bearer = catalog.find_endpoint_bearer(&sha256("address of the edge routers")).await.unwrap().unwrap();
    let at = Timestamp::from_micros;
    let error = LastError { at: at(1_700_000_000_000_024), message: "dataset not found".to_owned() };
    let wanted = Endpoint {
        id: "endpoint_018bcfe56800700080000000000000e1".into(),
        name: "Edge routers".to_owned(),
        kind: EndpointKind::Syslog,
        dataset: "tides".to_owned(),
        labels: r#"{"site":"pier"}"#.to_owned(),
        created: at(1_700_000_000_000_021),
        created_by: "user_018bcfe56800700080000000000000b1".into(),
        modified: at(1_700_000_000_000_022),
        stats: Stats {
            events: 7,
            bytes: 700,
            failures: 2,
            last_event: Some(at(1_700_000_000_000_023)),
            last_error: Some(error),
        },
    };
    assert_eq!(bearer.endpoint.as_deref(), Some(&wanted));
    catalog.close().await;
}
