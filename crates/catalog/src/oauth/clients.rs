//! Clients of the embedded authorisation server that organisations made or that registered themselves, with the digests
//! of their secrets. Those that are built in are not here.

use sqlx::FromRow;
use tidegauge_model::oauth::GrantType;
use tidegauge_model::{Capabilities, ClientId, ErrorKind, OrgId, Timestamp};

use crate::audit::detail::{listed, named, named_with};
use crate::audit::{Change, record};
use crate::db::{read, write};
use crate::limits::{OAUTH_CLIENTS_MAX, check_room};
use crate::tokens::{capabilities_text, read_capabilities};
use crate::{Catalog, Error, Result};

/// A client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuthClient {
    pub id: ClientId,
    /// None for one that registered itself.
    pub org: Option<OrgId>,
    pub name: String,
    pub redirect_uris: Vec<String>,
    pub grants: Vec<GrantType>,
    /// Whether it cannot keep a secret.
    pub is_public: bool,
    /// What it may do for itself, without a person.
    pub capabilities: Capabilities,
    pub created: Timestamp,
    /// The person who made it, or a word for how it came here.
    pub created_by: String,
    pub modified: Timestamp,
}

/// The digests of a client's secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientSecrets {
    pub digest: Option<String>,
    /// The one before, and until when it counts.
    pub former: Option<(String, Timestamp)>,
}

#[derive(FromRow)]
struct ClientRow {
    id: String,
    org_id: Option<String>,
    name: String,
    redirect_uris: String,
    grants: String,
    is_public: bool,
    capabilities: String,
    digest: Option<String>,
    former_digest: Option<String>,
    former_until: Option<i64>,
    created: i64,
    created_by: String,
    modified: i64,
}

/// What a [`ClientRow`] is read from.
macro_rules! columns {
    () => {
        "id, org_id, name, redirect_uris, grants, is_public, capabilities, digest, former_digest, former_until, \
         created, created_by, modified"
    };
}

const REPLACE: &str = concat!(
    "UPDATE oauth_client SET name = $3, redirect_uris = $4, grants = $5, capabilities = $6, modified = $7 \
     WHERE org_id = $1 AND id = $2 RETURNING ",
    columns!()
);

/// Forgets inside a transaction what people have allowed a client: they allowed it for the addresses and the secret that
/// it had, and who changes those must not get at them unasked.
macro_rules! forget_consents {
    ($connection:expr, $client:expr) => {
        sqlx::query("DELETE FROM oauth_consent WHERE client_id = $1")
            .bind($client.as_str())
            .execute(&mut *$connection)
            .await?
    };
}

impl ClientRow {
    fn read(self) -> Result<(OAuthClient, ClientSecrets)> {
        let redirect_uris = serde_json::from_str(&self.redirect_uris)
            .map_err(|_| Error::corrupt("the redirect addresses", &self.redirect_uris))?;
        let former = self.former_digest.zip(self.former_until.map(Timestamp::from_micros));
        let client = OAuthClient {
            capabilities: read_capabilities(&self.capabilities)?,
            grants: read_grants(&self.grants)?,
            redirect_uris,
            id: self.id.into(),
            org: self.org_id.map(OrgId::from),
            name: self.name,
            is_public: self.is_public,
            created: Timestamp::from_micros(self.created),
            created_by: self.created_by,
            modified: Timestamp::from_micros(self.modified),
        };
        Ok((client, ClientSecrets { digest: self.digest, former }))
    }
}

fn read_grants(text: &str) -> Result<Vec<GrantType>> {
    text.split_whitespace()
        .map(|name| GrantType::from_name(name).ok_or_else(|| Error::corrupt("the grant type", name)))
        .collect()
}

fn grants_text(grants: &[GrantType]) -> String {
    grants.iter().map(|grant| grant.name()).collect::<Vec<_>>().join(" ")
}

fn addresses_text(addresses: &[String]) -> String {
    // A list of texts always has a JSON form.
    serde_json::to_string(addresses).unwrap_or_default()
}

/// What the audit trail says of a client: its name, where it sends people, and what it may do for itself.
fn detail(client: &OAuthClient) -> String {
    let addresses = listed("address", client.redirect_uris.iter().map(String::as_str));
    named_with(&client.name, format!("{addresses}, {}", capabilities_text(&client.capabilities)))
}

