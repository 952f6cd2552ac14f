//! What the sample rows of version 17 must mean: datasets that were deleted, beside all that was stored before.

use std::collections::HashSet;

use tidegauge_catalog::Catalog;
use tidegauge_model::DatasetId;

use crate::database::{Database, KEY_BYTE};
use crate::{stored_dashboards, stored_forms, stored_rows, stored_usage};

pub(crate) async fn version_17_is_still_read(database: &Database) {
    stored_rows::restore(database, 17).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    stored_forms::check_resources(&catalog).await;
    stored_dashboards::check_dashboards(&catalog).await;
    stored_usage::check_usage(&catalog).await;
    check_deletions(&catalog).await;
    catalog.close().await;
}

/// Checks what version 17 adds, which later samples hold too.
pub(crate) async fn check_deletions(catalog: &Catalog) {
    let deleted = DatasetId::from("dataset_018bcfe56800700080000000000000f9");
    let there = DatasetId::from("dataset_018bcfe56800700080000000000000f1");
    let known = catalog.deleted_datasets(&[there, deleted.clone()]).await.unwrap();
    assert_eq!(known, HashSet::from([deleted]));
}
