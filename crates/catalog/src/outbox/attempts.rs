//! What became of the messages that a node had leased. Who lost the lease meanwhile changes nothing: somebody else has
//! the message now. Each attempt is told in the dataset of the audit trail.

use tidegauge_model::message::DeliveryState;
use tidegauge_model::{DeliveryId, NotifierId, OrgId, Timestamp};

use crate::audit::{Change, record};
use crate::db::write;
use crate::event_feed::{Sending, feed, of_attempt, reads_audit};
use crate::notifiers::Unsent;
use crate::outbox::form::read_message;
use crate::{Catalog, Result};

pub use super::attempt::Attempt;

/// What follows an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Sent,
    TryAgain { at: Timestamp },
    Dead,
}

/// Why a message was not put in line again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    Done,
    /// The notifier has no such message.
    Unknown,
    /// It waits, or it was sent.
    NotDead,
    /// It was made for where its notifier does not point any more.
    Withdrawn,
}

/// What a monitor reads whose message was sent.
const DATASETS_OF_MONITOR: &str = "SELECT datasets FROM monitor WHERE id = $1";

impl Catalog {
    /// Keeps an attempt and what follows it. False if `owner` has lost the lease.
    pub async fn record_attempt(
        &self,
        owner: &str,
        id: &DeliveryId,
        attempt: &Attempt,
        verdict: Verdict,
    ) -> Result<bool> {
        let (state, failed, next_at, finished) = match verdict {
            Verdict::Sent => (DeliveryState::Sent, 0, None, true),
            Verdict::TryAgain { at } => (DeliveryState::Waiting, 1, Some(at.as_micros()), false),
            Verdict::Dead => (DeliveryState::Dead, 1, None, true),
        };
        let ended = attempt.at.plus(attempt.latency).as_micros();
        write!(self, connection => {
            let sent: Option<(i64, String, String, String)> = sqlx::query_as(
                "UPDATE delivery SET state = $3, attempts = attempts + 1, failures = failures + $4, \
                 next_at = COALESCE($5, next_at), finished = $6, lease_until = 0, lease_owner = '' \
                 WHERE id = $1 AND lease_owner = $2 AND state = 'waiting' \
                 RETURNING attempts, org_id, notifier_id, message",
            )
            .bind(id.as_str())
            .bind(owner)
            .bind(state.name())
            .bind(i64::from(failed))
            .bind(next_at)
            .bind(finished.then_some(ended))
            .fetch_optional(&mut *connection)
            .await?;
            let Some((number, org, notifier, message)) = sent else {
                return Ok(false);
            };
            sqlx::query(
                "INSERT INTO delivery_attempt (delivery_id, number, at, latency, status, error) \
                 VALUES ($1, $2, $3, $4, $5, $6)",
            )
            .bind(id.as_str())
            .bind(number)
            .bind(attempt.at.as_micros())
            .bind(i64::try_from(attempt.latency.as_micros()).unwrap_or(i64::MAX))
            .bind(attempt.status.map(i64::from))
            .bind(attempt.error.as_deref())
            .execute(&mut *connection)
            .await?;
            // A message that cannot be read names no monitor.
            let message = read_message(&message).ok();
            let monitor = message.as_ref().map_or("", |message| message.monitor.as_str());
            let datasets: Option<String> = sqlx::query_scalar(DATASETS_OF_MONITOR)
                .bind(monitor)
                .fetch_optional(&mut *connection)
                .await?;
            let is_told = state == DeliveryState::Dead || !reads_audit(datasets.as_deref().unwrap_or_default());
            if is_told {
                let (org, notifier, delivery, attempts) = (&org, &notifier, id.as_str(), number);
                let sending = Sending { org, delivery, notifier, monitor, attempts, state };
                feed!(connection, of_attempt(&sending, attempt));
            }
        });
        Ok(true)
    }

    /// Gives a message back without an attempt, to be looked at again at a later time.
    pub async fn postpone_delivery(&self, owner: &str, id: &DeliveryId, until: Timestamp) -> Result<()> {
        write!(self, connection => {
            sqlx::query(
                "UPDATE delivery SET next_at = $3, lease_until = 0, lease_owner = '' \
                 WHERE id = $1 AND lease_owner = $2 AND state = 'waiting'",
            )
            .bind(id.as_str())
            .bind(owner)
            .bind(until.as_micros())
            .execute(&mut *connection)
            .await?;
        });
        Ok(())
    }

    /// Puts a message that was given up in line again, under the same id and with all its attempts before it. With
    /// `unsent` to follow also one that was withdrawn, which then goes to where the notifier points now.
    pub async fn replay_delivery(
        &self,
        org: &OrgId,
        notifier: &NotifierId,
        id: &DeliveryId,
        unsent: Unsent,
        change: &Change,
    ) -> Result<Replay> {
        let withdrawn = DeliveryState::Withdrawn.name();
        let also = if unsent == Unsent::Follow { withdrawn } else { DeliveryState::Dead.name() };
        write!(self, connection => {
            let state: Option<String> = sqlx::query_scalar(
                "SELECT state FROM delivery WHERE id = $1 AND org_id = $2 AND notifier_id = $3",
            )
            .bind(id.as_str())
            .bind(org.as_str())
            .bind(notifier.as_str())
            .fetch_optional(&mut *connection)
            .await?;
            let Some(state) = state else {
                return Ok(Replay::Unknown);
            };
            if state == withdrawn && also != withdrawn {
                return Ok(Replay::Withdrawn);
            }
            let changed = sqlx::query(
                "UPDATE delivery SET state = 'waiting', failures = 0, next_at = $2, began = $2, finished = NULL \
                 WHERE id = $1 AND state IN ('dead', $3)",
            )
            .bind(id.as_str())
            .bind(change.at.as_micros())
            .bind(also)
            .execute(&mut *connection)
            .await?
            .rows_affected();
            if changed == 0 {
                return Ok(Replay::NotDead);
            }
            record!(connection, change, "notifier.replay", id.as_str(), format!("of {notifier}"));
        });
        Ok(Replay::Done)
    }
}
