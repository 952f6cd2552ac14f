//! API tokens and personal tokens: their records, never their secrets. What is stored in place of a secret is its
//! digest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use tidegauge_model::capability::Grants;
use tidegauge_model::{Capabilities, DatasetArea, OrgArea, OrgId, Timestamp, TokenId, UserId, ViewArea};

use crate::audit::detail::{cut, named, named_with};
use crate::audit::{Change, record};
use crate::db::{read, write, write_stats};
use crate::deletion::delete_one;
use crate::limits::TOKENS_MAX;
use crate::{Catalog, Error, Result};

/// A token's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub id: TokenId,
    /// The organisation of an API token; a personal token has none.
    pub org: Option<OrgId>,
    /// The person it acts for, or who made it.
    pub person: UserId,
    pub name: String,
    pub description: String,
    pub capabilities: Capabilities,
    pub created: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
    /// Whether an API token ends when its maker is no member of the organisation any more.
    pub ends_with_membership: bool,
}

/// The stored form of capabilities.
#[derive(Serialize, Deserialize)]
struct StoredCapabilities {
    #[serde(default)]
    org: Grants<OrgArea>,
    #[serde(default)]
    dataset: BTreeMap<String, Grants<DatasetArea>>,
    #[serde(default)]
    view: BTreeMap<String, Grants<ViewArea>>,
}

pub(crate) fn read_capabilities(text: &str) -> Result<Capabilities> {
    let stored: StoredCapabilities =
        serde_json::from_str(text).map_err(|_| Error::corrupt("the capabilities", text))?;
    Ok(Capabilities { org: stored.org, dataset: stored.dataset, view: stored.view })
}

pub(crate) fn capabilities_text(capabilities: &Capabilities) -> String {
    let Capabilities { org, dataset, view } = capabilities.clone();
    // Maps with text keys always have a JSON form.
    serde_json::to_string(&StoredCapabilities { org, dataset, view }).unwrap_or_default()
}

/// Capabilities as the audit trail has them: cut off where they name very many things.
pub(crate) fn capabilities_in_short(capabilities: &Capabilities) -> String {
    cut(capabilities_text(capabilities))
}

/// What a [`TokenRow`] is read from.
macro_rules! columns {
    () => {
        "id, org_id, person_id, name, description, capabilities, created, expires_at, last_used_at, \
         ends_with_membership"
    };
}

#[derive(FromRow)]
struct TokenRow {
    id: String,
    org_id: Option<String>,
    person_id: String,
    name: String,
    description: String,
    capabilities: String,
    created: i64,
    expires_at: Option<i64>,
    last_used_at: Option<i64>,
    ends_with_membership: bool,
}

impl TokenRow {
    fn read(self) -> Result<Token> {
        Ok(Token {
            capabilities: read_capabilities(&self.capabilities)?,
            id: self.id.into(),
            org: self.org_id.map(OrgId::from),
            person: self.person_id.into(),
            name: self.name,
            description: self.description,
            created: Timestamp::from_micros(self.created),
            expires_at: self.expires_at.map(Timestamp::from_micros),
            last_used_at: self.last_used_at.map(Timestamp::from_micros),
            ends_with_membership: self.ends_with_membership,
        })
    }
}

pub(crate) const INSERT: &str = "INSERT INTO token \
    (id, kind, digest, org_id, person_id, name, description, capabilities, created, expires_at, ends_with_membership) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

// For good: who comes back to the organisation does not bring old tokens along.
pub(crate) const END_WITH_MEMBERSHIP: &str = "UPDATE token SET expires_at = $3 \
    WHERE org_id = $1 AND person_id = $2 AND ends_with_membership AND (expires_at IS NULL OR expires_at > $3) \
    AND NOT EXISTS (SELECT 1 FROM membership m \
    WHERE m.org_id = $1 AND m.person_id = $2 AND m.accepted IS NOT NULL) RETURNING id, name";

pub(crate) const API: &str = "api";
pub(crate) const PERSONAL: &str = "personal";

/// Inserts a token with the digest of its secret inside a transaction.
macro_rules! insert_token {
    ($connection:expr, $token:expr, $digest:expr) => {
        sqlx::query($crate::tokens::INSERT)
            .bind($token.id.as_str())
            .bind(if $token.org.is_some() { $crate::tokens::API } else { $crate::tokens::PERSONAL })
            .bind($digest)
            .bind($token.org.as_ref().map(|org| org.as_str()))
            .bind($token.person.as_str())
            .bind(&$token.name)
            .bind(&$token.description)
            .bind($crate::tokens::capabilities_text(&$token.capabilities))
            .bind($token.created.as_micros())
            .bind($token.expires_at.map(tidegauge_model::Timestamp::as_micros))
            .bind($token.ends_with_membership)
            .execute(&mut *$connection)
            .await?
    };
}

/// Ends inside a transaction the tokens that were made to end with the membership of a person who is no member.
macro_rules! end_tokens_with_membership {
    ($connection:expr, $org:expr, $person:expr, $change:expr) => {
        let mut ended: Vec<(String, String)> = sqlx::query_as($crate::tokens::END_WITH_MEMBERSHIP)
            .bind($org.as_str())
            .bind($person.as_str())
            .bind($change.at.as_micros())
            .fetch_all(&mut *$connection)
            .await?;
        ended.sort();
        for (id, name) in &ended {
            let detail = $crate::audit::detail::named(name);
            $crate::audit::record!($connection, $change, "token.end", id, detail);
        }
    };
}

