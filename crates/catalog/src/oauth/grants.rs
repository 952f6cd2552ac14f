//! Grants: what a person or a machine has allowed a client. Every token names its grant, so that ending the grant ends
//! them all.

use sqlx::FromRow;
use tidegauge_model::{ClientId, GrantId, OrgId, Timestamp, UserId};

use crate::audit::Change;
use crate::db::{drop_in_batches, read, write};
use crate::sign_ins::record_for_person;
use crate::{Catalog, Result};

/// What was allowed to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    pub id: GrantId,
    pub client: ClientId,
    /// Who allowed it; a machine acts for itself.
    pub person: Option<UserId>,
    /// The organisation of a machine; a person acts wherever they are a member.
    pub org: Option<OrgId>,
    pub scope: String,
    /// When the person signed in.
    pub auth_time: Option<Timestamp>,
    /// The key that the client must prove to hold, where its tokens are bound to one.
    pub thumbprint: Option<String>,
    pub created: Timestamp,
    pub last_used: Timestamp,
    pub ends: Timestamp,
    pub revoked: Option<Timestamp>,
}

impl Grant {
    pub fn is_alive(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && now < self.ends
    }
}

#[derive(FromRow)]
pub(crate) struct GrantRow {
    id: String,
    client_id: String,
    person_id: Option<String>,
    org_id: Option<String>,
    scope: String,
    auth_time: Option<i64>,
    thumbprint: Option<String>,
    created: i64,
    last_used: i64,
    ends: i64,
    revoked: Option<i64>,
}

impl GrantRow {
    pub(crate) fn read(self) -> Grant {
        Grant {
            id: self.id.into(),
            client: self.client_id.into(),
            person: self.person_id.map(UserId::from),
            org: self.org_id.map(OrgId::from),
            scope: self.scope,
            auth_time: self.auth_time.map(Timestamp::from_micros),
            thumbprint: self.thumbprint,
            created: Timestamp::from_micros(self.created),
            last_used: Timestamp::from_micros(self.last_used),
            ends: Timestamp::from_micros(self.ends),
            revoked: self.revoked.map(Timestamp::from_micros),
        }
    }
}

/// What a [`GrantRow`] is read from.
macro_rules! columns {
    () => {
        "id, client_id, person_id, org_id, scope, auth_time, thumbprint, created, last_used, ends, revoked"
    };
}

pub(crate) const SELECT: &str = concat!("SELECT ", columns!(), " FROM oauth_grant WHERE id = $1");

pub(crate) const INSERT: &str = concat!(
    "INSERT INTO oauth_grant (",
    columns!(),
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
);

/// Inserts a grant inside a transaction.
macro_rules! insert_grant {
    ($connection:expr, $grant:expr) => {
        sqlx::query($crate::oauth::grants::INSERT)
            .bind($grant.id.as_str())
            .bind($grant.client.as_str())
            .bind($grant.person.as_ref().map(|person| person.as_str()))
            .bind($grant.org.as_ref().map(|org| org.as_str()))
            .bind(&$grant.scope)
            .bind($grant.auth_time.map(tidegauge_model::Timestamp::as_micros))
            .bind($grant.thumbprint.as_deref())
            .bind($grant.created.as_micros())
            .bind($grant.last_used.as_micros())
            .bind($grant.ends.as_micros())
            .bind($grant.revoked.map(tidegauge_model::Timestamp::as_micros))
            .execute(&mut *$connection)
            .await?
    };
}

/// Ends a grant inside a transaction; gives how many were alive.
macro_rules! end_grant {
    ($connection:expr, $id:expr, $at:expr) => {
        sqlx::query("UPDATE oauth_grant SET revoked = $2 WHERE id = $1 AND revoked IS NULL")
            .bind($id)
            .bind($at.as_micros())
            .execute(&mut *$connection)
            .await?
            .rows_affected()
    };
}

/// Writes the audit entry of what happens to a grant, inside its transaction: in the trails of its person's
/// organisations, or of the machine's. It says which client has the grant, and for what.
macro_rules! record_for_grant {
    ($connection:expr, $grant:expr, $change:expr, $action:expr) => {{
        let known: Option<(Option<String>, String, String)> =
            sqlx::query_as("SELECT person_id, client_id, scope FROM oauth_grant WHERE id = $1")
                .bind($grant)
                .fetch_optional(&mut *$connection)
                .await?;
        let (person, client, scope) = known.unwrap_or_default();
        let detail = $crate::audit::detail::cut(format!("client {client}: {scope}"));
        match person {
            Some(person) => {
                $crate::sign_ins::record_for_person!($connection, person, $change, $action, $grant, &detail)
            }
            None => {
                $crate::audit::record!($connection, $change, $action, $grant, detail);
            }
        }
    }};
}

