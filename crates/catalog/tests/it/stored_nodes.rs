//! What the sample rows of version 19 must mean: nodes with their logs and marks, beside all that was stored before.

use std::time::Duration;

use tidegauge_catalog::Catalog;
use tidegauge_catalog::nodes::Log;
use tidegauge_catalog::nodes::claims::Claimed;
use tidegauge_catalog::nodes::directory::OpenLog;
use tidegauge_model::{DatasetId, SegmentId, Timestamp};

use crate::database::{Database, KEY_BYTE};
use crate::{stored_dashboards, stored_deletions, stored_forms, stored_rows, stored_usage};

pub(crate) async fn version_19_is_still_read(database: &Database) {
    stored_rows::restore(database, 19).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    stored_forms::check_resources(&catalog).await;
    stored_dashboards::check_dashboards(&catalog).await;
    stored_usage::check_usage(&catalog).await;
    stored_deletions::check_deletions(&catalog).await;
    check_nodes(&catalog).await;
    catalog.close().await;
}

/// Checks what version 19 adds, which later samples hold too.
pub(crate) async fn check_nodes(catalog: &Catalog) {
    let nodes = catalog.nodes(Duration::ZERO).await.unwrap();
    assert_eq!(nodes.len(), 2);
    assert_eq!((nodes[0].number, nodes[0].name.as_str(), nodes[0].epoch), (2, "quay-2", 4));
    assert_eq!((nodes[0].address.as_str(), nodes[0].build.as_str()), ("192.0.2.7:9080", "0.1.0+4f2a"));
    assert_eq!((nodes[0].seen_at.as_micros(), nodes[0].adopter), (1_700_000_000_000_810, None));
    assert_eq!((nodes[1].number, nodes[1].epoch, nodes[1].adopter), (3, 2, Some(2)));
    assert!(nodes[1].is_silent);
    assert_eq!(catalog.node_epoch(2).await.unwrap(), Some(4));
    assert_eq!(catalog.node_epoch(3).await.unwrap(), None);

    let open = catalog.directory().await.unwrap().open;
    assert_eq!((open.counter, open.commit, open.schema_version), (8, 9, 4));
    let log = |node, epoch| Log { node, epoch };
    let logs = [
        OpenLog { log: log(2, 4), address: Some("192.0.2.7:9080".to_owned()) },
        OpenLog { log: log(3, 2), address: None },
        OpenLog { log: log(3, 1), address: None },
    ];
    assert_eq!(open.logs, logs);
    let dataset = DatasetId::from("dataset_018bcfe56800700080000000000000f1");
    assert!(open.marks.iter().all(|mark| mark.dataset == dataset));
    let marks: Vec<(Log, u64)> = open.marks.iter().map(|mark| (mark.log, mark.sequence)).collect();
    assert_eq!(marks, [(log(2, 4), 14), (log(3, 1), 23)]);

    // Of two claims, one is of a log that waits for its adoption, and the other of one that was adopted.
    for (key, claimed) in [("tide-4711", Claimed::ByAnother), ("tide-4712", Claimed::Mine)] {
        let at = Timestamp::from_micros(0);
        assert_eq!(catalog.claim_key(log(2, 4), &dataset, key, at).await.unwrap(), claimed);
    }

    // What was removed by commit 7 is forgotten, and commit 8 is known.
    assert!(catalog.changes_since(7).await.unwrap().is_none(), "its commit was pruned");
    let changes = catalog.changes_since(8).await.unwrap().unwrap();
    assert_eq!(changes.open.marks.len(), 1);
    let removed: Vec<&str> = changes.removed.iter().map(SegmentId::as_str).collect();
    assert_eq!(removed, ["segment_018bcfe5680070008000000000000101"]);
}
