//! Starred queries; how they are listed is in `starred_filters`.

use tidegauge_catalog::starred::StarredQuery;
use tidegauge_model::{ErrorKind, OrgId, StarredQueryId};

use crate::database::TestCatalog;
use crate::samples::{self, SEARCHED, at, starred};

async fn insert(test: &TestCatalog<'_>, org: &OrgId, starred: &StarredQuery) {
    test.insert_starred(org, starred, SEARCHED, &samples::change(org)).await.unwrap();
    test.new_audit().await;
}

async fn find(test: &TestCatalog<'_>, org: &OrgId, id: &str) -> Option<StarredQuery> {
    test.find_starred(org, &id.into()).await.unwrap()
}

/// A sample of which a caller has changed everything, allowed or not.
fn altered(id: &str) -> StarredQuery {
    StarredQuery {
        id: id.into(),
        kind: "analytics".to_owned(),
        name: "New name".to_owned(),
        who: "team".to_owned(),
        dataset: "web".to_owned(),
        metadata: "{}".to_owned(),
        query: r#"{"apl":"['web']"}"#.to_owned(),
        created: at(80),
        created_by: "user_intruder".into(),
        modified: at(81),
    }
}

pub(crate) async fn reads_back_what_was_inserted(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let wanted = starred("star_1");
    test.insert_starred(&ours, &wanted, SEARCHED, &samples::change(&ours)).await.unwrap();
    assert_eq!(test.new_audit().await, ["starredQuery.create star_1"]);
    assert_eq!(find(test, &ours, "star_1").await, Some(wanted));
    assert_eq!(test.database.searched(&"star_1".into()).await, SEARCHED);
    assert_eq!(find(test, &ours, "star_2").await, None);
}

pub(crate) async fn replaces_what_a_caller_may_set(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let before = starred("star_1");
    insert(test, &ours, &before).await;
    insert(test, &ours, &starred("star_2")).await;
    let (wanted, change) = (altered("star_1"), samples::change(&ours));
    assert!(test.replace_starred(&ours, &wanted, "changed", "logs", &change).await.unwrap());
    assert_eq!(test.new_audit().await, ["starredQuery.update star_1"]);
    let expected = StarredQuery { created: before.created, created_by: before.created_by, ..wanted };
    assert_eq!(find(test, &ours, "star_1").await, Some(expected));
    assert_eq!(test.database.searched(&"star_1".into()).await, "changed");
    assert_eq!(find(test, &ours, "star_2").await, Some(starred("star_2")));
    assert_eq!(test.database.searched(&"star_2".into()).await, SEARCHED);

    assert!(!test.replace_starred(&ours, &altered("star_9"), "changed", "logs", &change).await.unwrap());
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn deletes_a_starred_query(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    insert(test, &ours, &starred("star_1")).await;
    insert(test, &ours, &starred("star_2")).await;
    let (id, change) = (StarredQueryId::from("star_1"), samples::change(&ours));
    assert!(test.delete_starred(&ours, &id, "logs", &change).await.unwrap());
    assert_eq!(test.new_audit().await, ["starredQuery.delete star_1"]);
    assert_eq!(find(test, &ours, "star_1").await, None);
    assert_eq!(find(test, &ours, "star_2").await, Some(starred("star_2")));

    assert!(!test.delete_starred(&ours, &id, "logs", &change).await.unwrap());
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn refuses_an_id_twice(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    insert(test, &ours, &starred("star_1")).await;
    for org in [&ours, &theirs] {
        let refused =
            test.insert_starred(org, &altered("star_1"), "changed", &samples::change(org)).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Conflict);
    }
    assert_eq!(find(test, &ours, "star_1").await, Some(starred("star_1")));
    assert_eq!(test.database.searched(&"star_1".into()).await, SEARCHED);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn holds_changes_to_the_checked_dataset(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    insert(test, &ours, &starred("star_1")).await;
    let (id, change) = (StarredQueryId::from("star_1"), samples::change(&ours));
    for checked in ["web", "", "LOGS"] {
        assert!(!test.replace_starred(&ours, &altered("star_1"), "changed", checked, &change).await.unwrap());
        assert!(!test.delete_starred(&ours, &id, checked, &change).await.unwrap());
    }
    assert_eq!(find(test, &ours, "star_1").await, Some(starred("star_1")));
    assert_eq!(test.database.searched(&"star_1".into()).await, SEARCHED);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn stays_within_its_org(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    insert(test, &ours, &starred("star_1")).await;
    let (id, change) = (StarredQueryId::from("star_1"), samples::change(&theirs));
    assert_eq!(find(test, &theirs, "star_1").await, None);
    assert!(!test.replace_starred(&theirs, &altered("star_1"), "changed", "logs", &change).await.unwrap());
    assert!(!test.delete_starred(&theirs, &id, "logs", &change).await.unwrap());
    assert_eq!(find(test, &ours, "star_1").await, Some(starred("star_1")));
    assert_eq!(test.database.searched(&"star_1".into()).await, SEARCHED);
    assert!(test.new_audit().await.is_empty());
}
