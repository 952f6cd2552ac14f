//! Starred queries. The query and the metadata are documents of the caller, kept as JSON text.

use futures_util::TryStreamExt;
use sqlx::FromRow;
use tidegauge_model::{ErrorKind, OrgId, StarredQueryId, Timestamp, UserId};

use crate::audit::detail::named;
use crate::audit::{Change, record};
use crate::db::{read, write};
use crate::limits::{LIST_BYTES_MAX, STARRED_QUERIES_MAX, check_room};
use crate::{Catalog, Error, Result};

/// A starred query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StarredQuery {
    pub id: StarredQueryId,
    pub kind: String,
    pub name: String,
    pub who: String,
    /// Empty when the query names none.
    pub dataset: String,
    pub metadata: String,
    pub query: String,
    pub created: Timestamp,
    pub created_by: UserId,
    pub modified: Timestamp,
}

/// Whose starred queries to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    All,
    Of(String),
    NotOf(String),
}

/// Which starred queries to list.
#[derive(Clone, Debug)]
pub struct StarredFilter {
    pub whose: Whose,
    pub dataset: Option<String>,
    /// Text that it must contain, without regard to case.
    pub text: Option<String>,
    /// The datasets that the caller may see; `None` for all of them.
    pub visible: Option<Vec<String>>,
    pub limit: i64,
    pub offset: i64,
}

#[derive(FromRow)]
struct StarredRow {
    id: String,
    kind: String,
    name: String,
    who: String,
    dataset: String,
    metadata: String,
    query: String,
    created: i64,
    created_by: String,
    modified: i64,
}

impl StarredRow {
    fn read(self) -> StarredQuery {
        StarredQuery {
            id: self.id.into(),
            kind: self.kind,
            name: self.name,
            who: self.who,
            dataset: self.dataset,
            metadata: self.metadata,
            query: self.query,
            created: Timestamp::from_micros(self.created),
            created_by: self.created_by.into(),
            modified: Timestamp::from_micros(self.modified),
        }
    }
}

/// What a [`StarredRow`] is read from.
macro_rules! columns {
    () => {
        "id, kind, name, who, dataset, metadata, query, created, created_by, modified"
    };
}

const SELECT_ONE: &str = concat!("SELECT ", columns!(), " FROM starred_query WHERE org_id = $1 AND id = $2");

// `visible` travels as one text, each name between line feeds, so that one statement serves any number of names:
// a name is in it exactly if taking it out changes the text. A name with a line feed of its own would match
// across two others, so it is never in it.
const SELECT_FILTERED: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM starred_query WHERE org_id = $1 \
     AND ($2 = 'all' OR ($2 = 'of' AND (created_by = $3 OR who = $3)) \
          OR ($2 = 'not-of' AND created_by <> $3 AND who <> $3)) \
     AND ($4 IS NULL OR dataset = $4) \
     AND ($5 IS NULL OR searched LIKE $5 ESCAPE '\\') \
     AND ($6 IS NULL OR (REPLACE($6, $7 || dataset || $7, '') <> $6 AND REPLACE(dataset, $7, '') = dataset)) \
     ORDER BY id LIMIT $8 OFFSET $9"
);

const SEPARATOR: &str = "\n";

impl Catalog {
    pub async fn list_starred(&self, org: &OrgId, filter: &StarredFilter) -> Result<Vec<StarredQuery>> {
        let (whose, person) = match &filter.whose {
            Whose::All => ("all", ""),
            Whose::Of(person) => ("of", person.as_str()),
            Whose::NotOf(person) => ("not-of", person.as_str()),
        };
        let pattern = filter.text.as_deref().map(like_pattern);
        let visible = filter.visible.as_deref().map(visible_text);
        let rows = read!(self, executor => {
            let mut rows = Vec::new();
            let mut bytes = 0;
            let mut found = sqlx::query_as::<_, StarredRow>(SELECT_FILTERED)
                .bind(org.as_str())
                .bind(whose)
                .bind(person)
                .bind(filter.dataset.as_deref())
                .bind(pattern.as_deref())
                .bind(visible.as_deref())
                .bind(SEPARATOR)
                .bind(filter.limit)
                .bind(filter.offset)
                .fetch(executor);
            while let Some(row) = found.try_next().await? {
                bytes += row.query.len() + row.metadata.len();
                if bytes > LIST_BYTES_MAX {
                    let message = "the page would be too large: ask for fewer at once with limit";
                    return Err(Error::new(ErrorKind::TooLarge, message));
                }
                rows.push(row);
            }
            rows
        });
        Ok(rows.into_iter().map(StarredRow::read).collect())
    }

