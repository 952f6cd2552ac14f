//! Nodes that start, flush and adopt each other at the same moment. A rule of decision 0037 that a case proves is named
//! before it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tidegauge_catalog::context::CatalogContext;
use tidegauge_catalog::nodes::claims::Claimed;
use tidegauge_catalog::nodes::publish::Published;
use tidegauge_catalog::nodes::{Log, Raise};
use tokio::task::JoinSet;

use crate::database::{KEY_BYTE, TestCatalog};
use crate::event_samples::{ids, one_dataset, segment};
use crate::node_samples::{
    BeginsBeside, LONG, OVER, StandsStill, commit_of, in_context, join, marks, part, publish,
};
use crate::samples::at;

const ROUNDS: u64 = 5;
const CALLERS: u64 = 12;

/// How many were done, and how many came too late.
fn outcomes(all: &[Published]) -> (usize, usize) {
    let done = all.iter().filter(|published| matches!(published, Published::Done(_))).count();
    (done, all.iter().filter(|published| **published == Published::Conflict).count())
}

/// `EpochIsTakenNotAssumed`: of processes that start under one name, each has a log of its own.
pub(crate) async fn give_each_start_an_epoch_of_its_own(test: &TestCatalog<'_>) {
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let catalog = test.shared();
        callers.spawn(async move {
            let name = if caller % 3 == 0 { "a" } else { "b" };
            (name, join(&catalog, name).await)
        });
    }
    let mut epochs: BTreeMap<(&str, u16), BTreeSet<u64>> = BTreeMap::new();
    for (name, log) in callers.join_all().await {
        assert!(epochs.entry((name, log.node)).or_default().insert(log.epoch), "{log:?} has two writers");
    }
    let epochs: Vec<(&str, BTreeSet<u64>)> =
        epochs.into_iter().map(|((name, _), epochs)| (name, epochs)).collect();
    assert_eq!(epochs, [("a", BTreeSet::from_iter(1..=4)), ("b", BTreeSet::from_iter(1..=8))]);
    assert_eq!(test.look().await.unwrap().counter, CALLERS);
    assert_eq!(test.database.count("node_log").await, 10);
}

/// `AdoptionIsOnce`: an epoch is raised once, and one of many adopters publishes.
pub(crate) async fn let_one_of_many_adopt(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let mut adopters = Vec::new();
    for caller in 0..CALLERS {
        adopters.push(join(test, &format!("adopter_{caller}")).await);
    }
    for round in 1..=ROUNDS {
        let log = join(test, &format!("silent_{round}")).await;
        commit_of(publish(test, log, &logs, &format!("flushed_{round}"), (0, 5)).await);
        let counter = test.look().await.unwrap().counter;
        let mut callers = JoinSet::new();
        for adopter in adopters.clone() {
            let (catalog, logs) = (test.shared(), logs.clone());
            callers.spawn(async move {
                assert_eq!(catalog.raise_epoch(adopter, log, OVER).await.unwrap(), Raise::Ended);
                let segments = [segment(&format!("adopted_{round}_{}", adopter.node))];
                catalog.adopt_log(adopter, log, &[part(&logs, &segments, (5, 9))], at(70)).await.unwrap()
            });
        }
        assert_eq!(outcomes(&callers.join_all().await), (1, 11));
        assert_eq!(test.look().await.unwrap().counter, counter + 2, "one raise and one adoption");
        let live = test.live_segments(&logs).await.unwrap();
        assert_eq!(live.len() as u64, 2 * round);
        let nodes = test.nodes(LONG).await.unwrap();
        assert_eq!(nodes.iter().find(|node| node.number == log.node).unwrap().epoch, 2);
    }
}

/// `FlushComparesMark`: of flushes that begin at one mark, one is done.
pub(crate) async fn publish_one_of_many_flushes_from_a_mark(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let log = join(test, "a").await;
    for round in 0..ROUNDS {
        let mut callers = JoinSet::new();
        for caller in 0..CALLERS {
            let (catalog, logs) = (test.shared(), logs.clone());
            callers.spawn(async move {
                let id = format!("segment_{round}_{caller}");
                publish(&catalog, log, &logs, &id, (round, round + 1)).await
            });
        }
        assert_eq!(outcomes(&callers.join_all().await), (1, 11));
        assert_eq!(marks(test).await, [(logs.clone(), log, round + 1)]);
    }
    assert_eq!(test.live_segments(&logs).await.unwrap().len() as u64, ROUNDS);
}

/// Where the mark of a log is.
async fn mark(test: &TestCatalog<'_>, log: Log) -> u64 {
    marks(test).await.iter().find(|(_, of, _)| *of == log).map_or(0, |(.., sequence)| *sequence)
}

/// `FlushChecksEpoch` and `AdoptionReadsMarksAfterRaise`: a node flushes while it is adopted, and either the flush is in the
/// marks that the adopter reads, or it is refused.
pub(crate) async fn order_flushes_and_adoptions(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let theirs = test.database.open(KEY_BYTE).await.unwrap();
    let adopter = join(test, "adopter").await;
    for round in 0..ROUNDS {
        let log = join(test, &format!("silent_{round}")).await;
        let flushed_id = format!("flushed_{round}");
        let adopt = async {
            assert_eq!(test.raise_epoch(adopter, log, OVER).await.unwrap(), Raise::Ended);
            let from = mark(test, log).await;
            let segments = [segment(&format!("adopted_{round}"))];
            commit_of(
                test.adopt_log(adopter, log, &[part(&logs, &segments, (from, 9))], at(70)).await.unwrap(),
            );
            from
        };
        let (flushed, from) = tokio::join!(publish(&theirs, log, &logs, &flushed_id, (0, 5)), adopt);
        match flushed {
            Published::Done(_) => assert_eq!(from, 5),
            Published::Fenced => assert_eq!(from, 0),
            Published::Conflict => panic!("nobody else has moved the mark"),
        }
        // It wakes, and does not know yet.
        assert_eq!(publish(&theirs, log, &logs, "late", (from, 9)).await, Published::Fenced);
        let live = test.live_segments(&logs).await.unwrap();
        assert_eq!(ids(&live).contains(&flushed_id.as_str()), from == 5);
    }
    theirs.close().await;
}

