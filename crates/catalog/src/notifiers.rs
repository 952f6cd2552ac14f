//! Notifiers. Their properties hold the secrets of other services, so they are sealed; here they are opaque text.

use sqlx::FromRow;
use tidegauge_model::notifier::DisabledUntil;
use tidegauge_model::{DeliveryId, NotifierId, OrgId, Timestamp, UserId};

use crate::audit::detail::named_with;
use crate::audit::{Change, record};
use crate::db::{Db, read, write};
use crate::limits::{NOTIFIERS_MAX, check_room};
use crate::{Catalog, Result};

/// A notifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notifier {
    pub id: NotifierId,
    pub name: String,
    /// The canonical key of its channel.
    pub channel: String,
    /// The channel's configuration as JSON text, as it came in.
    pub properties: String,
    pub disabled_until: Option<DisabledUntil>,
    pub created: Timestamp,
    pub created_by: UserId,
    pub modified: Timestamp,
}

impl Notifier {
    /// Whether messages go where they go by another form of it. Texts that say the same in other spaces or another order
    /// are read as the same by every channel.
    pub fn points_where(&self, other: &Self) -> bool {
        points_same(&self.properties, &other.properties)
    }
}

/// What becomes of messages that were made for where a notifier pointed and were not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsent {
    /// They go to where it points now.
    Follow,
    /// They go nowhere, because they tell what was not meant for those who are there now.
    Withdraw,
}

#[derive(FromRow)]
struct NotifierRow {
    id: String,
    name: String,
    channel: String,
    properties: Vec<u8>,
    disabled_until: Option<i64>,
    disabled_until_text: Option<String>,
    created: i64,
    created_by: String,
    modified: i64,
}

/// What a [`NotifierRow`] is read from.
macro_rules! columns {
    () => {
        "id, name, channel, properties, disabled_until, disabled_until_text, created, created_by, modified"
    };
}

const SELECT_ALL: &str = concat!("SELECT ", columns!(), " FROM notifier WHERE org_id = $1 ORDER BY id");

const SELECT_ONE: &str = concat!("SELECT ", columns!(), " FROM notifier WHERE org_id = $1 AND id = $2");

/// The properties of a notifier that is about to be replaced.
const PRESENT: &str = "SELECT properties FROM notifier WHERE org_id = $1 AND id = $2";

/// The same where several write at once: who puts a message into the outbox meanwhile has done so before, or waits.
const PRESENT_LOCKED: &str = "SELECT properties FROM notifier WHERE org_id = $1 AND id = $2 FOR UPDATE";

const WITHDRAW: &str = "UPDATE delivery SET state = 'withdrawn', finished = COALESCE(finished, $2), \
     lease_until = 0, lease_owner = '' WHERE notifier_id = $1 AND state IN ('waiting', 'dead')";

/// One statement, so that where the notifier points and whether the message is still for it are of one moment.
const SELECT_FOR_MESSAGE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM notifier WHERE org_id = $1 AND id = $2 AND EXISTS (SELECT 1 FROM delivery \
     WHERE delivery.id = $3 AND delivery.notifier_id = $2 AND delivery.state = 'waiting')"
);

const REPLACE: &str = concat!(
    "UPDATE notifier SET name = $3, channel = $4, properties = $5, disabled_until = $6, \
     disabled_until_text = $7, modified = $8 WHERE org_id = $1 AND id = $2 RETURNING ",
    columns!()
);

impl Catalog {
    /// Writes down in the audit trail what was done with a notifier that changes nothing about it.
    pub async fn note_notifier(
        &self,
        action: &'static str,
        notifier: &Notifier,
        change: &Change,
    ) -> Result<()> {
        write!(self, connection => {
            record!(connection, change, action, notifier.id.as_str(), detail(&notifier.name, &notifier.channel));
        });
        Ok(())
    }

