//! `/exports`: links to files with the whole answer of a query. The files themselves are in `exports/download.rs`.

pub mod download;

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::exports::{self, FileFormat};
use tidegauge_app::service::query::apl::export::ExportInput;
use tidegauge_model::Violation;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json};
use utoipa::ToSchema;

/// What to export, and as what.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportRequest {
    #[schema(example = "['web'] | where status >= 500")]
    pub apl: String,
    /// As those of `/query/_apl`.
    #[schema(example = "now-1h")]
    pub start_time: Option<String>,
    #[schema(example = "now")]
    pub end_time: Option<String>,
    /// `csv`, `ndjson` or `parquet`.
    #[schema(example = "csv")]
    pub format: String,
}

/// Where the file is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportResponse {
    /// A path of this service. Whoever has it gets the file, once.
    #[schema(example = "/v2/exports/…")]
    pub link: String,
    #[schema(format = DateTime)]
    pub expires_at: String,
}

/// Makes a link to a file with the whole answer of a query: for a browser, whose downloads carry no token. It is good
/// once and for ten minutes, with the rights of who made it. Single events newest first are as many as there are, as
/// NDJSON, and as CSV of up to 500 fields; other files hold what one answer may have, and are refused beyond that.
#[utoipa::path(post, path = "/exports", tag = "query", request_body = ExportRequest,
    responses(
        (status = 200, body = ExportResponse),
        (status = 400, body = ErrorBody, description = "The text cannot be understood; `detail` says where."),
        (status = 404, body = ErrorBody, description = "There is no such dataset in the organisation."),
    ))]
pub async fn offer(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<ExportRequest>,
) -> Result<Json<ExportResponse>, ApiError> {
    let format = FileFormat::ALL.into_iter().find(|format| format.name() == request.format);
    let format = format.ok_or_else(|| Violation::one_of("format", &FileFormat::ALL.map(FileFormat::name)))?;
    let is_set = |time: &String| !time.is_empty();
    let input = ExportInput {
        apl: request.apl,
        start_time: request.start_time.filter(is_set),
        end_time: request.end_time.filter(is_set),
    };
    let link = exports::offer(&app, &caller, input, format).await?;
    Ok(Json(ExportResponse {
        link: format!("/v2/exports/{}", link.secret.reveal()),
        expires_at: link.expires_at.to_string(),
    }))
}
