//! Putting back what was read from the segments themselves after the catalogue was lost.

use tidegauge_model::Timestamp;

use crate::audit::{Change, record};
use crate::columns::{DatasetColumn, LAST_SYSTEM_COLUMN, insert_columns};
use crate::commits::next_commit;
use crate::counts::{from_stored, to_stored};
use crate::datasets::{Dataset, insert_dataset};
use crate::db::write;
use crate::lease::fence;
use crate::segments::{NewSegment, insert_segments};
use crate::{Catalog, Result};

/// A dataset with all that its files tell.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// Its number is kept; 0 stands for the next that is free.
    pub dataset: Dataset,
    /// Their numbers and names are kept.
    pub columns: Vec<DatasetColumn>,
    pub segments: Vec<NewSegment>,
}

impl Catalog {
    /// Inserts a dataset as given, and returns the number of the commit. A conflict, and nothing changes, if the
    /// catalogue has any part of it.
    pub async fn insert_recovered(
        &self,
        recovered: &Recovered,
        now: Timestamp,
        change: &Change,
    ) -> Result<u64> {
        let Recovered { dataset, columns, segments } = recovered;
        let last_column = columns.iter().map(|column| i64::from(column.number)).max();
        let last_column = last_column.unwrap_or(0).max(LAST_SYSTEM_COLUMN);
        let given = to_stored(dataset.number)?;
        let commit = write!(self, connection => {
            fence!(self, connection);
            sqlx::query("UPDATE commit_sequence SET last_dataset = $1 WHERE last_dataset < $1")
                .bind(given)
                .execute(&mut *connection)
                .await?;
            let count = crate::counts::count(segments.len());
            let new = i64::from(given == 0);
            let commit = next_commit!(connection, Some(now), schema: true, datasets: new, segments: count);
            let number = if given == 0 { commit.last_dataset } else { given };
            insert_dataset!(connection, dataset, number, last_column, commit.value);
            insert_columns!(connection, dataset.id, columns, commit.value);
            insert_segments!(connection, dataset.id, segments, commit);
            record!(connection, change, "dataset.recover", dataset.name.as_str(),
                format!("{count} segments"));
            commit.value
        });
        from_stored("the commit", commit)
    }
}
