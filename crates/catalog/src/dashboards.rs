//! Dashboards: documents of callers, kept as JSON text under a uid that they choose. What a document says is not
//! understood here. How a dashboard was before is in `versions`, and goes when the dashboard goes.

pub mod versions;

use futures_util::TryStreamExt;
use sqlx::FromRow;
use tidegauge_model::dashboard::DashboardUid;
use tidegauge_model::{DashboardId, ErrorKind, OrgId, Timestamp, UserId};

use self::versions::keep_version;
use crate::audit::detail::{named, named_with};
use crate::audit::{Change, record};
use crate::db::{read, write};
use crate::limits::{DASHBOARDS_MAX, LIST_BYTES_MAX, check_room};
use crate::orgs::lock_org;
use crate::{Catalog, Error, Result};

/// A dashboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dashboard {
    pub id: DashboardId,
    pub uid: DashboardUid,
    pub name: String,
    /// The one person who sees it; none if it is for the whole organisation.
    pub owner: Option<UserId>,
    /// JSON text, as it came in.
    pub document: String,
    /// Grows with each change, from 1.
    pub version: i64,
    pub created: Timestamp,
    pub created_by: UserId,
    pub modified: Timestamp,
    pub modified_by: UserId,
}

/// Which dashboards of an organisation somebody sees.
#[derive(Clone, Copy, Debug)]
pub enum Visible<'a> {
    All,
    /// Those for the whole organisation, and those of a person.
    Of(Option<&'a UserId>),
}

/// What is kept beside a change.
#[derive(Clone, Debug, Default)]
pub struct Note {
    /// What its maker says of it.
    pub message: String,
    /// The version that it brings back.
    pub restored: Option<i64>,
}

#[derive(FromRow)]
struct DashboardRow {
    id: String,
    uid: String,
    name: String,
    owner: String,
    document: String,
    version: i64,
    created: i64,
    created_by: String,
    modified: i64,
    modified_by: String,
}

impl DashboardRow {
    fn read(self) -> Dashboard {
        Dashboard {
            id: self.id.into(),
            uid: self.uid.into(),
            name: self.name,
            owner: (!self.owner.is_empty()).then(|| self.owner.into()),
            document: self.document,
            version: self.version,
            created: Timestamp::from_micros(self.created),
            created_by: self.created_by.into(),
            modified: Timestamp::from_micros(self.modified),
            modified_by: self.modified_by.into(),
        }
    }
}

/// What a [`DashboardRow`] is read from.
macro_rules! columns {
    () => {
        "id, uid, name, owner, document, version, created, created_by, modified, modified_by"
    };
}

const SELECT_VISIBLE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM dashboard WHERE org_id = $1 AND ($2 = 'all' OR owner = '' OR owner = $3) \
     ORDER BY id LIMIT $4 OFFSET $5"
);

const SELECT_ONE: &str = concat!("SELECT ", columns!(), " FROM dashboard WHERE org_id = $1 AND uid = $2");

const INSERT: &str = concat!(
    "INSERT INTO dashboard (org_id, ",
    columns!(),
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
);

const UPDATE: &str = "UPDATE dashboard SET name = $3, owner = $4, document = $5, version = $6, modified = $7, \
    modified_by = $8 WHERE org_id = $1 AND id = $2";

fn owner_text(dashboard: &Dashboard) -> &str {
    dashboard.owner.as_ref().map_or("", UserId::as_str)
}

/// The present dashboard inside a transaction that holds the lock of its organisation.
macro_rules! select_dashboard {
    ($connection:expr, $org:expr, $uid:expr) => {{
        let row: Option<DashboardRow> = sqlx::query_as(SELECT_ONE)
            .bind($org.as_str())
            .bind($uid.as_str())
            .fetch_optional(&mut *$connection)
            .await?;
        row.map(DashboardRow::read)
    }};
}

macro_rules! insert_dashboard {
    ($connection:expr, $org:expr, $dashboard:expr) => {
        sqlx::query(INSERT)
            .bind($org.as_str())
            .bind($dashboard.id.as_str())
            .bind($dashboard.uid.as_str())
            .bind(&$dashboard.name)
            .bind(owner_text(&$dashboard))
            .bind(&$dashboard.document)
            .bind($dashboard.version)
            .bind($dashboard.created.as_micros())
            .bind($dashboard.created_by.as_str())
            .bind($dashboard.modified.as_micros())
            .bind($dashboard.modified_by.as_str())
            .execute(&mut *$connection)
            .await?
    };
}

