//! Monitors: their definitions and what their runs may read. Running them and what runs have found is kept elsewhere,
//! and goes when the monitor goes. The text of the query is not understood here.

mod stored;

use sqlx::FromRow;
use tidegauge_model::monitor::Definition;
use tidegauge_model::{ErrorKind, MonitorId, NotifierId, OrgId, Timestamp, UserId};

pub use self::stored::Given;
use self::stored::Stored;
use crate::audit::detail::{listed, named_with};
use crate::audit::{Change, record};
use crate::db::{read, write};
use crate::deletion::delete_one;
use crate::limits::{LIST_BYTES_MAX, check_room};
pub use crate::monitor_reads::Reads;
use crate::monitor_reads::{keep_reads, names_text};
use crate::{Catalog, Error, Result};

/// A monitor.
#[derive(Clone, Debug, PartialEq)]
pub struct Monitor {
    pub id: MonitorId,
    pub org: OrgId,
    /// What is to be done, with every default in its place.
    pub definition: Definition,
    pub given: Given,
    pub reads: Reads,
    /// Grows with each change.
    pub revision: i64,
    /// The revision in which what it watches was changed last: its query, what decides about groups, what it may read.
    pub epoch: i64,
    pub created: Timestamp,
    pub created_by: UserId,
    pub modified: Timestamp,
}

#[derive(FromRow)]
struct MonitorRow {
    id: String,
    org_id: String,
    name: String,
    definition: String,
    datasets: String,
    views: String,
    is_disabled: bool,
    disabled_until: Option<i64>,
    revision: i64,
    epoch: i64,
    created: i64,
    created_by: String,
    modified: i64,
}

impl MonitorRow {
    fn read(self) -> Result<Monitor> {
        let stored = Stored::of(&self.definition)?;
        let (definition, given) = stored.definition(self.name, self.is_disabled, self.disabled_until)?;
        Ok(Monitor {
            id: self.id.into(),
            org: self.org_id.into(),
            definition,
            given,
            reads: Reads::of_texts(&self.datasets, &self.views)?,
            revision: self.revision,
            epoch: self.epoch,
            created: Timestamp::from_micros(self.created),
            created_by: self.created_by.into(),
            modified: Timestamp::from_micros(self.modified),
        })
    }
}

/// What a [`MonitorRow`] is read from.
macro_rules! columns {
    () => {
        "id, org_id, name, definition, datasets, views, is_disabled, disabled_until, revision, epoch, \
         created, created_by, modified"
    };
}

const SELECT_ALL: &str = concat!("SELECT ", columns!(), " FROM monitor WHERE org_id = $1 ORDER BY id");

const SELECT_ONE: &str = concat!("SELECT ", columns!(), " FROM monitor WHERE org_id = $1 AND id = $2");

const SELECT_ANY: &str = concat!("SELECT ", columns!(), " FROM monitor WHERE id = $1");

const SELECT_NAMED: &str = "SELECT COUNT(*) FROM notifier WHERE org_id = $1 AND id = $2";

const REPLACE: &str = concat!(
    "UPDATE monitor SET name = $3, definition = $4, datasets = $5, views = $6, is_disabled = $7, \
     disabled_until = $8, modified = $9, epoch = $10, revision = revision + 1 \
     WHERE org_id = $1 AND id = $2 AND revision = $11 RETURNING ",
    columns!()
);

/// What the audit trail says of a monitor: its name, and whom it tells.
fn detail(definition: &Definition) -> String {
    let notifiers = definition.notifiers.iter().map(NotifierId::as_str);
    named_with(&definition.name, listed("notifier", notifiers))
}

