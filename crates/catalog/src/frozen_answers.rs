//! Answers that were kept as they were seen, so that a link shows the same rows later. The answer itself is bytes here,
//! compressed by who keeps it; beside it stand who kept it, of which query, and what it read.

use std::ops::RangeInclusive;

use sqlx::FromRow;
use tidegauge_model::{OrgId, Timestamp};

use crate::audit::{Change, record};
use crate::counts::count;
use crate::db::{drop_in_batches, read, write};
use crate::{Catalog, Error, Result};

/// An answer that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrozenAnswer {
    pub id: String,
    /// Who kept it.
    pub who: String,
    pub apl: String,
    pub start_time: String,
    pub end_time: String,
    /// The names of all that it read.
    pub reads: Vec<String>,
    pub answer: Vec<u8>,
    pub created: Timestamp,
}

/// Answers of one organisation; a further one takes the place of the oldest.
pub const ANSWERS_MAX: i64 = 200;

/// Drops the answers that have read a dataset: what they show goes with it. Names of datasets are plain words, which stand
/// in JSON as they are.
pub(crate) const FORGET_DATASET: &str =
    "DELETE FROM frozen_answer WHERE org_id = $1 AND REPLACE(reads, '\"' || $2 || '\"', '') <> reads";

/// The answers that have read a dataset, and the ranges that they looked at.
pub(crate) const OF_DATASET: &str = "SELECT frozen_answer.id, start_time, end_time FROM frozen_answer \
    JOIN dataset ON dataset.org_id = frozen_answer.org_id \
    WHERE dataset.id = $1 AND REPLACE(reads, '\"' || dataset.name || '\"', '') <> reads";

/// Drops inside a transaction the answers that may show events of a dataset of some times.
macro_rules! forget_answers {
    ($connection:expr, $dataset:expr, $times:expr) => {{
        let known: Vec<(String, String, String)> = sqlx::query_as($crate::frozen_answers::OF_DATASET)
            .bind($dataset.as_str())
            .fetch_all(&mut *$connection)
            .await?;
        for (id, ..) in
            known.iter().filter(|(_, start, end)| $crate::frozen_answers::may_show(start, end, $times))
        {
            sqlx::query("DELETE FROM frozen_answer WHERE id = $1")
                .bind(id)
                .execute(&mut *$connection)
                .await?;
        }
    }};
}

pub(crate) use forget_answers;

/// Whether an answer can have an event of these times: what it shows of a dataset is of the range that it looked at. One
/// whose range cannot be read may have any.
pub(crate) fn may_show(start: &str, end: &str, times: &RangeInclusive<i64>) -> bool {
    // Digits below a microsecond are not read.
    const LESS_THAN: i64 = 1_000;
    let nanos = |text: &str| Timestamp::parse(text).ok().map(Timestamp::as_nanos);
    let begins_later = nanos(start).is_some_and(|at| at.saturating_sub(LESS_THAN) >= *times.end());
    let ends_before = nanos(end).is_some_and(|at| at.saturating_add(LESS_THAN) <= *times.start());
    !begins_later && !ends_before
}

#[derive(FromRow)]
struct FrozenRow {
    id: String,
    who: String,
    apl: String,
    start_time: String,
    end_time: String,
    reads: String,
    answer: Vec<u8>,
    created: i64,
}

impl Catalog {
    /// Keeps an answer.
    pub async fn insert_frozen_answer(
        &self,
        org: &OrgId,
        frozen: &FrozenAnswer,
        change: &Change,
    ) -> Result<()> {
        let reads = serde_json::to_string(&frozen.reads).unwrap_or_default();
        write!(self, connection => {
            sqlx::query(
                "DELETE FROM frozen_answer WHERE org_id = $1 AND id NOT IN (SELECT id FROM frozen_answer \
                 WHERE org_id = $1 ORDER BY created DESC, id DESC LIMIT $2)",
            )
            .bind(org.as_str())
            .bind(ANSWERS_MAX - 1)
            .execute(&mut *connection)
            .await?;
            sqlx::query(
                "INSERT INTO frozen_answer \
                 (id, org_id, who, apl, start_time, end_time, reads, answer, size, created) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            )
            .bind(&frozen.id)
            .bind(org.as_str())
            .bind(&frozen.who)
            .bind(&frozen.apl)
            .bind(&frozen.start_time)
            .bind(&frozen.end_time)
            .bind(&reads)
            .bind(&frozen.answer)
            .bind(count(frozen.answer.len()))
            .bind(frozen.created.as_micros())
            .execute(&mut *connection)
            .await?;
            record!(connection, change, "answer.create", frozen.id.as_str(), "");
        });
        Ok(())
    }

    pub async fn find_frozen_answer(&self, org: &OrgId, id: &str) -> Result<Option<FrozenAnswer>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, FrozenRow>(
                "SELECT id, who, apl, start_time, end_time, reads, answer, created FROM frozen_answer \
                 WHERE org_id = $1 AND id = $2",
            )
            .bind(org.as_str())
            .bind(id)
            .fetch_optional(executor)
            .await?
        });
        row.map(FrozenRow::read).transpose()
    }

    /// Drops the answers from before a time; some at once, so that changes do not have to wait for all of them.
    pub async fn prune_frozen_answers(&self, before: Timestamp) -> Result<u64> {
        drop_in_batches!(
            self,
            sqlx::query(
                "DELETE FROM frozen_answer WHERE id IN \
                     (SELECT id FROM frozen_answer WHERE created < $1 ORDER BY created LIMIT 1000)",
            )
            .bind(before.as_micros())
        )
    }
}

impl FrozenRow {
    fn read(self) -> Result<FrozenAnswer> {
        let reads = serde_json::from_str(&self.reads);
        Ok(FrozenAnswer {
            id: self.id,
            who: self.who,
            apl: self.apl,
            start_time: self.start_time,
            end_time: self.end_time,
            reads: reads.map_err(|_| Error::corrupt("what an answer has read", &self.reads))?,
            answer: self.answer,
            created: Timestamp::from_micros(self.created),
        })
    }
}
