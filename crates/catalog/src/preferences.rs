//! Matters of taste of people: one document for each, kept as JSON text. They change nothing for anybody else, so they
//! are not in the audit trail.

use tidegauge_model::{Timestamp, UserId};

use crate::db::{read, write_stats};
use crate::{Catalog, Result};

impl Catalog {
    pub async fn find_preferences(&self, person: &UserId) -> Result<Option<String>> {
        let found: Option<(String,)> = read!(self, executor => {
            sqlx::query_as("SELECT document FROM preferences WHERE person_id = $1")
                .bind(person.as_str())
                .fetch_optional(executor)
                .await?
        });
        Ok(found.map(|(document,)| document))
    }

    /// Keeps a document in the place of the one before.
    pub async fn set_preferences(&self, person: &UserId, document: &str, now: Timestamp) -> Result<()> {
        write_stats!(self, connection => {
            sqlx::query(
                "INSERT INTO preferences (person_id, document, modified) VALUES ($1, $2, $3) \
                 ON CONFLICT (person_id) DO UPDATE SET document = $2, modified = $3",
            )
            .bind(person.as_str())
            .bind(document)
            .bind(now.as_micros())
            .execute(&mut *connection)
            .await?;
        });
        Ok(())
    }
}
