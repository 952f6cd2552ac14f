//! Grants with their codes, refresh tokens and device requests; also when several use the same one at once.

use tidegauge_catalog::Change;
use tidegauge_catalog::oauth::{
    AuthorizationCode, DeviceRequest, DeviceStatus, Grant, Polled, RefreshToken, Rotation,
};
use tidegauge_model::{GrantId, Role, Timestamp};
use tokio::task::JoinSet;

use crate::database::TestCatalog;
use crate::oauth_clients::client;
use crate::samples::{self, OWNER, at};

fn change_at(seconds: i64) -> Change {
    Change { at: at(seconds), ..samples::change(&"org_ours".into()) }
}

pub(crate) fn grant(id: &str) -> Grant {
    Grant {
        id: id.into(),
        client: "client_1".into(),
        person: Some(OWNER.into()),
        org: None,
        scope: "query|read".to_owned(),
        auth_time: Some(at(1)),
        thumbprint: Some("thumb".to_owned()),
        created: at(10),
        last_used: at(10),
        ends: at(1_000),
        revoked: None,
    }
}

fn code(grant: &str) -> AuthorizationCode {
    AuthorizationCode {
        grant: grant.into(),
        client: "client_1".into(),
        person: OWNER.into(),
        redirect_uri: "https://example.com/back".to_owned(),
        challenge: "challenge".to_owned(),
        scope: "query|read".to_owned(),
        auth_time: at(1),
        thumbprint: None,
        expires: at(60),
        used: None,
    }
}

fn refresh(digest: &str, grant: &str) -> RefreshToken {
    RefreshToken { digest: digest.to_owned(), grant: grant.into(), expires: at(500), used: None }
}

async fn revoked(test: &TestCatalog<'_>, id: &str) -> Option<Timestamp> {
    test.find_oauth_grant(&id.into()).await.unwrap().unwrap().revoked
}

pub(crate) async fn codes_make_a_grant_once_and_a_replay_ends_it(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    test.insert_code("c1", &code("grant_1"), &change_at(5)).await.unwrap();
    assert_eq!(test.find_code("c1").await.unwrap(), Some(code("grant_1")));
    assert_eq!(test.find_code("c2").await.unwrap(), None);
    let first = refresh("r1", "grant_1");
    assert!(test.redeem_code("c1", &grant("grant_1"), Some(&first), &change_at(10)).await.unwrap());
    assert_eq!(test.find_oauth_grant(&"grant_1".into()).await.unwrap(), Some(grant("grant_1")));
    assert_eq!(test.find_refresh_token("r1").await.unwrap(), Some((first, grant("grant_1"))));
    assert_eq!(test.find_code("c1").await.unwrap().unwrap().used, Some(at(10)));

    assert!(!test.redeem_code("c1", &grant("grant_1"), None, &change_at(20)).await.unwrap());
    assert_eq!(revoked(test, "grant_1").await, Some(at(20)));
    let recorded = ["oauth.authorize client_1", "oauth.grant.create grant_1", "oauth.replay grant_1"];
    assert_eq!(test.new_audit().await, recorded);

    test.insert_code("c3", &code("grant_3"), &change_at(5)).await.unwrap();
    test.spoil_code("c3", &change_at(6)).await.unwrap();
    assert!(!test.redeem_code("c3", &grant("grant_3"), None, &change_at(7)).await.unwrap());
    assert_eq!(test.find_oauth_grant(&"grant_3".into()).await.unwrap(), None);
    assert_eq!(test.forget_codes_ended_before(at(61)).await.unwrap(), 2);
}

pub(crate) async fn codes_are_redeemed_by_one_of_many(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    test.insert_code("c1", &code("grant_1"), &change_at(5)).await.unwrap();
    let mut many = JoinSet::new();
    for _ in 0..8 {
        let catalog = test.shared();
        many.spawn(async move {
            catalog.redeem_code("c1", &grant("grant_1"), None, &change_at(10)).await.unwrap()
        });
    }
    assert_eq!(many.join_all().await.into_iter().filter(|redeemed| *redeemed).count(), 1);
    assert!(revoked(test, "grant_1").await.is_some());
}

async fn granted(test: &TestCatalog<'_>, id: &str) {
    test.insert_code(id, &code(id), &change_at(5)).await.unwrap();
    let first = refresh(&format!("{id} 1"), id);
    assert!(test.redeem_code(id, &grant(id), Some(&first), &change_at(10)).await.unwrap());
    test.new_audit().await;
}

