//! What is asked when files of segments are deleted: which were removed long enough ago, which paths are known; and
//! forgetting the rows of those that are gone.

use std::collections::HashSet;

use tidegauge_model::{SegmentId, Timestamp};

use crate::db::{LIST_BATCH, push_list, read, write};
use crate::lease::fence;
use crate::segments::{SELECT_REMOVED, Segment, SegmentRow};
use crate::{Catalog, Result};

/// What was removed by a commit up to this one cannot be listed whole any more.
const NOTE_FORGOTTEN: &str = "UPDATE node_counter SET forgotten = $1 WHERE forgotten < $1";

impl Catalog {
    /// Segments that were removed before a time, the earliest first: their files can be deleted.
    pub async fn removed_segments(&self, before: Timestamp, limit: u32) -> Result<Vec<Segment>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, SegmentRow>(SELECT_REMOVED)
                .bind(before.as_micros())
                .bind(i64::from(limit))
                .fetch_all(executor)
                .await?
        });
        rows.into_iter().map(SegmentRow::read).collect()
    }

    /// Forgets removed segments whose files are deleted, and says how many. Live ones are left alone.
    pub async fn forget_segments(&self, ids: &[SegmentId]) -> Result<u64> {
        let forgotten = write!(self, connection => {
            fence!(self, connection);
            self.note_forgotten();
            let mut removals: Vec<i64> = Vec::new();
            for batch in ids.chunks(LIST_BATCH) {
                let mut delete = sqlx::QueryBuilder::new("DELETE FROM segment WHERE removed IS NOT NULL AND ");
                push_list!(delete, "id", batch.iter().map(SegmentId::as_str));
                delete.push(" RETURNING removed");
                let forgotten: Vec<i64> = delete.build_query_scalar().fetch_all(&mut *connection).await?;
                removals.extend(forgotten);
            }
            if let Some(newest) = removals.iter().max() {
                sqlx::query(NOTE_FORGOTTEN).bind(*newest).execute(&mut *connection).await?;
            }
            removals.len()
        });
        Ok(u64::try_from(forgotten).unwrap_or(u64::MAX))
    }

    /// Those of the paths that belong to a segment, live or removed.
    pub async fn known_paths(&self, paths: &[String]) -> Result<HashSet<String>> {
        let mut known = HashSet::new();
        for batch in paths.chunks(LIST_BATCH) {
            let found: Vec<String> = read!(self, executor => {
                let mut select = sqlx::QueryBuilder::new("SELECT path FROM segment WHERE ");
                push_list!(select, "path", batch.iter().map(String::as_str));
                select.build_query_scalar().fetch_all(executor).await?
            });
            known.extend(found);
        }
        Ok(known)
    }
}
