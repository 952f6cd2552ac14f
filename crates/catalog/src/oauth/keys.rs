//! The keys that sign access tokens. All nodes share them through the catalogue; the private part is sealed. When a key
//! begins and retires is decided by the server.

use std::fmt;

use sqlx::FromRow;
use tidegauge_model::Timestamp;

use crate::audit::{Change, record};
use crate::db::{read, write};
use crate::{Catalog, Result};

/// A key that signs.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// From 1, in the order in which they were made.
    pub number: i64,
    pub kid: String,
    /// The public part, as JSON text.
    pub public: String,
    /// The private part, as text.
    pub private: String,
    pub created: Timestamp,
    /// When it begins to sign; it is published before.
    pub begins: Timestamp,
    /// When it stops being published; none while no other follows it.
    pub retires: Option<Timestamp>,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("number", &self.number)
            .field("kid", &self.kid)
            .field("begins", &self.begins)
            .field("retires", &self.retires)
            .finish_non_exhaustive()
    }
}

#[derive(FromRow)]
struct KeyRow {
    number: i64,
    kid: String,
    public: String,
    private: Vec<u8>,
    created: i64,
    begins: i64,
    retires: Option<i64>,
}

impl Catalog {
    /// Every key, the oldest first.
    pub async fn list_signing_keys(&self) -> Result<Vec<SigningKey>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, KeyRow>(
                "SELECT number, kid, public, private, created, begins, retires FROM oauth_key ORDER BY number",
            )
            .fetch_all(executor)
            .await?
        });
        rows.into_iter()
            .map(|row| {
                Ok(SigningKey {
                    private: self.key.open(&binding(&row.kid), &row.private)?,
                    number: row.number,
                    kid: row.kid,
                    public: row.public,
                    created: Timestamp::from_micros(row.created),
                    begins: Timestamp::from_micros(row.begins),
                    retires: row.retires.map(Timestamp::from_micros),
                })
            })
            .collect()
    }

    /// Adds the next key and lets all before it retire at a time. False if another node added that number first; then
    /// nothing is written.
    pub async fn add_signing_key(
        &self,
        key: &SigningKey,
        former_retire: Timestamp,
        change: &Change,
    ) -> Result<bool> {
        let sealed = self.key.seal(&binding(&key.kid), &key.private)?;
        write!(self, connection => {
            let inserted = sqlx::query(
                "INSERT INTO oauth_key (number, kid, public, private, created, begins, retires) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (number) DO NOTHING",
            )
            .bind(key.number)
            .bind(&key.kid)
            .bind(&key.public)
            .bind(&sealed)
            .bind(key.created.as_micros())
            .bind(key.begins.as_micros())
            .bind(key.retires.map(Timestamp::as_micros))
            .execute(&mut *connection)
            .await?
            .rows_affected();
            if inserted == 0 {
                return Ok(false);
            }
            sqlx::query("UPDATE oauth_key SET retires = $2 WHERE number < $1 AND (retires IS NULL OR retires > $2)")
                .bind(key.number)
                .bind(former_retire.as_micros())
                .execute(&mut *connection)
                .await?;
            record!(connection, change, "oauth.key.create", key.kid.as_str(),
                format!("signs from {}", key.begins));
        });
        Ok(true)
    }

    /// Drops keys that are not published any more.
    pub async fn forget_signing_keys_retired_before(&self, time: Timestamp) -> Result<u64> {
        let dropped = write!(self, connection => {
            sqlx::query("DELETE FROM oauth_key WHERE retires < $1")
                .bind(time.as_micros())
                .execute(&mut *connection)
                .await?
                .rows_affected()
        });
        Ok(dropped)
    }
}

/// What the sealed private part is bound to.
fn binding(kid: &str) -> String {
    format!("oauth key {kid}")
}