impl Catalog {
    pub async fn list_monitors(&self, org: &OrgId) -> Result<Vec<Monitor>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, MonitorRow>(SELECT_ALL).bind(org.as_str()).fetch_all(executor).await?
        });
        if rows.iter().map(|row| row.definition.len()).sum::<usize>() > LIST_BYTES_MAX {
            let message = "the list of monitors would be too large: read them one by one";
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
        rows.into_iter().map(MonitorRow::read).collect()
    }

    pub async fn find_monitor(&self, org: &OrgId, id: &MonitorId) -> Result<Option<Monitor>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, MonitorRow>(SELECT_ONE)
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_optional(executor)
                .await?
        });
        row.map(MonitorRow::read).transpose()
    }

    /// A monitor of whichever organisation, for who runs it.
    pub async fn monitor_to_run(&self, id: &MonitorId) -> Result<Option<Monitor>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, MonitorRow>(SELECT_ANY).bind(id.as_str()).fetch_optional(executor).await?
        });
        row.map(MonitorRow::read).transpose()
    }

    /// Which of the notifiers of a definition the organisation does not have.
    pub async fn unknown_notifiers(&self, org: &OrgId, definition: &Definition) -> Result<Vec<String>> {
        let mut unknown = Vec::new();
        for id in &definition.notifiers {
            let count: i64 = read!(self, executor => {
                sqlx::query_scalar(SELECT_NAMED).bind(org.as_str()).bind(id.as_str()).fetch_one(executor).await?
            });
            if count == 0 {
                unknown.push(id.as_str().to_owned());
            }
        }
        Ok(unknown)
    }

    /// Keeps a monitor. A reached limit if the organisation has `max_monitors` already.
    pub async fn insert_monitor(&self, monitor: &Monitor, max_monitors: i64, change: &Change) -> Result<()> {
        let (org, definition) = (&monitor.org, &monitor.definition);
        write!(self, connection => {
            check_room!(connection, org, "monitor", max_monitors);
            sqlx::query(
                "INSERT INTO monitor (id, org_id, name, definition, datasets, views, is_disabled, \
                 disabled_until, revision, epoch, created, created_by, modified) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
            )
            .bind(monitor.id.as_str())
            .bind(org.as_str())
            .bind(&definition.name)
            .bind(Stored::text(definition, monitor.given))
            .bind(names_text(&monitor.reads.datasets))
            .bind(names_text(&monitor.reads.views))
            .bind(definition.is_disabled)
            .bind(definition.disabled_until.as_ref().map(|until| until.time.as_micros()))
            .bind(monitor.revision)
            .bind(monitor.epoch)
            .bind(monitor.created.as_micros())
            .bind(monitor.created_by.as_str())
            .bind(monitor.modified.as_micros())
            .execute(&mut *connection)
            .await?;
            keep_reads!(connection, monitor);
            record!(connection, change, "monitor.create", monitor.id.as_str(), detail(definition));
        });
        Ok(())
    }

    /// Replaces what a caller may set; who created it and when stays. `None` if there is no such monitor, or if it was
    /// changed since that revision: who may change it was asked of what it was then.
    pub async fn replace_monitor(&self, monitor: &Monitor, change: &Change) -> Result<Option<Monitor>> {
        let definition = &monitor.definition;
        let row: Option<MonitorRow> = write!(self, connection => {
            let row = sqlx::query_as(REPLACE)
                .bind(monitor.org.as_str())
                .bind(monitor.id.as_str())
                .bind(&definition.name)
                .bind(Stored::text(definition, monitor.given))
                .bind(names_text(&monitor.reads.datasets))
                .bind(names_text(&monitor.reads.views))
                .bind(definition.is_disabled)
                .bind(definition.disabled_until.as_ref().map(|until| until.time.as_micros()))
                .bind(monitor.modified.as_micros())
                .bind(monitor.epoch)
                .bind(monitor.revision)
                .fetch_optional(&mut *connection)
                .await?;
            if row.is_none() {
                return Ok(None);
            }
            keep_reads!(connection, monitor);
            record!(connection, change, "monitor.update", monitor.id.as_str(), detail(definition));
            row
        });
        row.map(MonitorRow::read).transpose()
    }

    /// Deletes a monitor; what its runs have found goes with it.
    pub async fn delete_monitor(&self, org: &OrgId, id: &MonitorId, change: &Change) -> Result<bool> {
        delete_one!(self, "monitor", "name", org, id, change, "monitor.delete")
    }
}
