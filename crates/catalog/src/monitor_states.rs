//! How the monitors of an organisation stand: what is stored of their watch, with the run that was made last and the
//! change before it, from one statement. What a stored state means is for those who understand it.

use futures_util::TryStreamExt;
use sqlx::FromRow;
use tidegauge_model::{MonitorId, OrgId, Timestamp};

use crate::db::read;
use crate::monitor_checks::CheckOutcome;
use crate::monitor_reads::Reads;
use crate::{Catalog, Result};

/// How one monitor stands.
#[derive(Clone, Debug, PartialEq)]
pub struct MonitorStatus {
    pub id: MonitorId,
    pub reads: Reads,
    pub is_disabled: bool,
    pub disabled_until: Option<Timestamp>,
    /// When its next run is due; none where its schedule is to be made anew.
    pub due: Option<Timestamp>,
    /// The stored state of its watch; empty before the first run that watches what it does now.
    pub state: String,
    /// The run that changed its state last.
    pub changed: Option<Timestamp>,
    pub last: Option<LastRun>,
}

/// The run that a monitor made last.
#[derive(Clone, Debug, PartialEq)]
pub struct LastRun {
    /// The time that it was for.
    pub at: Timestamp,
    pub finished: Timestamp,
    pub outcome: CheckOutcome,
    pub value: Option<f64>,
    pub reason: String,
    pub missed: i64,
    pub cost: i64,
    /// What it could read. None where nobody knows it any more.
    pub reads: Option<Reads>,
}

#[derive(FromRow)]
struct StatusRow {
    id: String,
    datasets: String,
    views: String,
    is_disabled: bool,
    disabled_until: Option<i64>,
    due_at: Option<i64>,
    state: Option<String>,
    changed: Option<i64>,
    at: Option<i64>,
    finished: Option<i64>,
    outcome: Option<String>,
    value: Option<f64>,
    reason: Option<String>,
    missed: Option<i64>,
    cost: Option<i64>,
    read_datasets: Option<String>,
    read_views: Option<String>,
}

/// Changes are few beside runs and have an index of their own, so that they are gone through once for all monitors. The
/// first of the runs that fail is one as well, and changes no state. A state of an earlier epoch says what another query
/// has found, and a change before it is none of what is watched now.
const SELECT: &str = "SELECT monitor.id, monitor.datasets, monitor.views, monitor.is_disabled, \
    monitor.disabled_until, \
    CASE WHEN monitor_watch.revision = monitor.revision THEN monitor_watch.due_at END AS due_at, \
    CASE WHEN monitor_watch.revision >= monitor.epoch THEN monitor_watch.state END AS state, \
    changes.changed, found.at, found.finished, found.outcome, found.value, found.reason, \
    found.missed, found.cost, run_reads.datasets AS read_datasets, run_reads.views AS read_views \
    FROM monitor \
    LEFT JOIN monitor_watch ON monitor_watch.monitor_id = monitor.id \
    LEFT JOIN monitor_check AS found ON found.monitor_id = monitor.id AND found.at = monitor_watch.last_run \
        AND found.group_key = '' \
    LEFT JOIN monitor_reads AS run_reads ON run_reads.monitor_id = monitor.id AND run_reads.epoch = found.epoch \
    LEFT JOIN (SELECT done.monitor_id, MAX(done.at) AS changed FROM monitor_check AS done \
        JOIN monitor AS watching ON watching.id = done.monitor_id \
        WHERE done.is_change = TRUE AND done.outcome <> 'failed' AND done.group_key = '' AND done.org_id = $1 \
        AND COALESCE(done.epoch, watching.epoch) >= watching.epoch GROUP BY done.monitor_id) AS changes \
        ON changes.monitor_id = monitor.id \
    WHERE monitor.org_id = $1 ORDER BY monitor.id";

impl Catalog {
    /// How the monitors of an organisation stand, each as `take` sees it: a stored state can be large, so no more than
    /// one of them is in memory at a time.
    pub async fn monitor_statuses<T>(
        &self,
        org: &OrgId,
        mut take: impl FnMut(MonitorStatus) -> T,
    ) -> Result<Vec<T>> {
        let org_contexts = read!(self, executor => {
            let mut org_contexts = Vec::new();
            let mut found = sqlx::query_as::<_, StatusRow>(SELECT).bind(org.as_str()).fetch(executor);
            while let Some(row) = found.try_next().await? {
                org_contexts.push(take(row.read()?));
            }
            org_contexts
        });
        Ok(org_contexts)
    }
}

impl StatusRow {
    fn read(self) -> Result<MonitorStatus> {
        Ok(MonitorStatus {
            last: self.last()?,
            reads: Reads::of_texts(&self.datasets, &self.views)?,
            id: self.id.into(),
            is_disabled: self.is_disabled,
            disabled_until: self.disabled_until.map(Timestamp::from_micros),
            due: self.due_at.filter(|due| *due > 0).map(Timestamp::from_micros),
            state: self.state.unwrap_or_default(),
            changed: self.changed.map(Timestamp::from_micros),
        })
    }

    fn last(&self) -> Result<Option<LastRun>> {
        let reads = match (&self.read_datasets, &self.read_views) {
            (Some(datasets), Some(views)) => Some(Reads::of_texts(datasets, views)?),
            _ => None,
        };
        Ok(self.run().map(|run| LastRun { reads, ..run }))
    }

    /// The last run without what it could read.
    fn run(&self) -> Option<LastRun> {
        Some(LastRun {
            at: Timestamp::from_micros(self.at?),
            finished: Timestamp::from_micros(self.finished?),
            outcome: CheckOutcome::from_name(self.outcome.as_deref()?),
            value: self.value,
            reason: self.reason.clone()?,
            missed: self.missed?,
            cost: self.cost?,
            reads: None,
        })
    }
}
