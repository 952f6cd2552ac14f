//! `/dashboards`: documents of charts that people look at, under a uid of the caller's choice. The document goes in and out
//! as text. Changing one chart is in `charts`, earlier versions are in `versions`.

pub mod charts;
pub mod schemas;
pub mod versions;

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tidegauge_app::App;
use tidegauge_app::service::dashboards::{self, Basis, DashboardInput, Written};
use tidegauge_catalog::dashboards::Dashboard;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId, Query};
use utoipa::{IntoParams, ToSchema};

use self::schemas::{DashboardDocument, DashboardErrorBody, DashboardStatus};
use super::documents::raw;
use super::paging;

/// A dashboard to be kept.
#[derive(Debug, Deserialize, ToSchema)]
pub struct DashboardRequest {
    #[schema(value_type = DashboardDocument)]
    pub dashboard: Box<RawValue>,
    /// Chosen by the service unless given, here or in the document.
    #[schema(max_length = 128, pattern = "^[A-Za-z0-9_-]*$")]
    pub uid: Option<String>,
    /// The version that the caller has read, which a change needs unless it overwrites.
    pub version: Option<i64>,
    /// Whether to replace whatever is there.
    pub overwrite: Option<bool>,
    /// What the change is about.
    #[schema(max_length = 1000)]
    pub message: Option<String>,
}

/// A dashboard.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DashboardResponse {
    #[schema(example = "dash_01890a5dac96774bbcceb302099a8057")]
    pub id: String,
    #[schema(example = "checkout")]
    pub uid: String,
    /// Grows with each change, from 1.
    pub version: i64,
    /// The document as it came in.
    #[schema(value_type = DashboardDocument)]
    pub dashboard: Box<RawValue>,
    #[schema(format = DateTime)]
    pub created_at: String,
    pub created_by: String,
    #[schema(format = DateTime)]
    pub updated_at: String,
    pub updated_by: String,
}

/// A dashboard that was written.
#[derive(Debug, Serialize, ToSchema)]
pub struct DashboardWriteResponse {
    #[schema(value_type = DashboardStatus)]
    pub status: &'static str,
    pub dashboard: DashboardResponse,
    /// Whether it stands in the place of whatever was there.
    pub overwritten: bool,
}

/// Which dashboards to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DashboardParameters {
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    #[param(minimum = 0)]
    offset: Option<i64>,
}

impl DashboardResponse {
    fn of(dashboard: Dashboard) -> Result<Self, ApiError> {
        Ok(Self {
            id: dashboard.id.into_string(),
            uid: dashboard.uid.into_string(),
            version: dashboard.version,
            dashboard: raw(dashboard.document)?,
            created_at: dashboard.created.to_string(),
            created_by: dashboard.created_by.into_string(),
            updated_at: dashboard.modified.to_string(),
            updated_by: dashboard.modified_by.into_string(),
        })
    }
}

impl From<DashboardRequest> for DashboardInput {
    fn from(request: DashboardRequest) -> Self {
        let DashboardRequest { dashboard, uid, version, overwrite, message } = request;
        Self { document: dashboard, uid, basis: basis(version, overwrite), message }
    }
}

fn basis(version: Option<i64>, overwrite: Option<bool>) -> Basis {
    Basis { version, overwrite: overwrite.unwrap_or(false) }
}

/// The answer to every write: 201 for what is new.
fn written(written: Written) -> Result<(StatusCode, Json<DashboardWriteResponse>), ApiError> {
    let (code, status) =
        if written.is_new { (StatusCode::CREATED, "created") } else { (StatusCode::OK, "updated") };
    let dashboard = DashboardResponse::of(written.dashboard)?;
    Ok((code, Json(DashboardWriteResponse { status, dashboard, overwritten: written.overwritten })))
}

/// Lists the dashboards that the caller sees, in the order of their creation.
#[utoipa::path(get, path = "/dashboards", tag = "dashboards", params(DashboardParameters), responses(
    (status = 200, body = [DashboardResponse]),
    (status = 413, body = ErrorBody, description = "The page would be too large: ask for fewer at once."),
))]
pub async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(parameters): Query<DashboardParameters>,
) -> Result<Json<Vec<DashboardResponse>>, ApiError> {
    let (limit, offset) = (paging::limit(parameters.limit)?, paging::offset(parameters.offset)?);
    let found = dashboards::list(&app, &caller, limit, offset).await?;
    Ok(Json(found.into_iter().map(DashboardResponse::of).collect::<Result<_, _>>()?))
}

/// Reads one dashboard.
#[utoipa::path(get, path = "/dashboards/uid/{uid}", tag = "dashboards", params(("uid" = String, Path)),
    responses((status = 200, body = DashboardResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(uid): PathId,
) -> Result<Json<DashboardResponse>, ApiError> {
    Ok(Json(DashboardResponse::of(dashboards::get(&app, &caller, &uid).await?)?))
}

/// Creates a dashboard. One that has the uid is replaced if its version is named or `overwrite` is sent, which also needs
/// `dashboards|update`.
#[utoipa::path(post, path = "/dashboards", tag = "dashboards", request_body = DashboardRequest, responses(
    (status = 201, body = DashboardWriteResponse, description = "Created."),
    (status = 200, body = DashboardWriteResponse, description = "One that had the uid was replaced."),
    (status = 400, body = DashboardErrorBody, description = "The document cannot be kept; the message says why."),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
    (status = 409, body = DashboardErrorBody, description = "Another dashboard has the uid."),
    (status = 412, body = DashboardErrorBody, description = "It has another version than the caller has read."),
))]
pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<DashboardRequest>,
) -> Result<(StatusCode, Json<DashboardWriteResponse>), ApiError> {
    written(dashboards::create(&app, &caller, request.into()).await?)
}

/// Replaces a dashboard of which the caller names the version, or whatever is there with `overwrite`. An unknown uid is not
/// created.
#[utoipa::path(put, path = "/dashboards/uid/{uid}", tag = "dashboards", params(("uid" = String, Path)),
    request_body = DashboardRequest, responses(
    (status = 200, body = DashboardWriteResponse),
    (status = 400, body = DashboardErrorBody, description = "The document cannot be kept; the message says why."),
    (status = 412, body = DashboardErrorBody, description = "It has another version than the caller has read."),
))]
pub async fn replace(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(uid): PathId,
    Json(request): Json<DashboardRequest>,
) -> Result<(StatusCode, Json<DashboardWriteResponse>), ApiError> {
    written(dashboards::replace(&app, &caller, &uid, request.into()).await?)
}

/// Deletes a dashboard with all of its versions.
#[utoipa::path(delete, path = "/dashboards/uid/{uid}", tag = "dashboards", params(("uid" = String, Path)),
    responses((status = 204, description = "Deleted.")))]
pub async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(uid): PathId,
) -> Result<StatusCode, ApiError> {
    dashboards::delete(&app, &caller, &uid).await?;
    Ok(StatusCode::NO_CONTENT)
}
