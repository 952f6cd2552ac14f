//! Runs of monitors: which are due, which node makes them, and what they lead to. A run is leased to one node; what it
//! leads to is written in one transaction, and only by who still has the lease and ran the definition that counts by then:
//! a run that took too long and was given to another writes nothing, nor does one whose monitor tells somebody else now.

mod recorded;

use sqlx::FromRow;
use tidegauge_model::{MonitorId, OrgId, Timestamp};

use crate::annotations::insert_annotation;
use crate::db::{Db, read, write};
use crate::event_feed::{feed, of_run, reads_audit};
use crate::monitor_checks;
use crate::outbox::enqueue;
use crate::{Catalog, Result};

pub use recorded::RecordedRun;

/// A monitor that is leased to somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeasedMonitor {
    pub id: MonitorId,
    pub org: OrgId,
    /// The time that its last run was for.
    pub last_run: Option<Timestamp>,
    /// When it was due; none for one that was never scheduled.
    pub due: Option<Timestamp>,
    /// The stored state of its watch.
    pub state: String,
    /// The revision of the definition that the state is of.
    pub revision: i64,
}

#[derive(FromRow)]
struct LeasedRow {
    monitor_id: String,
    org_id: String,
    due_at: i64,
    last_run: Option<i64>,
    state: String,
    revision: i64,
}

impl From<LeasedRow> for LeasedMonitor {
    fn from(row: LeasedRow) -> Self {
        Self {
            id: row.monitor_id.into(),
            org: row.org_id.into(),
            last_run: row.last_run.map(Timestamp::from_micros),
            due: (row.due_at > 0).then(|| Timestamp::from_micros(row.due_at)),
            state: row.state,
            revision: row.revision,
        }
    }
}

/// Monitors that may run at $1.
macro_rules! enabled {
    () => {
        "monitor.is_disabled = FALSE AND (monitor.disabled_until IS NULL OR monitor.disabled_until <= $1)"
    };
}

const IS_ANY_DUE: &str = concat!(
    "SELECT monitor.id FROM monitor LEFT JOIN monitor_watch ON monitor_watch.monitor_id = monitor.id WHERE ",
    enabled!(),
    " AND (monitor_watch.monitor_id IS NULL OR (monitor_watch.lease_until <= $1 AND \
     (monitor_watch.due_at <= $1 OR monitor_watch.revision <> monitor.revision))) LIMIT 1"
);

const ADD_MISSING: &str = "INSERT INTO monitor_watch \
    (monitor_id, org_id, due_at, revision, last_run, state, lease_owner, lease_until) \
    SELECT id, org_id, 0, 0, NULL, '', '', 0 FROM monitor \
    WHERE NOT EXISTS (SELECT 1 FROM monitor_watch WHERE monitor_id = monitor.id) \
    ON CONFLICT (monitor_id) DO NOTHING";

/// That nobody has the lease is asked of the row that is changed as well: two nodes may have found the same row. The
/// place of a monitor counts those of its organisation that run or were due before it: whoever has fewest is next.
const LEASE_DUE: &str = concat!(
    "UPDATE monitor_watch SET lease_owner = $2, lease_until = $3 WHERE lease_until <= $1 AND monitor_id IN \
     (SELECT due.id FROM (SELECT monitor.id AS id, found.due_at AS due_at, COALESCE(busy.runs, 0) + ROW_NUMBER() \
     OVER (PARTITION BY found.org_id ORDER BY found.due_at, monitor.id) AS place \
     FROM monitor JOIN monitor_watch AS found ON found.monitor_id = monitor.id LEFT JOIN \
     (SELECT org_id, COUNT(*) AS runs FROM monitor_watch WHERE lease_until > $1 GROUP BY org_id) AS busy \
     ON busy.org_id = found.org_id WHERE ",
    enabled!(),
    " AND found.lease_until <= $1 AND (found.due_at <= $1 OR found.revision <> monitor.revision)) AS due \
     WHERE due.place <= $5 ORDER BY due.place, due.due_at, due.id LIMIT $4) \
     RETURNING monitor_id, org_id, due_at, last_run, state, revision"
);

const LEASE_ONE: &str = "UPDATE monitor_watch SET lease_owner = $2, lease_until = $3 \
    WHERE lease_until <= $1 AND org_id = $4 AND monitor_id = $5 \
    RETURNING monitor_id, org_id, due_at, last_run, state, revision";

const FIRST_DUE: &str = concat!(
    "SELECT MIN(monitor_watch.due_at) FROM monitor_watch JOIN monitor ON monitor.id = monitor_watch.monitor_id \
     WHERE monitor_watch.lease_until <= $1 AND ",
    enabled!()
);

const RELEASE: &str = "UPDATE monitor_watch SET due_at = $3, revision = $4, last_run = $5, state = $6, \
    lease_owner = '', lease_until = 0 WHERE monitor_id = $1 AND lease_owner = $2";

const GIVE_BACK: &str = "UPDATE monitor_watch SET lease_owner = '', lease_until = 0 \
    WHERE monitor_id = $1 AND lease_owner = $2";

/// The definition that counts, and what it reads.
const REVISION: &str = "SELECT revision, datasets FROM monitor WHERE id = $1";

/// The same where several write at once: who changes the monitor waits until the run is recorded, and so comes whoever
/// points a notifier elsewhere that it uses no more.
const REVISION_LOCKED: &str = "SELECT revision, datasets FROM monitor WHERE id = $1 FOR SHARE";

