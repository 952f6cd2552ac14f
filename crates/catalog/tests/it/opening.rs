//! Opening a catalogue: what it holds afterwards, and what makes it refuse.

use sqlx::AssertSqlSafe;
use tidegauge_catalog::{Catalog, Location, SealKey};
use tidegauge_model::{ErrorKind, Role};

use crate::database::{Database, KEY_BYTE, Plain, TestCatalog};
use crate::samples::{self, OWNER_DIGEST};

pub(crate) async fn answers_until_it_is_closed(test: &TestCatalog<'_>) {
    test.ping().await.unwrap();
    test.close().await;
    assert_eq!(test.ping().await.unwrap_err().kind(), ErrorKind::Unavailable);
}

pub(crate) async fn has_everything_when_opened_again(test: &TestCatalog<'_>) {
    let (org, _) = samples::two_orgs(test).await;
    let change = samples::change(&org);
    let newcomer = samples::person("user_new");
    let member = test.add_member(&org, &newcomer, Role::Admin, 10, &change).await.unwrap().unwrap();
    let token = samples::api_token("token_1", &org);
    test.insert_token(&token, "digest", &change).await.unwrap();
    let notifier = samples::notifier("notify_1");
    test.insert_notifier(&org, &notifier, &change).await.unwrap();
    let starred = samples::starred("star_1");
    test.insert_starred(&org, &starred, samples::SEARCHED, &change).await.unwrap();
    let audit = test.list_audit(Some(&org), samples::at(0), i64::MAX, 100).await.unwrap();
    test.close().await;

    let again = test.database.open(KEY_BYTE).await.unwrap();
    assert!(again.is_set_up().await.unwrap());
    assert_eq!(again.find_org(&org).await.unwrap().unwrap(), samples::org("org_ours"));
    assert_eq!(again.find_member(&org, &newcomer.id).await.unwrap().unwrap(), member);
    assert_eq!(again.find_token(&org, &token.id).await.unwrap().unwrap(), token);
    assert_eq!(again.find_notifier(&org, &notifier.id).await.unwrap().unwrap(), notifier);
    assert_eq!(again.find_starred(&org, &starred.id).await.unwrap().unwrap(), starred);
    assert_eq!(again.list_audit(Some(&org), samples::at(0), i64::MAX, 100).await.unwrap(), audit);
    assert!(again.find_bearer(OWNER_DIGEST, None).await.unwrap().is_some());
    again.close().await;
}

pub(crate) async fn refuses_another_key_and_still_opens_with_its_own(test: &TestCatalog<'_>) {
    let (org, _) = samples::two_orgs(test).await;
    let notifier = samples::notifier("notify_1");
    test.insert_notifier(&org, &notifier, &samples::change(&org)).await.unwrap();
    test.close().await;

    let refused = test.database.open(KEY_BYTE + 1).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Corrupt);
    let message = refused.to_string();
    assert!(message.contains("secret key") && message.contains("restore the key file"), "{message}");

    let again = test.database.open(KEY_BYTE).await.unwrap();
    assert_eq!(again.find_notifier(&org, &notifier.id).await.unwrap().unwrap(), notifier);
    again.close().await;
}

pub(crate) async fn refuses_the_schema_of_a_newer_version(test: &TestCatalog<'_>) {
    test.close().await;
    test.database.execute("UPDATE _sqlx_migrations SET version = 9999 WHERE version = 1").await;
    let message = test.database.open(KEY_BYTE).await.unwrap_err().to_string();
    assert!(message.contains("newer Tidegauge") && message.contains("9999"), "{message}");
}

pub(crate) async fn refuses_an_address_without_repeating_it(_: &TestCatalog<'_>) {
    let location = Location::Postgres("mysql//tide:swordfish@localhost".to_owned());
    let key = SealKey::new(&[KEY_BYTE; SealKey::LENGTH]);
    let refused = Catalog::open(&location, key).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert!(!format!("{refused:?}").contains("swordfish"), "{refused:?}");
}

pub(crate) async fn never_prints_the_address_of_a_server(_: &TestCatalog<'_>) {
    let location = Location::Postgres("postgres://tide:swordfish@harbour/catalog".to_owned());
    let printed = format!("{location:?} {:?}", Some(location.clone()));
    assert!(printed.contains("Postgres"), "{printed}");
    assert!(!printed.contains("swordfish") && !printed.contains("harbour"), "{printed}");
}

pub(crate) async fn tells_whether_changes_survive_a_power_cut(test: &TestCatalog<'_>) {
    let Plain::Postgres(pool) = &test.database.plain else {
        assert!(test.is_durable().await.unwrap());
        return;
    };
    // The server of scripts/with-postgres.sh does not wait for its disk; one that is named by hand may do so. A
    // database can only choose not to wait for a commit, and is told so in place of the server.
    let waits: String = sqlx::query_scalar("SHOW fsync").fetch_one(pool).await.unwrap();
    let name = pool.connect_options().get_database().unwrap().to_owned();
    for (commit, expected) in [("on", waits == "on"), ("local", waits == "on"), ("off", false)] {
        let statement = format!("ALTER DATABASE {name} SET synchronous_commit = '{commit}'");
        sqlx::query(AssertSqlSafe(statement)).execute(pool).await.unwrap();
        let again = test.database.open(KEY_BYTE).await.unwrap();
        assert_eq!(again.is_durable().await.unwrap(), expected, "fsync {waits}, commit {commit}");
        again.close().await;
    }
}

pub(crate) async fn two_nodes_at_once(database: &Database) {
    // Two connections that switch a new SQLite file to this journal may refuse each other; with it they wait.
    if let Plain::Sqlite(_) = database.plain {
        database.execute("PRAGMA journal_mode = WAL").await;
    }
    let (first, second) = tokio::join!(database.open(KEY_BYTE), database.open(KEY_BYTE));
    for node in [first.unwrap(), second.unwrap()] {
        assert!(!node.is_set_up().await.unwrap());
        node.close().await;
    }
}
