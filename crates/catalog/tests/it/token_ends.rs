//! API tokens that end with the membership of who made them, where that was asked for.

use tidegauge_catalog::tokens::Token;
use tidegauge_catalog::users::Person;
use tidegauge_model::{OrgId, Role, Timestamp, UserId};

use crate::database::TestCatalog;
use crate::samples::{self, api_token, at, person};

const MAKER: &str = "user_maker";

/// Makes somebody a member who has accepted it.
async fn join(test: &TestCatalog<'_>, org: &OrgId) {
    let change = samples::change(org);
    test.add_member(org, &person(MAKER), Role::Admin, 100, &change).await.unwrap().unwrap();
    test.accept_membership(org, &MAKER.into(), &change).await.unwrap();
    test.new_audit().await;
}

async fn leave(test: &TestCatalog<'_>, org: &OrgId) {
    let change = samples::change(org);
    test.remove_member(org, &UserId::from(MAKER), Role::Admin, &change).await.unwrap().unwrap();
}

/// Stores a token of the maker.
async fn insert(
    test: &TestCatalog<'_>,
    org: &OrgId,
    id: &str,
    expires_at: Option<Timestamp>,
    ends_with_membership: bool,
) {
    let token = Token { person: MAKER.into(), expires_at, ends_with_membership, ..api_token(id, org) };
    test.insert_token(&token, &format!("digest of {id}"), &samples::change(org)).await.unwrap();
}

async fn is_found(test: &TestCatalog<'_>, id: &str) -> bool {
    test.find_bearer(&format!("digest of {id}"), None).await.unwrap().is_some()
}

async fn ends(test: &TestCatalog<'_>, org: &OrgId) -> Vec<(String, Option<Timestamp>)> {
    let tokens = test.list_tokens(org).await.unwrap();
    tokens.into_iter().map(|token| (token.id.into_string(), token.expires_at)).collect()
}

pub(crate) async fn ends_with_the_membership_of_its_maker_if_it_was_made_so(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    join(test, &ours).await;
    let (past, later, now) = (Some(at(1)), Some(at(9_000_000)), samples::change(&ours).at);
    insert(test, &ours, "token_1", None, false).await;
    insert(test, &ours, "token_2", None, true).await;
    insert(test, &ours, "token_3", later, true).await;
    insert(test, &ours, "token_4", past, true).await;
    // Somebody else's goes on.
    let others = Token { expires_at: None, ends_with_membership: true, ..api_token("token_5", &ours) };
    test.insert_token(&others, "digest of token_5", &samples::change(&ours)).await.unwrap();
    assert!(test.find_bearer("digest of token_2", None).await.unwrap().unwrap().ends_with_membership);
    assert!(!test.find_bearer("digest of token_1", None).await.unwrap().unwrap().ends_with_membership);
    test.new_audit().await;

    leave(test, &ours).await;
    assert_eq!(test.new_audit().await, ["user.delete user_maker", "token.end token_2", "token.end token_3"]);
    for (id, expected) in
        [("token_1", true), ("token_2", false), ("token_3", false), ("token_4", false), ("token_5", true)]
    {
        assert_eq!(is_found(test, id).await, expected, "{id}");
    }
    let expected = [
        ("token_1", None),
        ("token_2", Some(now)),
        ("token_3", Some(now)),
        ("token_4", past),
        ("token_5", None),
    ];
    assert_eq!(ends(test, &ours).await, expected.map(|(id, end)| (id.to_owned(), end)));
    assert!(ends(test, &theirs).await.is_empty());
}

pub(crate) async fn stays_ended_when_its_maker_comes_back(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    join(test, &ours).await;
    insert(test, &ours, "token_1", None, true).await;
    leave(test, &ours).await;
    // The same person is made a member again, by the way that an issuer goes.
    let change = samples::change(&ours);
    let waiting = Person { email: person(MAKER).email, ..person("user_waiting") };
    test.add_member(&ours, &waiting, Role::Admin, 100, &change).await.unwrap().unwrap();
    assert!(test.join_by_verified_email(&ours, &waiting.email, &MAKER.into(), &change).await.unwrap());
    let member = test.find_member(&ours, &MAKER.into()).await.unwrap().unwrap();
    assert!(member.accepted);
    assert_eq!(ends(test, &ours).await, [("token_1".to_owned(), Some(change.at))]);

    // Nor does a membership elsewhere count.
    insert(test, &ours, "token_2", None, true).await;
    assert!(is_found(test, "token_2").await);
    leave(test, &ours).await;
    let there = Person { email: person(MAKER).email, ..person("user_there") };
    let change = samples::change(&theirs);
    test.add_member(&theirs, &there, Role::Admin, 100, &change).await.unwrap().unwrap();
    assert!(test.join_by_verified_email(&theirs, &there.email, &MAKER.into(), &change).await.unwrap());
    assert!(!is_found(test, "token_2").await);
}

pub(crate) async fn has_ended_when_its_maker_was_removed_before(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    join(test, &ours).await;
    insert(test, &ours, "token_1", None, false).await;
    leave(test, &ours).await;
    test.new_audit().await;
    // The requests were let in while the person was a member.
    insert(test, &ours, "token_2", None, true).await;
    assert_eq!(test.new_audit().await, ["token.create token_2", "token.end token_2"]);
    let successor = Token {
        person: MAKER.into(),
        expires_at: None,
        ends_with_membership: true,
        ..api_token("token_3", &ours)
    };
    let change = samples::change(&ours);
    assert!(
        test.succeed_token(&"token_1".into(), at(90), &successor, "digest of token_3", &change)
            .await
            .unwrap()
    );
    for id in ["token_2", "token_3"] {
        assert!(!is_found(test, id).await, "{id}");
    }
    assert!(ends(test, &ours).await.iter().all(|(_, end)| end.is_some()));
}
