//! Queries that were kept.

use tidegauge_catalog::query_history::SavedQuery;
use tidegauge_catalog::starred::Whose;
use tidegauge_model::{ErrorKind, OrgId};

use crate::database::TestCatalog;
use crate::samples::{self, OWNER, at};

const MANY: i64 = 1_000;

fn saved(id: &str, seconds: i64) -> SavedQuery {
    SavedQuery {
        id: id.to_owned(),
        kind: "stream".to_owned(),
        dataset: "logs".to_owned(),
        who: OWNER.to_owned(),
        query: format!("{{\"startTime\": \"{seconds}\", \"big\": 123456789012345678901}}"),
        created: at(seconds),
    }
}

async fn kept(test: &TestCatalog<'_>, org: &OrgId, ids: &[&str]) -> Vec<bool> {
    let mut found = Vec::new();
    for id in ids {
        found.push(test.find_saved_query(org, id).await.unwrap().is_some());
    }
    found
}

pub(crate) async fn reads_back_what_was_kept(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    test.insert_saved_query(&ours, &saved("a", 1)).await.unwrap();
    assert_eq!(test.find_saved_query(&ours, "a").await.unwrap(), Some(saved("a", 1)));
    assert_eq!(test.find_saved_query(&ours, "b").await.unwrap(), None);
    assert_eq!(test.find_saved_query(&theirs, "a").await.unwrap(), None);
}

pub(crate) async fn refuses_an_id_twice(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    test.insert_saved_query(&ours, &saved("a", 1)).await.unwrap();
    let refused = test.insert_saved_query(&theirs, &saved("a", 2)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(test.find_saved_query(&ours, "a").await.unwrap(), Some(saved("a", 1)));
}

pub(crate) async fn lists_the_newest_first_and_goes_on_behind_one(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    // Two of the same moment, and one of somebody else.
    for (org, id, seconds) in
        [(&ours, "a", 1), (&ours, "b", 2), (&ours, "c", 2), (&ours, "d", 3), (&theirs, "e", 9)]
    {
        let who = if id == "d" { "user_x" } else { OWNER };
        let saved = SavedQuery { who: who.to_owned(), ..saved(id, seconds) };
        test.insert_saved_query(org, &saved).await.unwrap();
    }
    let listed = async |whose: Whose, behind: Option<(i64, &str)>, limit| {
        let behind = behind.map(|(seconds, id)| (at(seconds), id));
        let found = test.list_saved_queries(&ours, &whose, behind, limit).await.unwrap();
        found.into_iter().map(|saved| saved.id).collect::<Vec<_>>().concat()
    };
    assert_eq!(listed(Whose::All, None, 9).await, "dcba");
    assert_eq!(listed(Whose::All, None, 2).await, "dc");
    assert_eq!(listed(Whose::All, Some((2, "c")), 9).await, "ba");
    assert_eq!(listed(Whose::Of(OWNER.to_owned()), None, 9).await, "cba");
    assert_eq!(listed(Whose::NotOf(OWNER.to_owned()), None, 9).await, "d");
}

pub(crate) async fn drops_what_is_old_and_what_is_beyond_the_newest(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    for (org, id, seconds) in
        [(&ours, "a", 1), (&ours, "b", 5), (&ours, "c", 3), (&ours, "d", 4), (&theirs, "e", 2)]
    {
        test.insert_saved_query(org, &saved(id, seconds)).await.unwrap();
    }
    assert_eq!(test.prune_saved_queries(at(0), MANY).await.unwrap(), 0);
    assert_eq!(test.prune_saved_queries(at(2), MANY).await.unwrap(), 1);
    assert_eq!(kept(test, &ours, &["a", "b", "c", "d"]).await, [false, true, true, true]);
    assert_eq!(kept(test, &theirs, &["e"]).await, [true]);
    assert_eq!(test.prune_saved_queries(at(0), 2).await.unwrap(), 1);
    assert_eq!(kept(test, &ours, &["b", "c", "d"]).await, [true, false, true]);
    assert_eq!(kept(test, &theirs, &["e"]).await, [true]);

    for number in 0..1_500 {
        test.insert_saved_query(&ours, &saved(&format!("many_{number}"), 10)).await.unwrap();
    }
    assert_eq!(test.prune_saved_queries(at(0), 1).await.unwrap(), 1_501);
}
