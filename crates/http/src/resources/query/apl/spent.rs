//! What a query took, for answers that are events: their headers went out before anybody knew it.

use serde::Serialize;
use tidegauge_app::service::query::Queried;

/// What a query took and what is left of the month, in GB·ms.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Spent {
    pub(super) cost: u64,
    limit: u64,
    remaining: u64,
    /// When the next month begins, in seconds since 1970.
    reset: i64,
    /// Where the history has the query, if it was to be kept.
    history_id: Option<String>,
}

impl Spent {
    pub(super) fn of(queried: &Queried) -> Self {
        Self {
            cost: queried.cost,
            limit: queried.allowance.limit,
            remaining: queried.allowance.remaining,
            reset: queried.allowance.reset_at,
            history_id: queried.history_id.clone(),
        }
    }
}
