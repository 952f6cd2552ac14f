//! Sessions of browsers: their records, never their secrets. What is stored in place of a secret is its digest. When a
//! session ends by itself is decided by who asks.

use sqlx::FromRow;
use tidegauge_model::{SessionId, Timestamp, UserId};

use crate::audit::Change;
use crate::db::{drop_in_batches, read, write};
use crate::sign_ins::record_for_person;
use crate::{Catalog, Result};

/// A session's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    pub id: SessionId,
    pub person: UserId,
    /// When the person proved who they are.
    pub created: Timestamp,
    pub last_used: Timestamp,
    /// The last moment, however much it is used.
    pub expires_at: Timestamp,
    /// From where it was begun; empty if that is not known.
    pub address: String,
    /// What the browser called itself.
    pub agent: String,
}

/// Sessions that are dropped in one transaction.
const PRUNE_BATCH: i64 = 2_000;

/// Sessions of one person; a further one ends the one that was not used for the longest time.
pub const SESSIONS_MAX: i64 = 100;

/// What a [`SessionRow`] is read from.
macro_rules! columns {
    () => {
        "id, person_id, created, last_used, expires_at, address, agent"
    };
}

#[derive(FromRow)]
struct SessionRow {
    id: String,
    person_id: String,
    created: i64,
    last_used: i64,
    expires_at: i64,
    address: String,
    agent: String,
}

impl SessionRow {
    fn read(self) -> SessionRecord {
        SessionRecord {
            id: self.id.into(),
            person: self.person_id.into(),
            created: Timestamp::from_micros(self.created),
            last_used: Timestamp::from_micros(self.last_used),
            expires_at: Timestamp::from_micros(self.expires_at),
            address: self.address,
            agent: self.agent,
        }
    }
}

impl Catalog {
    /// Begins a session.
    pub async fn insert_session(&self, session: &SessionRecord, digest: &str, change: &Change) -> Result<()> {
        write!(self, connection => {
            sqlx::query(
                "DELETE FROM browser_session WHERE person_id = $1 AND id NOT IN \
                 (SELECT id FROM browser_session WHERE person_id = $1 ORDER BY last_used DESC, id DESC LIMIT $2)",
            )
            .bind(session.person.as_str())
            .bind(SESSIONS_MAX - 1)
            .execute(&mut *connection)
            .await?;
            sqlx::query(
                "INSERT INTO browser_session \
                 (id, digest, person_id, created, last_used, expires_at, address, agent) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            )
            .bind(session.id.as_str())
            .bind(digest)
            .bind(session.person.as_str())
            .bind(session.created.as_micros())
            .bind(session.last_used.as_micros())
            .bind(session.expires_at.as_micros())
            .bind(&session.address)
            .bind(&session.agent)
            .execute(&mut *connection)
            .await?;
            record_for_person!(connection, session.person, change, "session.create", session.id.as_str(), "");
        });
        Ok(())
    }

    pub async fn find_session(&self, digest: &str) -> Result<Option<SessionRecord>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, SessionRow>(
                concat!("SELECT ", columns!(), " FROM browser_session WHERE digest = $1"),
            )
            .bind(digest)
            .fetch_optional(executor)
            .await?
        });
        Ok(row.map(SessionRow::read))
    }

    /// The sessions of a person, the newest first.
    pub async fn list_sessions(&self, person: &UserId) -> Result<Vec<SessionRecord>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, SessionRow>(
                concat!("SELECT ", columns!(), " FROM browser_session WHERE person_id = $1 ORDER BY id DESC"),
            )
            .bind(person.as_str())
            .fetch_all(executor)
            .await?
        });
        Ok(rows.into_iter().map(SessionRow::read).collect())
    }

    /// Notes that a session was used; an older time never replaces a newer one.
    pub async fn touch_session(&self, id: &SessionId, at: Timestamp) -> Result<()> {
        write!(self, connection => {
            sqlx::query("UPDATE browser_session SET last_used = $2 WHERE id = $1 AND last_used < $2")
                .bind(id.as_str())
                .bind(at.as_micros())
                .execute(&mut *connection)
                .await?;
        });
        Ok(())
    }

    /// Ends one session of a person.
    pub async fn delete_session(&self, person: &UserId, id: &SessionId, change: &Change) -> Result<bool> {
        write!(self, connection => {
            let deleted = sqlx::query("DELETE FROM browser_session WHERE person_id = $1 AND id = $2")
                .bind(person.as_str())
                .bind(id.as_str())
                .execute(&mut *connection)
                .await?
                .rows_affected();
            if deleted == 0 {
                return Ok(false);
            }
            record_for_person!(connection, person, change, "session.delete", id.as_str(), "");
        });
        Ok(true)
    }

    /// Ends every session of a person but one. Gives how many.
    pub async fn delete_other_sessions(
        &self,
        person: &UserId,
        kept: &SessionId,
        change: &Change,
    ) -> Result<u64> {
        let deleted = write!(self, connection => {
            let deleted = sqlx::query("DELETE FROM browser_session WHERE person_id = $1 AND id <> $2")
                .bind(person.as_str())
                .bind(kept.as_str())
                .execute(&mut *connection)
                .await?
                .rows_affected();
            if deleted > 0 {
                let detail = format!("{deleted} sessions");
                record_for_person!(connection, person, change, "session.delete.others", person.as_str(), &detail);
            }
            deleted
        });
        Ok(deleted)
    }

    /// Drops the sessions that were not used since a time or have ended by now. They open nothing any more, so no change
    /// is recorded.
    pub async fn prune_sessions(&self, unused_since: Timestamp, now: Timestamp) -> Result<u64> {
        drop_in_batches!(
            self,
            sqlx::query(
                "DELETE FROM browser_session WHERE id IN (SELECT id FROM browser_session \
                 WHERE last_used <= $1 OR expires_at <= $2 LIMIT $3)",
            )
            .bind(unused_since.as_micros())
            .bind(now.as_micros())
            .bind(PRUNE_BATCH)
        )
    }
}
