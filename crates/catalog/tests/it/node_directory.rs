//! What readers ask of the catalogue while nodes share it: logs, marks and segments of one commit, what has changed since
//! another one, and the counter. A rule of decision 0037 that a case proves is named before it.

use std::time::Duration;

use tidegauge_catalog::nodes::Log;
use tidegauge_catalog::nodes::directory::{Changes, Look, OpenLog};
use tidegauge_catalog::nodes::publish::Published;
use tidegauge_model::SegmentId;

use crate::database::TestCatalog;
use crate::event_samples::{ids, one_dataset, segment};
use crate::node_samples::{LONG, OVER, commit_of, join, part, publish};
use crate::samples::at;

fn open(log: Log, address: Option<&str>) -> OpenLog {
    OpenLog { log, address: address.map(str::to_owned) }
}

/// `RaisedLogsAreReadFromObjects`, and of `SilentNodesAreReadFromObjects` that their logs are known.
pub(crate) async fn has_every_log_until_it_is_adopted(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    assert!(test.directory().await.unwrap().open.logs.is_empty());
    let (a, b) = (join(test, "a").await, join(test, "b").await);
    commit_of(publish(test, a, &logs, "segment_1", (0, 5)).await);
    let (at_a, at_b) = (open(a, Some("a.example:9080")), open(b, Some("b.example:9080")));
    assert_eq!(test.directory().await.unwrap().open.logs, [at_a, at_b.clone()]);
    test.raise_epoch(b, a, OVER).await.unwrap();
    let nobodys = open(Log { epoch: 2, ..a }, None);
    let raised = test.directory().await.unwrap();
    assert_eq!(raised.open.logs, [nobodys.clone(), at_b.clone(), open(a, None)]);
    // Its mark still tells what of its objects is in segments.
    assert_eq!((raised.open.marks[0].log, raised.open.marks[0].sequence), (a, 5));
    let segments = [segment("segment_2")];
    commit_of(test.adopt_log(b, a, &[part(&logs, &segments, (5, 9))], at(70)).await.unwrap());
    let adopted = test.directory().await.unwrap();
    assert_eq!(adopted.open.logs, [nobodys, at_b]);
    assert!(adopted.open.marks.is_empty());
    assert_eq!(ids(&adopted.segments), ["segment_1", "segment_2"]);
    assert_eq!(adopted.open.commit, test.commit_sequence().await.unwrap());
}

/// `ReadersLookAtTheCounter`, `TheCounterCountsRaises` and `TheCounterCountsAdoptions`.
pub(crate) async fn counts_what_starts_and_what_is_adopted(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let counter = async || test.look().await.unwrap().counter;
    assert_eq!(counter().await, 0);
    let (a, b) = (join(test, "a").await, join(test, "b").await);
    assert_eq!(counter().await, 2);
    // The same names, and another log.
    let again = join(test, "a").await;
    assert_eq!(counter().await, 3);
    commit_of(publish(test, again, &logs, "segment_1", (0, 5)).await);
    test.note_node_alive(again).await.unwrap();
    assert_eq!(test.adopt_log(b, again, &[], at(70)).await.unwrap(), Published::Conflict);
    assert_eq!(counter().await, 3);
    commit_of(test.adopt_log(again, a, &[], at(70)).await.unwrap());
    assert_eq!(counter().await, 4);
    test.raise_epoch(b, again, OVER).await.unwrap();
    test.raise_epoch(b, again, OVER).await.unwrap();
    assert_eq!(counter().await, 5);
    assert_eq!(test.directory().await.unwrap().open.counter, 5);
}

