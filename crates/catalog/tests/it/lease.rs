//! The lease on writing: who gets it, who is refused and told by whom, and that who has lost it publishes nothing.

use std::collections::HashMap;
use std::time::Duration;

use tidegauge_catalog::lease::Writer;
use tidegauge_catalog::segments::Flushed;
use tidegauge_catalog::{Catalog, Error, SealKey};
use tidegauge_model::{DatasetId, ErrorKind, FieldKind, OrgId};

use crate::database::{Database, KEY_BYTE, Plain, TestCatalog};
use crate::event_samples::{counts, dataset, field, insert, one_dataset, segment};
use crate::samples::{at, change};
use crate::{stored_monitors, stored_rows};

/// So long that it does not end while a test runs.
const LONG: Duration = Duration::from_secs(3_600);
/// Ends at once.
const OVER: Duration = Duration::ZERO;

const APART: u64 = 1 << 40;

pub(crate) fn writer(node: &str) -> Writer {
    Writer {
        node: node.to_owned(),
        host: format!("host-of-{node}"),
        process: 4711,
        address: format!("{node}.example:8080"),
        has_log: false,
    }
}

/// Another process on the same catalogue.
async fn another(test: &TestCatalog<'_>) -> Catalog {
    test.database.open(KEY_BYTE).await.unwrap()
}

async fn flush(catalog: &Catalog, dataset: &DatasetId, flushed: u64) -> Result<u64, Error> {
    let segment = segment(&format!("segment_{flushed}"));
    catalog.publish_flush(dataset, &[segment], flushed, &[], &[], at(70)).await
}

pub(crate) async fn is_had_by_one_who_is_named_to_others(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    assert_eq!(test.lease_holder().await.unwrap(), None);
    test.take_lease(&writer("a"), LONG).await.unwrap();
    let holder = test.lease_holder().await.unwrap().unwrap();
    assert_eq!((holder.node.as_str(), holder.ends_at), ("a", holder.taken_at.plus(LONG)));
    let other = another(test).await;
    let refused = other.take_lease(&writer("b"), LONG).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    let times = [holder.taken_at.to_string(), holder.ends_at.to_string()];
    for part in ["a.example:8080", "host-of-a", "process 4711", "node a", &times[0], &times[1]] {
        assert!(refused.to_string().contains(part), "{part} in {refused}");
    }
    // Who has no lease publishes nothing either while somebody has it.
    assert_eq!(flush(&other, &logs, 1).await.unwrap_err().kind(), ErrorKind::Conflict);
    flush(test, &logs, 1).await.unwrap();
    test.release_lease().await.unwrap();
    other.take_lease(&writer("b"), LONG).await.unwrap();
    other.close().await;
}

pub(crate) async fn is_given_back_at_once_to_the_node_that_had_it(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let taken = test.take_lease(&writer("a"), LONG).await.unwrap();
    // Killed, and started again in the same data folder.
    let restarted = another(test).await;
    assert_eq!(restarted.take_lease(&writer("a"), LONG).await.unwrap(), taken);
    flush(&restarted, &logs, 1).await.unwrap();
    // What was started before can do nothing any more.
    assert_eq!(flush(test, &logs, 2).await.unwrap_err().kind(), ErrorKind::Unavailable);
    restarted.close().await;
}

pub(crate) async fn that_is_lost_lets_nothing_be_changed(test: &TestCatalog<'_>) {
    let org = OrgId::from("org_ours");
    let logs = one_dataset(test).await;
    test.take_lease(&writer("a"), OVER).await.unwrap();
    test.ensure_columns(&logs, &[field("n", FieldKind::Integer)]).await.unwrap();
    flush(test, &logs, 1).await.unwrap();
    // It has run out, but nobody has taken it: the next renewal has it again.
    test.renew_lease(OVER).await.unwrap();
    flush(test, &logs, 2).await.unwrap();
    let other = another(test).await;
    other.take_lease(&writer("b"), LONG).await.unwrap();
    let before = counts(test).await;
    assert!(!test.is_lease_lost(), "nobody has looked");
    let (ids, change) = (["segment_1".into()], change(&org));
    let written = Flushed { node: "a", segments: &[], flushed: 9, keys: &[], usage: &[] };
    let refused = [
        flush(test, &logs, 3).await.map(|_| ()),
        test.publish_left(&logs, written, at(70)).await.map(|_| ()),
        test.replace_segments(&logs, &ids, &[], at(70)).await.map(|_| ()),
        test.forget_segments(&ids).await.map(|_| ()),
        test.ensure_columns(&logs, &[field("m", FieldKind::Integer)]).await.map(|_| ()),
        test.forget_columns(&logs, &[]).await.map(|_| ()),
        test.insert_dataset(&org, &dataset(&org, "more"), 9, &change).await.map(|_| ()),
        test.add_map_field(&org, "logs", "m", at(70), &change).await.map(|_| ()),
        test.delete_dataset(&org, "logs", at(70), &change).await.map(|_| ()),
        test.renew_lease(LONG).await,
    ];
    for (place, refused) in refused.into_iter().enumerate() {
        let refused = refused.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unavailable, "{place}: {refused}");
        let cause = std::error::Error::source(&refused).unwrap().to_string();
        assert!(cause.contains("b.example:8080"), "{place}: {cause}");
        assert!(!refused.to_string().contains("example"), "callers need not know: {refused}");
    }
    assert!(test.is_lease_lost());
    assert_eq!(counts(test).await, before);
    assert_eq!(test.live_segments(&logs).await.unwrap().len(), 2);
    // Neither does it give back what another has.
    test.release_lease().await.unwrap();
    flush(&other, &logs, APART + 1).await.unwrap();
    other.close().await;
}

