//! What organisations have used: bytes taken in and the cost of queries by month, and by day and dataset, and bytes
//! kept.

use std::collections::BTreeMap;

use tidegauge_model::OrgId;

use crate::counts::{from_stored, to_stored};
use crate::db::{drop_in_batches, read, write_stats};
use crate::{Catalog, Result};

/// Adds bytes in a month to the organisation of a dataset.
pub(crate) const ADD_USAGE_OF_DATASET: &str = "INSERT INTO usage (org_id, month, ingested_bytes) \
    SELECT org_id, $2, $3 FROM dataset WHERE id = $1 \
    ON CONFLICT (org_id, month) \
    DO UPDATE SET ingested_bytes = usage.ingested_bytes + excluded.ingested_bytes";

/// Whether one day has room for one more name of a dataset; what goes beyond is counted without a name, so that whoever
/// makes and deletes datasets all day cannot fill the table.
macro_rules! name_if_room {
    ($org:literal, $name:literal) => {
        concat!(
            "CASE WHEN (SELECT COUNT(*) FROM usage_by_day u WHERE u.org_id = ",
            $org,
            " AND u.day = $2 \
             AND u.dataset <> ",
            $name,
            " AND u.dataset <> '') < 1000 THEN ",
            $name,
            " ELSE '' END"
        )
    };
}

/// Adds bytes on a day to a dataset.
pub(crate) const ADD_USAGE_OF_DAY: &str = concat!(
    "INSERT INTO usage_by_day (org_id, day, dataset, ingested_bytes, query_cost) SELECT d.org_id, $2, ",
    name_if_room!("d.org_id", "d.name"),
    ", $3, 0 FROM dataset d WHERE d.id = $1 ON CONFLICT (org_id, day, dataset) \
     DO UPDATE SET ingested_bytes = usage_by_day.ingested_bytes + excluded.ingested_bytes"
);

const ADD_COST_OF_DAY: &str = concat!(
    "INSERT INTO usage_by_day (org_id, day, dataset, ingested_bytes, query_cost) SELECT o.id, $2, ",
    name_if_room!("o.id", "$3"),
    ", 0, $4 FROM org o WHERE o.id = $1 ON CONFLICT (org_id, day, dataset) \
     DO UPDATE SET query_cost = usage_by_day.query_cost + excluded.query_cost"
);

const ADD_COST_OF_MONTH: &str = "INSERT INTO query_usage (org_id, month, cost) VALUES ($1, $2, $3) \
    ON CONFLICT (org_id, month) DO UPDATE SET cost = query_usage.cost + excluded.cost";

/// Of how many datasets an answer tells by name, of those that took in most and of those whose queries cost most.
const NAMED_MAX: i64 = 50;

/// The month of a day: `2026-11` of `2026-11-18`.
pub(crate) fn month_of_day(day: &str) -> &str {
    day.get(..7).unwrap_or(day)
}

/// Adds bytes that came in by day to a dataset and to its organisation, inside a transaction.
macro_rules! add_usage {
    ($connection:expr, $dataset:expr, $usage:expr) => {
        for (day, bytes) in $usage {
            let both = [
                ($crate::usage::ADD_USAGE_OF_DATASET, $crate::usage::month_of_day(day)),
                ($crate::usage::ADD_USAGE_OF_DAY, day.as_str()),
            ];
            for (statement, period) in both {
                sqlx::query(statement)
                    .bind($dataset.as_str())
                    .bind(period)
                    .bind($crate::counts::to_stored(*bytes)?)
                    .execute(&mut *$connection)
                    .await?;
            }
        }
    };
}

pub(crate) use add_usage;

/// What queries have cost on a day, as far as it falls to a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryCost {
    pub org: OrgId,
    /// Such as `2026-11-18`.
    pub day: String,
    /// Empty for queries that read none.
    pub dataset: String,
    pub cost: u64,
}

/// What was used on a day in a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayOfDataset {
    pub day: String,
    /// Empty for what belongs to none, and for all that are not among the largest.
    pub dataset: String,
    pub ingested_bytes: u64,
    pub query_cost: u64,
}

impl Catalog {
    /// Adds bytes that organisations have sent, each in a month written as `YYYY-MM`.
    pub async fn add_usage(&self, used: &[(OrgId, String, u64)]) -> Result<()> {
        self.add_with(
            "INSERT INTO usage (org_id, month, ingested_bytes) VALUES ($1, $2, $3) \
             ON CONFLICT (org_id, month) \
             DO UPDATE SET ingested_bytes = usage.ingested_bytes + excluded.ingested_bytes",
            used,
        )
        .await
    }

    /// Adds what the queries of organisations have cost, to their month and to their day and dataset.
    pub async fn add_query_usage(&self, used: &[QueryCost]) -> Result<()> {
        // In one order for all nodes, so that no two of them wait for each other.
        let (mut months, mut days) = (BTreeMap::new(), BTreeMap::new());
        for QueryCost { org, day, dataset, cost } in used {
            let month: &mut u64 = months.entry((org.as_str(), month_of_day(day))).or_default();
            *month = month.saturating_add(*cost);
            let day: &mut u64 = days.entry((org.as_str(), day.as_str(), dataset.as_str())).or_default();
            *day = day.saturating_add(*cost);
        }
        if months.is_empty() {
            return Ok(());
        }
        write_stats!(self, connection => {
            for ((org, month), cost) in &months {
                let query = sqlx::query(ADD_COST_OF_MONTH).bind(*org).bind(*month).bind(to_stored(*cost)?);
                query.execute(&mut *connection).await?;
            }
            for ((org, day, dataset), cost) in &days {
                let query = sqlx::query(ADD_COST_OF_DAY).bind(*org).bind(*day).bind(*dataset);
                query.bind(to_stored(*cost)?).execute(&mut *connection).await?;
            }
        });
        Ok(())
    }

