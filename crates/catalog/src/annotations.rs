//! Annotations: moments and stretches of time that people, and the triggers of monitors, mark on datasets.

use futures_util::TryStreamExt;
use sqlx::FromRow;
use tidegauge_model::{AnnotationId, ErrorKind, MonitorId, OrgId, Timestamp, UserId};

use crate::audit::detail::named;
use crate::audit::{Change, record};
use crate::db::{read, write};
use crate::deletion::delete_one;
use crate::limits::{ANNOTATIONS_MAX, LIST_BYTES_MAX, check_room};
use crate::{Catalog, Error, Result};

/// An annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    pub id: AnnotationId,
    /// Names, also of datasets that are gone.
    pub datasets: Vec<String>,
    pub at: Timestamp,
    pub end_at: Option<Timestamp>,
    /// A word that says what kind of thing happened.
    pub kind: String,
    pub title: String,
    pub description: String,
    pub url: String,
    /// Whose trigger made it.
    pub monitor: Option<MonitorId>,
    /// The epoch of that monitor, which tells what was read. None of those from before that was kept.
    pub epoch: Option<i64>,
    pub created: Timestamp,
    pub created_by: UserId,
    pub modified: Timestamp,
}

/// Which annotations to list.
#[derive(Clone, Debug, Default)]
pub struct AnnotationFilter {
    /// Those of one of these; all if there are none.
    pub datasets: Vec<String>,
    /// Those that end at or after this time.
    pub start: Option<Timestamp>,
    /// Those that begin at or before this time.
    pub end: Option<Timestamp>,
}

/// What to change; what is not named stays.
#[derive(Clone, Debug, Default)]
pub struct AnnotationPatch {
    pub datasets: Option<Vec<String>>,
    pub at: Option<Timestamp>,
    pub end_at: Option<Timestamp>,
    pub kind: Option<String>,
    pub title: Option<String>,
    pub description: Option<String>,
    pub url: Option<String>,
}

#[derive(FromRow)]
struct AnnotationRow {
    id: String,
    datasets: String,
    at: i64,
    end_at: Option<i64>,
    kind: String,
    title: String,
    description: String,
    url: String,
    monitor_id: Option<String>,
    epoch: Option<i64>,
    created: i64,
    created_by: String,
    modified: i64,
}

impl AnnotationRow {
    fn bytes(&self) -> usize {
        self.datasets.len() + self.title.len() + self.description.len() + self.url.len()
    }

    fn read(self) -> Result<Annotation> {
        let datasets = serde_json::from_str(&self.datasets);
        Ok(Annotation {
            datasets: datasets
                .map_err(|_| Error::corrupt("the datasets of an annotation", &self.datasets))?,
            id: self.id.into(),
            at: Timestamp::from_micros(self.at),
            end_at: self.end_at.map(Timestamp::from_micros),
            kind: self.kind,
            title: self.title,
            description: self.description,
            url: self.url,
            monitor: self.monitor_id.map(MonitorId::from),
            epoch: self.epoch,
            created: Timestamp::from_micros(self.created),
            created_by: self.created_by.into(),
            modified: Timestamp::from_micros(self.modified),
        })
    }
}

/// What an [`AnnotationRow`] is read from.
macro_rules! columns {
    () => {
        "id, datasets, at, end_at, kind, title, description, url, monitor_id, epoch, created, created_by, modified"
    };
}

const SELECT_IN_TIME: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM annotation WHERE org_id = $1 AND COALESCE(end_at, at) >= $2 AND at <= $3 ORDER BY at, id"
);

const SELECT_ONE: &str = concat!("SELECT ", columns!(), " FROM annotation WHERE org_id = $1 AND id = $2");

pub(crate) const INSERT: &str = "INSERT INTO annotation (id, org_id, datasets, at, end_at, kind, title, \
    description, url, monitor_id, epoch, created, created_by, modified) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (id) DO NOTHING";

const UPDATE: &str = concat!(
    "UPDATE annotation SET datasets = COALESCE($3, datasets), at = COALESCE($4, at), \
     end_at = COALESCE($5, end_at), kind = COALESCE($6, kind), title = COALESCE($7, title), \
     description = COALESCE($8, description), url = COALESCE($9, url), modified = $10 \
     WHERE org_id = $1 AND id = $2 RETURNING ",
    columns!()
);

/// Of the annotations that the triggers of a monitor made, all but the newest.
pub(crate) const FORGET_OLD: &str = "DELETE FROM annotation WHERE monitor_id = $1 AND id NOT IN \
    (SELECT id FROM annotation WHERE monitor_id = $1 ORDER BY at DESC, id DESC LIMIT $2)";

