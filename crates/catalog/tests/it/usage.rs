//! What organisations have used.

use tidegauge_model::ErrorKind;

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
    let used = [(ours.clone(), month.clone(), 5), (ours.clone(), month.clone(), 6)];
    test.add_query_usage(&used).await.unwrap();
    test.add_query_usage(&used[..1]).await.unwrap();
    test.add_query_usage(&[]).await.unwrap();
    assert_eq!(test.query_usage(&ours, &month).await.unwrap(), 16);
    assert_eq!(test.query_usage(&ours, "2026-02").await.unwrap(), 0);
    assert_eq!(test.query_usage(&theirs, &month).await.unwrap(), 0);
    assert_eq!(test.usage(&ours, &month).await.unwrap(), 0);
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
    let used = [(ours.clone(), "2026-01".to_owned(), 5)];
    test.add_usage(&used).await.unwrap();
    test.add_query_usage(&used).await.unwrap();
    test.insert_refusals(&[]).await.unwrap();
    test.touch_tokens(&[]).await.unwrap();
    assert_eq!(test.changes(), before);
    insert(test, &ours, "a").await;
    assert!(test.changes() > before);
}
