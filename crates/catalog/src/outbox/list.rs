//! What people see of the outbox: the messages of a notifier with every attempt, and how much waits in all.

use std::collections::HashMap;
use std::time::Duration;

use sqlx::FromRow;
use tidegauge_model::message::{DeliveryState, Message};
use tidegauge_model::{DeliveryId, NotifierId, OrgId, Timestamp};

use super::attempts::Attempt;
use super::form::read_message;
use crate::db::{push_list, read};
use crate::{Catalog, Error, Result};

/// A message on its way to a notifier, or at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    pub id: DeliveryId,
    pub message: Message,
    pub state: DeliveryState,
    pub created: Timestamp,
    /// When it is tried next; none if it is finished.
    pub next: Option<Timestamp>,
    pub finished: Option<Timestamp>,
    /// The oldest first.
    pub attempts: Vec<Attempt>,
}

/// How much is in the outbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutboxSize {
    pub waiting: u64,
    pub dead: u64,
    /// Since when the message that waits longest waits.
    pub oldest: Option<Timestamp>,
}

#[derive(FromRow)]
struct DeliveryRow {
    id: String,
    message: String,
    state: String,
    next_at: i64,
    created: i64,
    finished: Option<i64>,
}

#[derive(FromRow)]
struct AttemptRow {
    delivery_id: String,
    at: i64,
    latency: i64,
    status: Option<i64>,
    error: Option<String>,
}

impl Catalog {
    /// The messages of a notifier, the newest first.
    pub async fn list_deliveries(
        &self,
        org: &OrgId,
        notifier: &NotifierId,
        limit: i64,
        offset: i64,
    ) -> Result<Vec<Delivery>> {
        let rows: Vec<DeliveryRow> = read!(self, executor => {
            sqlx::query_as(
                "SELECT id, message, state, next_at, created, finished FROM delivery \
                 WHERE org_id = $1 AND notifier_id = $2 ORDER BY created DESC, id DESC LIMIT $3 OFFSET $4",
            )
            .bind(org.as_str())
            .bind(notifier.as_str())
            .bind(limit)
            .bind(offset)
            .fetch_all(executor)
            .await?
        });
        let mut attempts = self.attempts_of(&rows).await?;
        rows.into_iter()
            .map(|row| {
                let attempts = attempts.remove(&row.id).unwrap_or_default();
                read_delivery(row, attempts)
            })
            .collect()
    }

    pub async fn find_delivery(
        &self,
        org: &OrgId,
        notifier: &NotifierId,
        id: &DeliveryId,
    ) -> Result<Option<Delivery>> {
        let row: Option<DeliveryRow> = read!(self, executor => {
            sqlx::query_as(
                "SELECT id, message, state, next_at, created, finished FROM delivery \
                 WHERE org_id = $1 AND notifier_id = $2 AND id = $3",
            )
            .bind(org.as_str())
            .bind(notifier.as_str())
            .bind(id.as_str())
            .fetch_optional(executor)
            .await?
        });
        let Some(row) = row else {
            return Ok(None);
        };
        let rows = [row];
        let mut attempts = self.attempts_of(&rows).await?;
        let [row] = rows;
        let attempts = attempts.remove(&row.id).unwrap_or_default();
        read_delivery(row, attempts).map(Some)
    }

    async fn attempts_of(&self, deliveries: &[DeliveryRow]) -> Result<HashMap<String, Vec<Attempt>>> {
        let mut found: HashMap<String, Vec<Attempt>> = HashMap::new();
        if deliveries.is_empty() {
            return Ok(found);
        }
        let ids: Vec<&str> = deliveries.iter().map(|row| row.id.as_str()).collect();
        let rows: Vec<AttemptRow> = read!(self, executor => {
            let mut statement = sqlx::QueryBuilder::new(
                "SELECT delivery_id, at, latency, status, error FROM delivery_attempt WHERE ",
            );
            push_list!(statement, "delivery_id", ids);
            statement.push(" ORDER BY delivery_id, number");
            statement.build_query_as().fetch_all(executor).await?
        });
        for row in rows {
            found.entry(row.delivery_id).or_default().push(Attempt {
                at: Timestamp::from_micros(row.at),
                latency: Duration::from_micros(u64::try_from(row.latency).unwrap_or(0)),
                status: row.status.and_then(|status| u16::try_from(status).ok()),
                error: row.error,
            });
        }
        Ok(found)
    }

    pub async fn outbox_size(&self) -> Result<OutboxSize> {
        let rows: Vec<(String, i64, Option<i64>)> = read!(self, executor => {
            sqlx::query_as(
                "SELECT state, COUNT(*), MIN(began) FROM delivery WHERE state IN ('waiting', 'dead') GROUP BY state",
            )
            .fetch_all(executor)
            .await?
        });
        let mut size = OutboxSize::default();
        for (state, count, oldest) in rows {
            let count = u64::try_from(count).unwrap_or(0);
            if state == DeliveryState::Waiting.name() {
                size.waiting = count;
                size.oldest = oldest.map(Timestamp::from_micros);
            } else {
                size.dead = count;
            }
        }
        Ok(size)
    }
}

fn read_delivery(row: DeliveryRow, attempts: Vec<Attempt>) -> Result<Delivery> {
    let state = DeliveryState::from_name(&row.state)
        .ok_or_else(|| Error::corrupt("a message with the state", &row.state))?;
    Ok(Delivery {
        id: row.id.into(),
        message: read_message(&row.message)?,
        state,
        created: Timestamp::from_micros(row.created),
        next: (state == DeliveryState::Waiting).then(|| Timestamp::from_micros(row.next_at)),
        finished: row.finished.map(Timestamp::from_micros),
        attempts,
    })
}
