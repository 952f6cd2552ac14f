//! How much a page of starred queries can hold, and what a search looks in.

use tidegauge_catalog::Error;
use tidegauge_catalog::limits::LIST_BYTES_MAX;
use tidegauge_catalog::starred::{StarredFilter, StarredQuery, Whose};
use tidegauge_model::{ErrorKind, OrgId};

use crate::database::TestCatalog;
use crate::samples::{self, SEARCHED, starred};

/// Queries that fill a page to the last byte.
const FULL: i64 = 32;

const PAGE: StarredFilter =
    StarredFilter { whose: Whose::All, dataset: None, text: None, visible: None, limit: 100, offset: 0 };

async fn insert(test: &TestCatalog<'_>, org: &OrgId, starred: &StarredQuery) {
    test.insert_starred(org, starred, SEARCHED, &samples::change(org)).await.unwrap();
}

/// Stores queries whose documents together have exactly as many bytes as a page can hold.
async fn fill(test: &TestCatalog<'_>) -> OrgId {
    let (ours, _) = samples::two_orgs(test).await;
    let metadata = "{}".to_owned();
    // Bytes are counted, not characters: each of these has two.
    let query = "ü".repeat((LIST_BYTES_MAX / 32 - metadata.len()) / 2);
    insert(test, &ours, &StarredQuery { metadata, query, ..starred("star") }).await;
    test.database.copy_row("starred_query", "star", FULL - 1).await;
    ours
}

async fn list(test: &TestCatalog<'_>, org: &OrgId, filter: StarredFilter) -> Result<usize, Error> {
    Ok(test.list_starred(org, &filter).await?.len())
}

async fn check_too_large(test: &TestCatalog<'_>, org: &OrgId, filter: StarredFilter) {
    let refused = list(test, org, filter).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::TooLarge);
    assert!(refused.to_string().contains("limit"), "{refused}");
}

pub(crate) async fn hold_up_to_the_most_bytes(test: &TestCatalog<'_>) {
    let ours = fill(test).await;
    assert_eq!(list(test, &ours, PAGE).await.unwrap(), 32);

    let small = StarredQuery { metadata: String::new(), query: "1".to_owned(), ..starred("star_x") };
    insert(test, &ours, &small).await;
    check_too_large(test, &ours, PAGE).await;
    // In parts, all of it can be had.
    assert_eq!(list(test, &ours, StarredFilter { limit: FULL, ..PAGE }).await.unwrap(), 32);
    assert_eq!(list(test, &ours, StarredFilter { offset: FULL, ..PAGE }).await.unwrap(), 1);
    assert_eq!(list(test, &ours, StarredFilter { offset: 1, ..PAGE }).await.unwrap(), 32);
    // What the filter leaves out does not count.
    let nowhere = StarredFilter { dataset: Some("web".to_owned()), ..PAGE };
    assert_eq!(list(test, &ours, nowhere).await.unwrap(), 0);
}

pub(crate) async fn count_the_metadata_too(test: &TestCatalog<'_>) {
    let ours = fill(test).await;
    let small = StarredQuery { metadata: "1".to_owned(), query: String::new(), ..starred("star_x") };
    insert(test, &ours, &small).await;
    check_too_large(test, &ours, PAGE).await;
    assert_eq!(list(test, &"org_theirs".into(), PAGE).await.unwrap(), 0);
}

pub(crate) async fn leave_the_catalogue_answering(test: &TestCatalog<'_>) {
    let ours = fill(test).await;
    insert(test, &ours, &starred("star_x")).await;
    // More often than there are connections that a page left half read could block.
    for _ in 0..20 {
        check_too_large(test, &ours, PAGE).await;
    }
    for _ in 0..20 {
        assert_eq!(list(test, &ours, StarredFilter { offset: FULL, ..PAGE }).await.unwrap(), 1);
    }
    insert(test, &ours, &starred("star_y")).await;
}

pub(crate) async fn search_what_was_given_last(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let (query, change) = (starred("star_1"), samples::change(&ours));
    test.insert_starred(&ours, &query, "high water", &change).await.unwrap();
    let found = async |text: &str| {
        list(test, &ours, StarredFilter { text: Some(text.to_owned()), ..PAGE }).await.unwrap()
    };
    // The text alone counts, not the name or the query it was made from.
    assert_eq!((found("Water").await, found("count").await, found("Query star_1").await), (1, 0, 0));
    assert!(test.replace_starred(&ours, &query, "low water", "logs", &change).await.unwrap());
    assert_eq!((found("LOW water").await, found("high").await), (1, 0));
    assert!(!test.replace_starred(&ours, &query, "no water", "web", &change).await.unwrap());
    assert_eq!((found("low").await, found("no water").await), (1, 0));
}
