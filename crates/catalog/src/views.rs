//! Views: queries under a name that stands among the names of datasets. The text of the query is not understood here.

use futures_util::TryStreamExt;
use sqlx::FromRow;
use tidegauge_model::{ErrorKind, OrgId, Timestamp, UserId, ViewId};

use crate::audit::detail::{listed, named_with};
use crate::audit::{Change, record};
use crate::db::{read, write};
use crate::limits::{LIST_BYTES_MAX, VIEWS_MAX, check_room};
use crate::monitor_epochs::{Gone, begin_anew};
use crate::orgs::lock_org;
use crate::{Catalog, Error, Result};

/// A view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    pub id: ViewId,
    pub name: String,
    /// The text of its query.
    pub apl: String,
    /// The datasets that it is said to read.
    pub datasets: Vec<String>,
    pub description: String,
    pub created: Timestamp,
    pub created_by: UserId,
    pub modified: Timestamp,
}

#[derive(FromRow)]
struct ViewRow {
    id: String,
    name: String,
    apl: String,
    datasets: String,
    description: String,
    created: i64,
    created_by: String,
    modified: i64,
}

impl ViewRow {
    fn read(self) -> Result<View> {
        let datasets = serde_json::from_str(&self.datasets);
        Ok(View {
            datasets: datasets.map_err(|_| Error::corrupt("the datasets of a view", &self.datasets))?,
            id: self.id.into(),
            name: self.name,
            apl: self.apl,
            description: self.description,
            created: Timestamp::from_micros(self.created),
            created_by: self.created_by.into(),
            modified: Timestamp::from_micros(self.modified),
        })
    }

    fn bytes(&self) -> usize {
        self.apl.len() + self.datasets.len() + self.description.len()
    }
}

/// What a [`ViewRow`] is read from.
macro_rules! columns {
    () => {
        "id, name, apl, datasets, description, created, created_by, modified"
    };
}

const SELECT_ALL: &str = concat!("SELECT ", columns!(), " FROM saved_view WHERE org_id = $1 ORDER BY name");

const SELECT_ONE: &str = concat!("SELECT ", columns!(), " FROM saved_view WHERE org_id = $1 AND id = $2");

const SELECT_NAMED: &str = concat!("SELECT ", columns!(), " FROM saved_view WHERE org_id = $1 AND name = $2");

const SELECT_QUERIES: &str = "SELECT name, apl FROM saved_view WHERE org_id = $1 ORDER BY name";

const UPDATE: &str = concat!(
    "UPDATE saved_view SET name = $3, apl = $4, datasets = $5, description = $6, modified = $7 \
     WHERE org_id = $1 AND id = $2 RETURNING ",
    columns!()
);

pub(crate) const IS_VIEW: &str = "SELECT COUNT(*) FROM saved_view WHERE org_id = $1 AND name = $2";

const IS_DATASET: &str = "SELECT COUNT(*) FROM dataset WHERE org_id = $1 AND name = $2";

/// Refuses a name that something else in the organisation has; `$statement` counts those. Under the organisation's lock.
macro_rules! check_name_is_free {
    ($connection:expr, $org:expr, $name:expr, $statement:expr, $message:literal) => {{
        let count: i64 = sqlx::query_scalar($statement)
            .bind($org.as_str())
            .bind($name)
            .fetch_one(&mut *$connection)
            .await?;
        if count > 0 {
            return Err($crate::Error::new(tidegauge_model::ErrorKind::Conflict, $message));
        }
    }};
}

pub(crate) use check_name_is_free;

/// The present view inside a transaction that holds the lock of its organisation; returns if there is none.
macro_rules! select_view {
    ($connection:expr, $org:expr, $id:expr) => {{
        let present: Option<ViewRow> = sqlx::query_as(SELECT_ONE)
            .bind($org.as_str())
            .bind($id.as_str())
            .fetch_optional(&mut *$connection)
            .await?;
        let Some(present) = present else {
            return Ok(None);
        };
        present.read()?
    }};
}

fn datasets_text(datasets: &[String]) -> String {
    // A list of strings always has a JSON form.
    serde_json::to_string(datasets).unwrap_or_default()
}

/// What the audit trail says of a view: its name, and what it is said to read.
fn detail(view: &View) -> String {
    named_with(&view.name, listed("dataset", view.datasets.iter().map(String::as_str)))
}

impl Catalog {
    pub async fn list_views(&self, org: &OrgId) -> Result<Vec<View>> {
        let rows = read!(self, executor => {
            let mut rows = Vec::new();
            let mut bytes = 0;
            let mut found = sqlx::query_as::<_, ViewRow>(SELECT_ALL).bind(org.as_str()).fetch(executor);
            while let Some(row) = found.try_next().await? {
                bytes += row.bytes();
                if bytes > LIST_BYTES_MAX {
                    let message = "the list of views would be too large: read them one by one";
                    return Err(Error::new(ErrorKind::TooLarge, message));
                }
                rows.push(row);
            }
            rows
        });
        rows.into_iter().map(ViewRow::read).collect()
    }

