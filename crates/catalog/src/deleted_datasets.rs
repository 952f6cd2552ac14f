//! Which datasets were deleted, for some weeks. Whoever finds something of a dataset that is not there knows by this that
//! it was deleted, and that the catalogue is not an old copy of itself.

use std::collections::HashSet;
use std::time::Duration;

use tidegauge_model::DatasetId;

use crate::db::{LIST_BATCH, push_list, read};
use crate::{Catalog, Result};

/// How long it is known. A node that was away for longer leaves alone what it finds.
pub(crate) const KEPT: Duration = Duration::from_secs(8 * 7 * 24 * 60 * 60);

pub(crate) const NOTE: &str = "INSERT INTO deleted_dataset (dataset_id, deleted_at) VALUES ($1, $2) \
    ON CONFLICT (dataset_id) DO NOTHING";

pub(crate) const FORGET_OLD: &str = "DELETE FROM deleted_dataset WHERE deleted_at < $1";

impl Catalog {
    /// Those of the datasets that were deleted in the last weeks.
    pub async fn deleted_datasets(&self, ids: &[DatasetId]) -> Result<HashSet<DatasetId>> {
        let mut deleted = HashSet::new();
        for batch in ids.chunks(LIST_BATCH) {
            let found: Vec<String> = read!(self, executor => {
                let mut select = sqlx::QueryBuilder::new("SELECT dataset_id FROM deleted_dataset WHERE ");
                push_list!(select, "dataset_id", batch.iter().map(DatasetId::as_str));
                select.build_query_scalar().fetch_all(executor).await?
            });
            deleted.extend(found.into_iter().map(DatasetId::from));
        }
        Ok(deleted)
    }
}
