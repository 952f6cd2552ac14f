//! Virtual fields: expressions that a dataset offers under a name. They belong to their dataset and are in the order of
//! their creation, because one may use those before it. What an expression means is not known here.

use futures_util::TryStreamExt;
use sqlx::FromRow;
use tidegauge_model::{ErrorKind, OrgId, Timestamp, UserId, VirtualFieldId};

use crate::audit::detail::named_with;
use crate::audit::{Change, record};
use crate::db::{read, write};
use crate::limits::{LIST_BYTES_MAX, VIRTUAL_FIELDS_MAX};
use crate::{Catalog, Error, Result};

/// A virtual field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VirtualField {
    pub id: VirtualFieldId,
    /// The name of its dataset.
    pub dataset: String,
    pub name: String,
    pub expression: String,
    pub description: String,
    /// The type that people expect of it; free text.
    pub kind: String,
    pub unit: String,
    pub created: Timestamp,
    pub created_by: UserId,
    pub modified: Timestamp,
}

#[derive(FromRow)]
struct VirtualFieldRow {
    id: String,
    dataset: String,
    name: String,
    expression: String,
    description: String,
    kind: String,
    unit: String,
    created: i64,
    created_by: String,
    modified: i64,
}

impl VirtualFieldRow {
    fn read(self) -> VirtualField {
        VirtualField {
            id: self.id.into(),
            dataset: self.dataset,
            name: self.name,
            expression: self.expression,
            description: self.description,
            kind: self.kind,
            unit: self.unit,
            created: Timestamp::from_micros(self.created),
            created_by: self.created_by.into(),
            modified: Timestamp::from_micros(self.modified),
        }
    }

    fn bytes(&self) -> usize {
        self.name.len() + self.expression.len() + self.description.len()
    }
}

/// What a [`VirtualFieldRow`] is read from; the organisation is that of the dataset.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT f.id, d.name AS dataset, f.name, f.expression, f.description, f.kind, f.unit, f.created, \
             f.created_by, f.modified FROM virtual_field f JOIN dataset d ON d.id = f.dataset_id \
             WHERE d.org_id = $1 AND ",
            $rest
        )
    };
}

const SELECT_ONE: &str = select!("f.id = $2");

const SELECT_ALL: &str = select!("($2 IS NULL OR d.name = $2) ORDER BY d.name, f.place");

const SELECT_EXPRESSIONS: &str = "SELECT f.name, f.expression FROM dataset d \
    JOIN virtual_field f ON f.dataset_id = d.id WHERE d.org_id = $1 AND d.name = $2 ORDER BY f.place";

/// Finds a dataset and keeps others from changing its virtual fields until the transaction ends.
const LOCK_DATASET: &str =
    "UPDATE dataset SET modified = modified WHERE org_id = $1 AND name = $2 RETURNING id";

const SELECT_PLACES: &str = "SELECT COUNT(*), COALESCE(MAX(place), 0), \
    COUNT(CASE WHEN name = $2 AND id <> $3 THEN 1 END) FROM virtual_field WHERE dataset_id = $1";

/// Locks a dataset that gets the field, checks that it has room for it and for its name, and gives the dataset's id with
/// the place that a new field has there. Leaves the function with `false` if there is no such dataset.
macro_rules! make_room {
    ($connection:expr, $org:expr, $field:expr, is_new: $is_new:expr) => {{
        let id: Option<String> = sqlx::query_scalar(LOCK_DATASET)
            .bind($org.as_str())
            .bind(&$field.dataset)
            .fetch_optional(&mut *$connection)
            .await?;
        let Some(id) = id else {
            return Ok(false);
        };
        let (count, last, namesakes): (i64, i64, i64) = sqlx::query_as(SELECT_PLACES)
            .bind(&id)
            .bind(&$field.name)
            .bind($field.id.as_str())
            .fetch_one(&mut *$connection)
            .await?;
        check_room(count, namesakes, $is_new)?;
        (id, last + 1)
    }};
}

/// What the audit trail says of a virtual field.
fn detail(field: &VirtualField) -> String {
    named_with(&field.name, format!("of {}", field.dataset))
}

fn check_room(count: i64, namesakes: i64, is_new: bool) -> Result<()> {
    if namesakes > 0 {
        return Err(Error::new(ErrorKind::Conflict, "the dataset has a virtual field with this name"));
    }
    if is_new && count >= VIRTUAL_FIELDS_MAX {
        let message = format!("the dataset has {count} virtual fields, which is the most there can be");
        return Err(Error::new(ErrorKind::LimitReached, message));
    }
    Ok(())
}

