//! The keys of idempotent ingest requests.

use tidegauge_catalog::ingest_keys::IngestKey;

use crate::database::TestCatalog;
use crate::event_samples::{insert, key, one_dataset};
use crate::samples::at;

pub(crate) async fn are_found_by_dataset_and_time(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let other = insert(test, &"org_theirs".into(), "logs").await.id;
    test.publish_flush(&logs, &[], 8, &[key("a", 7), key("b", 8)], &[], at(70)).await.unwrap();
    test.publish_flush(&other, &[], 8, &[key("a", 6)], &[], at(70)).await.unwrap();
    assert_eq!(test.find_ingest_key(&logs, "a", at(7)).await.unwrap(), Some(key("a", 7)));
    assert_eq!(test.find_ingest_key(&logs, "b", at(7)).await.unwrap(), Some(key("b", 8)));
    assert_eq!(test.find_ingest_key(&other, "a", at(0)).await.unwrap(), Some(key("a", 6)));
    assert_eq!(test.find_ingest_key(&logs, "a", at(8)).await.unwrap(), None);
    assert_eq!(test.find_ingest_key(&other, "b", at(0)).await.unwrap(), None);
    assert_eq!(test.find_ingest_key(&logs, "A", at(0)).await.unwrap(), None);
    let mut several = test.find_ingest_keys(&logs, &["b", "a", "c"]).await.unwrap();
    several.sort_by_key(|key| key.sequence);
    assert_eq!(several, [key("a", 7), key("b", 8)]);
    assert_eq!(test.find_ingest_keys(&other, &["a", "b"]).await.unwrap(), [key("a", 6)]);
    assert_eq!(test.find_ingest_keys(&logs, &[]).await.unwrap(), []);
}

pub(crate) async fn have_the_meaning_of_their_last_use(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    test.publish_flush(&logs, &[], 3, &[key("a", 2), key("a", 3)], &[], at(70)).await.unwrap();
    assert_eq!(test.find_ingest_key(&logs, "a", at(0)).await.unwrap(), Some(key("a", 3)));
    test.publish_flush(&logs, &[], 9, &[key("a", 9), key("b", 8), key("a", 5)], &[], at(70)).await.unwrap();
    assert_eq!(test.find_ingest_key(&logs, "a", at(0)).await.unwrap(), Some(key("a", 9)));
    test.publish_flush(&logs, &[], 10, &[key("a", 4)], &[], at(70)).await.unwrap();
    assert_eq!(test.find_ingest_key(&logs, "a", at(0)).await.unwrap(), Some(key("a", 9)));
    assert_eq!(test.database.count("ingest_key").await, 2);
}

pub(crate) async fn are_pruned_by_the_thousands(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let old: Vec<IngestKey> =
        (0..4_500).map(|number| IngestKey { at: at(10), ..key(&format!("old {number}"), number) }).collect();
    test.publish_flush(&logs, &[], 8, &old, &[], at(70)).await.unwrap();
    let new = IngestKey { at: at(11), ..key("new", 9) };
    test.publish_flush(&logs, &[], 9, std::slice::from_ref(&new), &[], at(70)).await.unwrap();
    assert_eq!(test.find_ingest_key(&logs, "old 4499", at(0)).await.unwrap(), Some(old[4_499].clone()));
    let names: Vec<&str> = old.iter().map(|key| key.key.as_str()).collect();
    assert_eq!(test.find_ingest_keys(&logs, &names).await.unwrap().len(), 4_500);
    assert_eq!(test.prune_ingest_keys(at(11)).await.unwrap(), 4_500);
    assert_eq!(test.prune_ingest_keys(at(11)).await.unwrap(), 0);
    assert_eq!(test.find_ingest_key(&logs, "new", at(0)).await.unwrap(), Some(new));
}
