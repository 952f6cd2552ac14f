//! What the sample rows of versions 2 and 3 must mean: datasets and all that belongs to them, and kept queries.

use tidegauge_catalog::Catalog;
use tidegauge_catalog::columns::{DatasetColumn, FieldNote};
use tidegauge_catalog::datasets::Dataset;
use tidegauge_catalog::ingest_keys::IngestKey;
use tidegauge_catalog::query_history::SavedQuery;
use tidegauge_catalog::segments::Segment;
use tidegauge_model::{DatasetId, DatasetName, FieldKind, OrgId, Timestamp};

use crate::database::{Database, KEY_BYTE};
use crate::event_samples::{field, segment};
use crate::{stored_forms, stored_rows};

const ORG: &str = "org_018bcfe56800700080000000000000a1";
const DATASET: &str = "dataset_018bcfe56800700080000000000000f1";

pub(crate) async fn version_2_is_still_read(database: &Database) {
    stored_rows::restore(database, 2).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    check_events(&catalog).await;
    let org: OrgId = ORG.into();
    assert_eq!(catalog.query_usage(&org, "2023-11").await.unwrap(), 0);
    catalog.close().await;
}

/// Version 3 holds what version 2 does, and queries that were kept and what queries have cost.
pub(crate) async fn version_3_is_still_read(database: &Database) {
    stored_rows::restore(database, 3).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    check_events(&catalog).await;
    check_queries(&catalog).await;
    let org: OrgId = ORG.into();
    assert!(catalog.list_virtual_fields(&org, None).await.unwrap().is_empty());
    assert!(catalog.list_views(&org).await.unwrap().is_empty());
    catalog.close().await;
}

/// Checks what version 3 adds, which later samples hold too.
pub(crate) async fn check_queries(catalog: &Catalog) {
    let org: OrgId = ORG.into();
    assert_eq!(catalog.query_usage(&org, "2023-11").await.unwrap(), 654_321);
    let saved = SavedQuery {
        id: "h7TqVx20KcWm94ZpLd".to_owned(),
        kind: "analytics".to_owned(),
        dataset: "tide".to_owned(),
        who: "user_018bcfe56800700080000000000000b1".to_owned(),
        query: r#"{"startTime":"now-1h","endTime":"now","resolution":"auto"}"#.to_owned(),
        created: micros(41),
    };
    assert_eq!(catalog.find_saved_query(&org, &saved.id).await.unwrap(), Some(saved));
}

/// Checks all that version 2 stores, which later samples hold too.
pub(crate) async fn check_events(catalog: &Catalog) {
    stored_forms::check_resources(catalog).await;

    let (org, id): (OrgId, DatasetId) = (ORG.into(), DATASET.into());
    assert_eq!(catalog.list_datasets(&org).await.unwrap(), [dataset()]);
    let columns = catalog.dataset_columns(&id).await.unwrap();
    assert_eq!(
        columns,
        [column(16, FieldKind::Integer, "level"), column(18, FieldKind::Float, "level:float")]
    );
    let note = FieldNote {
        field: "level".to_owned(),
        description: "above the mark".to_owned(),
        unit: "m".to_owned(),
        hidden: true,
    };
    assert_eq!(catalog.dataset_fields(&id).await.unwrap(), [note]);
    let (removed, live) = (stored_segment(1), stored_segment(2));
    assert_eq!(catalog.segment_stats(&live.id).await.unwrap(), [0, 0xff, 0x10]);
    assert_eq!(catalog.segments_at(&id, 8).await.unwrap(), std::slice::from_ref(&removed));
    assert_eq!(catalog.removed_segments(micros(32), 9).await.unwrap(), [removed]);
    assert_eq!(catalog.live_segments(&id).await.unwrap(), [live]);
    let key = IngestKey {
        key: "retry-1".to_owned(),
        fingerprint: u64::MAX - 1,
        answer: r#"{"ingested":3}"#.to_owned(),
        sequence: 76,
        at: micros(29),
    };
    assert_eq!(catalog.find_ingest_key(&id, "retry-1", micros(0)).await.unwrap(), Some(key));
    assert_eq!(catalog.usage(&org, "2023-11").await.unwrap(), 123_456);
    assert_eq!(catalog.storage_bytes(&org).await.unwrap(), 2_002);

    // The counters go on where they stood.
    assert_eq!(catalog.commit_sequence().await.unwrap(), 9);
    let added = catalog.ensure_columns(&id, &[field("ok", FieldKind::Boolean)]).await.unwrap();
    assert_eq!(added[0].number, 19);
    let commit =
        catalog.publish_flush(&id, &[segment("segment_new")], 78, &[], &[], micros(40)).await.unwrap();
    assert_eq!(commit, 11);
}

/// So many microseconds after the time that the sample begins with.
fn micros(micros: i64) -> Timestamp {
    Timestamp::from_micros(1_700_000_000_000_000 + micros)
}

fn dataset() -> Dataset {
    Dataset {
        id: DATASET.into(),
        number: 3,
        org: ORG.into(),
        name: DatasetName::parse("tide.levels").unwrap(),
        description: "water levels".to_owned(),
        kind: "axiom:events:v1".to_owned(),
        created: micros(20),
        created_by: "user_018bcfe56800700080000000000000b1".into(),
        modified: micros(21),
        use_retention: true,
        retention_days: 90,
        map_fields: vec!["labels".to_owned(), "it's".to_owned()],
        flushed: 77,
        vacuumed: Some(micros(22)),
        region: String::new(),
        edge_deployment: String::new(),
    }
}

pub(crate) async fn version_8_is_still_read(database: &Database) {
    stored_rows::restore(database, 8).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    let (region, edge_deployment) = ("eu-central-1".to_owned(), "cloud.eu-central-1.aws".to_owned());
    assert_eq!(catalog.all_datasets().await.unwrap(), [Dataset { region, edge_deployment, ..dataset() }]);
    stored_forms::check_resources(&catalog).await;
    catalog.close().await;
}

fn column(number: u32, kind: FieldKind, name: &str) -> DatasetColumn {
    DatasetColumn { number, field: "level".to_owned(), kind, name: name.to_owned() }
}

fn stored_segment(number: u32) -> Segment {
    let (count, time) = (u64::from(number), i64::from(number));
    let id = format!("segment_018bcfe568007000800000000000010{number}");
    Segment {
        path: format!("datasets/{DATASET}/{id}.parquet"),
        id: id.as_str().into(),
        dataset: DATASET.into(),
        rows: 1_000 + count,
        bytes: 2_000 + count,
        raw_bytes: 3_000 + count,
        footer_bytes: 400 + count,
        min_time: 1_700_000_000_000_000_000 + time,
        max_time: 1_700_000_000_000_001_000 + time,
        min_sequence: 50 + count,
        max_sequence: 70 + count,
        level: number,
        checksum: "00000000000000ab".to_owned(),
        sidecar: (number == 2).then(|| format!("datasets/{DATASET}/text")),
        added: 7 + count,
        removed: (number == 1).then_some(9),
    }
}
