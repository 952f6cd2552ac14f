//! The first start of an installation: an organisation, its owner and the owner's personal token, made exactly once
//! even when several nodes start on one database at the same moment.

use tidegauge_model::{Org, OrgId, Role};

use crate::audit::detail::named;
use crate::audit::{Change, record};
use crate::db::write;
use crate::orgs::insert_org;
use crate::tokens::{Token, insert_token};
use crate::users::{Person, insert_membership, insert_person};
use crate::{Catalog, Result};

/// The row that marks an installation as set up.
const MARK: &str = "set-up";

impl Catalog {
    /// Whether the installation was set up before.
    pub async fn is_set_up(&self) -> Result<bool> {
        Ok(self.first_org().await?.is_some())
    }

    /// The organisation that the first start made. None before that.
    pub async fn first_org(&self) -> Result<Option<OrgId>> {
        let found: Option<Vec<u8>> = crate::db::read!(self, executor => {
            sqlx::query_scalar("SELECT value FROM installation WHERE name = $1")
                .bind(MARK)
                .fetch_optional(executor)
                .await?
        });
        // An id that cannot be read is that of no organisation.
        Ok(found.map(|id| OrgId::from(String::from_utf8_lossy(&id).as_ref())))
    }

    /// Sets the installation up. False if another node was first; then nothing is written.
    pub async fn set_up(
        &self,
        org: &Org,
        owner: &Person,
        token: &Token,
        digest: &str,
        change: &Change,
    ) -> Result<bool> {
        write!(self, connection => {
            let marked = sqlx::query(
                "INSERT INTO installation (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
            )
            .bind(MARK)
            .bind(org.id.as_str().as_bytes())
            .execute(&mut *connection)
            .await?
            .rows_affected();
            if marked == 0 {
                return Ok(false);
            }
            insert_org!(connection, org);
            insert_person!(connection, owner, &owner.email);
            insert_membership!(connection, org.id, owner.id, Role::Owner, org.created, Some(org.created));
            insert_token!(connection, token, digest);
            record!(connection, change, "installation.create", org.id.as_str(), named(&org.name));
        });
        Ok(true)
    }
}