pub(crate) async fn keeps_the_sequences_of_nodes_apart(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let quiet = insert(test, &"org_ours".into(), "quiet").await.id;
    let floor = async |catalog: &Catalog, node: &str| {
        catalog.take_lease(&writer(node), OVER).await.unwrap().sequence_floor
    };
    let (a, b) = (another(test).await, another(test).await);
    assert_eq!(floor(&a, "a").await, 0);
    flush(&a, &logs, 70).await.unwrap();
    assert_eq!(floor(&b, "b").await, 70 + APART);
    assert_eq!(b.flush_marks("a").await.unwrap(), HashMap::from([(logs.clone(), 70)]));
    flush(&b, &logs, 75 + APART).await.unwrap();
    // Back again, but gone before anything was done with what it had logged for the first time: that it is not in
    // segments is still known, although the mark of the dataset is beyond.
    assert_eq!(floor(&a, "a").await, 75 + 2 * APART);
    let b = another(test).await;
    assert_eq!(floor(&b, "b").await, 75 + 3 * APART);
    assert_eq!(b.flush_marks("a").await.unwrap(), HashMap::from([(logs.clone(), 70)]));
    let a = another(test).await;
    assert_eq!(floor(&a, "a").await, 75 + 4 * APART);
    let left = [segment("left")];
    for dataset in [&logs, &quiet] {
        let segments = if *dataset == logs { &left[..] } else { &[] };
        let written = Flushed { node: "a", segments, flushed: 73, keys: &[], usage: &[] };
        a.publish_left(dataset, written, at(70)).await.unwrap();
        let again = a.publish_left(dataset, written, at(70)).await.unwrap_err();
        assert_eq!(again.kind(), ErrorKind::Conflict);
    }
    let marks = HashMap::from([(logs.clone(), 73), (quiet.clone(), 73)]);
    assert_eq!(a.flush_marks("a").await.unwrap(), marks);
    assert_eq!(test.live_segments(&logs).await.unwrap().len(), 3);
    let found = test.find_dataset(&"org_ours".into(), "logs").await.unwrap().unwrap();
    assert_eq!(found.flushed, 75 + APART);
    let unknown = Flushed { node: "a", segments: &[], flushed: 73, keys: &[], usage: &[] };
    let gone = a.publish_left(&"dataset_gone".into(), unknown, at(70)).await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
    // A dataset takes its marks with it.
    a.delete_dataset(&"org_ours".into(), "logs", at(80), &change(&"org_ours".into())).await.unwrap();
    assert_eq!(a.flush_marks("a").await.unwrap(), HashMap::from([(quiet, 73)]));
}

pub(crate) async fn goes_first_to_the_log_from_before_or_to_a_new_one(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    flush(test, &logs, 9).await.unwrap();
    let has_log = Writer { has_log: true, ..writer("old") };
    assert_eq!(another(test).await.take_lease(&has_log, OVER).await.unwrap().sequence_floor, 0);
    // The log from before may have more than the mark says, and may come back: its marks are kept for it.
    let new = another(test).await;
    assert_eq!(new.take_lease(&writer("new"), OVER).await.unwrap().sequence_floor, 9 + APART);
    assert_eq!(new.flush_marks("new").await.unwrap(), HashMap::from([(logs, 9)]));
}

pub(crate) async fn is_for_one_data_folder_of_a_process(test: &TestCatalog<'_>) {
    test.take_lease(&writer("a"), OVER).await.unwrap();
    let refused = test.take_lease(&writer("b"), OVER).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
}

