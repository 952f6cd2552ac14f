//! Entries and how they are written, inside the transaction of what they tell of. None holds a secret, what was sent, or
//! what events hold: who may read the audit trail need not be allowed to query every dataset. What runs and deliveries
//! write is in modules of their own.

use tidegauge_model::Timestamp;
use tidegauge_model::dataset::is_audit_name;

use super::EntryKind;

/// Who does what nobody asked for.
pub(super) const SERVICE: &str = "service";

/// An entry that is about to be written.
#[derive(Clone, Debug)]
pub(crate) struct NewEntry {
    pub(crate) org: String,
    pub(crate) kind: EntryKind,
    pub(crate) at: Timestamp,
    pub(crate) actor: String,
    pub(crate) action: String,
    pub(crate) target: String,
    pub(crate) outcome: &'static str,
    pub(crate) detail: String,
    pub(crate) request_id: String,
    pub(crate) times: i64,
    /// A JSON object.
    pub(crate) details: String,
}

pub(crate) const INSERT: &str = "INSERT INTO event_feed \
    (org_id, kind, at, actor, action, target, outcome, detail, request_id, times, details, batch, batched) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '', 0)";

/// Writes an entry inside a transaction.
macro_rules! feed {
    ($connection:expr, $entry:expr) => {{
        let entry: $crate::event_feed::NewEntry = $entry;
        sqlx::query($crate::event_feed::INSERT)
            .bind(entry.org)
            .bind(entry.kind.name())
            .bind(entry.at.as_micros())
            .bind(entry.actor)
            .bind(entry.action)
            .bind(entry.target)
            .bind(entry.outcome)
            .bind(entry.detail)
            .bind(entry.request_id)
            .bind(entry.times)
            .bind(entry.details)
            .execute(&mut *$connection)
            .await?;
    }};
}

pub(crate) use feed;

/// Whether a stored list of names has the dataset of the audit trail: what a monitor of it comes to is not told in it, or
/// each run would give the next one something to find.
pub(crate) fn reads_audit(datasets: &str) -> bool {
    let names: Vec<String> = serde_json::from_str(datasets).unwrap_or_default();
    names.iter().any(|name| is_audit_name(name))
}