/// Writes an annotation inside a transaction. One with an id that exists is left alone. Of those of a monitor only the
/// newest are kept.
macro_rules! insert_annotation {
    ($connection:expr, $org:expr, $annotation:expr) => {{
        sqlx::query($crate::annotations::INSERT)
            .bind($annotation.id.as_str())
            .bind($org.as_str())
            .bind($crate::annotations::datasets_text(&$annotation.datasets))
            .bind($annotation.at.as_micros())
            .bind($annotation.end_at.map(|time| time.as_micros()))
            .bind(&$annotation.kind)
            .bind(&$annotation.title)
            .bind(&$annotation.description)
            .bind(&$annotation.url)
            .bind($annotation.monitor.as_ref().map(|id| id.as_str()))
            .bind($annotation.epoch)
            .bind($annotation.created.as_micros())
            .bind($annotation.created_by.as_str())
            .bind($annotation.modified.as_micros())
            .execute(&mut *$connection)
            .await?;
        if let Some(monitor) = &$annotation.monitor {
            sqlx::query($crate::annotations::FORGET_OLD)
                .bind(monitor.as_str())
                .bind($crate::limits::ANNOTATIONS_OF_MONITOR_MAX)
                .execute(&mut *$connection)
                .await?;
        }
    }};
}

pub(crate) use insert_annotation;

pub(crate) fn datasets_text(datasets: &[String]) -> String {
    // A list of strings always has a JSON form.
    serde_json::to_string(datasets).unwrap_or_default()
}

impl Catalog {
    /// The annotations that a filter lets through, in the order of their time.
    pub async fn list_annotations(&self, org: &OrgId, filter: &AnnotationFilter) -> Result<Vec<Annotation>> {
        let start = filter.start.map_or(i64::MIN, Timestamp::as_micros);
        let end = filter.end.map_or(i64::MAX, Timestamp::as_micros);
        let annotations = read!(self, executor => {
            let (mut annotations, mut bytes) = (Vec::new(), 0);
            let mut found = sqlx::query_as::<_, AnnotationRow>(SELECT_IN_TIME)
                .bind(org.as_str())
                .bind(start)
                .bind(end)
                .fetch(executor);
            while let Some(row) = found.try_next().await? {
                let size = row.bytes();
                let annotation = row.read()?;
                if !filter.lets_through(&annotation.datasets) {
                    continue;
                }
                bytes += size;
                if bytes > LIST_BYTES_MAX {
                    let message = "the list of annotations would be too large: ask for a shorter time or for one dataset";
                    return Err(Error::new(ErrorKind::TooLarge, message));
                }
                annotations.push(annotation);
            }
            annotations
        });
        Ok(annotations)
    }

    pub async fn find_annotation(&self, org: &OrgId, id: &AnnotationId) -> Result<Option<Annotation>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, AnnotationRow>(SELECT_ONE)
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_optional(executor)
                .await?
        });
        row.map(AnnotationRow::read).transpose()
    }

    pub async fn insert_annotation(
        &self,
        org: &OrgId,
        annotation: &Annotation,
        change: &Change,
    ) -> Result<()> {
        write!(self, connection => {
            check_room!(connection, org, "(SELECT org_id FROM annotation WHERE monitor_id IS NULL) AS by_hand", ANNOTATIONS_MAX);
            insert_annotation!(connection, org, annotation);
            record!(connection, change, "annotation.create", annotation.id.as_str(), named(&annotation.title));
        });
        Ok(())
    }

    /// Changes what the patch names. `None` if there is no such annotation.
    pub async fn update_annotation(
        &self,
        org: &OrgId,
        id: &AnnotationId,
        patch: &AnnotationPatch,
        change: &Change,
    ) -> Result<Option<Annotation>> {
        let row = write!(self, connection => {
            let row: Option<AnnotationRow> = sqlx::query_as(UPDATE)
                .bind(org.as_str())
                .bind(id.as_str())
                .bind(patch.datasets.as_deref().map(datasets_text))
                .bind(patch.at.map(Timestamp::as_micros))
                .bind(patch.end_at.map(Timestamp::as_micros))
                .bind(patch.kind.as_deref())
                .bind(patch.title.as_deref())
                .bind(patch.description.as_deref())
                .bind(patch.url.as_deref())
                .bind(change.at.as_micros())
                .fetch_optional(&mut *connection)
                .await?;
            let Some(row) = row else {
                return Ok(None);
            };
            record!(connection, change, "annotation.update", id.as_str(), named(&row.title));
            row
        });
        row.read().map(Some)
    }

    pub async fn delete_annotation(&self, org: &OrgId, id: &AnnotationId, change: &Change) -> Result<bool> {
        delete_one!(self, "annotation", "title", org, id, change, "annotation.delete")
    }
}

impl AnnotationFilter {
    fn lets_through(&self, datasets: &[String]) -> bool {
        self.datasets.is_empty() || datasets.iter().any(|name| self.datasets.contains(name))
    }
}