impl Catalog {
    pub async fn list_oauth_clients(&self, org: &OrgId) -> Result<Vec<OAuthClient>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, ClientRow>(
                concat!("SELECT ", columns!(), " FROM oauth_client WHERE org_id = $1 ORDER BY id"),
            )
            .bind(org.as_str())
            .fetch_all(executor)
            .await?
        });
        rows.into_iter().map(|row| Ok(row.read()?.0)).collect()
    }

    /// Finds a client of any organisation, with the digests of its secrets.
    pub async fn find_oauth_client(&self, id: &ClientId) -> Result<Option<(OAuthClient, ClientSecrets)>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, ClientRow>(concat!("SELECT ", columns!(), " FROM oauth_client WHERE id = $1"))
                .bind(id.as_str())
                .fetch_optional(executor)
                .await?
        });
        row.map(ClientRow::read).transpose()
    }

    /// Adds a client of an organisation, or one that registered itself, of which there can be `registered_max`.
    pub async fn insert_oauth_client(
        &self,
        client: &OAuthClient,
        digest: Option<&str>,
        registered_max: i64,
        change: &Change,
    ) -> Result<()> {
        write!(self, connection => {
            match &client.org {
                Some(org) => check_room!(connection, org, "oauth_client", OAUTH_CLIENTS_MAX),
                None => {
                    let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM oauth_client WHERE org_id IS NULL")
                        .fetch_one(&mut *connection)
                        .await?;
                    if count >= registered_max {
                        let message = "as many clients have registered themselves as there can be";
                        return Err(Error::new(ErrorKind::LimitReached, message));
                    }
                }
            }
            sqlx::query(
                "INSERT INTO oauth_client (id, org_id, name, redirect_uris, grants, is_public, capabilities, digest, \
                 created, created_by, modified) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            )
            .bind(client.id.as_str())
            .bind(client.org.as_ref().map(OrgId::as_str))
            .bind(&client.name)
            .bind(addresses_text(&client.redirect_uris))
            .bind(grants_text(&client.grants))
            .bind(client.is_public)
            .bind(capabilities_text(&client.capabilities))
            .bind(digest)
            .bind(client.created.as_micros())
            .bind(&client.created_by)
            .bind(client.modified.as_micros())
            .execute(&mut *connection)
            .await?;
            record!(connection, change, "oauth.client.create", client.id.as_str(), detail(client));
        });
        Ok(())
    }

    /// Replaces what a caller may set; whether it is public, and who made it, stays. `None` if there is no such client.
    pub async fn replace_oauth_client(
        &self,
        org: &OrgId,
        client: &OAuthClient,
        change: &Change,
    ) -> Result<Option<OAuthClient>> {
        let row: Option<ClientRow> = write!(self, connection => {
            let row = sqlx::query_as(REPLACE)
                .bind(org.as_str())
                .bind(client.id.as_str())
                .bind(&client.name)
                .bind(addresses_text(&client.redirect_uris))
                .bind(grants_text(&client.grants))
                .bind(capabilities_text(&client.capabilities))
                .bind(client.modified.as_micros())
                .fetch_optional(&mut *connection)
                .await?;
            if row.is_none() {
                return Ok(None);
            }
            forget_consents!(connection, client.id);
            record!(connection, change, "oauth.client.update", client.id.as_str(), detail(client));
            row
        });
        row.map(|row| Ok(row.read()?.0)).transpose()
    }

    /// Gives a confidential client another secret; the one before counts until a time.
    pub async fn replace_client_secret(
        &self,
        org: &OrgId,
        id: &ClientId,
        digest: &str,
        former_until: Timestamp,
        change: &Change,
    ) -> Result<bool> {
        write!(self, connection => {
            let updated: Option<String> = sqlx::query_scalar(
                "UPDATE oauth_client SET former_digest = digest, former_until = $4, digest = $3, modified = $5 \
                 WHERE org_id = $1 AND id = $2 AND NOT is_public RETURNING name",
            )
            .bind(org.as_str())
            .bind(id.as_str())
            .bind(digest)
            .bind(former_until.as_micros())
            .bind(change.at.as_micros())
            .fetch_optional(&mut *connection)
            .await?;
            let Some(name) = updated else {
                return Ok(false);
            };
            forget_consents!(connection, id);
            let detail = named_with(&name, format!("the one before counts until {former_until}"));
            record!(connection, change, "oauth.client.secret", id.as_str(), detail);
        });
        Ok(true)
    }

    /// Deletes a client of an organisation and ends everything that was granted to it.
    pub async fn delete_oauth_client(&self, org: &OrgId, id: &ClientId, change: &Change) -> Result<bool> {
        write!(self, connection => {
            let deleted: Option<String> =
                sqlx::query_scalar("DELETE FROM oauth_client WHERE org_id = $1 AND id = $2 RETURNING name")
                    .bind(org.as_str())
                    .bind(id.as_str())
                    .fetch_optional(&mut *connection)
                    .await?;
            let Some(name) = deleted else {
                return Ok(false);
            };
            sqlx::query("UPDATE oauth_grant SET revoked = $2 WHERE client_id = $1 AND revoked IS NULL")
                .bind(id.as_str())
                .bind(change.at.as_micros())
                .execute(&mut *connection)
                .await?;
            for table in ["DELETE FROM oauth_consent WHERE client_id = $1", "DELETE FROM oauth_device WHERE client_id = $1"] {
                sqlx::query(table).bind(id.as_str()).execute(&mut *connection).await?;
            }
            record!(connection, change, "oauth.client.delete", id.as_str(), named(&name));
        });
        Ok(true)
    }

    /// Drops clients that registered themselves before a time and have no grant.
    pub async fn forget_unused_registered_clients(&self, time: Timestamp) -> Result<u64> {
        let dropped = write!(self, connection => {
            sqlx::query(
                "DELETE FROM oauth_client WHERE org_id IS NULL AND created < $1 \
                 AND NOT EXISTS (SELECT 1 FROM oauth_grant g WHERE g.client_id = oauth_client.id)",
            )
            .bind(time.as_micros())
            .execute(&mut *connection)
            .await?
            .rows_affected()
        });
        Ok(dropped)
    }
}
