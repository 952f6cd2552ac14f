//! Authorisation codes: each can be redeemed once, and a second attempt ends the grant that the first one made.

use sqlx::FromRow;
use tidegauge_model::{ClientId, GrantId, Timestamp, UserId};

use super::grants::{Grant, end_grant, insert_grant, record_for_grant};
use super::refresh::{RefreshToken, insert_refresh};
use crate::audit::detail::cut;
use crate::audit::{Change, record};
use crate::db::{drop_in_batches, read, write};
use crate::sign_ins::record_for_person;
use crate::{Catalog, Result};

/// What a code stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizationCode {
    /// The id that the grant will have.
    pub grant: GrantId,
    pub client: ClientId,
    pub person: UserId,
    pub redirect_uri: String,
    /// The digest of the verifier (PKCE, S256).
    pub challenge: String,
    pub scope: String,
    pub auth_time: Timestamp,
    /// The key that the client announced to prove, if it did.
    pub thumbprint: Option<String>,
    pub expires: Timestamp,
    pub used: Option<Timestamp>,
}

#[derive(FromRow)]
struct CodeRow {
    grant_id: String,
    client_id: String,
    person_id: String,
    redirect_uri: String,
    challenge: String,
    scope: String,
    auth_time: i64,
    thumbprint: Option<String>,
    expires: i64,
    used: Option<i64>,
}

/// Rows that are dropped in one transaction.
const BATCH: i64 = 1_000;

impl Catalog {
    pub async fn insert_code(&self, digest: &str, code: &AuthorizationCode, change: &Change) -> Result<()> {
        write!(self, connection => {
            sqlx::query(
                "INSERT INTO oauth_code (digest, grant_id, client_id, person_id, redirect_uri, challenge, scope, \
                 auth_time, thumbprint, expires) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            )
            .bind(digest)
            .bind(code.grant.as_str())
            .bind(code.client.as_str())
            .bind(code.person.as_str())
            .bind(&code.redirect_uri)
            .bind(&code.challenge)
            .bind(&code.scope)
            .bind(code.auth_time.as_micros())
            .bind(code.thumbprint.as_deref())
            .bind(code.expires.as_micros())
            .execute(&mut *connection)
            .await?;
            let detail = cut(code.scope.clone());
            record_for_person!(connection, code.person, change, "oauth.authorize", code.client.as_str(), &detail);
        });
        Ok(())
    }

    pub async fn find_code(&self, digest: &str) -> Result<Option<AuthorizationCode>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, CodeRow>(
                "SELECT grant_id, client_id, person_id, redirect_uri, challenge, scope, auth_time, thumbprint, \
                 expires, used FROM oauth_code WHERE digest = $1",
            )
            .bind(digest)
            .fetch_optional(executor)
            .await?
        });
        Ok(row.map(|row| AuthorizationCode {
            grant: row.grant_id.into(),
            client: row.client_id.into(),
            person: row.person_id.into(),
            redirect_uri: row.redirect_uri,
            challenge: row.challenge,
            scope: row.scope,
            auth_time: Timestamp::from_micros(row.auth_time),
            thumbprint: row.thumbprint,
            expires: Timestamp::from_micros(row.expires),
            used: row.used.map(Timestamp::from_micros),
        }))
    }

    /// Redeems a code: it is used up, and the grant with its first refresh token is made. False if it had been used
    /// up before; then the grant that it made is ended.
    pub async fn redeem_code(
        &self,
        digest: &str,
        grant: &Grant,
        refresh: Option<&RefreshToken>,
        change: &Change,
    ) -> Result<bool> {
        let redeemed = write!(self, connection => {
            let is_first = sqlx::query("UPDATE oauth_code SET used = $2 WHERE digest = $1 AND used IS NULL")
                .bind(digest)
                .bind(change.at.as_micros())
                .execute(&mut *connection)
                .await?
                .rows_affected()
                > 0;
            if is_first {
                insert_grant!(connection, grant);
                if let Some(refresh) = refresh {
                    insert_refresh!(connection, refresh);
                }
                record_for_grant!(connection, grant.id.as_str(), change, "oauth.grant.create");
            } else {
                end_grant!(connection, grant.id.as_str(), change.at);
                record_for_grant!(connection, grant.id.as_str(), change, "oauth.replay");
            }
            is_first
        });
        Ok(redeemed)
    }

    /// Uses a code up without a grant, because who presented it could not prove to be the one it was made for.
    pub async fn spoil_code(&self, digest: &str, change: &Change) -> Result<()> {
        write!(self, connection => {
            let client: Option<String> = sqlx::query_scalar(
                "UPDATE oauth_code SET used = $2 WHERE digest = $1 AND used IS NULL RETURNING client_id",
            )
            .bind(digest)
            .bind(change.at.as_micros())
            .fetch_optional(&mut *connection)
            .await?;
            let Some(client) = client else {
                return Ok(());
            };
            record!(connection, change, "oauth.code.spoil", "", format!("client {client}"));
        });
        Ok(())
    }

    /// Drops codes that ended before a time.
    pub async fn forget_codes_ended_before(&self, time: Timestamp) -> Result<u64> {
        drop_in_batches!(self, sqlx::query(
            "DELETE FROM oauth_code WHERE digest IN (SELECT digest FROM oauth_code WHERE expires < $1 LIMIT $2)",
        )
        .bind(time.as_micros())
        .bind(BATCH))
    }
}
