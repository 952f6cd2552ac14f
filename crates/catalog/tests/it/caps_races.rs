//! No cap is passed when many callers insert at the same moment. Each case runs a few rounds: in the first the
//! callers wait for their connections, from then on they do meet.

use std::sync::Arc;

use tidegauge_catalog::limits::{NOTIFIERS_MAX, ORGS_OWNED_MAX, STARRED_QUERIES_MAX, TOKENS_MAX};
use tidegauge_catalog::{Catalog, Error};
use tidegauge_model::{ErrorKind, OrgId};
use tokio::task::JoinSet;

use crate::caps::OWN_THE_COPIES;
use crate::database::TestCatalog;
use crate::samples::{self, OWNER, SEARCHED, api_token, at, notifier, starred};

const ROUNDS: usize = 4;
const CALLERS: usize = 20;

/// How many more there can be when the callers begin.
const ROOM: i64 = 5;

/// Lets all callers insert one at once, each under a name of its own, and checks that only as many succeed as
/// there was room for.
async fn check_race<Insert>(test: &TestCatalog<'_>, insert: impl Fn(Arc<Catalog>, String) -> Insert)
where
    Insert: Future<Output = Result<(), Error>> + Send + 'static,
{
    test.new_audit().await;
    let mut callers = JoinSet::new();
    for number in 0..CALLERS {
        callers.spawn(insert(test.shared(), format!("race_{number}")));
    }
    let outcomes = callers.join_all().await;
    let refusals: Vec<ErrorKind> =
        outcomes.iter().filter_map(|it| it.as_ref().err()).map(Error::kind).collect();
    assert_eq!(refusals, [ErrorKind::LimitReached; 15]);
    assert_eq!(test.new_audit().await.len(), 5);
}

pub(crate) async fn of_notifiers(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    test.insert_notifier(&ours, &notifier("notify"), &samples::change(&ours)).await.unwrap();
    test.database.copy_row("notifier", "notify", NOTIFIERS_MAX - ROOM - 1).await;
    for _ in 0..ROUNDS {
        check_race(test, |catalog, id| {
            let ours = ours.clone();
            async move { catalog.insert_notifier(&ours, &notifier(&id), &samples::change(&ours)).await }
        })
        .await;
        assert_eq!(test.database.count("notifier").await, NOTIFIERS_MAX);
        test.database.execute("DELETE FROM notifier WHERE id LIKE 'race%'").await;
    }
}

/// Inserts a token, or half of the time one that follows another.
async fn insert_token(catalog: Arc<Catalog>, ours: OrgId, id: String) -> Result<(), Error> {
    let (token, change) = (api_token(&id, &ours), samples::change(&ours));
    if id.ends_with(['0', '2', '4', '6', '8']) {
        return catalog.insert_token(&token, &id, &change).await;
    }
    let found = catalog.succeed_token(&"token".into(), at(90), &token, &id, &change).await?;
    assert!(found);
    Ok(())
}

pub(crate) async fn of_api_tokens(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    test.insert_token(&api_token("token", &ours), "digest", &samples::change(&ours)).await.unwrap();
    test.database.copy_row("token", "token", TOKENS_MAX - ROOM - 1).await;
    for _ in 0..ROUNDS {
        check_race(test, |catalog, id| insert_token(catalog, ours.clone(), id)).await;
        // One more is the personal token of the owner.
        assert_eq!(test.database.count("token").await, TOKENS_MAX + 1);
        test.database.execute("DELETE FROM token WHERE id LIKE 'race%'").await;
    }
}

pub(crate) async fn of_starred_queries(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    test.insert_starred(&ours, &starred("star"), SEARCHED, &samples::change(&ours)).await.unwrap();
    test.database.copy_row("starred_query", "star", STARRED_QUERIES_MAX - ROOM - 1).await;
    for _ in 0..ROUNDS {
        check_race(test, |catalog, id| {
            let ours = ours.clone();
            let change = samples::change(&ours);
            async move { catalog.insert_starred(&ours, &starred(&id), SEARCHED, &change).await }
        })
        .await;
        assert_eq!(test.database.count("starred_query").await, STARRED_QUERIES_MAX);
        test.database.execute("DELETE FROM starred_query WHERE id LIKE 'race%'").await;
    }
}

pub(crate) async fn of_organisations_owned(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    test.database.copy_row("org", "org_ours", ORGS_OWNED_MAX - ROOM - 1).await;
    test.database.execute(OWN_THE_COPIES).await;
    for _ in 0..ROUNDS {
        check_race(test, |catalog, id| async move {
            let org = samples::org(&id);
            catalog.insert_org(&org, &OWNER.into(), &samples::change(&org.id)).await
        })
        .await;
        // One more is the organisation of another.
        assert_eq!(test.database.count("org").await, ORGS_OWNED_MAX + 1);
        test.database.execute("DELETE FROM membership WHERE org_id LIKE 'race%'").await;
        test.database.execute("DELETE FROM org WHERE id LIKE 'race%'").await;
    }
}
