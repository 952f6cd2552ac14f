//! Who sends what: messages that are due are leased to a node, one for each notifier at a time, so that a receiver is
//! never asked twice at once and the messages of an incident keep their order, also with several nodes.

use sqlx::FromRow;
use tidegauge_model::message::Message;
use tidegauge_model::{DeliveryId, NotifierId, OrgId, Timestamp};

use super::form::read_message;
use crate::counts::from_stored;
use crate::db::{read, write};
use crate::{Catalog, Result};

/// A message that this node is to send.
#[derive(Clone, Debug, PartialEq)]
pub struct Claimed {
    pub id: DeliveryId,
    pub org: OrgId,
    pub notifier: NotifierId,
    /// None for a message that cannot be read.
    pub message: Option<Message>,
    /// Attempts of this round that failed.
    pub failures: u32,
    /// When this round began.
    pub began: Timestamp,
}

#[derive(FromRow)]
struct ClaimedRow {
    id: String,
    org_id: String,
    notifier_id: String,
    message: String,
    failures: i64,
    began: i64,
}

/// Messages that can be sent at $1: of each notifier that is not disabled and has none under way, the one that waits
/// longest among those that are the first of their incident.
macro_rules! sendable {
    () => {
        "SELECT id FROM (SELECT waiting.id AS id, waiting.next_at AS next_at, ROW_NUMBER() OVER \
         (PARTITION BY waiting.notifier_id ORDER BY waiting.next_at, waiting.created, waiting.id) AS place \
         FROM delivery AS waiting JOIN notifier ON notifier.id = waiting.notifier_id \
         WHERE waiting.state = 'waiting' AND waiting.next_at <= $1 \
         AND (notifier.disabled_until IS NULL OR notifier.disabled_until <= $1) \
         AND NOT EXISTS (SELECT 1 FROM delivery AS leased WHERE leased.notifier_id = waiting.notifier_id \
             AND leased.state = 'waiting' AND leased.lease_owner <> '' AND leased.lease_until > $1) \
         AND NOT EXISTS (SELECT 1 FROM delivery AS earlier WHERE earlier.notifier_id = waiting.notifier_id \
             AND earlier.incident = waiting.incident AND earlier.state = 'waiting' \
             AND (earlier.created < waiting.created \
                  OR (earlier.created = waiting.created AND earlier.id < waiting.id)))) AS sendable \
         WHERE place = 1 ORDER BY next_at, id LIMIT "
    };
}

const ANY: &str = concat!(sendable!(), "1");

const CLAIM: &str = concat!(
    "UPDATE delivery SET lease_until = $2, lease_owner = $3 WHERE state = 'waiting' AND id IN (",
    sendable!(),
    "$4) RETURNING id, org_id, notifier_id, message, failures, began"
);

/// Nodes claim one after the other: what one has leased must be seen by the next.
const TAKE_TURN: &str = "INSERT INTO installation (name, value) VALUES ('outbox-turn', $1) \
     ON CONFLICT (name) DO UPDATE SET value = installation.value";

impl Catalog {
    /// Leases up to `limit` messages that are due to `owner`, who has until `lease_until` to tell how it went.
    pub async fn claim_deliveries(
        &self,
        owner: &str,
        now: Timestamp,
        lease_until: Timestamp,
        limit: i64,
    ) -> Result<Vec<Claimed>> {
        // Looking is cheap; a transaction that changes nothing would still cost a sync of the disk.
        let first: Option<String> = read!(self, executor => {
            sqlx::query_scalar(ANY).bind(now.as_micros()).fetch_optional(executor).await?
        });
        if first.is_none() || limit == 0 {
            return Ok(Vec::new());
        }
        let rows: Vec<ClaimedRow> = write!(self, connection => {
            sqlx::query(TAKE_TURN).bind(&b""[..]).execute(&mut *connection).await?;
            sqlx::query_as(CLAIM)
                .bind(now.as_micros())
                .bind(lease_until.as_micros())
                .bind(owner)
                .bind(limit)
                .fetch_all(&mut *connection)
                .await?
        });
        rows.into_iter().map(read_claimed).collect()
    }
}

fn read_claimed(row: ClaimedRow) -> Result<Claimed> {
    Ok(Claimed {
        id: row.id.into(),
        org: row.org_id.into(),
        notifier: row.notifier_id.into(),
        message: read_message(&row.message).ok(),
        failures: from_stored("a number of failures", row.failures)?,
        began: Timestamp::from_micros(row.began),
    })
}