/// `FlushChecksEpoch`, where the flush stands still inside its transaction: who adopts waits for it, and finds its mark.
pub(crate) async fn wait_for_a_flush_that_has_begun(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let (a, b) = (join(test, "a").await, join(test, "b").await);
    let still = Arc::new(StandsStill::default());
    let flushing = in_context(test, Arc::clone(&still) as Arc<dyn CatalogContext>).await;
    let adopting = in_context(test, Arc::new(BeginsBeside(Arc::clone(&still)))).await;
    let raise = async {
        still.stands.notified().await;
        adopting.raise_epoch(b, a, OVER).await.unwrap()
    };
    let (flushed, raised) = tokio::join!(publish(&flushing, a, &logs, "segment_1", (0, 5)), raise);
    assert!(matches!(flushed, Published::Done(_)), "{flushed:?}");
    assert_eq!(raised, Raise::Ended);
    assert_eq!(mark(test, a).await, 5);
}

/// The other way round: a flush that comes while its epoch is being raised is refused.
pub(crate) async fn refuse_a_flush_that_comes_after_the_raise(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let (a, b) = (join(test, "a").await, join(test, "b").await);
    let still = Arc::new(StandsStill::default());
    let adopting = in_context(test, Arc::clone(&still) as Arc<dyn CatalogContext>).await;
    let flushing = in_context(test, Arc::new(BeginsBeside(Arc::clone(&still)))).await;
    let flush = async {
        still.stands.notified().await;
        publish(&flushing, a, &logs, "segment_1", (0, 5)).await
    };
    let (raised, flushed) = tokio::join!(adopting.raise_epoch(b, a, OVER), flush);
    assert_eq!(raised.unwrap(), Raise::Ended);
    assert_eq!(flushed, Published::Fenced);
    assert_eq!(mark(test, a).await, 0);
    assert!(test.live_segments(&logs).await.unwrap().is_empty());
}

/// `ClaimStandsUntilAdoption`: a claim that is over is forgotten while another log takes it over.
pub(crate) async fn leave_a_claim_that_was_taken_over(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let (a, b) = (join(test, "a").await, join(test, "b").await);
    assert_eq!(test.raise_epoch(b, a, OVER).await.unwrap(), Raise::Ended);
    commit_of(test.adopt_log(b, a, &[], at(70)).await.unwrap());
    assert_eq!(test.claim_key(a, &logs, "key", at(0)).await.unwrap(), Claimed::Mine);
    let still = Arc::new(StandsStill::default());
    let claiming = in_context(test, Arc::clone(&still) as Arc<dyn CatalogContext>).await;
    let forgetting = in_context(test, Arc::new(BeginsBeside(Arc::clone(&still)))).await;
    let forget = async {
        still.stands.notified().await;
        forgetting.forget_claims().await.unwrap()
    };
    let (claimed, forgotten) = tokio::join!(claiming.claim_key(b, &logs, "key", at(0)), forget);
    assert_eq!((claimed.unwrap(), forgotten), (Claimed::Mine, 0));
    assert_eq!(test.claim_key(b, &logs, "key", at(0)).await.unwrap(), Claimed::Mine);
    assert_eq!(test.database.count("ingest_claim").await, 1);
}

/// The same where the log that has the claim began after the one that asks had begun to: what it does not know is open.
pub(crate) async fn leave_a_claim_of_a_log_that_is_not_known_yet(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let a = join(test, "a").await;
    for unknown in [Log { epoch: 2, ..a }, Log { node: 2, epoch: 1 }] {
        let key = format!("key_{}", unknown.node);
        assert_eq!(test.claim_key(unknown, &logs, &key, at(0)).await.unwrap(), Claimed::Mine);
        assert_eq!(test.claim_key(a, &logs, &key, at(0)).await.unwrap(), Claimed::ByAnother);
    }
    assert_eq!(test.forget_claims().await.unwrap(), 0);
}

/// `SegmentsAndMarksOfOneCommit`: a directory that is read, or follows, while a node flushes.
pub(crate) async fn leave_no_hole_between_segments_and_marks(test: &TestCatalog<'_>) {
    const FLUSHES: u64 = 30;
    let logs = one_dataset(test).await;
    let log = join(test, "a").await;
    let mut commit = test.directory().await.unwrap().open.commit;
    let mut flushes = JoinSet::new();
    let catalog = test.shared();
    flushes.spawn(async move {
        for number in 0..FLUSHES {
            let id = format!("segment_{number}");
            commit_of(publish(&catalog, log, &logs, &id, (number, number + 1)).await);
        }
    });
    let mut known = 0;
    loop {
        let are_over = flushes.try_join_next().map(Result::unwrap).is_some();
        let whole = test.directory().await.unwrap();
        let upto = whole.open.marks.first().map_or(0, |mark| mark.sequence);
        assert_eq!(whole.segments.len() as u64, upto);
        let changes = test.changes_since(commit).await.unwrap().unwrap();
        known += changes.added.len() as u64;
        assert_eq!(changes.open.marks.first().map_or(known, |mark| mark.sequence), known);
        commit = changes.open.commit;
        if are_over {
            break;
        }
    }
    assert_eq!(known, FLUSHES);
}
