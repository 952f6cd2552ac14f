//! Datasets: what people set about them. Changes of that are in `patch`; their columns, segments and ingest keys
//! have modules of their own.

mod patch;

use sqlx::FromRow;
use tidegauge_model::{DatasetId, DatasetName, ErrorKind, OrgId, Timestamp, UserId};

use crate::audit::detail::{cut, listed};
use crate::audit::{Change, record};
use crate::columns::LAST_SYSTEM_COLUMN;
use crate::commits::next_commit;
use crate::counts::from_stored;
use crate::db::{read, write};
use crate::deleted_datasets;
use crate::endpoints::forget_errors;
use crate::frozen_answers;
use crate::lease::fence;
use crate::limits::check_room;
use crate::monitor_epochs::{Gone, begin_anew};
use crate::query_history;
use crate::views::{IS_VIEW, check_name_is_free};
use crate::{Catalog, Error, Result};

pub use patch::DatasetPatch;

/// A dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dataset {
    pub id: DatasetId,
    /// A small number that is never given to another one. Assigned by the catalogue.
    pub number: u64,
    pub org: OrgId,
    pub name: DatasetName,
    pub description: String,
    pub kind: String,
    pub created: Timestamp,
    pub created_by: UserId,
    pub modified: Timestamp,
    pub use_retention: bool,
    pub retention_days: u32,
    /// The fields whose objects are kept whole.
    pub map_fields: Vec<String>,
    /// The highest sequence of the write log that is in segments.
    pub flushed: u64,
    pub vacuumed: Option<Timestamp>,
    /// Where it was asked to be kept, in the words of older and of newer clients; empty if nobody said.
    pub region: String,
    pub edge_deployment: String,
}

impl Dataset {
    /// What the audit trail says of it beside its name: how long its events are kept.
    pub(crate) fn detail(&self) -> String {
        match self.use_retention {
            true => format!("events are kept for {} days", self.retention_days),
            false => "events are kept for ever".to_owned(),
        }
    }
}

#[derive(FromRow)]
pub(crate) struct DatasetRow {
    id: String,
    number: i64,
    org_id: String,
    name: String,
    description: String,
    kind: String,
    created: i64,
    created_by: String,
    modified: i64,
    use_retention: bool,
    retention_days: i64,
    map_fields: String,
    flushed: i64,
    vacuumed: Option<i64>,
    region: String,
    edge_deployment: String,
}

impl DatasetRow {
    pub(crate) fn read(self) -> Result<Dataset> {
        let map_fields = serde_json::from_str(&self.map_fields);
        let name = DatasetName::parse(&self.name);
        Ok(Dataset {
            number: from_stored("the number of a dataset", self.number)?,
            name: name.ok_or_else(|| Error::corrupt("the dataset name", &self.name))?,
            retention_days: from_stored("the retention", self.retention_days)?,
            map_fields: map_fields.map_err(|_| Error::corrupt("the map fields", &self.map_fields))?,
            flushed: from_stored("the flushed sequence", self.flushed)?,
            id: self.id.into(),
            org: self.org_id.into(),
            description: self.description,
            kind: self.kind,
            created: Timestamp::from_micros(self.created),
            created_by: self.created_by.into(),
            modified: Timestamp::from_micros(self.modified),
            use_retention: self.use_retention,
            vacuumed: self.vacuumed.map(Timestamp::from_micros),
            region: self.region,
            edge_deployment: self.edge_deployment,
        })
    }
}

/// What a [`DatasetRow`] is read from.
macro_rules! columns {
    () => {
        "id, number, org_id, name, description, kind, created, created_by, modified, use_retention, \
         retention_days, map_fields, flushed, vacuumed, region, edge_deployment"
    };
}

pub(crate) use columns;

const SELECT_EVERY: &str = concat!("SELECT ", columns!(), " FROM dataset ORDER BY number");

const SELECT_ALL: &str = concat!("SELECT ", columns!(), " FROM dataset WHERE org_id = $1 ORDER BY name");

const SELECT_ONE: &str = concat!("SELECT ", columns!(), " FROM dataset WHERE org_id = $1 AND name = $2");

/// Reads a dataset and keeps others from changing it until the transaction ends.
pub(crate) const LOCK_ONE: &str =
    concat!("UPDATE dataset SET modified = modified WHERE org_id = $1 AND name = $2 RETURNING ", columns!());

const UPDATE_MAP_FIELDS: &str = concat!(
    "UPDATE dataset SET map_fields = $3, modified = $4 WHERE org_id = $1 AND name = $2 RETURNING ",
    columns!()
);

