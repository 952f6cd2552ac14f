//! What organisations have used: bytes taken in and the cost of queries by month, and bytes kept.

use std::collections::BTreeMap;

use tidegauge_model::OrgId;

use crate::counts::{from_stored, to_stored};
use crate::db::{read, write_figures};
use crate::{Catalog, Result};

/// Adds bytes in a month to the organisation of a dataset.
pub(crate) const ADD_USAGE_OF_DATASET: &str = "INSERT INTO usage (org_id, month, ingested_bytes) \
    SELECT org_id, $2, $3 FROM dataset WHERE id = $1 \
    ON CONFLICT (org_id, month) \
    DO UPDATE SET ingested_bytes = usage.ingested_bytes + excluded.ingested_bytes";

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

    /// Adds what the queries of organisations have cost, each in a month written as `YYYY-MM`.
    pub async fn add_query_usage(&self, used: &[(OrgId, String, u64)]) -> Result<()> {
        self.add_with(
            "INSERT INTO query_usage (org_id, month, cost) VALUES ($1, $2, $3) \
             ON CONFLICT (org_id, month) DO UPDATE SET cost = query_usage.cost + excluded.cost",
            used,
        )
        .await
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
        write_figures!(self, connection => {
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

    /// The bytes of an organisation's live segments.
    pub async fn storage_bytes(&self, org: &OrgId) -> Result<u64> {
        let bytes: i64 = read!(self, executor => {
            sqlx::query_scalar(
                "SELECT CAST(COALESCE(SUM(s.bytes), 0) AS BIGINT) FROM dataset d \
                 JOIN segment s ON s.dataset_id = d.id AND s.removed IS NULL WHERE d.org_id = $1",
            )
            .bind(org.as_str())
            .fetch_one(executor)
            .await?
        });
        from_stored("the bytes of segments", bytes)
    }
}