pub(crate) async fn refresh_tokens_follow_each_other_and_reuse_ends_all(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    granted(test, "grant_1").await;
    let (second, third) = (refresh("r2", "grant_1"), refresh("r3", "grant_1"));
    let rotate = async |old: &str, next: &RefreshToken, seconds| {
        test.rotate_refresh_token(old, next, &change_at(seconds)).await.unwrap()
    };
    assert_eq!(rotate("grant_1 1", &second, 20).await, Rotation::Done);
    let (used, found) = test.find_refresh_token("grant_1 1").await.unwrap().unwrap();
    assert_eq!((used.used, found.last_used), (Some(at(20)), at(20)));
    assert_eq!(rotate("grant_1 1", &third, 30).await, Rotation::Reused);
    assert_eq!(revoked(test, "grant_1").await, Some(at(30)));
    assert_eq!(test.find_refresh_token("r3").await.unwrap(), None);
    assert_eq!(rotate("r2", &third, 40).await, Rotation::Ended);
    assert_eq!(test.new_audit().await, ["oauth.refresh grant_1", "oauth.replay grant_1"]);
}

pub(crate) async fn refresh_tokens_are_used_by_one_of_many(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    granted(test, "grant_1").await;
    let mut many = JoinSet::new();
    for number in 0..8 {
        let (catalog, next) = (test.shared(), refresh(&format!("next {number}"), "grant_1"));
        many.spawn(
            async move { catalog.rotate_refresh_token("grant_1 1", &next, &change_at(20)).await.unwrap() },
        );
    }
    let ends = many.join_all().await;
    assert_eq!(ends.iter().filter(|end| **end == Rotation::Done).count(), 1, "{ends:?}");
    assert!(revoked(test, "grant_1").await.is_some());
}

pub(crate) async fn grants_are_seen_and_ended_by_their_person(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    granted(test, "grant_1").await;
    granted(test, "grant_2").await;
    let (person, other) = (OWNER.into(), samples::OTHER_OWNER.into());
    let listed = test.list_oauth_grants(&person, at(20)).await.unwrap();
    assert_eq!(listed, [grant("grant_2"), grant("grant_1")]);
    assert!(test.list_oauth_grants(&other, at(20)).await.unwrap().is_empty());
    assert!(test.list_oauth_grants(&person, at(1_000)).await.unwrap().is_empty());

    test.remember_consent(&person, &"client_1".into(), "a", &change_at(15)).await.unwrap();
    test.remember_consent(&person, &"client_1".into(), "a b", &change_at(16)).await.unwrap();
    assert_eq!(test.find_consent(&person, &"client_1".into()).await.unwrap().as_deref(), Some("a b"));
    test.new_audit().await;
    let id = GrantId::from("grant_1");
    assert!(!test.revoke_oauth_grant_of(&other, &id, &change_at(20)).await.unwrap());
    assert!(test.revoke_oauth_grant_of(&person, &id, &change_at(20)).await.unwrap());
    assert!(!test.revoke_oauth_grant_of(&person, &id, &change_at(20)).await.unwrap());
    assert_eq!(test.find_consent(&person, &"client_1".into()).await.unwrap(), None);
    assert!(test.revoke_oauth_grant(&"grant_2".into(), &change_at(20)).await.unwrap());
    assert!(!test.revoke_oauth_grant(&"grant_2".into(), &change_at(20)).await.unwrap());
    assert_eq!(test.new_audit().await, ["oauth.grant.revoke grant_1", "oauth.grant.revoke grant_2"]);

    granted(test, "grant_3").await;
    assert_eq!(test.revoke_oauth_grants_of(&person, &change_at(20)).await.unwrap(), 1);
    assert_eq!(test.forget_oauth_grants_ended_before(at(20)).await.unwrap(), 0);
    assert_eq!(test.forget_oauth_grants_ended_before(at(21)).await.unwrap(), 3);
    assert_eq!(test.database.count("oauth_refresh").await, 0);
}

pub(crate) async fn grants_end_with_their_client(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    test.insert_oauth_client(&client("client_1", Some(&ours)), None, 0, &change_at(1)).await.unwrap();
    let machine = Grant { person: None, org: Some(ours.clone()), ..grant("grant_1") };
    test.insert_oauth_grant(&machine, &change_at(2)).await.unwrap();
    assert_eq!(test.find_oauth_grant(&machine.id).await.unwrap(), Some(machine));
    assert!(test.delete_oauth_client(&ours, &"client_1".into(), &change_at(30)).await.unwrap());
    assert_eq!(revoked(test, "grant_1").await, Some(at(30)));
}