    pub async fn list_notifiers(&self, org: &OrgId) -> Result<Vec<Notifier>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, NotifierRow>(SELECT_ALL).bind(org.as_str()).fetch_all(executor).await?
        });
        rows.into_iter().map(|row| self.read_notifier(org, row)).collect()
    }

    pub async fn find_notifier(&self, org: &OrgId, id: &NotifierId) -> Result<Option<Notifier>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, NotifierRow>(SELECT_ONE)
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_optional(executor)
                .await?
        });
        row.map(|row| self.read_notifier(org, row)).transpose()
    }

    /// The notifier of a message that waits, as it points now. None if it is gone, or if the message was withdrawn
    /// because the notifier was pointed elsewhere.
    pub async fn find_notifier_for(
        &self,
        org: &OrgId,
        id: &NotifierId,
        message: &DeliveryId,
    ) -> Result<Option<Notifier>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, NotifierRow>(SELECT_FOR_MESSAGE)
                .bind(org.as_str())
                .bind(id.as_str())
                .bind(message.as_str())
                .fetch_optional(executor)
                .await?
        });
        row.map(|row| self.read_notifier(org, row)).transpose()
    }

    pub async fn insert_notifier(&self, org: &OrgId, notifier: &Notifier, change: &Change) -> Result<()> {
        let sealed = self.key.seal(&binding(org, notifier.id.as_str()), &notifier.properties)?;
        write!(self, connection => {
            check_room!(connection, org, "notifier", NOTIFIERS_MAX);
            sqlx::query(
                "INSERT INTO notifier (id, org_id, name, channel, properties, disabled_until, \
                 disabled_until_text, created, created_by, modified) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            )
            .bind(notifier.id.as_str())
            .bind(org.as_str())
            .bind(&notifier.name)
            .bind(&notifier.channel)
            .bind(&sealed)
            .bind(notifier.disabled_until.as_ref().map(|until| until.time.as_micros()))
            .bind(notifier.disabled_until.as_ref().map(|until| until.text.as_str()))
            .bind(notifier.created.as_micros())
            .bind(notifier.created_by.as_str())
            .bind(notifier.modified.as_micros())
            .execute(&mut *connection)
            .await?;
            record!(connection, change, "notifier.create", notifier.id.as_str(),
                detail(&notifier.name, &notifier.channel));
        });
        Ok(())
    }

    /// Replaces what a caller may set; who created it and when stays. If it points elsewhere then, `unsent` says what
    /// becomes of messages that were not sent. `None` if there is no such notifier.
    pub async fn replace_notifier(
        &self,
        org: &OrgId,
        notifier: &Notifier,
        unsent: Unsent,
        change: &Change,
    ) -> Result<Option<Notifier>> {
        let bound_to = binding(org, notifier.id.as_str());
        let sealed = self.key.seal(&bound_to, &notifier.properties)?;
        let present_statement = match &self.db {
            Db::Sqlite { .. } => PRESENT,
            Db::Postgres(_) => PRESENT_LOCKED,
        };
        let row: Option<NotifierRow> = write!(self, connection => {
            let present: Option<Vec<u8>> = sqlx::query_scalar(present_statement)
                .bind(org.as_str())
                .bind(notifier.id.as_str())
                .fetch_optional(&mut *connection)
                .await?;
            let Some(present) = present else {
                return Ok(None);
            };
            // What cannot be opened pointed nowhere that could be compared.
            let present = self.key.open(&bound_to, &present);
            let is_same = present.is_ok_and(|present| points_same(&present, &notifier.properties));
            if !is_same && unsent == Unsent::Withdraw {
                sqlx::query(WITHDRAW)
                    .bind(notifier.id.as_str())
                    .bind(change.at.as_micros())
                    .execute(&mut *connection)
                    .await?;
            }
            let row = sqlx::query_as(REPLACE)
            .bind(org.as_str())
            .bind(notifier.id.as_str())
            .bind(&notifier.name)
            .bind(&notifier.channel)
            .bind(&sealed)
            .bind(notifier.disabled_until.as_ref().map(|until| until.time.as_micros()))
            .bind(notifier.disabled_until.as_ref().map(|until| until.text.as_str()))
            .bind(notifier.modified.as_micros())
            .fetch_optional(&mut *connection)
            .await?;
            if row.is_none() {
                return Ok(None);
            }
            let detail = detail(&notifier.name, &notifier.channel);
            // Where it goes is a secret of its own; that it goes elsewhere is what somebody looks for.
            let detail = if is_same { detail } else { format!("{detail}, points elsewhere") };
            record!(connection, change, "notifier.update", notifier.id.as_str(), detail);
            row
        });
        row.map(|row| self.read_notifier(org, row)).transpose()
    }

    pub async fn delete_notifier(&self, org: &OrgId, id: &NotifierId, change: &Change) -> Result<bool> {
        write!(self, connection => {
            let deleted: Option<(String, String)> =
                sqlx::query_as("DELETE FROM notifier WHERE org_id = $1 AND id = $2 RETURNING name, channel")
                    .bind(org.as_str())
                    .bind(id.as_str())
                    .fetch_optional(&mut *connection)
                    .await?;
            let Some((name, channel)) = deleted else {
                return Ok(false);
            };
            record!(connection, change, "notifier.delete", id.as_str(), detail(&name, &channel));
        });
        Ok(true)
    }

    fn read_notifier(&self, org: &OrgId, row: NotifierRow) -> Result<Notifier> {
        let disabled_until = match (row.disabled_until, row.disabled_until_text) {
            (Some(micros), Some(text)) => Some(DisabledUntil { text, time: Timestamp::from_micros(micros) }),
            _ => None,
        };
        Ok(Notifier {
            properties: self.key.open(&binding(org, &row.id), &row.properties)?,
            id: row.id.into(),
            name: row.name,
            channel: row.channel,
            disabled_until,
            created: Timestamp::from_micros(row.created),
            created_by: row.created_by.into(),
            modified: Timestamp::from_micros(row.modified),
        })
    }
}

/// What the audit trail says of a notifier: its name and channel, and nothing of where it goes.
fn detail(name: &str, channel: &str) -> String {
    named_with(name, channel)
}

/// Whether two properties lead to the same place. Channels read them as JSON, in which spaces and order say nothing.
fn points_same(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    one == other || read(one).is_some_and(|one| Some(one) == read(other))
}

/// What the sealed properties are bound to: this row of this organisation.
fn binding(org: &OrgId, id: &str) -> String {
    format!("{org}/{id}")
}