    /// What a query needs of all views of an organisation: name and text, by name.
    pub async fn views_of(&self, org: &OrgId) -> Result<Vec<(String, String)>> {
        Ok(read!(self, executor => {
            sqlx::query_as(SELECT_QUERIES).bind(org.as_str()).fetch_all(executor).await?
        }))
    }

    pub async fn find_view(&self, org: &OrgId, id: &ViewId) -> Result<Option<View>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, ViewRow>(SELECT_ONE)
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_optional(executor)
                .await?
        });
        row.map(ViewRow::read).transpose()
    }

    pub async fn view_by_name(&self, org: &OrgId, name: &str) -> Result<Option<View>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, ViewRow>(SELECT_NAMED)
                .bind(org.as_str())
                .bind(name)
                .fetch_optional(executor)
                .await?
        });
        row.map(ViewRow::read).transpose()
    }

    /// Keeps a view. A conflict if a view or a dataset of the organisation has its name.
    pub async fn insert_view(&self, org: &OrgId, view: &View, change: &Change) -> Result<()> {
        write!(self, connection => {
            check_room!(connection, org, "saved_view", VIEWS_MAX);
            check_name_is_free!(connection, org, &view.name, IS_DATASET, "there is a dataset with this name");
            sqlx::query(
                "INSERT INTO saved_view (id, org_id, name, apl, datasets, description, created, created_by, \
                 modified) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            )
            .bind(view.id.as_str())
            .bind(org.as_str())
            .bind(&view.name)
            .bind(&view.apl)
            .bind(datasets_text(&view.datasets))
            .bind(&view.description)
            .bind(view.created.as_micros())
            .bind(view.created_by.as_str())
            .bind(view.modified.as_micros())
            .execute(&mut *connection)
            .await
            .map_err(Error::name_taken("view"))?;
            record!(connection, change, "view.create", view.id.as_str(), detail(view));
        });
        Ok(())
    }

    /// Replaces what a caller may set, unless `check` refuses to have the present view changed. A conflict if another
    /// view or a dataset of the organisation has its name; `None` if there is no such view. With another text or name it is
    /// another view, and monitors that read it begin anew, as they do where it is deleted.
    pub async fn replace_view<E>(
        &self,
        org: &OrgId,
        view: &View,
        change: &Change,
        check: impl FnOnce(&View) -> std::result::Result<(), E>,
    ) -> Result<Option<std::result::Result<View, E>>> {
        let row: ViewRow = write!(self, connection => {
            lock_org!(connection, org);
            let present = select_view!(connection, org, view.id);
            if let Err(refused) = check(&present) {
                return Ok(Some(Err(refused)));
            }
            check_name_is_free!(connection, org, &view.name, IS_DATASET, "there is a dataset with this name");
            let row = sqlx::query_as(UPDATE)
                .bind(org.as_str())
                .bind(view.id.as_str())
                .bind(&view.name)
                .bind(&view.apl)
                .bind(datasets_text(&view.datasets))
                .bind(&view.description)
                .bind(view.modified.as_micros())
                .fetch_one(&mut *connection)
                .await
                .map_err(Error::name_taken("view"))?;
            if present.name != view.name || present.apl != view.apl {
                let gone = [present.name];
                begin_anew!(connection, org, Gone { dataset: None, views: &gone });
            }
            record!(connection, change, "view.update", view.id.as_str(), detail(view));
            row
        });
        row.read().map(|view| Some(Ok(view)))
    }

    /// Deletes a view, unless `check` refuses it. `None` if there is no such view.
    pub async fn delete_view<E>(
        &self,
        org: &OrgId,
        id: &ViewId,
        change: &Change,
        check: impl FnOnce(&View) -> std::result::Result<(), E>,
    ) -> Result<Option<std::result::Result<(), E>>> {
        write!(self, connection => {
            lock_org!(connection, org);
            let present = select_view!(connection, org, id);
            if let Err(refused) = check(&present) {
                return Ok(Some(Err(refused)));
            }
            sqlx::query("DELETE FROM saved_view WHERE org_id = $1 AND id = $2")
                .bind(org.as_str())
                .bind(id.as_str())
                .execute(&mut *connection)
                .await?;
            record!(connection, change, "view.delete", id.as_str(), detail(&present));
            let gone = [present.name];
            begin_anew!(connection, org, Gone { dataset: None, views: &gone });
        });
        Ok(Some(Ok(())))
    }
}