fn device() -> DeviceRequest {
    DeviceRequest {
        client: "client_1".into(),
        scope: "*".to_owned(),
        status: DeviceStatus::Waiting,
        person: None,
        auth_time: None,
        expires: at(600),
        interval_seconds: 5,
        polled: None,
    }
}

pub(crate) async fn devices_wait_for_a_decision_and_are_answered_once(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    test.insert_device_request("d1", "u1", &device()).await.unwrap();
    assert_eq!(test.find_device_request("u1").await.unwrap(), Some(device()));
    assert_eq!(test.find_device_request("d1").await.unwrap(), None);
    assert_eq!(test.count_device_requests(at(0)).await.unwrap(), 1);
    let poll = async |seconds| test.poll_device_request("d1", at(seconds)).await.unwrap();
    assert_eq!(poll(0).await, Polled::Found(device()));
    assert_eq!(poll(4).await, Polled::TooSoon);
    // The interval is ten seconds now, counted from the question that came too soon.
    assert_eq!(poll(13).await, Polled::TooSoon);
    let Polled::Found(found) = poll(28).await else { panic!("it waited long enough") };
    assert_eq!(found.interval_seconds, 15);
    assert_eq!(test.poll_device_request("d2", at(0)).await.unwrap(), Polled::Unknown);

    let grant = grant("grant_1");
    assert!(!test.redeem_device_request("d1", &grant, None, &change_at(30)).await.unwrap());
    let person = (&OWNER.into(), at(3));
    assert!(!test.decide_device_request("u1", person, true, &change_at(600)).await.unwrap());
    assert!(test.decide_device_request("u1", person, true, &change_at(40)).await.unwrap());
    assert!(!test.decide_device_request("u1", person, false, &change_at(41)).await.unwrap());
    let Polled::Found(found) = poll(50).await else { panic!("it waited long enough") };
    assert_eq!((found.status, found.auth_time), (DeviceStatus::Allowed, Some(at(3))));
    let first = refresh("r1", "grant_1");
    assert!(test.redeem_device_request("d1", &grant, Some(&first), &change_at(50)).await.unwrap());
    assert!(!test.redeem_device_request("d1", &grant, Some(&first), &change_at(51)).await.unwrap());
    assert_eq!(test.new_audit().await, ["oauth.device.allow client_1", "oauth.grant.create grant_1"]);
    assert_eq!(test.forget_device_requests_ended_before(at(601)).await.unwrap(), 1);
}

pub(crate) async fn devices_can_be_denied(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    test.insert_device_request("d1", "u1", &device()).await.unwrap();
    let person = (&OWNER.into(), at(3));
    assert!(test.decide_device_request("u1", person, false, &change_at(40)).await.unwrap());
    assert_eq!(test.new_audit().await, ["oauth.device.deny client_1"]);
    assert_eq!(test.find_device_request("u1").await.unwrap().unwrap().status, DeviceStatus::Denied);
    assert!(!test.redeem_device_request("d1", &grant("grant_1"), None, &change_at(50)).await.unwrap());
    assert_eq!(test.database.count("oauth_grant").await, 0);
}

pub(crate) async fn grants_tell_who_acts_where(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    granted(test, "grant_1").await;
    let bearer = test.find_grant_bearer(&"grant_1".into(), Some(&ours)).await.unwrap().unwrap();
    assert_eq!((bearer.is_api_token, bearer.user.as_str()), (false, OWNER));
    assert_eq!((bearer.expires_at, bearer.org_contexts.len()), (Some(at(1_000)), 1));
    assert_eq!((&bearer.org_contexts[0].org, bearer.org_contexts[0].role), (&ours, Some(Role::Owner)));

    test.insert_oauth_client(&client("client_1", Some(&ours)), None, 0, &change_at(1)).await.unwrap();
    let machine = Grant { person: None, org: Some(ours.clone()), ..grant("grant_2") };
    test.insert_oauth_grant(&machine, &change_at(2)).await.unwrap();
    let bearer = test.find_grant_bearer(&machine.id, Some(&theirs)).await.unwrap().unwrap();
    assert!(bearer.is_api_token && bearer.capabilities == samples::capabilities());
    assert_eq!((&bearer.org_contexts[0].org, bearer.org_contexts[0].role), (&ours, None));

    // What was revoked, or whose client is gone, acts for nobody.
    assert!(test.revoke_oauth_grant(&"grant_1".into(), &change_at(20)).await.unwrap());
    assert!(test.delete_oauth_client(&ours, &"client_1".into(), &change_at(30)).await.unwrap());
    for id in ["grant_1", "grant_2", "grant_3"] {
        assert!(test.find_grant_bearer(&id.into(), None).await.unwrap().is_none(), "{id}");
    }
}
