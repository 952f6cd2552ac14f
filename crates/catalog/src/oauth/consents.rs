//! What a person has allowed a client before. Who may be spared the question is for the server to say.

use tidegauge_model::{ClientId, UserId};

use crate::audit::Change;
use crate::audit::detail::cut;
use crate::db::{read, write};
use crate::sign_ins::record_for_person;
use crate::{Catalog, Result};

impl Catalog {
    /// The scope that a person allowed a client last.
    pub async fn find_consent(&self, person: &UserId, client: &ClientId) -> Result<Option<String>> {
        let scope = read!(self, executor => {
            sqlx::query_scalar("SELECT scope FROM oauth_consent WHERE person_id = $1 AND client_id = $2")
                .bind(person.as_str())
                .bind(client.as_str())
                .fetch_optional(executor)
                .await?
        });
        Ok(scope)
    }

    pub async fn remember_consent(
        &self,
        person: &UserId,
        client: &ClientId,
        scope: &str,
        change: &Change,
    ) -> Result<()> {
        write!(self, connection => {
            sqlx::query(
                "INSERT INTO oauth_consent (person_id, client_id, scope, created) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (person_id, client_id) DO UPDATE SET scope = excluded.scope, created = excluded.created",
            )
            .bind(person.as_str())
            .bind(client.as_str())
            .bind(scope)
            .bind(change.at.as_micros())
            .execute(&mut *connection)
            .await?;
            let detail = cut(scope.to_owned());
            record_for_person!(connection, person, change, "oauth.consent", client.as_str(), &detail);
        });
        Ok(())
    }
}
