//! Segments: published, replaced, read as of a commit, and forgotten.

use std::collections::HashSet;
use std::path::PathBuf;

use tidegauge_catalog::Location;
use tidegauge_catalog::segments::NewSegment;
use tidegauge_model::{DatasetId, ErrorKind, SegmentId};

use crate::database::{Plain, TestCatalog};
use crate::event_samples::{counts, ids, insert, key, one_dataset, segment, stored};
use crate::samples::{self, at};

/// A dataset with segments `segment_1` and so on, each published alone, and the commit before the first.
async fn with_segments(test: &TestCatalog<'_>, count: u64) -> (DatasetId, u64) {
    let logs = one_dataset(test).await;
    let before = test.commit_sequence().await.unwrap();
    for number in 1..=count {
        let segment = segment(&format!("segment_{number}"));
        assert_eq!(
            test.publish_flush(&logs, &[segment], number, &[], &[], at(70)).await.unwrap(),
            before + number
        );
    }
    (logs, before)
}

pub(crate) async fn read_back_what_was_published(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let other = insert(test, &"org_theirs".into(), "logs").await.id;
    let extreme = NewSegment {
        rows: u64::try_from(i64::MAX).unwrap(),
        min_time: i64::MIN,
        max_time: i64::MAX,
        level: u32::MAX,
        stats: Vec::new(),
        sidecar: Some("datasets/logs/segment_1.text".to_owned()),
        ..segment("segment_1")
    };
    // In the order of publication, whatever their ids are.
    let published = [segment("segment_2"), extreme];
    let commit = test.publish_flush(&logs, &published, 8, &[], &[], at(70)).await.unwrap();
    assert_eq!(commit, test.commit_sequence().await.unwrap());
    let third = segment("segment_0");
    let later = test.publish_flush(&other, std::slice::from_ref(&third), 8, &[], &[], at(70)).await.unwrap();
    assert_eq!(later, commit + 1);

    let wanted = published.clone().map(|segment| stored(&segment, &logs, commit, None));
    assert_eq!(test.live_segments(&logs).await.unwrap(), wanted);
    let third = stored(&third, &other, later, None);
    assert_eq!(test.live_segments(&other).await.unwrap(), std::slice::from_ref(&third));
    let all = test.all_live_segments().await.unwrap();
    assert_eq!(all, [wanted[0].clone(), wanted[1].clone(), third]);
    for segment in published {
        assert_eq!(test.segment_stats(&segment.id).await.unwrap(), segment.stats);
    }
    let unknown: SegmentId = "segment_9".into();
    assert_eq!(test.segment_stats(&unknown).await.unwrap_err().kind(), ErrorKind::NotFound);
    let ours = test.find_dataset(&"org_ours".into(), "logs").await.unwrap().unwrap();
    assert_eq!((ours.flushed, ours.modified), (8, at(6)));
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn are_published_once(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    test.publish_flush(&logs, &[segment("segment_1")], 8, &[key("a", 8)], &[], at(70)).await.unwrap();
    let before = (counts(test).await, test.commit_sequence().await.unwrap());
    for flushed in [8, 7, 0] {
        let again = [segment("segment_2")];
        let refused =
            test.publish_flush(&logs, &again, flushed, &[key("b", 8)], &[], at(70)).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Conflict, "{flushed}");
    }
    // Neither an id nor a path comes twice, and a refused flush does not count as flushed.
    let same_id = NewSegment { path: "elsewhere".to_owned(), ..segment("segment_1") };
    let same_path = NewSegment { id: "segment_3".into(), ..segment("segment_1") };
    for same in [same_id, same_path] {
        let refused = test.publish_flush(&logs, &[segment("segment_2"), same], 9, &[], &[], at(70)).await;
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Conflict);
    }
    assert_eq!((counts(test).await, test.commit_sequence().await.unwrap()), before);
    let too_much = NewSegment { rows: u64::MAX, ..segment("segment_2") };
    let refused = test.publish_flush(&logs, &[too_much], 9, &[], &[], at(70)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    // A flush may have nothing to keep, as when all of it was too old.
    test.publish_flush(&logs, &[], 9, &[], &[], at(70)).await.unwrap();
    assert_eq!(test.find_dataset(&"org_ours".into(), "logs").await.unwrap().unwrap().flushed, 9);
}