/// `AnswersHaveAnAge`.
pub(crate) async fn confirms_what_is_neither_changed_nor_too_old(test: &TestCatalog<'_>) {
    join(test, "a").await;
    let open = test.directory().await.unwrap().open;
    assert!(test.look().await.unwrap().confirms(&open, LONG));
    let (grace, micro) = (Duration::from_secs(60), Duration::from_micros(1));
    let look = |counter, after| Look { counter, at: open.at.plus(after) };
    assert!(look(open.counter, grace).confirms(&open, grace));
    assert!(!look(open.counter, grace + micro).confirms(&open, grace));
    assert!(!look(open.counter + 1, OVER).confirms(&open, grace));
    join(test, "a").await;
    assert!(!test.look().await.unwrap().confirms(&open, LONG));
}

fn added(changes: &Changes) -> Vec<&str> {
    ids(&changes.added)
}

fn removed(changes: &Changes) -> Vec<&str> {
    changes.removed.iter().map(SegmentId::as_str).collect()
}

/// `SegmentsAndMarksOfOneCommit`, also of a directory that follows commits.
pub(crate) async fn tells_what_has_changed_since_a_commit(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let log = join(test, "a").await;
    commit_of(publish(test, log, &logs, "segment_1", (0, 5)).await);
    commit_of(publish(test, log, &logs, "segment_2", (5, 6)).await);
    let first = test.directory().await.unwrap();
    let nothing = test.changes_since(first.open.commit).await.unwrap().unwrap();
    assert!(nothing.added.is_empty() && nothing.removed.is_empty() && nothing.open.marks.is_empty());
    assert_eq!((&nothing.open.logs, nothing.open.counter), (&first.open.logs, first.open.counter));
    commit_of(publish(test, log, &logs, "segment_3", (6, 9)).await);
    let inputs = ["segment_1".into(), "segment_2".into()];
    let merged = [segment("merged")];
    let merge = commit_of(test.replace_by_node(log, &logs, &inputs, &merged, at(70)).await.unwrap());
    let changes = test.changes_since(first.open.commit).await.unwrap().unwrap();
    assert_eq!(added(&changes), ["segment_3", "merged"]);
    assert_eq!(removed(&changes), ["segment_1", "segment_2"]);
    assert_eq!((changes.open.marks[0].log, changes.open.marks[0].sequence), (log, 9));
    assert_eq!((changes.open.commit, changes.open.schema_version), (merge, first.open.schema_version));
    // What came and went since then is not named.
    let (inputs, once_more) = (["segment_3".into(), "merged".into()], [segment("once_more")]);
    commit_of(test.replace_by_node(log, &logs, &inputs, &once_more, at(70)).await.unwrap());
    let changes = test.changes_since(first.open.commit).await.unwrap().unwrap();
    assert_eq!((added(&changes), removed(&changes)), (vec!["once_more"], vec!["segment_1", "segment_2"]));
    let later = test.changes_since(merge).await.unwrap().unwrap();
    assert_eq!((added(&later), removed(&later)), (vec!["once_more"], vec!["segment_3", "merged"]));
    assert!(later.open.marks.is_empty());
}

pub(crate) async fn says_when_nobody_can_tell_what_has_changed(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let log = join(test, "a").await;
    commit_of(publish(test, log, &logs, "segment_1", (0, 5)).await);
    let inputs: [SegmentId; 1] = ["segment_1".into()];
    let merged = [segment("merged")];
    let merge = commit_of(test.replace_by_node(log, &logs, &inputs, &merged, at(70)).await.unwrap());
    let newest = commit_of(publish(test, log, &logs, "segment_2", (5, 6)).await);
    let is_known = async |commit| test.changes_since(commit).await.unwrap().is_some();
    assert!(is_known(merge - 1).await);
    assert!(!is_known(newest + 1).await, "it is not of this catalogue");
    // A removal that is forgotten cannot be told to who does not know of it.
    assert_eq!(test.forget_segments(&inputs).await.unwrap(), 1);
    assert!(!is_known(merge - 1).await);
    assert!(is_known(merge).await);
    test.prune_commits(at(999)).await.unwrap();
    assert!(!is_known(merge).await);
    assert!(is_known(newest).await);
}
