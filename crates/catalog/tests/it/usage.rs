//! What organisations have used.

use tidegauge_catalog::usage::{DayOfDataset, QueryCost};
use tidegauge_model::{ErrorKind, OrgId};

use crate::database::TestCatalog;
use crate::event_samples::{insert, segment};
use crate::samples::{self, at};

pub(crate) async fn is_added_up_by_org_and_month(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let month = |number: u32| format!("2026-{number:02}");
    let used = [(ours.clone(), month(1), 5), (theirs.clone(), month(1), 7), (ours.clone(), month(1), 11)];
    test.add_usage(&used).await.unwrap();
    test.add_usage(&[(ours.clone(), month(2), 13), (ours.clone(), month(1), 100)]).await.unwrap();
    test.add_usage(&[]).await.unwrap();
    assert_eq!(test.usage(&ours, &month(1)).await.unwrap(), 116);
    assert_eq!(test.usage(&ours, &month(2)).await.unwrap(), 13);
    assert_eq!(test.usage(&ours, &month(3)).await.unwrap(), 0);
    assert_eq!(test.usage(&theirs, &month(1)).await.unwrap(), 7);
    assert_eq!(test.usage(&theirs, &month(2)).await.unwrap(), 0);
    let refused = test.add_usage(&[(ours, month(1), u64::MAX)]).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
}

pub(crate) async fn of_queries_is_counted_apart(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let month = "2026-01".to_owned();
    let used = [cost(&ours, "2026-01-01", "a", 5), cost(&ours, "2026-01-31", "", 6)];
    test.add_query_usage(&used).await.unwrap();
    test.add_query_usage(&used[..1]).await.unwrap();
    test.add_query_usage(&[]).await.unwrap();
    assert_eq!(test.query_usage(&ours, &month).await.unwrap(), 16);
    assert_eq!(test.query_usage(&ours, "2026-02").await.unwrap(), 0);
    assert_eq!(test.query_usage(&theirs, &month).await.unwrap(), 0);
    assert_eq!(test.usage(&ours, &month).await.unwrap(), 0);
}

/// What queries of a dataset cost on a day.
pub(crate) fn cost(org: &OrgId, day: &str, dataset: &str, cost: u64) -> QueryCost {
    QueryCost { org: org.clone(), day: day.to_owned(), dataset: dataset.to_owned(), cost }
}

fn day(day: &str, dataset: &str, ingested_bytes: u64, query_cost: u64) -> DayOfDataset {
    DayOfDataset { day: day.to_owned(), dataset: dataset.to_owned(), ingested_bytes, query_cost }
}

pub(crate) async fn is_kept_by_day_and_dataset(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let sent = |day: &str, bytes| vec![(day.to_owned(), bytes)];
    for (org, name, number, bytes) in [(&ours, "a", 1, 10), (&ours, "b", 1, 20), (&theirs, "a", 1, 40)] {
        let dataset = insert(test, org, name).await.id;
        test.publish_flush(&dataset, &[], number, &[], &sent("2026-01-31", bytes), at(70)).await.unwrap();
        test.publish_flush(&dataset, &[], number + 1, &[], &sent("2026-02-01", 1), at(70)).await.unwrap();
        test.publish_flush(&dataset, &[], number + 2, &[], &sent("2026-02-01", 2), at(70)).await.unwrap();
    }
    let costs = [cost(&ours, "2026-02-01", "b", 7), cost(&ours, "2026-02-01", "", 5)];
    test.add_query_usage(&costs).await.unwrap();
    test.add_query_usage(&costs[..1]).await.unwrap();
    // The sums by month are of the same bytes and costs.
    assert_eq!(test.usage(&ours, "2026-01").await.unwrap(), 30);
    assert_eq!(test.usage(&ours, "2026-02").await.unwrap(), 6);
    assert_eq!(test.query_usage(&ours, "2026-02").await.unwrap(), 19);
    let january = [day("2026-01-31", "a", 10, 0), day("2026-01-31", "b", 20, 0)];
    let february = [day("2026-02-01", "", 0, 5), day("2026-02-01", "a", 3, 0), day("2026-02-01", "b", 3, 14)];
    let both = [&january[..], &february[..]].concat();
    assert_eq!(test.usage_by_day(&ours, "2026-01-01", "2026-03-01").await.unwrap(), both);
    assert_eq!(test.usage_by_day(&ours, "2026-01-31", "2026-01-31").await.unwrap(), january);
    assert_eq!(test.usage_by_day(&theirs, "2026-02-01", "2026-02-01").await.unwrap().len(), 1);
    // What a dataset used stays when it is gone.
    test.delete_dataset(&ours, "a", at(80), &samples::change(&ours)).await.unwrap().unwrap();
    assert_eq!(test.usage_by_day(&ours, "2026-01-01", "2026-03-01").await.unwrap(), both);
    assert_eq!(test.forget_usage_before("2026-02-01").await.unwrap(), 3);
    assert_eq!(test.usage_by_day(&ours, "2026-01-01", "2026-03-01").await.unwrap(), february);
    assert_eq!(test.usage(&ours, "2026-01").await.unwrap(), 30);
}

