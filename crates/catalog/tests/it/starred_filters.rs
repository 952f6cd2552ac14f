//! Which starred queries a list holds.

use tidegauge_catalog::starred::{StarredFilter, StarredQuery, Whose};
use tidegauge_model::OrgId;

use crate::database::TestCatalog;
use crate::samples::{self, SEARCHED, starred};

const EVERYTHING: StarredFilter =
    StarredFilter { whose: Whose::All, dataset: None, text: None, visible: None, limit: 100, offset: 0 };

/// Stores queries in one organisation, and one that must never be listed in another.
async fn store(test: &TestCatalog<'_>, queries: &[StarredQuery]) -> OrgId {
    let queries: Vec<_> = queries.iter().map(|query| (query.clone(), SEARCHED.to_owned())).collect();
    store_searched(test, &queries).await
}

/// The same with what a search looks in, for each.
async fn store_searched(test: &TestCatalog<'_>, queries: &[(StarredQuery, String)]) -> OrgId {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    for (query, searched) in queries {
        test.insert_starred(&ours, query, searched, &change).await.unwrap();
    }
    test.insert_starred(&theirs, &starred("star_theirs"), SEARCHED, &change).await.unwrap();
    ours
}

async fn listed(test: &TestCatalog<'_>, org: &OrgId, filter: StarredFilter) -> Vec<String> {
    let found = test.list_starred(org, &filter).await.unwrap();
    found.into_iter().map(|query| query.id.into_string()).collect()
}

async fn listed_by_text(test: &TestCatalog<'_>, org: &OrgId, text: &str) -> Vec<String> {
    listed(test, org, StarredFilter { text: Some(text.to_owned()), ..EVERYTHING }).await
}

async fn listed_by_visible(test: &TestCatalog<'_>, org: &OrgId, names: &[&str]) -> Vec<String> {
    let visible = Some(names.iter().map(|&name| name.to_owned()).collect());
    listed(test, org, StarredFilter { visible, ..EVERYTHING }).await
}

pub(crate) async fn by_person(test: &TestCatalog<'_>) {
    let of = |id: &str, created_by: &str, who: &str| StarredQuery {
        created_by: created_by.into(),
        who: who.to_owned(),
        ..starred(id)
    };
    let ours = store(
        test,
        &[of("star_1", "user_a", "user_a"), of("star_2", "user_b", "team"), of("star_3", "user_b", "user_a")],
    )
    .await;
    let whose = |whose| StarredFilter { whose, ..EVERYTHING };
    assert_eq!(listed(test, &ours, whose(Whose::All)).await, ["star_1", "star_2", "star_3"]);
    assert_eq!(listed(test, &ours, whose(Whose::Of("user_a".to_owned()))).await, ["star_1", "star_3"]);
    assert_eq!(listed(test, &ours, whose(Whose::NotOf("user_a".to_owned()))).await, ["star_2"]);
    assert_eq!(listed(test, &ours, whose(Whose::Of("team".to_owned()))).await, ["star_2"]);
    assert!(listed(test, &ours, whose(Whose::Of("user_".to_owned()))).await.is_empty());
    assert_eq!(listed(test, &ours, whose(Whose::NotOf("user_c".to_owned()))).await.len(), 3);
    assert_eq!(listed(test, &"org_theirs".into(), EVERYTHING).await, ["star_theirs"]);
}

pub(crate) async fn by_dataset(test: &TestCatalog<'_>) {
    let of = |id: &str, dataset: &str| StarredQuery { dataset: dataset.to_owned(), ..starred(id) };
    let ours = store(test, &[of("star_1", "logs"), of("star_2", "log_s"), of("star_3", "")]).await;
    for (dataset, expected) in [("logs", "star_1"), ("log_s", "star_2"), ("", "star_3")] {
        let filter = StarredFilter { dataset: Some(dataset.to_owned()), ..EVERYTHING };
        assert_eq!(listed(test, &ours, filter).await, [expected], "{dataset}");
    }
    let filter = StarredFilter { dataset: Some("LOGS".to_owned()), ..EVERYTHING };
    assert!(listed(test, &ours, filter).await.is_empty());
}

pub(crate) async fn by_text_in_any_case(test: &TestCatalog<'_>) {
    let of = |id: &str, name: &str, query: &str| (starred(id), format!("{name}\n{query}").to_lowercase());
    let ours = store_searched(
        test,
        &[
            of("star_1", "Slow Requests", "['web'] | where took > 1s"),
            of("star_2", "errors", "['web'] | where Status == 500 and SLOW"),
            of("star_3", "ÜBERSICHT 日本", "['web']"),
        ],
    )
    .await;
    for text in ["slow", "SLOW", "sLoW"] {
        assert_eq!(listed_by_text(test, &ours, text).await, ["star_1", "star_2"], "{text}");
    }
    assert_eq!(listed_by_text(test, &ours, "slow requests").await, ["star_1"]);
    assert_eq!(listed_by_text(test, &ours, "STATUS == 500").await, ["star_2"]);
    assert_eq!(listed_by_text(test, &ours, "").await.len(), 3);
    assert!(listed_by_text(test, &ours, "slow requests ").await.is_empty());
    for text in ["ÜBERSICHT", "Übersicht", "übersicht", "日本"] {
        assert_eq!(listed_by_text(test, &ours, text).await, ["star_3"], "{text}");
    }
}

