//! What the runs of monitors have found, for those who look back. Written together with the state that they lead to, in
//! `monitor_runs`.

use sqlx::FromRow;
use tidegauge_model::monitor::AlertState;
use tidegauge_model::{MonitorId, OrgId, Timestamp};

use crate::db::{drop_in_batches, read};
use crate::{Catalog, Result};

/// What one run has found of a monitor, or of one of its groups.
#[derive(Clone, Debug, PartialEq)]
pub struct MonitorCheck {
    /// Made of the monitor, the run and the group, so that a run that is repeated writes the same.
    pub id: String,
    /// The time that the run was for.
    pub at: Timestamp,
    /// When it was done.
    pub finished: Timestamp,
    /// The query looked at events from the start, up to and without the end.
    pub window: (Timestamp, Timestamp),
    /// A JSON list of pairs of name and value; empty where it is about the whole run.
    pub group_key: String,
    pub state: AlertState,
    pub outcome: CheckOutcome,
    /// Whether the state was another one before.
    pub is_change: bool,
    pub value: Option<f64>,
    /// For people: why the state is what it is, or what failed.
    pub reason: String,
    /// How many runs before this one were due and could not be made.
    pub missed: i64,
    /// What the query cost.
    pub cost: i64,
    /// The epoch of the monitor, which tells what was read. None of runs from before that was kept.
    pub epoch: Option<i64>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    Evaluated,
    NoData,
    Failed,
}

impl CheckOutcome {
    pub fn name(self) -> &'static str {
        match self {
            Self::Evaluated => "judged",
            Self::NoData => "no_data",
            Self::Failed => "failed",
        }
    }

    pub(crate) fn from_name(name: &str) -> Self {
        match name {
            "no_data" => Self::NoData,
            "failed" => Self::Failed,
            _ => Self::Evaluated,
        }
    }
}

#[derive(FromRow)]
struct CheckRow {
    check_id: String,
    at: i64,
    finished: i64,
    window_start: i64,
    window_end: i64,
    group_key: String,
    state: String,
    outcome: String,
    is_change: bool,
    value: Option<f64>,
    reason: String,
    missed: i64,
    cost: i64,
    epoch: Option<i64>,
}

pub(crate) const INSERT: &str = "INSERT INTO monitor_check (check_id, monitor_id, org_id, at, finished, window_start, \
    window_end, group_key, state, outcome, is_change, value, reason, missed, cost, epoch) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT (check_id) DO NOTHING";

/// Writes a check of a run inside its transaction.
macro_rules! insert {
    ($connection:expr, $run:expr, $check:expr) => {
        sqlx::query($crate::monitor_checks::INSERT)
            .bind(&$check.id)
            .bind($run.monitor.as_str())
            .bind($run.org.as_str())
            .bind($check.at.as_micros())
            .bind($check.finished.as_micros())
            .bind($check.window.0.as_micros())
            .bind($check.window.1.as_micros())
            .bind(&$check.group_key)
            .bind($check.state.name())
            .bind($check.outcome.name())
            .bind($check.is_change)
            .bind($check.value)
            .bind(&$check.reason)
            .bind($check.missed)
            .bind($check.cost)
            .bind($check.epoch)
            .execute(&mut *$connection)
            .await?
    };
}

pub(crate) use insert;

/// Checks that are dropped in one transaction.
const PRUNE_BATCH: i64 = 2_000;

/// What a [`CheckRow`] is read from.
macro_rules! select {
    ($condition:literal) => {
        concat!(
            "SELECT check_id, at, finished, window_start, window_end, group_key, state, outcome, is_change, \
             value, reason, missed, cost, epoch FROM monitor_check \
             WHERE org_id = $1 AND monitor_id = $2 AND at >= $3 AND at < $4",
            $condition,
            " ORDER BY at DESC, group_key, check_id LIMIT $5",
        )
    };
}

impl Catalog {
    /// The checks of a monitor from a time, up to and without another, the newest first.
    pub async fn list_monitor_checks(
        &self,
        org: &OrgId,
        monitor: &MonitorId,
        from: Timestamp,
        to: Timestamp,
        limit: i64,
    ) -> Result<Vec<MonitorCheck>> {
        self.checks(select!(""), org, monitor, (from, to), limit).await
    }

    /// The same of whole runs alone: however many groups a run has, it is one of them.
    pub async fn list_monitor_runs(
        &self,
        org: &OrgId,
        monitor: &MonitorId,
        from: Timestamp,
        to: Timestamp,
        limit: i64,
    ) -> Result<Vec<MonitorCheck>> {
        self.checks(select!(" AND group_key = ''"), org, monitor, (from, to), limit).await
    }

    async fn checks(
        &self,
        statement: &'static str,
        org: &OrgId,
        monitor: &MonitorId,
        (from, to): (Timestamp, Timestamp),
        limit: i64,
    ) -> Result<Vec<MonitorCheck>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, CheckRow>(statement)
                .bind(org.as_str())
                .bind(monitor.as_str())
                .bind(from.as_micros())
                .bind(to.as_micros())
                .bind(limit)
                .fetch_all(executor)
                .await?
        });
        Ok(rows.into_iter().map(MonitorCheck::from).collect())
    }

    /// Drops checks that are older than they are kept; those that tell of a change are kept for longer.
    pub async fn prune_monitor_checks(
        &self,
        plain_before: Timestamp,
        changes_before: Timestamp,
    ) -> Result<u64> {
        drop_in_batches!(
            self,
            sqlx::query(
                "DELETE FROM monitor_check WHERE check_id IN (SELECT check_id FROM monitor_check \
                 WHERE (is_change = FALSE AND at < $1) OR (is_change = TRUE AND at < $2) LIMIT $3)",
            )
            .bind(plain_before.as_micros())
            .bind(changes_before.as_micros())
            .bind(PRUNE_BATCH)
        )
    }
}

impl From<CheckRow> for MonitorCheck {
    fn from(row: CheckRow) -> Self {
        let is_open = row.state == AlertState::Open.name();
        Self {
            id: row.check_id,
            at: Timestamp::from_micros(row.at),
            finished: Timestamp::from_micros(row.finished),
            window: (Timestamp::from_micros(row.window_start), Timestamp::from_micros(row.window_end)),
            group_key: row.group_key,
            state: if is_open { AlertState::Open } else { AlertState::Closed },
            outcome: CheckOutcome::from_name(&row.outcome),
            is_change: row.is_change,
            value: row.value,
            reason: row.reason,
            missed: row.missed,
            cost: row.cost,
            epoch: row.epoch,
        }
    }
}
