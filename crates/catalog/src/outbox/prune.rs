//! What leaves the outbox: messages that nobody could send in time are given up, and finished ones go with their
//! attempts after a while.

use sqlx::FromRow;
use tidegauge_model::Timestamp;
use tidegauge_model::message::DeliveryState;

use crate::db::{drop_in_batches, write};
use crate::event_feed::{Sending, feed, of_expiry};
use crate::outbox::form::read_message;
use crate::{Catalog, Result};

/// A message that was given up.
#[derive(FromRow)]
struct Expired {
    id: String,
    org_id: String,
    notifier_id: String,
    message: String,
    attempts: i64,
}

impl Expired {
    fn sending<'a>(&'a self, monitor: &'a str) -> Sending<'a> {
        Sending {
            org: &self.org_id,
            delivery: &self.id,
            notifier: &self.notifier_id,
            monitor,
            attempts: self.attempts,
            state: DeliveryState::Dead,
        }
    }
}

/// Messages that are given up in one transaction.
const EXPIRE_BATCH: i64 = 1_000;

const EXPIRE: &str = "UPDATE delivery SET state = 'dead', finished = $2 WHERE state = 'waiting' AND id IN \
    (SELECT id FROM delivery WHERE state = 'waiting' AND began < $1 AND (lease_owner = '' OR lease_until <= $2) \
    ORDER BY began LIMIT $3) AND (lease_owner = '' OR lease_until <= $2) \
    RETURNING id, org_id, notifier_id, message, attempts";

impl Catalog {
    /// Gives up messages whose round began before a time and that nobody is sending, such as those of a notifier that
    /// stays disabled.
    pub async fn expire_deliveries(&self, before: Timestamp, now: Timestamp) -> Result<u64> {
        let mut total = 0;
        loop {
            let expired = write!(self, connection => {
                let expired: Vec<Expired> = sqlx::query_as(EXPIRE)
                    .bind(before.as_micros())
                    .bind(now.as_micros())
                    .bind(EXPIRE_BATCH)
                    .fetch_all(&mut *connection)
                    .await?;
                for row in &expired {
                    let message = read_message(&row.message).ok();
                    let monitor = message.as_ref().map_or("", |message| message.monitor.as_str());
                    feed!(connection, of_expiry(&row.sending(monitor), now));
                }
                expired.len() as u64
            });
            total += expired;
            if expired == 0 {
                return Ok(total);
            }
        }
    }

    /// Drops messages that were finished before a time, and those of each notifier beyond its newest ones; some at
    /// once, so that changes do not have to wait for all of them.
    pub async fn prune_deliveries(&self, before: Timestamp, newest: i64) -> Result<u64> {
        drop_in_batches!(
            self,
            sqlx::query(
                "DELETE FROM delivery WHERE id IN \
                 (SELECT id FROM delivery WHERE finished < $1 ORDER BY finished LIMIT 1000) OR id IN \
                 (SELECT id FROM (SELECT id, ROW_NUMBER() OVER \
                 (PARTITION BY notifier_id ORDER BY created DESC, id DESC) AS place FROM delivery \
                 WHERE finished IS NOT NULL) AS placed WHERE place > $2 LIMIT 1000)",
            )
            .bind(before.as_micros())
            .bind(newest)
        )
    }
}