pub(crate) async fn by_text_with_the_signs_of_a_pattern(test: &TestCatalog<'_>) {
    let named = |id: &str, name: &str| (starred(id), name.to_lowercase());
    let ours = store_searched(
        test,
        &[
            named("star_1", "100% of all"),
            named("star_2", "1000 of all"),
            named("star_3", "snake_case"),
            named("star_4", "snakeXcase"),
            named("star_5", r"C:\logs"),
            named("star_6", "it's \"quoted\""),
        ],
    )
    .await;
    for (text, expected) in [
        ("100%", "star_1"),
        ("% OF", "star_1"),
        ("e_c", "star_3"),
        (r":\L", "star_5"),
        (r"\", "star_5"),
        ("'S \"QUO", "star_6"),
    ] {
        assert_eq!(listed_by_text(test, &ours, text).await, [expected], "{text}");
    }
    for text in ["%%", "__", r"\%", r"\_", r"\\", "1%l", "*", "[a-z]"] {
        assert!(listed_by_text(test, &ours, text).await.is_empty(), "{text}");
    }
}

pub(crate) async fn by_visible_datasets(test: &TestCatalog<'_>) {
    let of = |id: &str, dataset: &str| StarredQuery { dataset: dataset.to_owned(), ..starred(id) };
    let ours = store(
        test,
        &[
            of("star_1", "logs"),
            of("star_2", "web"),
            of("star_3", "web-logs"),
            of("star_4", ""),
            of("star_5", "logs\nweb"),
            of("star_6", "logs\n\nweb"),
        ],
    )
    .await;
    assert!(listed_by_visible(test, &ours, &[]).await.is_empty());
    assert_eq!(listed_by_visible(test, &ours, &["logs"]).await, ["star_1"]);
    assert_eq!(listed_by_visible(test, &ours, &["logs", "web"]).await, ["star_1", "star_2"]);
    assert_eq!(listed_by_visible(test, &ours, &["web-logs", "other"]).await, ["star_3"]);
    assert_eq!(listed_by_visible(test, &ours, &["web", ""]).await, ["star_2", "star_4"]);
    assert!(listed_by_visible(test, &ours, &["WEB", "log", "web-", "%", "_____"]).await.is_empty());

    let names: Vec<String> =
        (0..2_000).map(|number| format!("dataset-{number}")).chain(["web".into()]).collect();
    let filter = StarredFilter { visible: Some(names), ..EVERYTHING };
    assert_eq!(listed(test, &ours, filter).await, ["star_2"]);
}

pub(crate) async fn by_limit_and_offset(test: &TestCatalog<'_>) {
    let queries: Vec<StarredQuery> = (1..=5).rev().map(|number| starred(&format!("star_{number}"))).collect();
    let ours = store(test, &queries).await;
    let page = |limit, offset| StarredFilter { limit, offset, ..EVERYTHING };
    assert_eq!(listed(test, &ours, page(2, 0)).await, ["star_1", "star_2"]);
    assert_eq!(listed(test, &ours, page(2, 2)).await, ["star_3", "star_4"]);
    assert_eq!(listed(test, &ours, page(2, 4)).await, ["star_5"]);
    assert!(listed(test, &ours, page(2, 5)).await.is_empty());
    assert!(listed(test, &ours, page(0, 0)).await.is_empty());
    assert_eq!(listed(test, &ours, page(i64::MAX, 3)).await, ["star_4", "star_5"]);
    assert!(listed(test, &ours, page(1, i64::MAX)).await.is_empty());
}

pub(crate) async fn all_at_once(test: &TestCatalog<'_>) {
    let mut queries: Vec<(StarredQuery, String)> =
        (1..=6).map(|number| (starred(&format!("star_{number}")), "slow".to_owned())).collect();
    queries[0].0.dataset = "web".to_owned();
    queries[1].1 = "fast".to_owned();
    queries[2].0.created_by = "user_b".into();
    queries[2].0.who = "user_b".to_owned();
    let ours = store_searched(test, &queries).await;
    let filter = StarredFilter {
        whose: Whose::Of(samples::OWNER.to_owned()),
        dataset: Some("logs".to_owned()),
        text: Some("slow".to_owned()),
        visible: Some(vec!["web".to_owned(), "logs".to_owned()]),
        limit: 2,
        offset: 1,
    };
    assert_eq!(listed(test, &ours, filter).await, ["star_5", "star_6"]);
}
