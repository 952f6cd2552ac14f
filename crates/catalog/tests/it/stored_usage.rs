//! What the sample rows of version 16 must mean: use by day and dataset, beside all that was stored before.

use tidegauge_catalog::Catalog;
use tidegauge_catalog::usage::DayOfDataset;
use tidegauge_model::OrgId;

use crate::database::{Database, KEY_BYTE};
use crate::{stored_dashboards, stored_forms, stored_rows};

pub(crate) async fn version_16_is_still_read(database: &Database) {
    stored_rows::restore(database, 16).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    stored_forms::check_resources(&catalog).await;
    stored_dashboards::check_dashboards(&catalog).await;
    check_usage(&catalog).await;
    catalog.close().await;
}

/// Checks what version 16 adds, which later samples hold too.
pub(crate) async fn check_usage(catalog: &Catalog) {
    let org: OrgId = "org_018bcfe56800700080000000000000a1".into();
    let day = |day: &str, dataset: &str, ingested_bytes, query_cost| DayOfDataset {
        day: day.to_owned(),
        dataset: dataset.to_owned(),
        ingested_bytes,
        query_cost,
    };
    let days = catalog.usage_by_day(&org, "2023-11-01", "2023-11-30").await.unwrap();
    assert_eq!(days, [day("2023-11-14", "", 0, 54_321), day("2023-11-14", "tide.levels", 123_456, 600_000)]);
}
