//! Samples of datasets and what belongs to them, each named by its id.

use std::collections::BTreeMap;

use tidegauge_catalog::datasets::Dataset;
use tidegauge_catalog::ingest_keys::IngestKey;
use tidegauge_catalog::segments::{NewSegment, Segment};
use tidegauge_model::{DatasetId, DatasetName, FieldKind, OrgId};

use crate::database::TestCatalog;
use crate::samples::{self, OWNER, at};

/// More datasets than any case has.
pub(crate) const MANY: i64 = 1_000;

/// A dataset that is not in the catalogue yet.
pub(crate) fn dataset(org: &OrgId, name: &str) -> Dataset {
    Dataset {
        id: format!("dataset_{org}_{name}").into(),
        number: 0,
        org: org.clone(),
        name: DatasetName::parse(name).unwrap(),
        description: format!("Dataset {name}"),
        kind: "axiom:events:v1".to_owned(),
        created: at(5),
        created_by: OWNER.into(),
        modified: at(6),
        use_retention: true,
        retention_days: 30,
        map_fields: vec!["labels".to_owned()],
        flushed: 0,
        vacuumed: None,
        region: String::new(),
        edge_deployment: String::new(),
    }
}

/// Inserts a dataset and forgets the audit entry.
pub(crate) async fn insert(test: &TestCatalog<'_>, org: &OrgId, name: &str) -> Dataset {
    let change = samples::change(org);
    let inserted = test.insert_dataset(org, &dataset(org, name), MANY, &change).await.unwrap();
    test.new_audit().await;
    inserted
}

/// An organisation of its own with one dataset.
pub(crate) async fn one_dataset(test: &TestCatalog<'_>) -> DatasetId {
    let (ours, _) = samples::two_orgs(test).await;
    insert(test, &ours, "logs").await.id
}

pub(crate) fn segment(id: &str) -> NewSegment {
    NewSegment {
        id: id.into(),
        path: format!("datasets/logs/{id}.parquet"),
        rows: 100,
        bytes: 2_000,
        raw_bytes: 9_000,
        footer_bytes: 300,
        min_time: 1_800_000_000_000_000_001,
        max_time: 1_800_000_000_000_000_999,
        min_sequence: 3,
        max_sequence: 8,
        level: 1,
        checksum: format!("{:016x}", id.len()),
        stats: format!("statistics of {id}").into_bytes(),
        sidecar: None,
    }
}

/// What the catalogue must answer for a segment that it was given.
pub(crate) fn stored(segment: &NewSegment, dataset: &DatasetId, added: u64, removed: Option<u64>) -> Segment {
    let segment = segment.clone();
    Segment {
        id: segment.id,
        dataset: dataset.clone(),
        path: segment.path,
        rows: segment.rows,
        bytes: segment.bytes,
        raw_bytes: segment.raw_bytes,
        footer_bytes: segment.footer_bytes,
        min_time: segment.min_time,
        max_time: segment.max_time,
        min_sequence: segment.min_sequence,
        max_sequence: segment.max_sequence,
        level: segment.level,
        checksum: segment.checksum,
        sidecar: segment.sidecar,
        added,
        removed,
    }
}

pub(crate) fn ids(segments: &[Segment]) -> Vec<&str> {
    segments.iter().map(|segment| segment.id.as_str()).collect()
}

pub(crate) fn key(name: &str, sequence: u64) -> IngestKey {
    IngestKey {
        key: name.to_owned(),
        fingerprint: u64::MAX - sequence,
        answer: format!(r#"{{"ingested":{sequence}}}"#),
        sequence,
        at: at(i64::try_from(sequence).unwrap()),
    }
}

pub(crate) fn field(name: &str, kind: FieldKind) -> (String, FieldKind) {
    (name.to_owned(), kind)
}

/// How many rows each table of events has, to see that a refused change has left nothing.
pub(crate) async fn counts(test: &TestCatalog<'_>) -> BTreeMap<&'static str, i64> {
    let mut counts = BTreeMap::new();
    for table in
        ["dataset", "dataset_column", "dataset_field", "segment", "ingest_key", "commit_log", "usage"]
    {
        counts.insert(table, test.database.count(table).await);
    }
    counts
}
