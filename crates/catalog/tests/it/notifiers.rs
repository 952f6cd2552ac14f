//! Notifiers, and the sealing of their properties.

use tidegauge_catalog::notifiers::{Notifier, Unsent};
use tidegauge_model::notifier::DisabledUntil;
use tidegauge_model::{ErrorKind, NotifierId, OrgId};

use crate::database::{Plain, TestCatalog};
use crate::samples::{self, SECRET, at, notifier};

async fn insert(test: &TestCatalog<'_>, org: &OrgId, notifier: &Notifier) {
    test.insert_notifier(org, notifier, &samples::change(org)).await.unwrap();
    test.new_audit().await;
}

fn disabled_notifier(id: &str) -> Notifier {
    let text = "2030-01-01T02:00:00+02:00".to_owned();
    Notifier { disabled_until: Some(DisabledUntil { text, time: at(70) }), ..notifier(id) }
}

pub(crate) async fn reads_back_what_was_inserted(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let (first, second) = (notifier("notify_1"), disabled_notifier("notify_2"));
    for notifier in [&second, &first] {
        test.insert_notifier(&ours, notifier, &samples::change(&ours)).await.unwrap();
        assert_eq!(test.new_audit().await, [format!("notifier.create {}", notifier.id)]);
    }
    insert(test, &theirs, &notifier("notify_3")).await;
    assert_eq!(test.find_notifier(&ours, &first.id).await.unwrap().unwrap(), first);
    assert_eq!(test.find_notifier(&ours, &second.id).await.unwrap().unwrap(), second);
    assert_eq!(test.list_notifiers(&ours).await.unwrap(), [first, second]);
    assert_eq!(test.find_notifier(&ours, &"notify_9".into()).await.unwrap(), None);
}

pub(crate) async fn replaces_what_a_caller_may_set(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let (before, bystander) = (disabled_notifier("notify_1"), notifier("notify_2"));
    insert(test, &ours, &before).await;
    insert(test, &ours, &bystander).await;
    let wanted = Notifier {
        name: "New name".to_owned(),
        channel: "email".to_owned(),
        properties: r#"{"email":{"emails":["a@b"]}}"#.to_owned(),
        disabled_until: None,
        created: at(80),
        created_by: "user_intruder".into(),
        modified: at(81),
        id: before.id.clone(),
    };
    let change = samples::change(&ours);
    let replaced = test.replace_notifier(&ours, &wanted, Unsent::Withdraw, &change).await.unwrap().unwrap();
    assert_eq!(test.new_audit().await, ["notifier.update notify_1"]);
    let expected = Notifier { created: before.created, created_by: before.created_by, ..wanted.clone() };
    assert_eq!(replaced, expected);
    assert_eq!(test.list_notifiers(&ours).await.unwrap(), [expected, bystander]);

    let unknown = Notifier { id: "notify_9".into(), ..wanted };
    assert_eq!(test.replace_notifier(&ours, &unknown, Unsent::Withdraw, &change).await.unwrap(), None);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn deletes_a_notifier(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    insert(test, &ours, &notifier("notify_1")).await;
    insert(test, &ours, &notifier("notify_2")).await;
    let (id, change) = (NotifierId::from("notify_1"), samples::change(&ours));
    assert!(test.delete_notifier(&ours, &id, &change).await.unwrap());
    assert_eq!(test.new_audit().await, ["notifier.delete notify_1"]);
    assert!(!test.delete_notifier(&ours, &id, &change).await.unwrap());
    assert!(test.new_audit().await.is_empty());
    assert_eq!(test.list_notifiers(&ours).await.unwrap(), [notifier("notify_2")]);
}

pub(crate) async fn refuses_an_id_twice(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    insert(test, &ours, &notifier("notify_1")).await;
    for org in [&ours, &theirs] {
        let change = samples::change(org);
        let same = disabled_notifier("notify_1");
        let refused = test.insert_notifier(org, &same, &change).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Conflict);
    }
    assert_eq!(test.list_notifiers(&ours).await.unwrap(), [notifier("notify_1")]);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn stays_within_its_org(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let notifier = notifier("notify_1");
    insert(test, &ours, &notifier).await;
    let change = samples::change(&theirs);
    assert_eq!(test.find_notifier(&theirs, &notifier.id).await.unwrap(), None);
    assert!(test.list_notifiers(&theirs).await.unwrap().is_empty());
    let stolen = Notifier { name: "Stolen".to_owned(), ..notifier.clone() };
    assert_eq!(test.replace_notifier(&theirs, &stolen, Unsent::Withdraw, &change).await.unwrap(), None);
    assert!(!test.delete_notifier(&theirs, &notifier.id, &change).await.unwrap());
    assert_eq!(test.list_notifiers(&ours).await.unwrap(), [notifier]);
    assert!(test.new_audit().await.is_empty());
}

/// All that is stored of a notifier: the whole database on SQLite, its row on PostgreSQL.
async fn stored_bytes(test: &TestCatalog<'_>) -> Vec<u8> {
    match &test.database.plain {
        Plain::Sqlite(_) => {
            let file = test.database.folder().join("catalog.db");
            let log = file.with_extension("db-wal");
            [std::fs::read(file).unwrap(), std::fs::read(log).unwrap()].concat()
        }
        Plain::Postgres(pool) => {
            let row = "SELECT convert_to(notifier::text, 'UTF8') || properties FROM notifier";
            sqlx::query_scalar(row).fetch_one(pool).await.unwrap()
        }
    }
}

pub(crate) async fn keeps_properties_unreadable_in_the_database(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let notifier = notifier("notify_1");
    let contains = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(notifier.properties.contains(SECRET));
    insert(test, &ours, &notifier).await;
    test.replace_notifier(&ours, &notifier, Unsent::Withdraw, &samples::change(&ours))
        .await
        .unwrap()
        .unwrap();

    let stored = stored_bytes(test).await;
    assert!(contains(&stored, &notifier.name), "the row itself must be among the bytes");
    assert!(!contains(&stored, SECRET));
    assert!(!contains(&stored, "https://"));
}

pub(crate) async fn refuses_properties_moved_from_another_row(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    insert(test, &ours, &notifier("notify_1")).await;
    insert(test, &theirs, &notifier("notify_2")).await;
    test.database
        .execute(
            "UPDATE notifier SET properties = (SELECT properties FROM notifier WHERE id = 'notify_1') \
             WHERE id = 'notify_2'",
        )
        .await;
    let error = test.find_notifier(&theirs, &"notify_2".into()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.to_string().contains("notify_2"), "{error}");
    assert!(!error.to_string().contains(SECRET), "{error}");

    test.database.execute("UPDATE notifier SET org_id = 'org_theirs' WHERE id = 'notify_1'").await;
    let error = test.find_notifier(&theirs, &"notify_1".into()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
}
