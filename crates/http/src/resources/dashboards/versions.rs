//! `/dashboards/uid/{uid}/versions`: how a dashboard was before, and bringing it back.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tidegauge_app::App;
use tidegauge_app::service::dashboards::versions::{self, RestoreInput};
use tidegauge_catalog::dashboards::versions::DashboardVersion;
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, Json, PathId, PathIds, Query};
use utoipa::ToSchema;

use super::schemas::{DashboardDocument, DashboardErrorBody};
use super::{DashboardParameters, DashboardWriteResponse, basis, written};
use crate::resources::documents::raw;
use crate::resources::paging;

/// One version of a dashboard.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DashboardVersionResponse {
    pub version: i64,
    /// What who wrote it said of it; may be empty.
    pub message: String,
    #[schema(format = DateTime)]
    pub created_at: String,
    pub created_by: String,
}

/// One version of a dashboard with its document.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DashboardVersionDocumentResponse {
    pub uid: String,
    pub version: i64,
    pub message: String,
    /// The document as it came in.
    #[schema(value_type = DashboardDocument)]
    pub dashboard: Box<RawValue>,
    #[schema(format = DateTime)]
    pub created_at: String,
    pub created_by: String,
}

/// How a version is to come back.
#[derive(Debug, Deserialize, ToSchema)]
pub struct DashboardRestoreRequest {
    /// The present version, as the caller has read it, unless the change overwrites.
    pub version: Option<i64>,
    /// Whether to replace whatever is there.
    pub overwrite: Option<bool>,
    /// What the change is about.
    #[schema(max_length = 1000)]
    pub message: Option<String>,
}

impl From<DashboardVersion> for DashboardVersionResponse {
    fn from(version: DashboardVersion) -> Self {
        Self {
            version: version.version,
            message: version.message,
            created_at: version.created.to_string(),
            created_by: version.created_by.into_string(),
        }
    }
}

/// Lists the versions of a dashboard that are kept, the newest first.
#[utoipa::path(get, path = "/dashboards/uid/{uid}/versions", tag = "dashboards",
    params(("uid" = String, Path), DashboardParameters),
    responses((status = 200, body = [DashboardVersionResponse])))]
pub async fn list_versions(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(uid): PathId,
    Query(parameters): Query<DashboardParameters>,
) -> Result<Json<Vec<DashboardVersionResponse>>, ApiError> {
    let (limit, offset) = (paging::limit(parameters.limit)?, paging::offset(parameters.offset)?);
    let found = versions::list(&app, &caller, &uid, limit, offset).await?;
    Ok(Json(found.into_iter().map(Into::into).collect()))
}

/// Reads one version of a dashboard.
#[utoipa::path(get, path = "/dashboards/uid/{uid}/versions/{version}", tag = "dashboards",
    params(("uid" = String, Path), ("version" = i64, Path)),
    responses((status = 200, body = DashboardVersionDocumentResponse)))]
pub async fn get_version(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathIds(uid, version): PathIds,
) -> Result<Json<DashboardVersionDocumentResponse>, ApiError> {
    let (dashboard, version, document) = versions::find(&app, &caller, &uid, &version).await?;
    Ok(Json(DashboardVersionDocumentResponse {
        uid: dashboard.uid.into_string(),
        version: version.version,
        message: version.message,
        dashboard: raw(document)?,
        created_at: version.created.to_string(),
        created_by: version.created_by.into_string(),
    }))
}

/// Brings an earlier version of a dashboard back, as its next one.
#[utoipa::path(post, path = "/dashboards/uid/{uid}/versions/{version}/restore", tag = "dashboards",
    params(("uid" = String, Path), ("version" = i64, Path)), request_body = DashboardRestoreRequest, responses(
    (status = 200, body = DashboardWriteResponse),
    (status = 400, body = DashboardErrorBody, description = "The document cannot be kept any more."),
    (status = 412, body = DashboardErrorBody, description = "It has another version than the caller has read."),
))]
pub async fn restore_version(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathIds(uid, version): PathIds,
    Json(request): Json<DashboardRestoreRequest>,
) -> Result<(StatusCode, Json<DashboardWriteResponse>), ApiError> {
    let DashboardRestoreRequest { version: present, overwrite, message } = request;
    let input = RestoreInput { basis: basis(present, overwrite), message };
    written(versions::restore(&app, &caller, &uid, &version, input).await?)
}