/// Neither the table nor an answer grows with the names that somebody makes up.
pub(crate) async fn has_room_for_so_many_datasets(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let many: Vec<QueryCost> =
        (0..1_100).map(|number| cost(&ours, "2026-01-01", &format!("d{number:04}"), 1)).collect();
    test.add_query_usage(&many).await.unwrap();
    // One that was there before keeps its name, and so does one on another day.
    let later = [cost(&ours, "2026-01-01", "d0001", 1_000), cost(&ours, "2026-01-02", "new", 3)];
    test.add_query_usage(&later).await.unwrap();
    test.add_query_usage(&[cost(&theirs, "2026-01-01", "theirs", 9)]).await.unwrap();
    let days = test.usage_by_day(&ours, "2026-01-01", "2026-01-01").await.unwrap();
    assert_eq!(days.iter().map(|day| day.query_cost).sum::<u64>(), 2_100);
    assert!(days.len() <= 101, "{}", days.len());
    assert!(days.contains(&day("2026-01-01", "d0001", 0, 1_001)), "{days:?}");
    assert!(days[0].dataset.is_empty() && days[0].query_cost >= 1_000, "{:?}", days[0]);
    assert_eq!(test.forget_usage_before("2026-01-02").await.unwrap(), 1_002);
}

pub(crate) async fn counts_the_bytes_of_live_segments(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    for (org, name, bytes) in [(&ours, "a", 1_000), (&ours, "b", 200), (&theirs, "a", 30)] {
        let dataset = insert(test, org, name).await.id;
        let mut segments = [1, 2].map(|number| segment(&format!("{dataset}_{number}")));
        segments[0].bytes = bytes;
        test.publish_flush(&dataset, &segments, 1, &[], &[], at(70)).await.unwrap();
        test.replace_segments(&dataset, &[segments[1].id.clone()], &[], at(80)).await.unwrap();
    }
    assert_eq!(test.storage_bytes(&ours).await.unwrap(), 1_200);
    assert_eq!(test.storage_bytes(&theirs).await.unwrap(), 30);
    test.delete_dataset(&ours, "a", at(80), &samples::change(&ours)).await.unwrap().unwrap();
    assert_eq!(test.storage_bytes(&ours).await.unwrap(), 200);
    assert_eq!(test.storage_bytes(&"org_none".into()).await.unwrap(), 0);
}

/// What jobs note all the time does not make others read again what they remember.
pub(crate) async fn is_no_change(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let before = test.changes();
    test.add_usage(&[(ours.clone(), "2026-01".to_owned(), 5)]).await.unwrap();
    test.add_query_usage(&[cost(&ours, "2026-01-01", "a", 5)]).await.unwrap();
    test.insert_refusals(&[]).await.unwrap();
    test.touch_tokens(&[]).await.unwrap();
    assert_eq!(test.changes(), before);
    insert(test, &ours, "a").await;
    assert!(test.changes() > before);
}
