//! `/datasets/_apl/delete`: deletes the events that a query in text finds, or tells which they are.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tidegauge_app::App;
use tidegauge_app::service::query::apl::AplInput;
use tidegauge_app::service::query::apl::delete::{Deletion, delete};
use tidegauge_model::Violation;
use tidegauge_model::time::Timestamp;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::Caller;
use utoipa::ToSchema;

use super::apl::body::literals;
use super::read_body;

/// Which events to delete.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"apl": "['web'] | where user == \"ann\"", "startTime": "now-30d", "commit": false}))]
pub struct DeleteRequest {
    /// One dataset with `where`, `search` and `extend`.
    #[schema(required = true, value_type = String)]
    pub apl: Option<String>,
    /// RFC 3339, or relative to now. Inclusive. Without it all events up to the end are looked at.
    pub start_time: Option<String>,
    /// Like `startTime`. Exclusive.
    pub end_time: Option<String>,
    /// Whether the events go. Otherwise the answer tells which would.
    #[schema(required = true, value_type = bool)]
    pub commit: Option<bool>,
    /// Values by name that the text can use.
    #[schema(value_type = Option<Object>)]
    pub variables: Option<BTreeMap<String, Box<RawValue>>>,
}

/// What was found, and what of it is gone.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteResponse {
    /// Whether nothing was deleted because `commit` is false.
    pub dry_run: bool,
    pub rows_matched: u64,
    pub rows_deleted: u64,
    /// Blocks of events that were looked at.
    pub blocks_matched: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub first_matched_event: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub last_matched_event: Option<String>,
}

impl DeleteRequest {
    fn into_input(self) -> Result<(AplInput, bool), Violation> {
        let is_committed = self.commit.ok_or_else(|| Violation::required("commit"))?;
        let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let input = AplInput {
            text: given(self.apl).ok_or_else(|| Violation::required("apl"))?,
            start_time: given(self.start_time),
            end_time: given(self.end_time),
            variables: literals(self.variables.unwrap_or_default())?,
            ..AplInput::default()
        };
        Ok((input, is_committed))
    }
}

impl DeleteResponse {
    fn new(deletion: Deletion, is_committed: bool) -> Self {
        let time = |nanos: i64| Timestamp::from_nanos(nanos).to_string();
        Self {
            dry_run: !is_committed,
            rows_matched: deletion.rows_matched,
            rows_deleted: deletion.rows_deleted,
            blocks_matched: deletion.blocks_matched,
            first_matched_event: deletion.times.map(|(first, _)| time(first)),
            last_matched_event: deletion.times.map(|(_, last)| time(last)),
        }
    }
}

/// Deletes the events of one dataset that a query in text finds, for good. Needs `data|delete` on it, and
/// `query|read`, because the answer tells what matches.
/// What a deletion that was cut off left is deleted by asking again.
#[utoipa::path(post, path = "/datasets/_apl/delete", tag = "query", request_body = DeleteRequest,
    responses(
        (status = 200, body = DeleteResponse),
        (status = 400, body = ErrorBody, description = "The text cannot be understood, or does more than filter."),
        (status = 404, body = ErrorBody, description = "There is no such dataset in the organisation."),
        (status = 430, body = ErrorBody, description = "The organisation has used what its licence allows this month."),
        (status = 432, body = ErrorBody, description = "The query needs more memory than it may have."),
    ))]
pub async fn delete_by_query(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<axum::Json<DeleteResponse>, ApiError> {
    let (request, _) = read_body::<DeleteRequest>(&app, &headers, body).await?;
    let (input, is_committed) = request.into_input().map_err(tidegauge_app::service::Error::from)?;
    let deletion = delete(&app, &caller, input, is_committed).await?;
    Ok(axum::Json(DeleteResponse::new(deletion, is_committed)))
}
