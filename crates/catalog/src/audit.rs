//! The audit trail. A change writes its entry in its own transaction, through the macro here; refused calls are
//! collected by the server and written in batches. What belongs to an organisation is written for its dataset of the
//! audit trail as well, in the same transaction.

pub(crate) mod detail;

use sqlx::FromRow;
use tidegauge_model::{OrgId, Timestamp};

use crate::db::{drop_in_batches, read, write_stats};
use crate::event_feed::{EntryKind, NewEntry, feed};
use crate::{Catalog, Result};

/// Who makes a change, when, and as part of which request.
#[derive(Clone, Debug)]
pub struct Change {
    pub org: Option<OrgId>,
    pub actor: String,
    pub at: Timestamp,
    pub request_id: String,
}

/// How an audited call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    Done,
    Refused,
}

impl Outcome {
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
        }
    }
}

/// One line of the audit trail.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct AuditEntry {
    pub seq: i64,
    pub org_id: Option<String>,
    /// In microseconds since 1970.
    pub at: i64,
    pub actor: String,
    pub action: String,
    pub resource: String,
    pub outcome: String,
    pub detail: String,
    pub request_id: String,
    /// How many equal calls this line stands for.
    pub times: i64,
}

/// Refused calls that are alike, to be written as one line.
#[derive(Clone, Debug)]
pub struct Refusals {
    pub org: Option<OrgId>,
    pub at: Timestamp,
    pub actor: String,
    pub action: String,
    pub resource: String,
    pub detail: String,
    pub request_id: String,
    pub times: i64,
}

/// All that is known of a call is in fields of its own.
const NO_DETAILS: &str = "{}";

/// Entries that are dropped in one transaction.
const PRUNE_BATCH: i64 = 2_000;

pub(crate) const INSERT: &str = "INSERT INTO audit \
    (org_id, at, actor, action, resource, outcome, detail, request_id, times) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

/// Writes the audit entry of a change inside its transaction. The detail says what the id of the resource does not: the
/// name of the thing, which may be gone when somebody looks, and what was given or set. It is empty only where there is no
/// more to say.
macro_rules! record {
    ($connection:expr, $change:expr, $action:expr, $resource:expr, $detail:expr) => {{
        let (action, resource, detail) = (&$action, &$resource, &$detail);
        let (action, resource, detail): (&str, &str, &str) =
            (action.as_ref(), resource.as_ref(), detail.as_ref());
        sqlx::query($crate::audit::INSERT)
            .bind($change.org.as_ref().map(|org| org.as_str()))
            .bind($change.at.as_micros())
            .bind(&$change.actor)
            .bind(action)
            .bind(resource)
            .bind($crate::audit::Outcome::Done.name())
            .bind(detail)
            .bind(&$change.request_id)
            .bind(1_i64)
            .execute(&mut *$connection)
            .await?;
        if let Some(entry) = $crate::audit::entry_of_change(&$change, action, resource, detail) {
            $crate::event_feed::feed!($connection, entry);
        }
    }};
}

pub(crate) use record;

/// What the dataset of the organisation gets of a change.
pub(crate) fn entry_of_change(
    change: &Change,
    action: &str,
    resource: &str,
    detail: &str,
) -> Option<NewEntry> {
    Some(NewEntry {
        org: change.org.as_ref()?.as_str().to_owned(),
        kind: EntryKind::Audit,
        at: change.at,
        actor: change.actor.clone(),
        action: action.to_owned(),
        target: resource.to_owned(),
        outcome: Outcome::Done.name(),
        detail: detail.to_owned(),
        request_id: change.request_id.clone(),
        times: 1,
        details: NO_DETAILS.to_owned(),
    })
}

fn entry_of_refusal(refusal: &Refusals) -> Option<NewEntry> {
    Some(NewEntry {
        org: refusal.org.as_ref()?.as_str().to_owned(),
        kind: EntryKind::Refusal,
        at: refusal.at,
        actor: refusal.actor.clone(),
        action: refusal.action.clone(),
        target: refusal.resource.clone(),
        outcome: Outcome::Refused.name(),
        detail: refusal.detail.clone(),
        request_id: refusal.request_id.clone(),
        times: refusal.times,
        details: NO_DETAILS.to_owned(),
    })
}

impl Catalog {
    /// Writes collected refusals.
    pub async fn insert_refusals(&self, refusals: &[Refusals]) -> Result<()> {
        write_stats!(self, connection => {
            for refusal in refusals {
                sqlx::query(INSERT)
                    .bind(refusal.org.as_ref().map(OrgId::as_str))
                    .bind(refusal.at.as_micros())
                    .bind(&refusal.actor)
                    .bind(&refusal.action)
                    .bind(&refusal.resource)
                    .bind(Outcome::Refused.name())
                    .bind(&refusal.detail)
                    .bind(&refusal.request_id)
                    .bind(refusal.times)
                    .execute(&mut *connection)
                    .await?;
                if let Some(entry) = entry_of_refusal(refusal) {
                    feed!(connection, entry);
                }
            }
        });
        Ok(())
    }

    /// The newest entries first: of an organisation, or with `None` those that belong to none.
    pub async fn list_audit(
        &self,
        org: Option<&OrgId>,
        since: Timestamp,
        before_seq: i64,
        limit: i64,
    ) -> Result<Vec<AuditEntry>> {
        let entries = read!(self, executor => {
            sqlx::query_as::<_, AuditEntry>(
                "SELECT seq, org_id, at, actor, action, resource, outcome, detail, request_id, times \
                 FROM audit WHERE COALESCE(org_id, '') = $1 AND at >= $2 AND seq < $3 \
                 ORDER BY seq DESC LIMIT $4",
            )
            .bind(org.map_or("", OrgId::as_str))
            .bind(since.as_micros())
            .bind(before_seq)
            .bind(limit)
            .fetch_all(executor)
            .await?
        });
        Ok(entries)
    }

    /// Drops the entries of an organisation (or of none) that are older than it may look back, some at a time, so
    /// that changes do not have to wait for all of them.
    pub async fn prune_audit(&self, org: Option<&OrgId>, before: Timestamp) -> Result<u64> {
        drop_in_batches!(
            self,
            sqlx::query(
                "DELETE FROM audit WHERE seq IN (SELECT seq FROM audit \
                     WHERE COALESCE(org_id, '') = $1 AND at < $2 ORDER BY at LIMIT $3)",
            )
            .bind(org.map_or("", OrgId::as_str))
            .bind(before.as_micros())
            .bind(PRUNE_BATCH)
        )
    }
}
