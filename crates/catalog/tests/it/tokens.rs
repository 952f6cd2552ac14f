//! API tokens of organisations and personal tokens of people; what follows one is in `token_successors`.

use tidegauge_catalog::Change;
use tidegauge_catalog::tokens::Token;
use tidegauge_model::{ErrorKind, OrgId, TokenId};
use tokio::task::JoinSet;

use crate::database::TestCatalog;
use crate::samples::{self, OWNER_DIGEST, api_token, at, personal_token};

async fn insert(test: &TestCatalog<'_>, token: &Token, digest: &str) {
    let change = samples::change(&"org_ours".into());
    test.insert_token(token, digest, &change).await.unwrap();
    test.new_audit().await;
}

async fn find(test: &TestCatalog<'_>, org: &OrgId, id: &str) -> Option<Token> {
    test.find_token(org, &id.into()).await.unwrap()
}

pub(crate) async fn reads_back_what_was_inserted(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let token = api_token("token_1", &ours);
    test.insert_token(&token, "digest 1", &samples::change(&ours)).await.unwrap();
    assert_eq!(test.new_audit().await, ["token.create token_1"]);
    assert_eq!(find(test, &ours, "token_1").await, Some(token));
    assert_eq!(find(test, &ours, "token_2").await, None);
}

pub(crate) async fn lists_api_tokens_by_org_and_all_tokens_for_the_operator(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let (first, second, other) =
        (api_token("token_1", &ours), api_token("token_2", &ours), api_token("token_3", &theirs));
    let personal = personal_token("token_4", samples::OTHER_OWNER);
    for (token, digest) in [(&second, "d2"), (&first, "d1"), (&other, "d3"), (&personal, "d4")] {
        insert(test, token, digest).await;
    }
    assert_eq!(test.list_tokens(&ours).await.unwrap(), [first.clone(), second.clone()]);
    assert_eq!(test.list_tokens(&theirs).await.unwrap(), std::slice::from_ref(&other));
    assert!(test.list_tokens(&"org_nowhere".into()).await.unwrap().is_empty());
    let owners = personal_token("token_owner", samples::OWNER);
    assert_eq!(test.list_all_tokens().await.unwrap(), [first, second, other, personal, owners]);
}