impl Catalog {
    /// The virtual fields of an organisation, or of one dataset in it, by dataset and then in the order of creation.
    pub async fn list_virtual_fields(&self, org: &OrgId, dataset: Option<&str>) -> Result<Vec<VirtualField>> {
        let rows = read!(self, executor => {
            let mut rows = Vec::new();
            let mut bytes = 0;
            let mut found = sqlx::query_as::<_, VirtualFieldRow>(SELECT_ALL)
                .bind(org.as_str())
                .bind(dataset)
                .fetch(executor);
            while let Some(row) = found.try_next().await? {
                bytes += row.bytes();
                if bytes > LIST_BYTES_MAX {
                    let message = "the list would be too large: ask for those of one dataset";
                    return Err(Error::new(ErrorKind::TooLarge, message));
                }
                rows.push(row);
            }
            rows
        });
        Ok(rows.into_iter().map(VirtualFieldRow::read).collect())
    }

    /// What a query needs of a dataset's virtual fields: name and expression, in the order of creation. Nothing if there
    /// is no such dataset.
    pub async fn virtual_fields_of(&self, org: &OrgId, dataset: &str) -> Result<Vec<(String, String)>> {
        Ok(read!(self, executor => {
            sqlx::query_as(SELECT_EXPRESSIONS).bind(org.as_str()).bind(dataset).fetch_all(executor).await?
        }))
    }

    pub async fn find_virtual_field(&self, org: &OrgId, id: &VirtualFieldId) -> Result<Option<VirtualField>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, VirtualFieldRow>(SELECT_ONE)
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_optional(executor)
                .await?
        });
        Ok(row.map(VirtualFieldRow::read))
    }

    /// Adds a virtual field behind those that the dataset has. A conflict if one of them has its name; false if there
    /// is no such dataset.
    pub async fn insert_virtual_field(
        &self,
        org: &OrgId,
        field: &VirtualField,
        change: &Change,
    ) -> Result<bool> {
        write!(self, connection => {
            let (dataset, place) = make_room!(connection, org, field, is_new: true);
            sqlx::query(
                "INSERT INTO virtual_field (id, dataset_id, place, name, expression, description, kind, unit, \
                 created, created_by, modified) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            )
            .bind(field.id.as_str())
            .bind(&dataset)
            .bind(place)
            .bind(&field.name)
            .bind(&field.expression)
            .bind(&field.description)
            .bind(&field.kind)
            .bind(&field.unit)
            .bind(field.created.as_micros())
            .bind(field.created_by.as_str())
            .bind(field.modified.as_micros())
            .execute(&mut *connection)
            .await?;
            record!(connection, change, "virtualField.create", field.id.as_str(), detail(field));
        });
        Ok(true)
    }

    /// Replaces what a caller may set. It keeps its place, and goes behind all others when it moves to another dataset.
    /// A conflict if the dataset has another one with its name. False if there is no such dataset, or if the field is
    /// no longer there or no longer of the dataset that the caller was checked against.
    pub async fn replace_virtual_field(
        &self,
        org: &OrgId,
        field: &VirtualField,
        checked_dataset: &str,
        change: &Change,
    ) -> Result<bool> {
        write!(self, connection => {
            let is_moved = field.dataset != checked_dataset;
            let (dataset, place) = make_room!(connection, org, field, is_new: is_moved);
            let updated = sqlx::query(
                "UPDATE virtual_field SET place = CASE WHEN dataset_id = $4 THEN place ELSE $5 END, \
                 dataset_id = $4, name = $6, expression = $7, description = $8, kind = $9, unit = $10, \
                 modified = $11 WHERE id = $2 AND dataset_id IN \
                 (SELECT id FROM dataset WHERE org_id = $1 AND name = $3)",
            )
            .bind(org.as_str())
            .bind(field.id.as_str())
            .bind(checked_dataset)
            .bind(&dataset)
            .bind(place)
            .bind(&field.name)
            .bind(&field.expression)
            .bind(&field.description)
            .bind(&field.kind)
            .bind(&field.unit)
            .bind(field.modified.as_micros())
            .execute(&mut *connection)
            .await?
            .rows_affected();
            if updated == 0 {
                return Ok(false);
            }
            record!(connection, change, "virtualField.update", field.id.as_str(), detail(field));
        });
        Ok(true)
    }

    /// Deletes one of the dataset that the caller was checked against.
    pub async fn delete_virtual_field(
        &self,
        org: &OrgId,
        id: &VirtualFieldId,
        checked_dataset: &str,
        change: &Change,
    ) -> Result<bool> {
        write!(self, connection => {
            let deleted: Option<String> = sqlx::query_scalar(
                "DELETE FROM virtual_field WHERE id = $2 AND dataset_id IN \
                 (SELECT id FROM dataset WHERE org_id = $1 AND name = $3) RETURNING name",
            )
            .bind(org.as_str())
            .bind(id.as_str())
            .bind(checked_dataset)
            .fetch_optional(&mut *connection)
            .await?;
            let Some(name) = deleted else {
                return Ok(false);
            };
            let detail = named_with(&name, format!("of {checked_dataset}"));
            record!(connection, change, "virtualField.delete", id.as_str(), detail);
        });
        Ok(true)
    }
}