pub(crate) async fn are_not_published_to_what_is_gone(test: &TestCatalog<'_>) {
    let (logs, _) = with_segments(test, 1).await;
    let ours = "org_ours".into();
    test.delete_dataset(&ours, "logs", at(70), &samples::change(&ours)).await.unwrap().unwrap();
    let before = (counts(test).await, test.commit_sequence().await.unwrap());
    let new = [segment("segment_2")];
    let refused = test.publish_flush(&logs, &new, 9, &[key("a", 8)], &[], at(70)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    let refused = test.replace_segments(&logs, &["segment_1".into()], &new, at(70)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    assert_eq!((counts(test).await, test.commit_sequence().await.unwrap()), before);
}

pub(crate) async fn are_replaced(test: &TestCatalog<'_>) {
    let (logs, before) = with_segments(test, 4).await;
    let merged = [segment("segment_5"), segment("segment_6")];
    let removed: [SegmentId; 3] = ["segment_2".into(), "segment_4".into(), "segment_2".into()];
    let commit = test.replace_segments(&logs, &removed, &merged, at(80)).await.unwrap();
    assert_eq!((commit, test.commit_sequence().await.unwrap()), (before + 5, before + 5));
    let live = test.live_segments(&logs).await.unwrap();
    assert_eq!(ids(&live), ["segment_1", "segment_3", "segment_5", "segment_6"]);
    assert_eq!(live[3], stored(&merged[1], &logs, commit, None));
    assert_eq!(ids(&test.all_live_segments().await.unwrap()), ids(&live));
    let gone = test.removed_segments(at(81), 9).await.unwrap();
    assert_eq!(gone[0], stored(&segment("segment_2"), &logs, before + 2, Some(commit)));
    // A removed segment can still be read by whoever began before.
    assert!(!test.segment_stats(&gone[0].id).await.unwrap().is_empty());
    assert_eq!(test.find_dataset(&"org_ours".into(), "logs").await.unwrap().unwrap().flushed, 4);

    test.replace_segments(&logs, &["segment_1".into()], &[], at(80)).await.unwrap();
    test.replace_segments(&logs, &[], &[segment("segment_7")], at(80)).await.unwrap();
    let live = test.live_segments(&logs).await.unwrap();
    assert_eq!(ids(&live), ["segment_3", "segment_5", "segment_6", "segment_7"]);
}

pub(crate) async fn are_replaced_all_or_none(test: &TestCatalog<'_>) {
    let (logs, _) = with_segments(test, 3).await;
    let other = insert(test, &"org_theirs".into(), "logs").await.id;
    test.publish_flush(&other, &[segment("segment_theirs")], 1, &[], &[], at(70)).await.unwrap();
    test.replace_segments(&logs, &["segment_1".into()], &[], at(80)).await.unwrap();
    let before = (counts(test).await, test.commit_sequence().await.unwrap());
    for gone in ["segment_1", "segment_9", "segment_theirs"] {
        let removed: [SegmentId; 2] = ["segment_2".into(), gone.into()];
        let refused = test.replace_segments(&logs, &removed, &[segment("segment_4")], at(80)).await;
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Conflict, "{gone}");
    }
    assert_eq!((counts(test).await, test.commit_sequence().await.unwrap()), before);
    assert_eq!(ids(&test.live_segments(&logs).await.unwrap()), ["segment_2", "segment_3"]);
    assert_eq!(ids(&test.live_segments(&other).await.unwrap()), ["segment_theirs"]);
}

pub(crate) async fn are_replaced_by_the_thousands(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let many: Vec<NewSegment> = (0..2_500).map(|number| segment(&format!("segment_{number}"))).collect();
    test.publish_flush(&logs, &many, 1, &[], &[], at(70)).await.unwrap();
    let known = test.known_paths(&many.iter().map(|segment| segment.path.clone()).collect::<Vec<_>>()).await;
    assert_eq!(known.unwrap().len(), 2_500);
    let removed: Vec<SegmentId> = many.iter().skip(10).map(|segment| segment.id.clone()).collect();
    test.replace_segments(&logs, &removed, &[], at(80)).await.unwrap();
    assert_eq!(test.live_segments(&logs).await.unwrap().len(), 10);
    assert_eq!(test.removed_segments(at(81), 9_999).await.unwrap().len(), 2_490);
    assert_eq!(test.forget_segments(&removed).await.unwrap(), 2_490);
    assert_eq!(test.database.count("segment").await, 10);
    assert_eq!(test.database.count("segment_stats").await, 10);
}

pub(crate) async fn are_read_as_of_a_commit(test: &TestCatalog<'_>) {
    let (logs, before) = with_segments(test, 2).await;
    let other = insert(test, &"org_theirs".into(), "logs").await.id;
    test.publish_flush(&other, &[segment("segment_theirs")], 1, &[], &[], at(70)).await.unwrap();
    let removed: [SegmentId; 1] = ["segment_1".into()];
    let replaced = test.replace_segments(&logs, &removed, &[segment("segment_3")], at(80)).await.unwrap();
    let seen = async |commit| {
        let segments = test.segments_at(&logs, commit).await.unwrap();
        ids(&segments).join(" ")
    };
    assert_eq!(seen(before).await, "");
    assert_eq!(seen(before + 1).await, "segment_1");
    assert_eq!(seen(before + 2).await, "segment_1 segment_2");
    assert_eq!(seen(replaced - 1).await, "segment_1 segment_2");
    assert_eq!(seen(replaced).await, "segment_2 segment_3");
    assert_eq!(seen(replaced + 99).await, "segment_2 segment_3");
}

/// What is known of a segment has values of its events, and those must not outlive it in pages that nobody reads, nor in
/// the journal of a service that goes on.
pub(crate) async fn leave_nothing_in_the_files_once_forgotten(test: &TestCatalog<'_>) {
    let (Location::Sqlite(path), Plain::Sqlite(plain)) = (&test.database.location, &test.database.plain)
    else {
        assert!(test.wipe_forgotten().await.unwrap());
        return;
    };
    let doomed = b"doomed.person@example.com".repeat(20);
    let files_with = || -> Vec<PathBuf> {
        let has_doomed =
            |file: &PathBuf| std::fs::read(file).unwrap().windows(25).any(|window| window == &doomed[..25]);
        let files = std::fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
        files.filter(has_doomed).collect()
    };
    let logs = one_dataset(test).await;
    let with_stats = NewSegment { stats: doomed.clone(), ..segment("segment_1") };
    test.publish_flush(&logs, &[with_stats, segment("segment_2")], 1, &[], &[], at(70)).await.unwrap();
    // Another program still reads how it was before.
    let mut reader = plain.begin().await.unwrap();
    let seen: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM segment").fetch_one(&mut *reader).await.unwrap();
    assert_eq!(seen, 2);
    test.replace_segments(&logs, &["segment_1".into()], &[], at(80)).await.unwrap();
    assert_eq!(test.forget_segments(&["segment_1".into()]).await.unwrap(), 1);
    assert!(!test.wipe_forgotten().await.unwrap());
    assert_ne!(files_with(), Vec::<PathBuf>::new());
    reader.rollback().await.unwrap();
    assert!(test.wipe_forgotten().await.unwrap());
    assert_eq!(files_with(), Vec::<PathBuf>::new());
    assert_eq!(test.live_segments(&logs).await.unwrap().len(), 1);
}

pub(crate) async fn are_forgotten_after_their_removal(test: &TestCatalog<'_>) {
    let (logs, _) = with_segments(test, 4).await;
    for (id, second) in [("segment_3", 81), ("segment_1", 82), ("segment_2", 83)] {
        test.replace_segments(&logs, &[id.into()], &[], at(second)).await.unwrap();
    }
    let removed = async |second, limit| {
        let segments = test.removed_segments(at(second), limit).await.unwrap();
        ids(&segments).join(" ")
    };
    assert_eq!(removed(81, 9).await, "");
    assert_eq!(removed(83, 9).await, "segment_3 segment_1");
    assert_eq!(removed(99, 2).await, "segment_3 segment_1");
    // A live one is never forgotten.
    let asked: [SegmentId; 3] = ["segment_3".into(), "segment_4".into(), "segment_9".into()];
    assert_eq!(test.forget_segments(&asked).await.unwrap(), 1);
    assert_eq!(removed(99, 9).await, "segment_1 segment_2");
    assert_eq!(test.forget_segments(&[]).await.unwrap(), 0);
    let path = |number: u64| segment(&format!("segment_{number}")).path;
    let known = test.known_paths(&[path(1), path(3), path(4), "stray.parquet".to_owned()]).await.unwrap();
    assert_eq!(known, HashSet::from([path(1), path(4)]));
    assert!(test.known_paths(&[]).await.unwrap().is_empty());
}

pub(crate) async fn are_reported_when_they_cannot_be_read(test: &TestCatalog<'_>) {
    let (logs, _) = with_segments(test, 1).await;
    test.database.execute("UPDATE segment SET rows = -1").await;
    assert_eq!(test.live_segments(&logs).await.unwrap_err().kind(), ErrorKind::Corrupt);
}
