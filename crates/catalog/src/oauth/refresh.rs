//! Refresh tokens: each is used once and followed by another of the same grant. One that is used again was stolen, from
//! one side or the other, so it ends the whole grant.

use sqlx::FromRow;
use tidegauge_model::{GrantId, Timestamp};

use super::grants::{Grant, GrantRow, SELECT, end_grant, record_for_grant};
use crate::audit::Change;
use crate::db::{read, write};
use crate::{Catalog, Result};

/// A refresh token, by the digest of its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefreshToken {
    pub digest: String,
    pub grant: GrantId,
    pub expires: Timestamp,
    pub used: Option<Timestamp>,
}

/// How an exchange of a refresh token for the next one ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    Done,
    /// It had been used before; its grant has ended now.
    Reused,
    /// Its grant had ended.
    Ended,
}

#[derive(FromRow)]
struct RefreshRow {
    digest: String,
    grant_id: String,
    expires: i64,
    used: Option<i64>,
}

pub(crate) const INSERT: &str = "INSERT INTO oauth_refresh (digest, grant_id, expires) VALUES ($1, $2, $3)";

/// Inserts a refresh token inside a transaction.
macro_rules! insert_refresh {
    ($connection:expr, $refresh:expr) => {
        sqlx::query($crate::oauth::refresh::INSERT)
            .bind(&$refresh.digest)
            .bind($refresh.grant.as_str())
            .bind($refresh.expires.as_micros())
            .execute(&mut *$connection)
            .await?
    };
}

pub(crate) use insert_refresh;

impl Catalog {
    /// Finds a refresh token and its grant, whether they are still good or not.
    pub async fn find_refresh_token(&self, digest: &str) -> Result<Option<(RefreshToken, Grant)>> {
        let found = read!(self, executor => {
            let row = sqlx::query_as::<_, RefreshRow>(
                "SELECT digest, grant_id, expires, used FROM oauth_refresh WHERE digest = $1",
            )
            .bind(digest)
            .fetch_optional(executor)
            .await?;
            match row {
                Some(row) => {
                    let grant = sqlx::query_as::<_, GrantRow>(SELECT)
                        .bind(&row.grant_id)
                        .fetch_optional(executor)
                        .await?;
                    grant.map(|grant| (row, grant))
                }
                None => None,
            }
        });
        Ok(found.map(|(row, grant)| {
            let refresh = RefreshToken {
                digest: row.digest,
                grant: row.grant_id.into(),
                expires: Timestamp::from_micros(row.expires),
                used: row.used.map(Timestamp::from_micros),
            };
            (refresh, grant.read())
        }))
    }

    /// Uses a refresh token up and adds the next one. Of several at once exactly one succeeds, and the others end the
    /// grant.
    pub async fn rotate_refresh_token(
        &self,
        digest: &str,
        next: &RefreshToken,
        change: &Change,
    ) -> Result<Rotation> {
        let rotation = write!(self, connection => {
            let is_first = sqlx::query("UPDATE oauth_refresh SET used = $2 WHERE digest = $1 AND used IS NULL")
                .bind(digest)
                .bind(change.at.as_micros())
                .execute(&mut *connection)
                .await?
                .rows_affected()
                > 0;
            if is_first {
                let alive = sqlx::query("UPDATE oauth_grant SET last_used = $2 WHERE id = $1 AND revoked IS NULL")
                    .bind(next.grant.as_str())
                    .bind(change.at.as_micros())
                    .execute(&mut *connection)
                    .await?
                    .rows_affected();
                if alive == 0 {
                    return Ok(Rotation::Ended);
                }
                insert_refresh!(connection, next);
                record_for_grant!(connection, next.grant.as_str(), change, "oauth.refresh");
                Rotation::Done
            } else {
                end_grant!(connection, next.grant.as_str(), change.at);
                record_for_grant!(connection, next.grant.as_str(), change, "oauth.replay");
                Rotation::Reused
            }
        });
        Ok(rotation)
    }
}
