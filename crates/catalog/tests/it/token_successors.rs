//! A token that makes way for its successor: it may end sooner than it would have, never later.

use tidegauge_catalog::tokens::Token;
use tidegauge_model::{ErrorKind, OrgId, Timestamp};

use crate::database::TestCatalog;
use crate::samples::{self, OWNER_DIGEST, api_token, at};

const ROUNDS: usize = 8;

/// Stores a token that ends at a time.
async fn insert(test: &TestCatalog<'_>, org: &OrgId, id: &str, expires_at: Option<Timestamp>) -> Token {
    let token = Token { expires_at, ..api_token(id, org) };
    test.insert_token(&token, &format!("digest of {id}"), &samples::change(org)).await.unwrap();
    test.new_audit().await;
    token
}

/// Lets a token end at a time in favour of another.
async fn succeed(test: &TestCatalog<'_>, org: &OrgId, old: &Token, ends: Timestamp, successor: &str) {
    let (token, digest) = (api_token(successor, org), format!("digest of {successor}"));
    assert!(test.succeed_token(&old.id, ends, &token, &digest, &samples::change(org)).await.unwrap());
}

async fn expiry(test: &TestCatalog<'_>, org: &OrgId, token: &Token) -> Option<Timestamp> {
    test.find_token(org, &token.id).await.unwrap().unwrap().expires_at
}

pub(crate) async fn lets_a_successor_take_over(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let old = insert(test, &ours, "token_1", Some(at(3_600))).await;
    let (successor, change) = (api_token("token_2", &ours), samples::change(&ours));
    assert!(test.succeed_token(&old.id, at(90), &successor, "digest 2", &change).await.unwrap());
    assert_eq!(test.new_audit().await, ["token.regenerate token_1"]);
    let expiring = Token { expires_at: Some(at(90)), ..old };
    assert_eq!(test.list_tokens(&ours).await.unwrap(), [expiring, successor.clone()]);
    assert_eq!(test.find_bearer("digest 2", None).await.unwrap().unwrap().id, successor.id);

    let third = api_token("token_3", &ours);
    assert!(!test.succeed_token(&"token_9".into(), at(91), &third, "digest 3", &change).await.unwrap());
    assert_eq!(test.find_token(&ours, &third.id).await.unwrap(), None);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn keeps_the_old_token_when_its_successor_is_refused(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let old = insert(test, &ours, "token_1", Some(at(3_600))).await;
    let (successor, change) = (api_token("token_2", &ours), samples::change(&ours));
    let refused = test.succeed_token(&old.id, at(90), &successor, OWNER_DIGEST, &change).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(test.list_tokens(&ours).await.unwrap(), [old]);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn ends_a_token_sooner_but_never_later(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let never = Timestamp::from_micros(i64::MAX);
    for (number, (before, ends, expected)) in [
        (None, at(90), at(90)),
        (Some(at(100)), at(90), at(90)),
        (Some(at(90)), at(90), at(90)),
        // It had ended, long ago or just now, and stays so.
        (Some(at(80)), at(90), at(80)),
        (Some(at(-9_000)), never, at(-9_000)),
    ]
    .into_iter()
    .enumerate()
    {
        let old = insert(test, &ours, &format!("token_old_{number}"), before).await;
        succeed(test, &ours, &old, ends, &format!("token_new_{number}")).await;
        assert_eq!(expiry(test, &ours, &old).await, Some(expected), "{before:?} to {ends}");
        let bearer = test.find_bearer(&format!("digest of {}", old.id), None).await.unwrap().unwrap();
        assert_eq!(bearer.expires_at, Some(expected));
        assert_eq!(test.new_audit().await, [format!("token.regenerate {}", old.id)]);
    }
}

pub(crate) async fn stays_expired_when_two_follow_it_one_after_another(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let old = insert(test, &ours, "token_old", None).await;
    succeed(test, &ours, &old, at(10), "token_first").await;
    succeed(test, &ours, &old, at(90), "token_second").await;
    assert_eq!(expiry(test, &ours, &old).await, Some(at(10)));
    assert_eq!(test.list_tokens(&ours).await.unwrap().len(), 3);
}

pub(crate) async fn takes_the_earliest_end_of_two_at_once(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    // The token has ended already, ends between the two, ends after both, or never.
    for (number, (before, expected)) in
        [(Some(at(10)), at(10)), (Some(at(92)), at(90)), (Some(at(99)), at(90)), (None, at(90))]
            .into_iter()
            .enumerate()
    {
        for round in 0..ROUNDS {
            let name = format!("token_{number}_{round}");
            let old = insert(test, &ours, &name, before).await;
            let (first, second) = (format!("{name}_first"), format!("{name}_second"));
            tokio::join!(
                succeed(test, &ours, &old, at(95), &first),
                succeed(test, &ours, &old, at(90), &second),
            );
            assert_eq!(expiry(test, &ours, &old).await, Some(expected), "{before:?}");
            assert_eq!(test.new_audit().await, vec![format!("token.regenerate {name}"); 2]);
        }
    }
}