    /// What an organisation has used from one day to another, both included, by day and dataset. Datasets that are not
    /// among the largest are added up without a name.
    pub async fn usage_by_day(&self, org: &OrgId, from: &str, to: &str) -> Result<Vec<DayOfDataset>> {
        let rows: Vec<(String, String, i64, i64)> = read!(self, executor => {
            sqlx::query_as(
                "WITH used AS (SELECT day, dataset, ingested_bytes, query_cost FROM usage_by_day \
                 WHERE org_id = $1 AND day >= $2 AND day <= $3), \
                 taken AS (SELECT dataset FROM used GROUP BY dataset \
                 ORDER BY SUM(ingested_bytes) DESC, dataset LIMIT $4), \
                 asked AS (SELECT dataset FROM used GROUP BY dataset \
                 ORDER BY SUM(query_cost) DESC, dataset LIMIT $4), \
                 named AS (SELECT day, CASE WHEN dataset IN (SELECT dataset FROM taken) \
                 OR dataset IN (SELECT dataset FROM asked) THEN dataset ELSE '' END AS dataset, \
                 ingested_bytes, query_cost FROM used) \
                 SELECT day, dataset, CAST(SUM(ingested_bytes) AS BIGINT), CAST(SUM(query_cost) AS BIGINT) \
                 FROM named GROUP BY day, dataset ORDER BY day, dataset",
            )
            .bind(org.as_str())
            .bind(from)
            .bind(to)
            .bind(NAMED_MAX)
            .fetch_all(executor)
            .await?
        });
        let day = |(day, dataset, ingested_bytes, query_cost): (String, String, i64, i64)| {
            let ingested_bytes = from_stored("the usage", ingested_bytes)?;
            let query_cost = from_stored("the cost of queries", query_cost)?;
            Ok(DayOfDataset { day, dataset, ingested_bytes, query_cost })
        };
        rows.into_iter().map(day).collect()
    }

    /// Drops what was used before a day. The sums by month stay.
    pub async fn forget_usage_before(&self, day: &str) -> Result<u64> {
        drop_in_batches!(
            self,
            sqlx::query(
                "DELETE FROM usage_by_day WHERE (org_id, day, dataset) IN \
                 (SELECT org_id, day, dataset FROM usage_by_day WHERE day < $1 ORDER BY day LIMIT 1000)",
            )
            .bind(day)
        )
    }

    async fn add_with(&self, statement: &'static str, used: &[(OrgId, String, u64)]) -> Result<()> {
        // In one order for all nodes, so that no two of them wait for each other.
        let mut sums: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for (org, month, amount) in used {
            let sum = sums.entry((org.as_str(), month.as_str())).or_default();
            *sum = sum.saturating_add(*amount);
        }
        if sums.is_empty() {
            return Ok(());
        }
        write_stats!(self, connection => {
            for ((org, month), amount) in &sums {
                sqlx::query(statement)
                    .bind(*org)
                    .bind(*month)
                    .bind(to_stored(*amount)?)
                    .execute(&mut *connection)
                    .await?;
            }
        });
        Ok(())
    }

    /// What the queries of an organisation have cost in a month.
    pub async fn query_usage(&self, org: &OrgId, month: &str) -> Result<u64> {
        let cost: Option<i64> = read!(self, executor => {
            sqlx::query_scalar("SELECT cost FROM query_usage WHERE org_id = $1 AND month = $2")
                .bind(org.as_str())
                .bind(month)
                .fetch_optional(executor)
                .await?
        });
        from_stored("the cost of queries", cost.unwrap_or(0))
    }

    /// The bytes that an organisation has sent in a month.
    pub async fn usage(&self, org: &OrgId, month: &str) -> Result<u64> {
        let bytes: Option<i64> = read!(self, executor => {
            sqlx::query_scalar("SELECT ingested_bytes FROM usage WHERE org_id = $1 AND month = $2")
                .bind(org.as_str())
                .bind(month)
                .fetch_optional(executor)
                .await?
        });
        from_stored("the usage", bytes.unwrap_or(0))
    }

    /// The bytes of an organisation's live segments, but for those of the audit trail, which the service writes.
    pub async fn storage_bytes(&self, org: &OrgId) -> Result<u64> {
        let bytes: i64 = read!(self, executor => {
            sqlx::query_scalar(
                "SELECT CAST(COALESCE(SUM(s.bytes), 0) AS BIGINT) FROM dataset d \
                 JOIN segment s ON s.dataset_id = d.id AND s.removed IS NULL WHERE d.org_id = $1 AND d.kind <> 'tidegauge:audit:v1'",
            )
            .bind(org.as_str())
            .fetch_one(executor)
            .await?
        });
        from_stored("the bytes of segments", bytes)
    }
}