const DELETE_PARTS: [&str; 7] = [
    "DELETE FROM virtual_field WHERE dataset_id = $1",
    "DELETE FROM dataset_column WHERE dataset_id = $1",
    "DELETE FROM dataset_field WHERE dataset_id = $1",
    "DELETE FROM ingest_key WHERE dataset_id = $1",
    "DELETE FROM flush_mark WHERE dataset_id = $1",
    "DELETE FROM node_mark WHERE dataset_id = $1",
    "DELETE FROM ingest_claim WHERE dataset_id = $1",
];

pub(crate) const INSERT: &str = "INSERT INTO dataset (id, number, org_id, name, description, kind, created, \
    created_by, modified, use_retention, retention_days, map_fields, flushed, vacuumed, last_column, added, \
    region, edge_deployment) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";

/// Inserts a dataset inside a transaction.
macro_rules! insert_dataset {
    ($connection:expr, $dataset:expr, $number:expr, $last_column:expr, $added:expr) => {
        sqlx::query($crate::datasets::INSERT)
            .bind($dataset.id.as_str())
            .bind($number)
            .bind($dataset.org.as_str())
            .bind($dataset.name.as_str())
            .bind(&$dataset.description)
            .bind(&$dataset.kind)
            .bind($dataset.created.as_micros())
            .bind($dataset.created_by.as_str())
            .bind($dataset.modified.as_micros())
            .bind($dataset.use_retention)
            .bind(i64::from($dataset.retention_days))
            .bind($crate::datasets::map_fields_text(&$dataset.map_fields))
            .bind($crate::counts::to_stored($dataset.flushed)?)
            .bind($dataset.vacuumed.map(tidegauge_model::Timestamp::as_micros))
            .bind($last_column)
            .bind($added)
            .bind(&$dataset.region)
            .bind(&$dataset.edge_deployment)
            .execute(&mut *$connection)
            .await?
    };
}

pub(crate) use insert_dataset;

pub(crate) fn map_fields_text(fields: &[String]) -> String {
    // A list of strings always has a JSON form.
    serde_json::to_string(fields).unwrap_or_default()
}

