//! Signing keys, and clients of the embedded authorisation server with their secrets.

use tidegauge_catalog::oauth::{OAuthClient, SigningKey};
use tidegauge_model::oauth::GrantType;
use tidegauge_model::{ErrorKind, OrgId};
use tokio::task::JoinSet;

use crate::database::{TestCatalog, plain};
use crate::samples::{self, at};

pub(crate) fn client(id: &str, org: Option<&OrgId>) -> OAuthClient {
    OAuthClient {
        id: id.into(),
        org: org.cloned(),
        name: format!("Client {id}"),
        redirect_uris: vec!["https://example.com/back".to_owned(), "com.example:/back".to_owned()],
        grants: GrantType::ALL.to_vec(),
        is_public: false,
        capabilities: samples::capabilities(),
        created: at(7),
        created_by: samples::OWNER.to_owned(),
        modified: at(8),
    }
}

fn key(number: i64) -> SigningKey {
    SigningKey {
        number,
        kid: format!("kid {number}"),
        public: r#"{"kty":"EC"}"#.to_owned(),
        private: "the private part".to_owned(),
        created: at(number),
        begins: at(number * 100),
        retires: None,
    }
}

pub(crate) async fn keys_read_back_and_are_sealed(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    assert!(test.add_signing_key(&key(1), at(0), &change).await.unwrap());
    assert!(test.add_signing_key(&key(2), at(250), &change).await.unwrap());
    let retired = SigningKey { retires: Some(at(250)), ..key(1) };
    assert_eq!(test.list_signing_keys().await.unwrap(), [retired, key(2)]);
    assert_eq!(test.new_audit().await, ["oauth.key.create kid 1", "oauth.key.create kid 2"]);
    assert!(!format!("{:?}", key(1)).contains("private part"));
    let stored: Vec<u8> = plain!(test.database, pool => {
        sqlx::query_scalar("SELECT private FROM oauth_key WHERE number = 1").fetch_one(pool).await.unwrap()
    });
    assert!(!String::from_utf8_lossy(&stored).contains("private"));

    assert_eq!(test.forget_signing_keys_retired_before(at(250)).await.unwrap(), 0);
    assert_eq!(test.forget_signing_keys_retired_before(at(251)).await.unwrap(), 1);
    assert_eq!(test.list_signing_keys().await.unwrap(), [key(2)]);
    // What was sealed for one key does not open for another.
    test.database.execute("UPDATE oauth_key SET kid = 'other'").await;
    assert_eq!(test.list_signing_keys().await.unwrap_err().kind(), ErrorKind::Corrupt);
}

pub(crate) async fn keys_are_made_by_one_of_many_nodes(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let mut nodes = JoinSet::new();
    for node in 0..8 {
        let (catalog, change) = (test.shared(), samples::change(&ours));
        let key = SigningKey { kid: format!("of node {node}"), ..key(1) };
        nodes.spawn(async move { catalog.add_signing_key(&key, at(0), &change).await.unwrap() });
    }
    let made = nodes.join_all().await.into_iter().filter(|made| *made).count();
    assert_eq!((made, test.list_signing_keys().await.unwrap().len()), (1, 1));
}

pub(crate) async fn read_back_what_was_inserted(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let (client, registered) = (client("client_1", Some(&ours)), client("client_2", None));
    let change = samples::change(&ours);
    test.insert_oauth_client(&client, Some("digest"), 0, &change).await.unwrap();
    test.insert_oauth_client(&registered, None, 1, &change).await.unwrap();
    assert_eq!(test.new_audit().await, ["oauth.client.create client_1", "oauth.client.create client_2"]);
    let (found, secrets) = test.find_oauth_client(&client.id).await.unwrap().unwrap();
    assert_eq!((&found, secrets.digest.as_deref()), (&client, Some("digest")));
    assert_eq!(test.list_oauth_clients(&ours).await.unwrap(), [client]);
    assert!(test.list_oauth_clients(&theirs).await.unwrap().is_empty());
    assert!(test.find_oauth_client(&"client_3".into()).await.unwrap().is_none());

    let refused = test.insert_oauth_client(&self::client("client_4", None), None, 1, &change).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::LimitReached);
    assert_eq!(test.forget_unused_registered_clients(at(8)).await.unwrap(), 1);
}

pub(crate) async fn are_changed_within_their_org(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let first = client("client_1", Some(&ours));
    let change = samples::change(&ours);
    test.insert_oauth_client(&first, Some("digest"), 0, &change).await.unwrap();
    test.new_audit().await;
    let renamed = OAuthClient { name: "Another".to_owned(), grants: Vec::new(), ..first.clone() };
    assert_eq!(test.replace_oauth_client(&theirs, &renamed, &change).await.unwrap(), None);
    assert_eq!(test.replace_oauth_client(&ours, &renamed, &change).await.unwrap(), Some(renamed));
    assert!(!test.replace_client_secret(&theirs, &first.id, "d2", at(90), &change).await.unwrap());
    assert!(test.replace_client_secret(&ours, &first.id, "d2", at(90), &change).await.unwrap());
    let (_, secrets) = test.find_oauth_client(&first.id).await.unwrap().unwrap();
    assert_eq!(secrets.digest.as_deref(), Some("d2"));
    assert_eq!(secrets.former, Some(("digest".to_owned(), at(90))));
    assert!(!test.delete_oauth_client(&theirs, &first.id, &change).await.unwrap());
    assert!(test.delete_oauth_client(&ours, &first.id, &change).await.unwrap());
    assert!(!test.delete_oauth_client(&ours, &first.id, &change).await.unwrap());
    let recorded = ["oauth.client.update", "oauth.client.secret", "oauth.client.delete"];
    assert_eq!(test.new_audit().await, recorded.map(|action| format!("{action} client_1")));
}

pub(crate) async fn are_refused_beyond_the_limit(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    test.insert_oauth_client(&client("client_0", Some(&ours)), None, 0, &change).await.unwrap();
    test.database.copy_row("oauth_client", "client_0", 999).await;
    let refused = test.insert_oauth_client(&client("client_x", Some(&ours)), None, 0, &change).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::LimitReached);
}

pub(crate) async fn are_reported_when_they_cannot_be_read(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    test.insert_oauth_client(&client("client_1", Some(&ours)), None, 0, &change).await.unwrap();
    for damage in
        ["UPDATE oauth_client SET grants = 'password'", "UPDATE oauth_client SET redirect_uris = 'x'"]
    {
        test.database.execute(damage).await;
        let error = test.find_oauth_client(&"client_1".into()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{damage}");
    }
}
