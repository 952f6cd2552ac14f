//! What is written down about a dataset after something was done to its events: in the audit trail, and when it was
//! vacuumed last.

use tidegauge_model::{OrgId, Timestamp};

use crate::audit::detail::cut;
use crate::audit::{Change, record};
use crate::datasets::{Dataset, DatasetRow, columns};
use crate::db::write;
use crate::{Catalog, Result};

const UPDATE_VACUUMED: &str =
    concat!("UPDATE dataset SET vacuumed = $3 WHERE org_id = $1 AND name = $2 RETURNING ", columns!());

impl Catalog {
    /// Writes down in the audit trail that events of a dataset were deleted by a query, and how many it had found then.
    /// What it asked for is left out: it may name what was to be forgotten.
    pub async fn note_deletion(&self, name: &str, found: &str, change: &Change) -> Result<()> {
        write!(self, connection => {
            record!(connection, change, "dataset.delete-events", name, found);
        });
        Ok(())
    }

    /// Writes down in the audit trail that old events of a dataset were removed, and which.
    pub async fn note_trim(&self, name: &str, removed: String, change: &Change) -> Result<()> {
        write!(self, connection => {
            record!(connection, change, "dataset.trim", name, cut(removed));
        });
        Ok(())
    }

    /// Writes down when the dataset was vacuumed last. `None` if there is no such dataset.
    pub async fn note_vacuum(
        &self,
        org: &OrgId,
        name: &str,
        now: Timestamp,
        change: &Change,
    ) -> Result<Option<Dataset>> {
        let row: Option<DatasetRow> = write!(self, connection => {
            let row = sqlx::query_as(UPDATE_VACUUMED)
                .bind(org.as_str())
                .bind(name)
                .bind(now.as_micros())
                .fetch_optional(&mut *connection)
                .await?;
            if row.is_none() {
                return Ok(None);
            }
            record!(connection, change, "dataset.vacuum", name, "");
            row
        });
        row.map(DatasetRow::read).transpose()
    }
}