impl Catalog {
    pub async fn list_datasets(&self, org: &OrgId) -> Result<Vec<Dataset>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, DatasetRow>(SELECT_ALL).bind(org.as_str()).fetch_all(executor).await?
        });
        rows.into_iter().map(DatasetRow::read).collect()
    }

    /// Every dataset of the installation, in the order of creation, for the start.
    pub async fn all_datasets(&self) -> Result<Vec<Dataset>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, DatasetRow>(SELECT_EVERY).fetch_all(executor).await?
        });
        rows.into_iter().map(DatasetRow::read).collect()
    }

    pub async fn find_dataset(&self, org: &OrgId, name: &str) -> Result<Option<Dataset>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, DatasetRow>(SELECT_ONE)
                .bind(org.as_str())
                .bind(name)
                .fetch_optional(executor)
                .await?
        });
        row.map(DatasetRow::read).transpose()
    }

    /// Creates a dataset and gives it its number. A conflict if the organisation has one or a view of that name, a
    /// reached limit if it has `max_datasets` already.
    pub async fn insert_dataset(
        &self,
        org: &OrgId,
        dataset: &Dataset,
        max_datasets: i64,
        change: &Change,
    ) -> Result<Dataset> {
        let mut dataset = Dataset { org: org.clone(), ..dataset.clone() };
        let number = write!(self, connection => {
            fence!(self, connection);
            // What the service makes takes the place of none that people make.
            check_room!(connection, org, "dataset", max_datasets, " AND kind <> 'tidegauge:audit:v1'");
            check_name_is_free!(connection, org, dataset.name.as_str(), IS_VIEW, "there is a view with this name");
            let commit = next_commit!(connection, Some(dataset.created), schema: true, datasets: 1_i64, segments: 0_i64);
            let number = commit.last_dataset;
            insert_dataset!(connection, dataset, number, LAST_SYSTEM_COLUMN, commit.value);
            record!(connection, change, "dataset.create", dataset.name.as_str(), dataset.detail());
            number
        });
        dataset.number = from_stored("the number of a dataset", number)?;
        Ok(dataset)
    }

    /// Replaces the map fields. `None` if there is no such dataset.
    pub async fn set_map_fields(
        &self,
        org: &OrgId,
        name: &str,
        fields: Vec<String>,
        now: Timestamp,
        change: &Change,
    ) -> Result<Option<Dataset>> {
        self.edit_map_fields(org, name, now, change, |_| Ok(fields)).await
    }

    /// Adds a map field; a conflict if it is one already. `None` if there is no such dataset.
    pub async fn add_map_field(
        &self,
        org: &OrgId,
        name: &str,
        field: &str,
        now: Timestamp,
        change: &Change,
    ) -> Result<Option<Dataset>> {
        let add = |mut fields: Vec<String>| {
            if fields.iter().any(|known| known == field) {
                return Err(Error::new(ErrorKind::Conflict, "the field is a map field already"));
            }
            fields.push(field.to_owned());
            Ok(fields)
        };
        self.edit_map_fields(org, name, now, change, add).await
    }

    /// Removes a map field; not found if it is none. `None` if there is no such dataset.
    pub async fn remove_map_field(
        &self,
        org: &OrgId,
        name: &str,
        field: &str,
        now: Timestamp,
        change: &Change,
    ) -> Result<Option<Dataset>> {
        let remove = |mut fields: Vec<String>| {
            let Some(position) = fields.iter().position(|known| known == field) else {
                return Err(Error::new(ErrorKind::NotFound, "the field is not a map field"));
            };
            fields.remove(position);
            Ok(fields)
        };
        self.edit_map_fields(org, name, now, change, remove).await
    }

    /// Changes the map fields under a lock: `edit` sees the present ones and may refuse.
    async fn edit_map_fields(
        &self,
        org: &OrgId,
        name: &str,
        now: Timestamp,
        change: &Change,
        edit: impl FnOnce(Vec<String>) -> Result<Vec<String>>,
    ) -> Result<Option<Dataset>> {
        let row: DatasetRow = write!(self, connection => {
            fence!(self, connection);
            let locked: Option<DatasetRow> = sqlx::query_as(LOCK_ONE)
                .bind(org.as_str())
                .bind(name)
                .fetch_optional(&mut *connection)
                .await?;
            let Some(locked) = locked else {
                return Ok(None);
            };
            let fields = edit(locked.read()?.map_fields)?;
            let row = sqlx::query_as(UPDATE_MAP_FIELDS)
                .bind(org.as_str())
                .bind(name)
                .bind(map_fields_text(&fields))
                .bind(now.as_micros())
                .fetch_one(&mut *connection)
                .await?;
            let detail = cut(listed("map field", fields.iter().map(String::as_str)));
            record!(connection, change, "dataset.map-fields", name, detail);
            row
        });
        row.read().map(Some)
    }

    /// Deletes a dataset that no view reads.
    pub async fn delete_dataset(
        &self,
        org: &OrgId,
        name: &str,
        now: Timestamp,
        change: &Change,
    ) -> Result<Option<DatasetId>> {
        self.delete_dataset_of_views(org, name, &[], now, change).await
    }

    /// Deletes a dataset with all that is known of it, but that it was deleted; `views` are those that read it. Its segments
    /// are removed as of `now`; their files are deleted later. `None` if there is no such dataset.
    pub async fn delete_dataset_of_views(
        &self,
        org: &OrgId,
        name: &str,
        views: &[String],
        now: Timestamp,
        change: &Change,
    ) -> Result<Option<DatasetId>> {
        let id = write!(self, connection => {
            fence!(self, connection);
            let locked: Option<DatasetRow> = sqlx::query_as(LOCK_ONE)
                .bind(org.as_str())
                .bind(name)
                .fetch_optional(&mut *connection)
                .await?;
            let Some(DatasetRow { id, .. }) = locked else {
                return Ok(None);
            };
            self.note_forgotten();
            for statement in DELETE_PARTS {
                sqlx::query(statement).bind(&id).execute(&mut *connection).await?;
            }
            for statement in [frozen_answers::FORGET_DATASET, query_history::FORGET_DATASET] {
                sqlx::query(statement).bind(org.as_str()).bind(name).execute(&mut *connection).await?;
            }
            forget_errors!(connection, org, name, now);
            begin_anew!(connection, org, Gone { dataset: Some(name), views });
            let commit = next_commit!(connection, Some(now), schema: true, datasets: 0_i64, segments: 0_i64);
            sqlx::query(
                "UPDATE segment SET removed = $2, removed_at = $3 WHERE dataset_id = $1 AND removed IS NULL",
            )
            .bind(&id)
            .bind(commit.value)
            .bind(now.as_micros())
            .execute(&mut *connection)
            .await?;
            sqlx::query("DELETE FROM dataset WHERE id = $1").bind(&id).execute(&mut *connection).await?;
            sqlx::query(deleted_datasets::FORGET_OLD)
                .bind(now.minus(deleted_datasets::KEPT).as_micros())
                .execute(&mut *connection)
                .await?;
            sqlx::query(deleted_datasets::NOTE)
                .bind(&id)
                .bind(now.as_micros())
                .execute(&mut *connection)
                .await?;
            record!(connection, change, "dataset.delete", name, "");
            id
        });
        Ok(Some(id.into()))
    }
}