impl Catalog {
    /// Leases up to `limit` monitors that are due, and of each organisation so many that no more than `of_one` are leased:
    /// those of who has fewest first, and of each the longest due. The owner must be another one each time.
    pub async fn lease_due_monitors(
        &self,
        owner: &str,
        now: Timestamp,
        lease_until: Timestamp,
        limit: i64,
        of_one: i64,
    ) -> Result<Vec<LeasedMonitor>> {
        // Looking is cheap; a transaction that changes nothing would still cost a sync of the disk.
        let any: Option<String> = read!(self, executor => {
            sqlx::query_scalar(IS_ANY_DUE).bind(now.as_micros()).fetch_optional(executor).await?
        });
        if any.is_none() || limit == 0 {
            return Ok(Vec::new());
        }
        let rows: Vec<LeasedRow> = write!(self, connection => {
            sqlx::query(ADD_MISSING).execute(&mut *connection).await?;
            sqlx::query_as(LEASE_DUE)
                .bind(now.as_micros())
                .bind(owner)
                .bind(lease_until.as_micros())
                .bind(limit)
                .bind(of_one)
                .fetch_all(&mut *connection)
                .await?
        });
        let mut leased: Vec<LeasedMonitor> = rows.into_iter().map(LeasedMonitor::from).collect();
        leased.sort_by(|one, other| (one.due, &one.id).cmp(&(other.due, &other.id)));
        Ok(leased)
    }

    /// Leases one monitor, whether it is due or not. None if there is no such monitor or somebody has it.
    pub async fn lease_monitor(
        &self,
        org: &OrgId,
        id: &MonitorId,
        owner: &str,
        now: Timestamp,
        lease_until: Timestamp,
    ) -> Result<Option<LeasedMonitor>> {
        let row: Option<LeasedRow> = write!(self, connection => {
            sqlx::query(ADD_MISSING).execute(&mut *connection).await?;
            sqlx::query_as(LEASE_ONE)
                .bind(now.as_micros())
                .bind(owner)
                .bind(lease_until.as_micros())
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_optional(&mut *connection)
                .await?
        });
        Ok(row.map(LeasedMonitor::from))
    }

    /// Ends the leases that the service had when it was last stopped or killed, so that their runs are made at once. Only
    /// where the catalogue is a file: that belongs to one service at a time, which has just started.
    pub async fn end_left_monitor_leases(&self) -> Result<()> {
        if let Db::Sqlite { write, .. } = &self.db {
            sqlx::query("UPDATE monitor_watch SET lease_owner = '', lease_until = 0 WHERE lease_until > 0")
                .execute(write)
                .await?;
        }
        Ok(())
    }

    /// Makes a lease longer. False if it is somebody else's.
    pub async fn renew_monitor_lease(
        &self,
        id: &MonitorId,
        owner: &str,
        lease_until: Timestamp,
    ) -> Result<bool> {
        let renewed = write!(self, connection => {
            sqlx::query("UPDATE monitor_watch SET lease_until = $3 WHERE monitor_id = $1 AND lease_owner = $2")
                .bind(id.as_str())
                .bind(owner)
                .bind(lease_until.as_micros())
                .execute(&mut *connection)
                .await?
                .rows_affected()
        });
        Ok(renewed > 0)
    }

    /// When the next monitor that nobody has is due.
    pub async fn first_monitor_due(&self, now: Timestamp) -> Result<Option<Timestamp>> {
        let due: Option<i64> = read!(self, executor => {
            sqlx::query_scalar(FIRST_DUE).bind(now.as_micros()).fetch_one(executor).await?
        });
        Ok(due.map(Timestamp::from_micros))
    }

    /// The stored state of the watch over a monitor. None before its first run.
    pub async fn monitor_state(&self, org: &OrgId, id: &MonitorId) -> Result<Option<String>> {
        let state = read!(self, executor => {
            sqlx::query_scalar("SELECT state FROM monitor_watch WHERE org_id = $1 AND monitor_id = $2")
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_optional(executor)
                .await?
        });
        Ok(state)
    }

    /// Writes what a run leads to and ends its lease. False, and nothing is written, if the lease is somebody else's. Nor
    /// is it if the monitor was changed since: what was found was for the notifiers that it had, and who may point those
    /// elsewhere was asked about the monitor as it is now. The lease ends, and the run is made anew.
    pub async fn record_monitor_run(&self, run: &RecordedRun) -> Result<bool> {
        let revision_statement = match &self.db {
            Db::Sqlite { .. } => REVISION,
            Db::Postgres(_) => REVISION_LOCKED,
        };
        let is_recorded = write!(self, connection => {
            let present: Option<(i64, String)> = sqlx::query_as(revision_statement)
                .bind(run.monitor.as_str())
                .fetch_optional(&mut *connection)
                .await?;
            let present = present.filter(|(revision, _)| *revision == run.revision);
            if let Some((_, datasets)) = present {
                let released = sqlx::query(RELEASE)
                    .bind(run.monitor.as_str())
                    .bind(&run.owner)
                    .bind(run.next_due.as_micros())
                    .bind(run.revision)
                    .bind(run.last_run.map(Timestamp::as_micros))
                    .bind(&run.state)
                    .execute(&mut *connection)
                    .await?
                    .rows_affected();
                if released == 0 {
                    return Ok(false);
                }
                for check in &run.checks {
                    monitor_checks::insert!(connection, run, check);
                }
                if let Some(annotation) = &run.annotation {
                    insert_annotation!(connection, &run.org, annotation);
                }
                for delivery in &run.deliveries {
                    enqueue!(connection, delivery);
                }
                if let Some(entry) = of_run(run, reads_audit(&datasets)) {
                    feed!(connection, entry);
                }
                true
            } else {
                sqlx::query(GIVE_BACK)
                    .bind(run.monitor.as_str())
                    .bind(&run.owner)
                    .execute(&mut *connection)
                    .await?;
                false
            }
        });
        Ok(is_recorded)
    }
}