pub(crate) async fn refuses_an_id_or_a_digest_twice(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    insert(test, &api_token("token_1", &ours), "digest 1").await;
    let change = samples::change(&theirs);
    for (id, digest) in [("token_1", "digest 2"), ("token_2", "digest 1"), ("token_2", OWNER_DIGEST)] {
        let refused = test.insert_token(&api_token(id, &theirs), digest, &change).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Conflict, "{id} with {digest}");
    }
    assert!(test.list_tokens(&theirs).await.unwrap().is_empty());
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn deletes_an_api_token(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    insert(test, &api_token("token_1", &ours), "digest 1").await;
    insert(test, &api_token("token_2", &ours), "digest 2").await;
    let (id, change) = (TokenId::from("token_1"), samples::change(&ours));
    assert!(test.delete_token(&ours, &id, &change).await.unwrap());
    assert_eq!(test.new_audit().await, ["token.delete token_1"]);
    assert_eq!(test.list_tokens(&ours).await.unwrap(), [api_token("token_2", &ours)]);

    assert!(!test.delete_token(&ours, &id, &change).await.unwrap());
    assert!(!test.delete_token(&ours, &"token_owner".into(), &change).await.unwrap());
    assert_eq!(test.list_all_tokens().await.unwrap().len(), 2);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn revokes_any_token(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    insert(test, &api_token("token_1", &ours), "digest 1").await;
    let change = samples::change(&ours);
    for id in ["token_1", "token_owner"] {
        assert!(test.revoke_token(&id.into(), &change).await.unwrap());
        assert_eq!(test.new_audit().await, [format!("token.delete {id}")]);
        assert!(!test.revoke_token(&id.into(), &change).await.unwrap());
        assert!(test.new_audit().await.is_empty());
    }
    assert!(test.list_all_tokens().await.unwrap().is_empty());
}

pub(crate) async fn writes_a_revocation_to_the_org_of_the_token(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    insert(test, &api_token("token_1", &theirs), "digest 1").await;
    // Whatever the caller names, such as no organisation or another one.
    for (id, named) in [("token_1", None), ("token_owner", Some(ours.clone()))] {
        let change = Change { org: named, actor: "operator".to_owned(), ..samples::change(&ours) };
        assert!(test.revoke_token(&id.into(), &change).await.unwrap());
    }
    for (org, id) in [(Some(&theirs), "token_1"), (None, "token_owner")] {
        let entries = test.list_audit(org, at(0), i64::MAX, 100).await.unwrap();
        assert_eq!((entries[0].action.as_str(), entries[0].resource.as_str()), ("token.delete", id));
        assert_eq!((entries[0].actor.as_str(), entries[0].at), ("operator", at(60).as_micros()));
        assert_eq!(entries.iter().filter(|entry| entry.action == "token.delete").count(), 1);
    }
    assert_eq!(test.new_audit().await, ["token.delete token_1", "token.delete token_owner"]);
}

pub(crate) async fn keeps_the_newest_time_of_use(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    insert(test, &api_token("token_1", &ours), "digest 1").await;
    insert(test, &api_token("token_2", &ours), "digest 2").await;
    let (first, second) = (TokenId::from("token_1"), TokenId::from("token_2"));
    let uses = [(first.clone(), at(50)), (first.clone(), at(40)), ("token_gone".into(), at(50))];
    test.touch_tokens(&uses).await.unwrap();
    test.touch_tokens(&[(second.clone(), at(10)), (first.clone(), at(45))]).await.unwrap();
    test.touch_tokens(&[(second.clone(), at(20))]).await.unwrap();
    test.touch_tokens(&[]).await.unwrap();
    assert_eq!(find(test, &ours, "token_1").await.unwrap().last_used_at, Some(at(50)));
    assert_eq!(find(test, &ours, "token_2").await.unwrap().last_used_at, Some(at(20)));
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn takes_concurrent_uses_in_any_order(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let ids: Vec<TokenId> = (0..20).map(|number| TokenId::from(format!("token_{number:02}"))).collect();
    for id in &ids {
        insert(test, &api_token(id.as_str(), &ours), id.as_str()).await;
    }
    let mut nodes = JoinSet::new();
    for round in 0..20 {
        let (catalog, mut ids) = (test.shared(), ids.clone());
        if round % 2 == 1 {
            ids.reverse();
        }
        let uses: Vec<_> = ids.into_iter().map(|id| (id, at(round))).collect();
        nodes.spawn(async move { catalog.touch_tokens(&uses).await.unwrap() });
    }
    nodes.join_all().await;
    let tokens = test.list_tokens(&ours).await.unwrap();
    assert!(tokens.iter().all(|token| token.last_used_at == Some(at(19))), "{tokens:?}");
}

pub(crate) async fn stays_within_its_org(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let token = api_token("token_1", &ours);
    insert(test, &token, "digest 1").await;
    let change = samples::change(&theirs);
    assert_eq!(find(test, &theirs, "token_1").await, None);
    assert!(test.list_tokens(&theirs).await.unwrap().is_empty());
    assert!(!test.delete_token(&theirs, &token.id, &change).await.unwrap());
    let successor = api_token("token_2", &theirs);
    assert!(!test.succeed_token(&token.id, at(90), &successor, "digest 2", &change).await.unwrap());
    let personal = personal_token("token_2", samples::OWNER);
    assert!(!test.succeed_token(&token.id, at(90), &personal, "digest 2", &change).await.unwrap());
    assert_eq!(test.list_tokens(&ours).await.unwrap(), [token]);
    assert!(test.find_bearer("digest 2", None).await.unwrap().is_none());
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn reports_capabilities_that_cannot_be_read(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    insert(test, &api_token("token_1", &ours), "digest 1").await;
    test.database.execute(r#"UPDATE token SET capabilities = '{"org":{"moon":["read"]}}'"#).await;
    for error in [
        test.find_token(&ours, &"token_1".into()).await.unwrap_err(),
        test.find_bearer("digest 1", None).await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.to_string().contains("moon"), "{error}");
    }
}
