//! Attempts to sign in since the last success, and how what a person does about signing in enters the audit trail: in
//! the trail of every organisation that the person has acted in.

use tidegauge_model::{OrgId, Timestamp, UserId};

use crate::db::{drop_in_batches, read, write};
use crate::{Catalog, Result};

/// Attempts that are dropped in one transaction.
const PRUNE_BATCH: i64 = 2_000;

/// The organisations whose trails tell about a person. A membership that others gave and the person never took tells
/// nobody what the person does. The number stands in the text for the reason told in `bearer`.
pub(crate) const ACCEPTED_ORGS: &str = "SELECT org_id FROM membership \
    WHERE person_id = $1 AND accepted IS NOT NULL ORDER BY org_id LIMIT 100";

/// Writes the audit entry of a change that is about a person, inside its transaction. All organisations of the person read
/// the detail, so nothing of one of them stands in it.
macro_rules! record_for_person {
    ($connection:expr, $person:expr, $change:expr, $action:expr, $resource:expr, $detail:expr) => {{
        let orgs: Vec<String> = sqlx::query_scalar($crate::sign_ins::ACCEPTED_ORGS)
            .bind($person.as_str())
            .fetch_all(&mut *$connection)
            .await?;
        if orgs.is_empty() {
            $crate::audit::record!($connection, $change, $action, $resource, $detail);
        }
        for org in orgs {
            let org = Some(tidegauge_model::OrgId::from(org));
            let change = $crate::audit::Change { org, ..$change.clone() };
            $crate::audit::record!($connection, change, $action, $resource, $detail);
        }
    }};
}

pub(crate) use record_for_person;

impl Catalog {
    /// The organisations whose audit trails tell about a person.
    pub async fn list_accepted_orgs(&self, person: &UserId) -> Result<Vec<OrgId>> {
        let orgs: Vec<String> = read!(self, executor => {
            sqlx::query_scalar(ACCEPTED_ORGS).bind(person.as_str()).fetch_all(executor).await?
        });
        Ok(orgs.into_iter().map(OrgId::from).collect())
    }

    /// Counts an attempt on an account as failed, before it is known how it ends, so that attempts at the same moment
    /// count too; a success forgets it. `next` tells what the count becomes from the failures before and the time of the
    /// last one, or until when no attempt is allowed.
    pub async fn begin_attempt(
        &self,
        account: &str,
        now: Timestamp,
        next: impl Fn(i64, Timestamp) -> std::result::Result<i64, Timestamp> + Send,
    ) -> Result<std::result::Result<i64, Timestamp>> {
        let failures = write!(self, connection => {
            sqlx::query(
                "INSERT INTO sign_in_attempt (account, failures, last_at) VALUES ($1, 0, $2) \
                 ON CONFLICT (account) DO NOTHING",
            )
            .bind(account)
            .bind(now.as_micros())
            .execute(&mut *connection)
            .await?;
            // An update that changes nothing locks the row.
            let (failures, last_at): (i64, i64) = sqlx::query_as(
                "UPDATE sign_in_attempt SET failures = failures WHERE account = $1 RETURNING failures, last_at",
            )
            .bind(account)
            .fetch_one(&mut *connection)
            .await?;
            let failures = match next(failures, Timestamp::from_micros(last_at)) {
                Ok(failures) => failures,
                Err(until) => return Ok(Err(until)),
            };
            sqlx::query("UPDATE sign_in_attempt SET failures = $2, last_at = $3 WHERE account = $1")
                .bind(account)
                .bind(failures)
                .bind(now.as_micros())
                .execute(&mut *connection)
                .await?;
            failures
        });
        Ok(Ok(failures))
    }

    /// Forgets the failures of an account.
    pub async fn forget_attempts(&self, account: &str) -> Result<()> {
        write!(self, connection => {
            sqlx::query("DELETE FROM sign_in_attempt WHERE account = $1")
                .bind(account)
                .execute(&mut *connection)
                .await?;
        });
        Ok(())
    }

    /// Drops the failures whose last one was before a time.
    pub async fn prune_attempts(&self, before: Timestamp) -> Result<u64> {
        drop_in_batches!(
            self,
            sqlx::query(
                "DELETE FROM sign_in_attempt WHERE account IN \
                 (SELECT account FROM sign_in_attempt WHERE last_at < $1 ORDER BY last_at LIMIT $2)",
            )
            .bind(before.as_micros())
            .bind(PRUNE_BATCH)
        )
    }
}
