//! A membership counts for a person's token once that person has accepted it by acting on it, which is written
//! down once.

use tidegauge_model::{OrgId, Role, UserId};
use tokio::task::JoinSet;

use crate::database::TestCatalog;
use crate::samples::{self, OTHER_OWNER, OWNER, OWNER_DIGEST, at, person, personal_token};

const DIGEST: &str = "digest of user_a";

/// Adds a person to an organisation.
async fn add(test: &TestCatalog<'_>, org: &OrgId, id: &str) {
    test.add_member(org, &person(id), Role::User, 100, &samples::change(org)).await.unwrap().unwrap();
    test.new_audit().await;
}

/// The organisations of a token in the order they are found, and whether each was accepted.
async fn places(test: &TestCatalog<'_>, digest: &str) -> Vec<(String, bool)> {
    let standings = test.find_bearer(digest, None).await.unwrap().unwrap().standings;
    standings.into_iter().map(|standing| (standing.org.into_string(), standing.accepted)).collect()
}

fn place(org: &OrgId, accepted: bool) -> (String, bool) {
    (org.as_str().to_owned(), accepted)
}

pub(crate) async fn is_never_given_by_whoever_adds(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    // Neither to somebody new, nor by adding them a second time somewhere else.
    add(test, &theirs, "user_a").await;
    test.insert_token(&personal_token("token_a", "user_a"), DIGEST, &samples::change(&ours)).await.unwrap();
    assert_eq!(places(test, DIGEST).await, [place(&theirs, false)]);
    add(test, &ours, "user_a").await;
    assert_eq!(places(test, DIGEST).await, [place(&ours, false), place(&theirs, false)]);
    // Nor with a role: it is set for them as well.
    let change = samples::change(&ours);
    test.set_role(&ours, &"user_a".into(), Role::User, Role::Owner, &change).await.unwrap().unwrap();
    assert_eq!(places(test, DIGEST).await, [place(&ours, false), place(&theirs, false)]);
    // Who creates an organisation has accepted it.
    assert_eq!(places(test, OWNER_DIGEST).await, [place(&ours, true)]);
}

pub(crate) async fn is_written_down_once(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    add(test, &theirs, OWNER).await;
    let (owner, change) = (UserId::from(OWNER), samples::change(&theirs));
    for expected in [vec![format!("user.accept {OWNER}")], vec![]] {
        test.accept_membership(&theirs, &owner, &change).await.unwrap();
        assert_eq!(test.new_audit().await, expected);
        assert_eq!(places(test, OWNER_DIGEST).await, [place(&ours, true), place(&theirs, true)]);
    }
    let entries = test.list_audit(Some(&theirs), at(0), i64::MAX, 1).await.unwrap();
    assert_eq!((entries[0].action.as_str(), entries[0].at), ("user.accept", at(60).as_micros()));
}

pub(crate) async fn is_written_down_once_by_many_requests_at_once(test: &TestCatalog<'_>) {
    let (_, theirs) = samples::two_orgs(test).await;
    for round in 0..4 {
        let name = format!("user_{round}");
        add(test, &theirs, &name).await;
        let mut requests = JoinSet::new();
        for _ in 0..20 {
            let (catalog, theirs, name) = (test.shared(), theirs.clone(), UserId::from(name.as_str()));
            requests.spawn(async move {
                catalog.accept_membership(&theirs, &name, &samples::change(&theirs)).await.unwrap();
            });
        }
        requests.join_all().await;
        assert_eq!(test.new_audit().await, [format!("user.accept {name}")]);
    }
}

pub(crate) async fn is_for_members_alone(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&theirs);
    add(test, &ours, OTHER_OWNER).await;
    for (org, id) in [(&theirs, OWNER), (&theirs, "user_nobody"), (&"org_nowhere".into(), OWNER)] {
        test.accept_membership(org, &id.into(), &change).await.unwrap();
    }
    assert!(test.new_audit().await.is_empty());
    assert_eq!(places(test, OWNER_DIGEST).await, [place(&ours, true)]);
    // Nor does it reach what another person or another organisation still waits for.
    test.insert_token(&personal_token("token_b", OTHER_OWNER), DIGEST, &change).await.unwrap();
    assert_eq!(places(test, DIGEST).await, [place(&theirs, true), place(&ours, false)]);
}

pub(crate) async fn ends_with_the_membership(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let (owner, change) = (UserId::from(OWNER), samples::change(&theirs));
    add(test, &theirs, OWNER).await;
    test.accept_membership(&theirs, &owner, &change).await.unwrap();
    test.remove_member(&theirs, &owner, Role::User, &change).await.unwrap().unwrap();
    assert_eq!(places(test, OWNER_DIGEST).await, [place(&ours, true)]);
    add(test, &theirs, OWNER).await;
    assert_eq!(places(test, OWNER_DIGEST).await, [place(&ours, true), place(&theirs, false)]);
}

pub(crate) async fn is_counted_in_other_orgs(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let third = samples::org("org_3");
    test.insert_org(&third, &OTHER_OWNER.into(), &samples::change(&third.id)).await.unwrap();
    let elsewhere =
        async |org: &str| test.count_memberships_elsewhere(&org.into(), &OWNER.into()).await.unwrap();
    let nowhere = "org_nowhere";
    assert_eq!((elsewhere("org_ours").await, elsewhere(nowhere).await), (0, 1));
    // One that others have given does not count, until it is accepted.
    for org in [&theirs, &third.id] {
        add(test, org, OWNER).await;
    }
    assert_eq!((elsewhere("org_ours").await, elsewhere(nowhere).await), (0, 1));
    test.accept_membership(&theirs, &OWNER.into(), &samples::change(&theirs)).await.unwrap();
    let counts = (elsewhere("org_ours").await, elsewhere("org_theirs").await, elsewhere("org_3").await);
    assert_eq!(counts, (1, 1, 2));
    let stranger = test.count_memberships_elsewhere(&ours, &"user_nobody".into()).await.unwrap();
    assert_eq!(stranger, 0);
}