/// Ends a new token inside a transaction that holds the lock of its organisation, if it is to end with a membership and
/// its maker was removed since the request was let in.
macro_rules! end_if_its_maker_left {
    ($connection:expr, $token:expr, $change:expr) => {
        if let Some(org) = $token.org.as_ref().filter(|_| $token.ends_with_membership) {
            end_tokens_with_membership!($connection, org, $token.person, $change);
        }
    };
}

pub(crate) use {end_tokens_with_membership, insert_token};

impl Catalog {
    /// The API tokens of an organisation.
    pub async fn list_tokens(&self, org: &OrgId) -> Result<Vec<Token>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, TokenRow>(
                concat!("SELECT ", columns!(), " FROM token WHERE org_id = $1 ORDER BY id"),
            )
            .bind(org.as_str())
            .fetch_all(executor)
            .await?
        });
        rows.into_iter().map(TokenRow::read).collect()
    }

    /// All tokens of the installation, for the operator.
    pub async fn list_all_tokens(&self) -> Result<Vec<Token>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, TokenRow>(
                concat!("SELECT ", columns!(), " FROM token ORDER BY id"),
            )
            .fetch_all(executor)
            .await?
        });
        rows.into_iter().map(TokenRow::read).collect()
    }

    pub async fn find_token(&self, org: &OrgId, id: &TokenId) -> Result<Option<Token>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, TokenRow>(
                concat!("SELECT ", columns!(), " FROM token WHERE org_id = $1 AND id = $2"),
            )
            .bind(org.as_str())
            .bind(id.as_str())
            .fetch_optional(executor)
            .await?
        });
        row.map(TokenRow::read).transpose()
    }

    pub async fn insert_token(&self, token: &Token, digest: &str, change: &Change) -> Result<()> {
        write!(self, connection => {
            if let Some(org) = &token.org {
                crate::limits::check_room!(connection, org, "token", TOKENS_MAX);
            }
            insert_token!(connection, token, digest);
            let detail = named_with(&token.name, capabilities_text(&token.capabilities));
            record!(connection, change, "token.create", token.id.as_str(), detail);
            end_if_its_maker_left!(connection, token, change);
        });
        Ok(())
    }

    /// Adds a successor and lets the old token expire at a time, in one step. It can end sooner than before, but what
    /// has ended does not come back.
    pub async fn succeed_token(
        &self,
        old: &TokenId,
        old_expires_at: Timestamp,
        successor: &Token,
        digest: &str,
        change: &Change,
    ) -> Result<bool> {
        write!(self, connection => {
            let updated = sqlx::query(
                "UPDATE token SET expires_at = \
                 CASE WHEN expires_at IS NULL OR expires_at > $2 THEN $2 ELSE expires_at END \
                 WHERE id = $1 AND org_id = $3",
            )
                .bind(old.as_str())
                .bind(old_expires_at.as_micros())
                .bind(successor.org.as_ref().map(OrgId::as_str))
                .execute(&mut *connection)
                .await?
                .rows_affected();
            if updated == 0 {
                return Ok(false);
            }
            if let Some(org) = &successor.org {
                crate::limits::check_room!(connection, org, "token", TOKENS_MAX);
            }
            insert_token!(connection, successor, digest);
            let given = capabilities_text(&successor.capabilities);
            let detail = format!("by {}, ends {old_expires_at}, {given}", successor.id);
            record!(connection, change, "token.regenerate", old.as_str(), named_with(&successor.name, detail));
            end_if_its_maker_left!(connection, successor, change);
        });
        Ok(true)
    }

    /// Deletes an API token of an organisation.
    pub async fn delete_token(&self, org: &OrgId, id: &TokenId, change: &Change) -> Result<bool> {
        delete_one!(self, "token", "name", org, id, change, "token.delete")
    }

    /// Deletes any token, for the operator. The audit entry belongs to the token's organisation.
    pub async fn revoke_token(&self, id: &TokenId, change: &Change) -> Result<bool> {
        write!(self, connection => {
            let deleted: Option<(Option<String>, String)> =
                sqlx::query_as("DELETE FROM token WHERE id = $1 RETURNING org_id, name")
                    .bind(id.as_str())
                    .fetch_optional(&mut *connection)
                    .await?;
            let Some((org, name)) = deleted else {
                return Ok(false);
            };
            let change = Change { org: org.map(OrgId::from), ..change.clone() };
            record!(connection, change, "token.delete", id.as_str(), named(&name));
        });
        Ok(true)
    }

    /// Drops the records of tokens that ended before a time. They open nothing any more, so no change is recorded.
    pub async fn forget_tokens_ended_before(&self, time: Timestamp) -> Result<u64> {
        let dropped = write!(self, connection => {
            sqlx::query("DELETE FROM token WHERE expires_at < $1")
                .bind(time.as_micros())
                .execute(&mut *connection)
                .await?
                .rows_affected()
        });
        Ok(dropped)
    }

    /// Writes down when tokens were last used; an older time never replaces a newer one.
    pub async fn touch_tokens(&self, uses: &[(TokenId, Timestamp)]) -> Result<()> {
        // In one order always: two nodes that lock the same rows in different orders wait for each other.
        let mut uses: Vec<&(TokenId, Timestamp)> = uses.iter().collect();
        uses.sort();
        write_stats!(self, connection => {
            for (id, at) in uses {
                sqlx::query(
                    "UPDATE token SET last_used_at = $2 \
                     WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)",
                )
                .bind(id.as_str())
                .bind(at.as_micros())
                .execute(&mut *connection)
                .await?;
            }
        });
        Ok(())
    }
}
