//! Queries that their askers wanted to be kept. The query is a document of the caller, kept as JSON text. Keeping one
//! changes nothing for anybody else, so it is not in the audit trail.

use sqlx::FromRow;
use tidegauge_model::{OrgId, Timestamp};

use crate::db::{drop_in_batches, read, write};
use crate::starred::Whose;
use crate::{Catalog, Result};

/// A query that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedQuery {
    pub id: String,
    pub kind: String,
    pub dataset: String,
    /// Who asked it.
    pub who: String,
    pub query: String,
    pub created: Timestamp,
}

/// Drops the queries that have read a dataset. Several names stand with commas between them.
pub(crate) const FORGET_DATASET: &str = "DELETE FROM query_history WHERE org_id = $1 \
    AND REPLACE(',' || dataset || ',', ',' || $2 || ',', '') <> (',' || dataset || ',')";

#[derive(FromRow)]
struct SavedRow {
    id: String,
    kind: String,
    dataset: String,
    who: String,
    query: String,
    created: i64,
}

impl SavedRow {
    fn read(self) -> SavedQuery {
        SavedQuery {
            id: self.id,
            kind: self.kind,
            dataset: self.dataset,
            who: self.who,
            query: self.query,
            created: Timestamp::from_micros(self.created),
        }
    }
}

impl Catalog {
    pub async fn insert_saved_query(&self, org: &OrgId, saved: &SavedQuery) -> Result<()> {
        write!(self, connection => {
            sqlx::query(
                "INSERT INTO query_history (id, org_id, kind, dataset, who, query, created) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
            )
            .bind(&saved.id)
            .bind(org.as_str())
            .bind(&saved.kind)
            .bind(&saved.dataset)
            .bind(&saved.who)
            .bind(&saved.query)
            .bind(saved.created.as_micros())
            .execute(&mut *connection)
            .await?;
        });
        Ok(())
    }

    pub async fn find_saved_query(&self, org: &OrgId, id: &str) -> Result<Option<SavedQuery>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, SavedRow>(
                "SELECT id, kind, dataset, who, query, created FROM query_history WHERE org_id = $1 AND id = $2",
            )
            .bind(org.as_str())
            .bind(id)
            .fetch_optional(executor)
            .await?
        });
        Ok(row.map(SavedRow::read))
    }

    /// The queries of an organisation, the newest first: those of a person or of everybody, and from behind one of them.
    pub async fn list_saved_queries(
        &self,
        org: &OrgId,
        whose: &Whose,
        behind: Option<(Timestamp, &str)>,
        limit: i64,
    ) -> Result<Vec<SavedQuery>> {
        let (kind, person) = match whose {
            Whose::All => ("all", ""),
            Whose::Of(person) => ("of", person.as_str()),
            Whose::NotOf(person) => ("not-of", person.as_str()),
        };
        let (created, id) = behind.map_or((i64::MAX, ""), |(created, id)| (created.as_micros(), id));
        let rows = read!(self, executor => {
            sqlx::query_as::<_, SavedRow>(
                "SELECT id, kind, dataset, who, query, created FROM query_history WHERE org_id = $1 \
                 AND ($2 = 'all' OR ($2 = 'of' AND who = $3) OR ($2 = 'not-of' AND who <> $3)) \
                 AND (created < $4 OR (created = $4 AND id < $5)) ORDER BY created DESC, id DESC LIMIT $6",
            )
            .bind(org.as_str())
            .bind(kind)
            .bind(person)
            .bind(created)
            .bind(id)
            .bind(limit)
            .fetch_all(executor)
            .await?
        });
        Ok(rows.into_iter().map(SavedRow::read).collect())
    }

    /// Drops the queries from before a time, and those of each organisation beyond its newest ones; some at once, so
    /// that changes do not have to wait for all of them.
    pub async fn prune_saved_queries(&self, before: Timestamp, newest: i64) -> Result<u64> {
        drop_in_batches!(self, sqlx::query(
                    "DELETE FROM query_history WHERE id IN \
                     (SELECT id FROM query_history WHERE created < $1 ORDER BY created LIMIT 1000) OR id IN \
                     (SELECT id FROM (SELECT id, ROW_NUMBER() OVER \
                     (PARTITION BY org_id ORDER BY created DESC, id DESC) AS place FROM query_history) AS placed \
                     WHERE place > $2 LIMIT 1000)",
                )
                .bind(before.as_micros())
                .bind(newest))
    }
}
