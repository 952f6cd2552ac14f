//! What people change of a dataset that is there. How long events are kept is checked under the lock of the dataset, so
//! that two changes at the same moment cannot come to what neither of them may do.

use tidegauge_model::{ErrorKind, OrgId, Timestamp};

use super::{Dataset, DatasetRow, LOCK_ONE, columns};
use crate::audit::{Change, record};
use crate::db::write;
use crate::{Catalog, Error, Result};

/// What a caller may change of a dataset; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatasetPatch {
    pub description: Option<String>,
    pub use_retention: Option<bool>,
    pub retention_days: Option<u32>,
    /// Whether a retention time that is shorter than the present one is refused, because events would go by it.
    pub keeps_events: bool,
}

const UPDATE: &str = concat!(
    "UPDATE dataset SET description = $3, use_retention = $4, retention_days = $5, modified = $6 \
     WHERE org_id = $1 AND name = $2 RETURNING ",
    columns!()
);

impl DatasetPatch {
    /// Puts the changes into a dataset, or says why not.
    fn put_into(self, dataset: &mut Dataset) -> Result<()> {
        let before = kept_days(dataset);
        if let Some(description) = self.description {
            dataset.description = description;
        }
        dataset.use_retention = self.use_retention.unwrap_or(dataset.use_retention);
        dataset.retention_days = self.retention_days.unwrap_or(dataset.retention_days);
        if kept_days(dataset) == Some(0) {
            // Callers were told so before; then somebody else has changed the other half of it.
            let message = "the retention of the dataset was changed at the same moment";
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        if self.keeps_events && is_shorter(kept_days(dataset), before) {
            let message = "a shorter retention time removes events: that also needs datasets|delete, or trim|update or \
                           data|delete on the dataset";
            return Err(Error::new(ErrorKind::Forbidden, message));
        }
        Ok(())
    }
}

/// For how many days events are kept; none is for ever.
fn kept_days(dataset: &Dataset) -> Option<u32> {
    dataset.use_retention.then_some(dataset.retention_days)
}

fn is_shorter(now: Option<u32>, before: Option<u32>) -> bool {
    now.is_some_and(|now| before.is_none_or(|before| now < before))
}

impl Catalog {
    /// Changes what the patch names. `None` if there is no such dataset.
    pub async fn update_dataset(
        &self,
        org: &OrgId,
        name: &str,
        patch: DatasetPatch,
        now: Timestamp,
        change: &Change,
    ) -> Result<Option<Dataset>> {
        let row: DatasetRow = write!(self, connection => {
            let locked: Option<DatasetRow> = sqlx::query_as(LOCK_ONE)
                .bind(org.as_str())
                .bind(name)
                .fetch_optional(&mut *connection)
                .await?;
            let Some(locked) = locked else {
                return Ok(None);
            };
            let mut dataset = locked.read()?;
            patch.put_into(&mut dataset)?;
            let row = sqlx::query_as(UPDATE)
                .bind(org.as_str())
                .bind(name)
                .bind(&dataset.description)
                .bind(dataset.use_retention)
                .bind(i64::from(dataset.retention_days))
                .bind(now.as_micros())
                .fetch_one(&mut *connection)
                .await?;
            record!(connection, change, "dataset.update", name, dataset.detail());
            row
        });
        row.read().map(Some)
    }
}
