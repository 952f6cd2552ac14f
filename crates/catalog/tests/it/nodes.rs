//! Nodes that share the catalogue: their numbers and epochs, what they publish, and what is refused of them. A rule of
//! decision 0037 that a case proves is named before it, as `crates/cluster-model` names it.

use std::sync::Arc;

use tidegauge_catalog::context::Point;
use tidegauge_catalog::nodes::publish::{LogFlush, Published};
use tidegauge_catalog::nodes::{Log, NodeStart, Raise};
use tidegauge_model::{ErrorKind, OrgId, SegmentId};

use crate::database::{KEY_BYTE, TestCatalog};
use crate::event_samples::{ids, insert, key, one_dataset, segment};
use crate::lease::writer;
use crate::node_samples::{FailsAt, LONG, OVER, commit_of, in_context, join, marks, part, publish, start};
use crate::samples::{at, change};

pub(crate) async fn have_one_number_and_an_epoch_for_each_start(test: &TestCatalog<'_>) {
    let first = join(test, "a").await;
    assert_eq!(first, Log { node: 1, epoch: 1 });
    assert_eq!(join(test, "b").await, Log { node: 2, epoch: 1 });
    let moved = NodeStart { address: "quay:1".to_owned(), build: "0.2.0".to_owned(), ..start("a") };
    let second = test.join_node(&moved).await.unwrap();
    assert_eq!(second, Log { node: 1, epoch: 2 });
    let nodes = test.nodes(LONG).await.unwrap();
    assert_eq!(nodes.len(), 2);
    assert_eq!((nodes[0].number, nodes[0].name.as_str(), nodes[0].epoch), (1, "a", 2));
    assert_eq!((nodes[0].address.as_str(), nodes[0].build.as_str()), ("quay:1", "0.2.0"));
    assert_eq!((nodes[1].number, nodes[1].address.as_str()), (2, "b.example:9080"));
    assert_eq!(nodes[1].adopter, None);
    for (number, epoch) in [(1, Some(2)), (2, Some(1)), (3, None)] {
        assert_eq!(test.node_epoch(number).await.unwrap(), epoch);
    }
    assert!(!test.note_node_alive(first).await.unwrap());
    assert!(test.note_node_alive(second).await.unwrap());
}

pub(crate) async fn are_as_many_as_there_are_numbers(test: &TestCatalog<'_>) {
    test.database.execute("UPDATE node_counter SET last_node = 32766").await;
    assert_eq!(join(test, "last").await.node, 32_767);
    let refused = test.join_node(&start("beyond")).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LimitReached);
    assert_eq!(join(test, "last").await, Log { node: 32_767, epoch: 2 });
}