pub(crate) async fn is_not_shortened_by_a_renewal_that_comes_late(test: &TestCatalog<'_>) {
    test.take_lease(&writer("a"), LONG).await.unwrap();
    let ends_at = async || test.lease_holder().await.unwrap().unwrap().ends_at;
    let before = ends_at().await;
    // Longer, because both may happen in the same millisecond.
    test.renew_lease(2 * LONG).await.unwrap();
    let renewed = ends_at().await;
    assert!(renewed > before);
    // As one that has asked for the time long ago.
    test.renew_lease(OVER).await.unwrap();
    assert_eq!(ends_at().await, renewed);
}

pub(crate) async fn is_borrowed_in_the_name_of_who_is_gone(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let worker = another(test).await;
    let nobody = Writer { node: String::new(), ..writer("worker") };
    test.take_lease(&writer("a"), LONG).await.unwrap();
    flush(test, &logs, 5).await.unwrap();
    let refused = worker.borrow_lease(&nobody, LONG).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert!(refused.to_string().contains("a.example:8080"), "{refused}");

    // Killed long ago: it has not given anything back.
    test.take_lease(&writer("a"), OVER).await.unwrap();
    assert_eq!(flush(&worker, &logs, 6).await.unwrap_err().kind(), ErrorKind::Conflict);
    worker.borrow_lease(&nobody, LONG).await.unwrap();
    flush(&worker, &logs, 7).await.unwrap();
    assert_eq!(flush(test, &logs, 8).await.unwrap_err().kind(), ErrorKind::Unavailable);
    let holder = test.lease_holder().await.unwrap().unwrap();
    assert_eq!((holder.node.as_str(), holder.address.as_str()), ("a", "worker.example:8080"));
    assert!(!holder.has_given_back());
    worker.release_lease().await.unwrap();
    assert!(test.lease_holder().await.unwrap().unwrap().has_given_back());
    // The mark that was made meanwhile is one of the node that was gone, and its process can open a log afterwards.
    worker.take_lease(&writer("b"), LONG).await.unwrap();
    assert_eq!(worker.flush_marks("a").await.unwrap(), HashMap::from([(logs, 7)]));
    worker.close().await;
}

/// On PostgreSQL alone, where a process can stand still with a lock in hand and others wait for it.
pub(crate) async fn is_not_held_up_by_who_stands_still(test: &TestCatalog<'_>) {
    let Plain::Postgres(plain) = &test.database.plain else { return };
    // With the limits of the service: those of the other tests are longer.
    let key = SealKey::new(&[KEY_BYTE; SealKey::LENGTH]);
    let node = Catalog::open(&test.database.location, key).await.unwrap();
    node.take_lease(&writer("a"), LONG).await.unwrap();
    let is_locked = async || {
        let free = sqlx::query("SELECT epoch FROM writer_lease FOR UPDATE SKIP LOCKED");
        free.fetch_optional(plain).await.unwrap().is_none()
    };
    loop {
        let mut still = Box::pin(node.renew_lease(LONG));
        let mut is_over = false;
        while !is_over && !is_locked().await {
            is_over = futures_util::poll!(&mut still).is_ready();
        }
        if is_over {
            // It was through before anybody saw its lock.
            continue;
        }
        // Nobody goes on with it. Others are told to try again, and then they need not any more: where the machine was
        // slow enough, not even once.
        while let Err(error) = node.renew_lease(LONG).await {
            assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        }
        // Its end may have been on its way when its lock was seen.
        if let Err(error) = still.await {
            assert_eq!(error.kind(), ErrorKind::Unavailable);
            break;
        }
    }
    node.close().await;
}

pub(crate) async fn version_7_is_still_read(database: &Database) {
    stored_rows::restore(database, 7).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    let holder = catalog.lease_holder().await.unwrap().unwrap();
    assert_eq!(holder.node, "00112233445566778899aabbccddeeff");
    assert_eq!((holder.host.as_str(), holder.process), ("quay-2", 4711));
    assert_eq!(holder.address, "192.0.2.7:8080");
    assert_eq!(holder.taken_at.as_micros(), 1_700_000_000_000_700);
    assert_eq!(holder.ends_at.as_micros(), 1_700_000_030_000_700);
    let marks =
        |sequence| HashMap::from([(DatasetId::from("dataset_018bcfe56800700080000000000000f1"), sequence)]);
    assert_eq!(catalog.flush_marks("ffeeddccbbaa99887766554433221100").await.unwrap(), marks(77));
    assert_eq!(catalog.flush_marks("").await.unwrap(), marks(12));
    // It has run out long ago, its sequences stay apart, and what was stored before is read as ever.
    let taken = catalog.take_lease(&writer("b"), LONG).await.unwrap();
    assert_eq!(taken.sequence_floor, 2 * APART);
    stored_monitors::check_all(&catalog).await;
    catalog.close().await;
}