pub(crate) use {end_grant, insert_grant, record_for_grant};

/// Rows that are dropped in one transaction.
const BATCH: i64 = 1_000;

impl Catalog {
    /// Notes what a machine was granted.
    pub async fn insert_oauth_grant(&self, grant: &Grant, change: &Change) -> Result<()> {
        write!(self, connection => {
            insert_grant!(connection, grant);
            record_for_grant!(connection, grant.id.as_str(), change, "oauth.grant.create");
        });
        Ok(())
    }

    pub async fn find_oauth_grant(&self, id: &GrantId) -> Result<Option<Grant>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, GrantRow>(SELECT).bind(id.as_str()).fetch_optional(executor).await?
        });
        Ok(row.map(GrantRow::read))
    }

    /// What a person has allowed and not ended, the newest first.
    pub async fn list_oauth_grants(&self, person: &UserId, now: Timestamp) -> Result<Vec<Grant>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, GrantRow>(concat!(
                "SELECT ", columns!(), " FROM oauth_grant \
                 WHERE person_id = $1 AND revoked IS NULL AND ends > $2 ORDER BY id DESC LIMIT 1000"
            ))
            .bind(person.as_str())
            .bind(now.as_micros())
            .fetch_all(executor)
            .await?
        });
        Ok(rows.into_iter().map(GrantRow::read).collect())
    }

    /// Ends a grant. False if it had ended before.
    pub async fn revoke_oauth_grant(&self, id: &GrantId, change: &Change) -> Result<bool> {
        write!(self, connection => {
            if end_grant!(connection, id.as_str(), change.at) == 0 {
                return Ok(false);
            }
            record_for_grant!(connection, id.as_str(), change, "oauth.grant.revoke");
        });
        Ok(true)
    }

    /// Ends a grant of a person, and forgets that they allowed it: next time they are asked again.
    pub async fn revoke_oauth_grant_of(
        &self,
        person: &UserId,
        id: &GrantId,
        change: &Change,
    ) -> Result<bool> {
        write!(self, connection => {
            let client: Option<String> = sqlx::query_scalar(
                "UPDATE oauth_grant SET revoked = $3 WHERE id = $1 AND person_id = $2 AND revoked IS NULL \
                 RETURNING client_id",
            )
            .bind(id.as_str())
            .bind(person.as_str())
            .bind(change.at.as_micros())
            .fetch_optional(&mut *connection)
            .await?;
            let Some(client) = client else {
                return Ok(false);
            };
            sqlx::query("DELETE FROM oauth_consent WHERE person_id = $1 AND client_id = $2")
                .bind(person.as_str())
                .bind(&client)
                .execute(&mut *connection)
                .await?;
            let detail = format!("client {client}");
            record_for_person!(connection, person, change, "oauth.grant.revoke", id.as_str(), &detail);
        });
        Ok(true)
    }

    /// Ends all that a person has allowed, such as when their password is set anew. Gives how many that were.
    pub async fn revoke_oauth_grants_of(&self, person: &UserId, change: &Change) -> Result<u64> {
        let ended = write!(self, connection => {
            let ended =
                sqlx::query("UPDATE oauth_grant SET revoked = $2 WHERE person_id = $1 AND revoked IS NULL")
                    .bind(person.as_str())
                    .bind(change.at.as_micros())
                    .execute(&mut *connection)
                    .await?
                    .rows_affected();
            if ended > 0 {
                let detail = format!("all {ended} of the person");
                record_for_person!(connection, person, change, "oauth.grant.revoke", person.as_str(), &detail);
            }
            ended
        });
        Ok(ended)
    }

    /// Drops grants that ended or were revoked before a time, with their refresh tokens.
    pub async fn forget_oauth_grants_ended_before(&self, time: Timestamp) -> Result<u64> {
        self.forget_refresh_tokens_of_grants_ended_before(time).await?;
        drop_in_batches!(
            self,
            sqlx::query(
                "DELETE FROM oauth_grant WHERE id IN (SELECT id FROM oauth_grant g \
             WHERE (g.ends < $1 OR g.revoked < $1) \
             AND NOT EXISTS (SELECT 1 FROM oauth_refresh r WHERE r.grant_id = g.id) LIMIT $2)",
            )
            .bind(time.as_micros())
            .bind(BATCH)
        )
    }

    async fn forget_refresh_tokens_of_grants_ended_before(&self, time: Timestamp) -> Result<u64> {
        drop_in_batches!(
            self,
            sqlx::query(
                "DELETE FROM oauth_refresh WHERE digest IN (SELECT r.digest FROM oauth_refresh r \
             JOIN oauth_grant g ON g.id = r.grant_id WHERE g.ends < $1 OR g.revoked < $1 LIMIT $2)",
            )
            .bind(time.as_micros())
            .bind(BATCH)
        )
    }
}
