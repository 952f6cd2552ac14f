//! `/audit`: who changed what, and which calls were refused.

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::audit;
use tidegauge_catalog::AuditEntry;
use tidegauge_model::Timestamp;
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, Json, Query};
use utoipa::{IntoParams, ToSchema};

use super::paging;

/// One line of the audit trail.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditResponse {
    /// Give the smallest one as `before` to read on.
    pub id: i64,
    #[schema(format = DateTime)]
    pub time: String,
    /// The user, with the API token in parentheses if one was used.
    pub actor: String,
    /// What was done, such as `notifier.create`, or the route of a refused call.
    pub action: String,
    /// The id of what was changed, or the path of a refused call.
    pub resource: String,
    /// done or refused.
    pub outcome: String,
    /// The name of what was changed and what was given or set, or why a call was refused.
    pub detail: String,
    pub request_id: String,
    /// How many equal refused calls this line stands for.
    pub count: i64,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditParameters {
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    /// Only entries older than the one with this id.
    before: Option<i64>,
}

impl From<AuditEntry> for AuditResponse {
    fn from(entry: AuditEntry) -> Self {
        Self {
            id: entry.seq,
            time: Timestamp::from_micros(entry.at).to_string(),
            actor: entry.actor,
            action: entry.action,
            resource: entry.resource,
            outcome: entry.outcome,
            detail: entry.detail,
            request_id: entry.request_id,
            count: entry.times,
        }
    }
}

/// Reads the audit trail, newest first.
#[utoipa::path(get, path = "/audit", tag = "audit", params(AuditParameters),
    responses((status = 200, body = [AuditResponse])))]
pub async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(parameters): Query<AuditParameters>,
) -> Result<Json<Vec<AuditResponse>>, ApiError> {
    let limit = paging::limit(parameters.limit)?;
    let entries = audit::list(&app, &caller, parameters.before, limit).await?;
    Ok(Json(entries.into_iter().map(AuditResponse::from).collect()))
}
