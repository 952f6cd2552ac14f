//! What leaves the outbox: messages that nobody could send in time are given up, and finished ones go with their
//! attempts after a while.

use tidegauge_model::Timestamp;

use crate::db::{drop_in_batches, write};
use crate::{Catalog, Result};

impl Catalog {
    /// Gives up messages whose round began before a time and that nobody is sending, such as those of a notifier that
    /// stays disabled.
    pub async fn expire_deliveries(&self, before: Timestamp, now: Timestamp) -> Result<u64> {
        let expired = write!(self, connection => {
            sqlx::query(
                "UPDATE delivery SET state = 'dead', finished = $2 \
                 WHERE state = 'waiting' AND began < $1 AND (lease_owner = '' OR lease_until <= $2)",
            )
            .bind(before.as_micros())
            .bind(now.as_micros())
            .execute(&mut *connection)
            .await?
            .rows_affected()
        });
        Ok(expired)
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