macro_rules! update_dashboard {
    ($connection:expr, $org:expr, $dashboard:expr) => {
        sqlx::query(UPDATE)
            .bind($org.as_str())
            .bind($dashboard.id.as_str())
            .bind(&$dashboard.name)
            .bind(owner_text(&$dashboard))
            .bind(&$dashboard.document)
            .bind($dashboard.version)
            .bind($dashboard.modified.as_micros())
            .bind($dashboard.modified_by.as_str())
            .execute(&mut *$connection)
            .await?
    };
}

/// What the audit trail says of a write: the name, the version, which one it brings back, and the message.
fn detail(dashboard: &Dashboard, note: &Note) -> String {
    let restored = note.restored.map_or(String::new(), |version| format!(", restored from {version}"));
    let message = if note.message.is_empty() { String::new() } else { format!(", {:?}", note.message) };
    named_with(&dashboard.name, format!("version {}{restored}{message}", dashboard.version))
}

impl Catalog {
    /// The dashboards that somebody sees, in the order of their creation.
    pub async fn list_dashboards(
        &self,
        org: &OrgId,
        visible: Visible<'_>,
        limit: i64,
        offset: i64,
    ) -> Result<Vec<Dashboard>> {
        let (which, person) = match visible {
            Visible::All => ("all", ""),
            Visible::Of(person) => ("of", person.map_or("", UserId::as_str)),
        };
        let rows = read!(self, executor => {
            let mut rows = Vec::new();
            let mut bytes = 0;
            let mut found = sqlx::query_as::<_, DashboardRow>(SELECT_VISIBLE)
                .bind(org.as_str())
                .bind(which)
                .bind(person)
                .bind(limit)
                .bind(offset)
                .fetch(executor);
            while let Some(row) = found.try_next().await? {
                bytes += row.document.len();
                if bytes > LIST_BYTES_MAX {
                    let message = "the page would be too large: ask for fewer at once with limit";
                    return Err(Error::new(ErrorKind::TooLarge, message));
                }
                rows.push(row);
            }
            rows
        });
        Ok(rows.into_iter().map(DashboardRow::read).collect())
    }

    pub async fn find_dashboard(&self, org: &OrgId, uid: &DashboardUid) -> Result<Option<Dashboard>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, DashboardRow>(SELECT_ONE)
                .bind(org.as_str())
                .bind(uid.as_str())
                .fetch_optional(executor)
                .await?
        });
        Ok(row.map(DashboardRow::read))
    }

    /// Keeps what `edit` makes of the dashboard with the uid, or of none, unless it refuses to. Nobody else changes the
    /// dashboard meanwhile.
    pub async fn write_dashboard<E>(
        &self,
        org: &OrgId,
        uid: &DashboardUid,
        note: &Note,
        change: &Change,
        edit: impl FnOnce(Option<&Dashboard>) -> std::result::Result<Dashboard, E>,
    ) -> Result<std::result::Result<Dashboard, E>> {
        let written = write!(self, connection => {
            lock_org!(connection, org);
            let present = select_dashboard!(connection, org, uid);
            let written = match edit(present.as_ref()) {
                Ok(written) => written,
                Err(refused) => return Ok(Err(refused)),
            };
            let action = match present {
                None => {
                    check_room!(connection, org, "dashboard", DASHBOARDS_MAX);
                    insert_dashboard!(connection, org, written);
                    "dashboard.create"
                }
                Some(_) => {
                    update_dashboard!(connection, org, written);
                    "dashboard.update"
                }
            };
            keep_version!(connection, written, note);
            record!(connection, change, action, written.uid.as_str(), detail(&written, note));
            written
        });
        Ok(Ok(written))
    }

    /// Deletes a dashboard with all of its versions, unless `check` refuses it. `None` if there is none.
    pub async fn delete_dashboard<E>(
        &self,
        org: &OrgId,
        uid: &DashboardUid,
        change: &Change,
        check: impl FnOnce(&Dashboard) -> std::result::Result<(), E>,
    ) -> Result<Option<std::result::Result<(), E>>> {
        write!(self, connection => {
            lock_org!(connection, org);
            let Some(present) = select_dashboard!(connection, org, uid) else {
                return Ok(None);
            };
            if let Err(refused) = check(&present) {
                return Ok(Some(Err(refused)));
            }
            sqlx::query("DELETE FROM dashboard WHERE org_id = $1 AND id = $2")
                .bind(org.as_str())
                .bind(present.id.as_str())
                .execute(&mut *connection)
                .await?;
            record!(connection, change, "dashboard.delete", uid.as_str(), named(&present.name));
        });
        Ok(Some(Ok(())))
    }
}
