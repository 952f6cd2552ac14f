//! The rows after a cursor in the order of time. Rows of the same time are in the order in which they were sent whichever
//! way time goes, so that newest first the rest of the cursor's own time lies apart from all that is older.

use tidegauge_exec::expr::Picked;
use tidegauge_model::RowId;
use tidegauge_store::Block;

use crate::Result;

/// The place in an order by time from which rows are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct After {
    pub(crate) row: RowId,
    /// Whether that row is wanted too.
    pub(crate) is_included: bool,
    pub(crate) is_descending: bool,
}

impl After {
    /// Whether all rows between two times come after it.
    pub(super) fn is_before_all(self, min_time: i64, max_time: i64) -> bool {
        if self.is_descending { max_time < self.row.time } else { self.row.time < min_time }
    }

    /// Whether no row between two times comes after it.
    pub(super) fn is_behind_all(self, min_time: i64, max_time: i64) -> bool {
        if self.is_descending { self.row.time < min_time } else { max_time < self.row.time }
    }

    /// Those of a stretch of a block's rows that come after it.
    pub(super) async fn cut(self, block: &Block, times: &[i64], from: usize, to: usize) -> Result<Picked> {
        let start = times.partition_point(|time| *time < self.row.time);
        let end = times.partition_point(|time| *time <= self.row.time);
        let rest = self.first_wanted(block, start, end).await?;
        if !self.is_descending {
            return Ok(range(from.max(rest), to));
        }
        let (older, same) = (range(from, to.min(start)), range(from.max(rest), to.min(end)));
        Ok(match (older.count(), same.count()) {
            (_, 0) => older,
            (0, _) => same,
            // Nothing of the cursor's time is behind it.
            _ if rest <= start => range(from, to.min(end)),
            _ => {
                let rows = |picked: Picked| (0..picked.count()).map(move |at| picked.row(at));
                Picked::Rows(rows(older).chain(rows(same)).collect())
            }
        })
    }

    /// Of the rows that have the cursor's time the first that is wanted.
    async fn first_wanted(self, block: &Block, start: usize, end: usize) -> Result<usize> {
        if start == end {
            return Ok(start);
        }
        let rows: Vec<u32> = (start..end).map(|row| row as u32).collect();
        let (sequences, indexes) = (block.sequences_at(&rows).await?, block.indexes_at(&rows).await?);
        let own = (self.row.sequence, self.row.index);
        let behind = (0..rows.len()).take_while(|at| {
            let id = (sequences[*at], indexes[*at]);
            id < own || (!self.is_included && id == own)
        });
        Ok(start + behind.count())
    }
}

fn range(from: usize, to: usize) -> Picked {
    Picked::Range(from..to.max(from))
}