/// `EpochIsTakenNotAssumed`.
pub(crate) async fn take_another_epoch_when_they_did_not_hear_of_theirs(test: &TestCatalog<'_>) {
    let deaf = in_context(test, Arc::new(FailsAt(Point::Committed))).await;
    assert_eq!(deaf.join_node(&start("a")).await.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(join(test, "a").await, Log { node: 1, epoch: 2 });
    // What is not committed is not there.
    let cut_off = in_context(test, Arc::new(FailsAt(Point::Commit))).await;
    assert_eq!(cut_off.join_node(&start("a")).await.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(test.node_epoch(1).await.unwrap(), Some(2));
}

pub(crate) async fn are_silent_by_the_clock_of_the_database(test: &TestCatalog<'_>) {
    let log = join(test, "a").await;
    let other = join(test, "b").await;
    let is_silent = async |silence| test.nodes(silence).await.unwrap()[0].is_silent;
    assert!(!is_silent(LONG).await);
    assert!(is_silent(OVER).await);
    assert_eq!(test.raise_epoch(other, log, LONG).await.unwrap(), Raise::NotNeeded);
    test.database.execute("UPDATE node SET seen_at = 7").await;
    assert!(is_silent(LONG).await);
    assert!(test.note_node_alive(log).await.unwrap());
    assert!(!is_silent(LONG).await);
    // A sign of life that comes late takes nothing back.
    test.database.execute("UPDATE node SET seen_at = 9000000000000000").await;
    assert!(test.note_node_alive(log).await.unwrap());
    assert_eq!(test.nodes(LONG).await.unwrap()[0].seen_at.as_micros(), 9_000_000_000_000_000);
}

/// `FlushIsOneTransaction` and `LostAnswersAreLookedUp`.
pub(crate) async fn publish_segments_and_their_mark_together(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let log = join(test, "a").await;
    let segments = [segment("segment_1")];
    let flush = part(&logs, &segments, (0, 5));
    let cut_off = in_context(test, Arc::new(FailsAt(Point::Commit))).await;
    let lost = cut_off.publish_log(log, flush, at(70)).await.unwrap_err();
    assert_eq!(lost.kind(), ErrorKind::Unavailable);
    assert!(marks(test).await.is_empty());
    assert!(test.live_segments(&logs).await.unwrap().is_empty());
    let deaf = in_context(test, Arc::new(FailsAt(Point::Committed))).await;
    let lost = deaf.publish_log(log, flush, at(70)).await.unwrap_err();
    assert_eq!(lost.kind(), ErrorKind::Unavailable);
    // The mark tells that it was done.
    assert_eq!(marks(test).await, [(logs.clone(), log, 5)]);
    assert_eq!(ids(&test.live_segments(&logs).await.unwrap()), ["segment_1"]);
    assert_eq!(test.publish_log(log, flush, at(70)).await.unwrap(), Published::Conflict);
}

/// `MarksPerDataset`, `MarksPerNode` and `MarksPerEpoch`.
pub(crate) async fn have_a_mark_for_each_dataset_and_epoch(test: &TestCatalog<'_>) {
    let org = OrgId::from("org_ours");
    let logs = one_dataset(test).await;
    let quiet = insert(test, &org, "quiet").await.id;
    let (a, b) = (join(test, "a").await, join(test, "b").await);
    commit_of(publish(test, a, &logs, "segment_1", (0, 5)).await);
    commit_of(publish(test, b, &logs, "segment_2", (0, 7)).await);
    commit_of(publish(test, a, &quiet, "segment_3", (0, 3)).await);
    let again = join(test, "a").await;
    commit_of(publish(test, again, &logs, "segment_4", (0, 2)).await);
    let all = [(logs.clone(), a, 5), (logs.clone(), again, 2), (logs.clone(), b, 7), (quiet.clone(), a, 3)];
    assert_eq!(marks(test).await, all);
    // A dataset takes its marks with it.
    test.delete_dataset(&org, "logs", at(80), &change(&org)).await.unwrap();
    assert_eq!(marks(test).await, [(quiet, a, 3)]);
    let segments = [segment("segment_5")];
    let gone = test.publish_log(again, part(&logs, &segments, (2, 4)), at(80)).await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
}

/// `FlushComparesMark`.
pub(crate) async fn publish_from_where_the_mark_is(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let log = join(test, "a").await;
    let (segments, usage) = ([segment("segment_1")], [("2027-01-15".to_owned(), 40)]);
    let keys = [key("first", 5)];
    let flush = LogFlush { keys: &keys, usage: &usage, ..part(&logs, &segments, (0, 5)) };
    let commit = commit_of(test.publish_log(log, flush, at(70)).await.unwrap());
    assert_eq!(commit, test.commit_sequence().await.unwrap());
    assert!(test.find_ingest_key(&logs, "first", at(0)).await.unwrap().is_some());
    let (segments, keys) = ([segment("segment_2")], [key("second", 9)]);
    for from in [0, 4, 6] {
        let flush = LogFlush { keys: &keys, ..part(&logs, &segments, (from, 9)) };
        assert_eq!(test.publish_log(log, flush, at(70)).await.unwrap(), Published::Conflict, "{from}");
    }
    for upto in [4, 5] {
        let refused = test.publish_log(log, part(&logs, &segments, (5, upto)), at(70)).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Invalid, "a mark only rises");
    }
    assert!(test.find_ingest_key(&logs, "second", at(0)).await.unwrap().is_none());
    assert_eq!(test.commit_sequence().await.unwrap(), commit);
    assert_eq!(test.usage(&OrgId::from("org_ours"), "2027-01").await.unwrap(), 40);
    assert_eq!(publish(test, log, &logs, "segment_3", (5, 6)).await, Published::Done(commit + 1));
    assert_eq!(ids(&test.live_segments(&logs).await.unwrap()), ["segment_1", "segment_3"]);
    assert_eq!(marks(test).await, [(logs, log, 6)]);
}

/// `FlushChecksEpoch`, `MergeChecksEpoch` and `AdoptionChecksEpoch`: of a node that stood still while it was adopted.
pub(crate) async fn that_are_fenced_change_nothing(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let (a, b) = (join(test, "a").await, join(test, "b").await);
    commit_of(publish(test, a, &logs, "segment_1", (0, 5)).await);
    assert_eq!(test.raise_epoch(b, a, OVER).await.unwrap(), Raise::Ended);
    let nodes = test.nodes(LONG).await.unwrap();
    assert_eq!((nodes[0].epoch, nodes[0].adopter), (2, Some(b.node)));
    assert_eq!(test.node_epoch(a.node).await.unwrap(), None);
    let before = test.directory().await.unwrap();
    // Neither the epoch that it had nor the one that was raised for the adoption is its own.
    let assumed = Log { epoch: 2, ..a };
    let (inputs, merged): ([SegmentId; 1], _) = (["segment_1".into()], [segment("merged")]);
    for log in [a, assumed] {
        assert!(!test.note_node_alive(log).await.unwrap());
        assert_eq!(publish(test, log, &logs, "segment_2", (5, 9)).await, Published::Fenced);
        assert_eq!(publish(test, log, &logs, "segment_2", (0, 9)).await, Published::Fenced);
        let merge = test.replace_by_node(log, &logs, &inputs, &merged, at(70));
        assert_eq!(merge.await.unwrap(), Published::Fenced);
        assert_eq!(test.raise_epoch(log, b, OVER).await.unwrap(), Raise::Fenced);
        assert_eq!(test.adopt_log(log, a, &[], at(70)).await.unwrap(), Published::Fenced);
    }
    let after = test.directory().await.unwrap();
    assert_eq!((&after.segments, &after.open.marks), (&before.segments, &before.open.marks));
    assert_eq!((after.open.counter, after.open.commit), (before.open.counter, before.open.commit));
    // It starts anew, with a log of which nothing is published yet.
    let again = join(test, "a").await;
    assert_eq!(again, Log { node: 1, epoch: 3 });
    commit_of(publish(test, again, &logs, "segment_3", (0, 4)).await);
    assert_eq!(test.raise_epoch(again, b, LONG).await.unwrap(), Raise::NotNeeded);
}

/// `RaiseBeforeList`, `AdoptionReadsMarksAfterRaise`, `AdoptionTakesWhatIsAboveMarks` and `AdoptionIsOnce`.
pub(crate) async fn adopt_what_is_above_the_marks_once(test: &TestCatalog<'_>) {
    let org = OrgId::from("org_ours");
    let logs = one_dataset(test).await;
    let (quiet, gone) = (insert(test, &org, "quiet").await.id, insert(test, &org, "gone").await.id);
    let (a, b, c) = (join(test, "a").await, join(test, "b").await, join(test, "c").await);
    commit_of(publish(test, a, &logs, "segment_1", (0, 5)).await);
    // An epoch that was not raised ends with no adoption, and one that never was is not raised.
    assert_eq!(test.adopt_log(b, a, &[], at(70)).await.unwrap(), Published::Conflict);
    let never = Log { epoch: 9, ..a };
    assert_eq!(test.raise_epoch(b, never, OVER).await.unwrap_err().kind(), ErrorKind::NotFound);
    for adopter in [b, c, b] {
        assert_eq!(test.raise_epoch(adopter, a, OVER).await.unwrap(), Raise::Ended);
    }
    assert_eq!(test.raise_epoch(b, Log { epoch: 2, ..a }, OVER).await.unwrap(), Raise::NotNeeded);
    test.delete_dataset(&org, "gone", at(70), &change(&org)).await.unwrap();
    let segments = [segment("segment_2"), segment("segment_3"), segment("segment_4"), segment("gone")];
    let usage = [("2027-01-16".to_owned(), 2), ("2027-01-15".to_owned(), 3)];
    let rest = |from| {
        [
            LogFlush { usage: &usage, ..part(&logs, &segments[..2], (from, 9)) },
            LogFlush { usage: &usage, ..part(&quiet, &segments[2..3], (0, 8)) },
            LogFlush { usage: &usage, ..part(&gone, &segments[3..], (0, 7)) },
        ]
    };
    // With marks from before the last flush, it would be published again.
    assert_eq!(test.adopt_log(b, a, &rest(0), at(70)).await.unwrap(), Published::Conflict);
    let commit = commit_of(test.adopt_log(b, a, &rest(5), at(70)).await.unwrap());
    for adopter in [b, c] {
        assert_eq!(test.adopt_log(adopter, a, &rest(5), at(70)).await.unwrap(), Published::Conflict);
    }
    let published = test.live_segments(&logs).await.unwrap();
    assert_eq!(ids(&published), ["segment_1", "segment_2", "segment_3"]);
    let quietly = test.live_segments(&quiet).await.unwrap();
    assert_eq!(ids(&quietly), ["segment_4"]);
    assert_eq!((published[2].added, quietly[0].added), (commit, commit));
    assert!(test.live_segments(&gone).await.unwrap().is_empty());
    assert_eq!(test.usage(&org, "2027-01").await.unwrap(), 10);
    let days = test.usage_by_day(&org, "2027-01-01", "2027-01-31").await.unwrap();
    let days: Vec<_> =
        days.iter().map(|day| (day.day.as_str(), day.dataset.as_str(), day.ingested_bytes)).collect();
    let of = |day, bytes| [(day, "logs", bytes), (day, "quiet", bytes)];
    assert_eq!(days, [of("2027-01-15", 3), of("2027-01-16", 2)].concat());
}

/// `MergeComparesInputs`.
pub(crate) async fn merge_segments_that_are_live(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let log = join(test, "a").await;
    commit_of(publish(test, log, &logs, "segment_1", (0, 5)).await);
    commit_of(publish(test, log, &logs, "segment_2", (5, 6)).await);
    let inputs: [SegmentId; 2] = ["segment_1".into(), "segment_2".into()];
    let merge =
        async |id: &str| test.replace_by_node(log, &logs, &inputs, &[segment(id)], at(70)).await.unwrap();
    let commit = commit_of(merge("merged").await);
    assert_eq!(merge("again").await, Published::Conflict);
    assert_eq!(test.commit_sequence().await.unwrap(), commit);
    assert_eq!(ids(&test.live_segments(&logs).await.unwrap()), ["merged"]);
    assert_eq!(marks(test).await, [(logs.clone(), log, 6)]);
    let gone = test.replace_by_node(log, &"dataset_gone".into(), &inputs, &[], at(70)).await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
}

pub(crate) async fn are_forgotten_when_all_is_adopted(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let (a, b) = (join(test, "a").await, join(test, "b").await);
    commit_of(publish(test, a, &logs, "segment_1", (0, 5)).await);
    commit_of(publish(test, b, &logs, "segment_2", (0, 5)).await);
    assert!(!test.forget_node(9, OVER).await.unwrap());
    let refused = async |kept| test.forget_node(a.node, kept).await.unwrap_err().kind();
    assert_eq!(refused(OVER).await, ErrorKind::Conflict, "it may be running");
    assert_eq!(test.raise_epoch(b, a, OVER).await.unwrap(), Raise::Ended);
    assert_eq!(refused(OVER).await, ErrorKind::Conflict, "its log is not adopted");
    commit_of(test.adopt_log(b, a, &[], at(70)).await.unwrap());
    assert_eq!(refused(LONG).await, ErrorKind::Conflict, "not for long enough");
    let counter = test.look().await.unwrap().counter;
    assert!(test.forget_node(a.node, OVER).await.unwrap());
    assert_eq!(test.look().await.unwrap().counter, counter + 1);
    let names: Vec<String> = test.nodes(LONG).await.unwrap().into_iter().map(|node| node.name).collect();
    assert_eq!(names, ["b"]);
    assert_eq!((test.database.count("node_log").await, test.database.count("node_mark").await), (0, 1));
    assert_eq!(publish(test, a, &logs, "segment_3", (5, 6)).await, Published::Fenced);
    assert_eq!(join(test, "a").await, Log { node: 3, epoch: 1 }, "a number is not given again");

    // Logs of nodes that stay are forgotten too.
    let again = join(test, "b").await;
    commit_of(publish(test, again, &logs, "segment_4", (0, 2)).await);
    assert_eq!(test.forget_node_logs(OVER).await.unwrap(), 0, "it is not adopted");
    commit_of(test.adopt_log(again, b, &[], at(70)).await.unwrap());
    assert_eq!(test.forget_node_logs(LONG).await.unwrap(), 0);
    assert_eq!(test.forget_node_logs(OVER).await.unwrap(), 1);
    assert_eq!(marks(test).await, [(logs, again, 2)]);
    assert_eq!(test.database.count("node_mark").await, 1);
}

pub(crate) async fn change_nothing_while_one_process_has_the_lease(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let (a, b) = (join(test, "a").await, join(test, "b").await);
    let alone = test.database.open(KEY_BYTE).await.unwrap();
    alone.take_lease(&writer("alone"), LONG).await.unwrap();
    let segments = [segment("segment_1")];
    let refused = [
        test.join_node(&start("c")).await.map(|_| ()),
        test.publish_log(a, part(&logs, &segments, (0, 5)), at(70)).await.map(|_| ()),
        test.raise_epoch(b, a, OVER).await.map(|_| ()),
        test.adopt_log(b, a, &[], at(70)).await.map(|_| ()),
        test.replace_by_node(a, &logs, &[], &segments, at(70)).await.map(|_| ()),
        test.forget_node(a.node, OVER).await.map(|_| ()),
        test.forget_node_logs(OVER).await.map(|_| ()),
        test.forget_claims().await.map(|_| ()),
    ];
    for (place, refused) in refused.into_iter().enumerate() {
        let refused = refused.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Conflict, "{place}: {refused}");
        assert!(refused.to_string().contains("alone.example:8080"), "{place}: {refused}");
    }
    assert!(test.live_segments(&logs).await.unwrap().is_empty());
    alone.release_lease().await.unwrap();
    commit_of(publish(test, a, &logs, "segment_1", (0, 5)).await);
    alone.close().await;
}
