//! The outbox: messages that wait to be sent to notifiers, in the order in which the messages of an incident were
//! made. What a message is about puts it here in its own transaction, through the macro; sending is left to others.

mod attempt;
pub mod attempts;
pub mod claim;
mod form;
pub mod list;
mod prune;

use tidegauge_model::message::Message;
use tidegauge_model::{DeliveryId, NotifierId, OrgId, Timestamp};

use crate::db::write;
use crate::{Catalog, Result};

pub(crate) use form::write_message;

/// A message to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct NewDelivery {
    /// A delivery whose id is known already is left as it is, so that what is enqueued twice is sent once.
    pub id: DeliveryId,
    pub org: OrgId,
    pub notifier: NotifierId,
    pub message: Message,
    /// When it is to be sent first. The messages of an incident are sent in the order of this.
    pub due: Timestamp,
}

/// A notifier that was deleted meanwhile takes no messages, which is no reason for the change behind them to fail.
pub(crate) const INSERT: &str = "INSERT INTO delivery \
    (id, org_id, notifier_id, incident, message, state, attempts, failures, next_at, lease_until, lease_owner, \
     created, began, finished) \
    SELECT $1, org_id, id, $4, $5, 'waiting', 0, 0, $6, $7, $8, $6, $6, NULL \
    FROM notifier WHERE org_id = $2 AND id = $3 ON CONFLICT (id) DO NOTHING";

/// Puts a message into the outbox inside a transaction.
macro_rules! enqueue {
    ($connection:expr, $delivery:expr) => {
        $crate::outbox::enqueue!($connection, $delivery, 0_i64, "")
    };
    ($connection:expr, $delivery:expr, $lease_until:expr, $lease_owner:expr) => {
        sqlx::query($crate::outbox::INSERT)
            .bind($delivery.id.as_str())
            .bind($delivery.org.as_str())
            .bind($delivery.notifier.as_str())
            .bind(&$delivery.message.incident)
            .bind($crate::outbox::write_message(&$delivery.message)?)
            .bind($delivery.due.as_micros())
            .bind($lease_until)
            .bind($lease_owner)
            .execute(&mut *$connection)
            .await?
            .rows_affected()
    };
}

pub(crate) use enqueue;

impl Catalog {
    /// Puts messages into the outbox, all or none of them, and tells how many were new.
    pub async fn enqueue_deliveries(&self, deliveries: &[NewDelivery]) -> Result<u64> {
        let added = write!(self, connection => {
            let mut added = 0;
            for delivery in deliveries {
                added += enqueue!(connection, delivery);
            }
            added
        });
        Ok(added)
    }

    /// Puts a message into the outbox that its maker sends at once: nobody else can claim it before the lease ends.
    /// False if there is no such notifier.
    pub async fn enqueue_leased(
        &self,
        delivery: &NewDelivery,
        owner: &str,
        lease_until: Timestamp,
    ) -> Result<bool> {
        let added = write!(self, connection => {
            enqueue!(connection, delivery, lease_until.as_micros(), owner)
        });
        Ok(added > 0)
    }
}