    pub async fn find_starred(&self, org: &OrgId, id: &StarredQueryId) -> Result<Option<StarredQuery>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, StarredRow>(SELECT_ONE)
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_optional(executor)
                .await?
        });
        Ok(row.map(StarredRow::read))
    }

    /// Keeps a starred query. `searched` is what a search looks in, in lower case.
    pub async fn insert_starred(
        &self,
        org: &OrgId,
        starred: &StarredQuery,
        searched: &str,
        change: &Change,
    ) -> Result<()> {
        write!(self, connection => {
            check_room!(connection, org, "starred_query", STARRED_QUERIES_MAX);
            sqlx::query(
                "INSERT INTO starred_query (id, org_id, kind, name, who, dataset, metadata, query, searched, \
                 created, created_by, modified) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            )
            .bind(starred.id.as_str())
            .bind(org.as_str())
            .bind(&starred.kind)
            .bind(&starred.name)
            .bind(&starred.who)
            .bind(&starred.dataset)
            .bind(&starred.metadata)
            .bind(&starred.query)
            .bind(searched)
            .bind(starred.created.as_micros())
            .bind(starred.created_by.as_str())
            .bind(starred.modified.as_micros())
            .execute(&mut *connection)
            .await?;
            record!(connection, change, "starredQuery.create", starred.id.as_str(), named(&starred.name));
        });
        Ok(())
    }

    /// Replaces what a caller may set. False if it is no longer there, or no longer of the dataset that the caller
    /// was checked against.
    pub async fn replace_starred(
        &self,
        org: &OrgId,
        starred: &StarredQuery,
        searched: &str,
        checked_dataset: &str,
        change: &Change,
    ) -> Result<bool> {
        write!(self, connection => {
            let updated = sqlx::query(
                "UPDATE starred_query SET kind = $4, name = $5, who = $6, dataset = $7, metadata = $8, \
                 query = $9, searched = $10, modified = $11 WHERE org_id = $1 AND id = $2 AND dataset = $3",
            )
            .bind(org.as_str())
            .bind(starred.id.as_str())
            .bind(checked_dataset)
            .bind(&starred.kind)
            .bind(&starred.name)
            .bind(&starred.who)
            .bind(&starred.dataset)
            .bind(&starred.metadata)
            .bind(&starred.query)
            .bind(searched)
            .bind(starred.modified.as_micros())
            .execute(&mut *connection)
            .await?
            .rows_affected();
            if updated == 0 {
                return Ok(false);
            }
            record!(connection, change, "starredQuery.update", starred.id.as_str(), named(&starred.name));
        });
        Ok(true)
    }

    /// Deletes one of the dataset that the caller was checked against.
    pub async fn delete_starred(
        &self,
        org: &OrgId,
        id: &StarredQueryId,
        checked_dataset: &str,
        change: &Change,
    ) -> Result<bool> {
        write!(self, connection => {
            let deleted: Option<String> = sqlx::query_scalar(
                "DELETE FROM starred_query WHERE org_id = $1 AND id = $2 AND dataset = $3 RETURNING name",
            )
            .bind(org.as_str())
            .bind(id.as_str())
            .bind(checked_dataset)
            .fetch_optional(&mut *connection)
            .await?;
            let Some(name) = deleted else {
                return Ok(false);
            };
            record!(connection, change, "starredQuery.delete", id.as_str(), named(&name));
        });
        Ok(true)
    }
}

/// A LIKE pattern that finds `text` anywhere, with the pattern's own signs taken literally.
fn like_pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.to_lowercase().chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

fn visible_text(names: &[String]) -> String {
    // One separator between two names: with two, a query that names no dataset would match between them.
    names.iter().fold(SEPARATOR.to_owned(), |text, name| text + name + SEPARATOR)
}
