//! What a query took, for answers that are events: their headers went out before anybody knew it.

use serde::Serialize;
use tidegauge_app::service::query::Queried;

/// What a query took and what is left of the month, in GB·ms.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::resources) struct Spent {
    pub(in crate::resources) cost: u64,
    pub(in crate::resources) limit: u64,
    pub(in crate::resources) remaining: u64,
    /// When the next month begins, in seconds since 1970.
    reset: i64,
    /// Where the history has the query, if it was to be kept.
    history_id: Option<String>,
}

impl Spent {
    pub(in crate::resources) fn of(queried: &Queried) -> Self {
        Self {
            cost: queried.cost,
            limit: queried.quota_remaining.limit,
            remaining: queried.quota_remaining.remaining,
            reset: queried.quota_remaining.reset_at,
            history_id: queried.history_id.clone(),
        }
    }
}
