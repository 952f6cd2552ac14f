//! `/dashboards/uid/{uid}/charts/{chartId}`: one chart of a dashboard, changed by a JSON merge patch.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::value::RawValue;
use tidegauge_app::App;
use tidegauge_app::service::dashboards::{self, ChartInput};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, Json, PathIds};
use utoipa::ToSchema;

use super::schemas::DashboardErrorBody;
use super::{DashboardWriteResponse, basis, written};

/// A change of one chart.
#[derive(Debug, Deserialize, ToSchema)]
pub struct DashboardChartRequest {
    /// A JSON merge patch: what is null goes, what is not named stays as it is. An id must be that of the path.
    #[schema(value_type = Object)]
    pub chart: Box<RawValue>,
    /// The version of the dashboard that the caller has read, unless the change overwrites.
    pub version: Option<i64>,
    /// Whether to change the chart whatever the version is.
    pub overwrite: Option<bool>,
    /// What the change is about.
    #[schema(max_length = 1000)]
    pub message: Option<String>,
}

/// Changes one chart of a dashboard; all else in the document keeps its text.
#[utoipa::path(patch, path = "/dashboards/uid/{uid}/charts/{chartId}", tag = "dashboards",
    params(("uid" = String, Path), ("chartId" = String, Path)), request_body = DashboardChartRequest, responses(
    (status = 200, body = DashboardWriteResponse),
    (status = 400, body = DashboardErrorBody, description = "The chart cannot be kept so; the message says why."),
    (status = 412, body = DashboardErrorBody, description = "It has another version than the caller has read."),
))]
pub async fn patch_chart(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathIds(uid, chart): PathIds,
    Json(request): Json<DashboardChartRequest>,
) -> Result<(StatusCode, Json<DashboardWriteResponse>), ApiError> {
    let DashboardChartRequest { chart: patch, version, overwrite, message } = request;
    let input = ChartInput { patch, basis: basis(version, overwrite), message };
    written(dashboards::patch_chart(&app, &caller, &uid, &chart, input).await?)
}
