//! What a dashboard's document looks like, for the API document alone: documents are kept as text, and their rules are
//! checked by the use case. Keys that are not named here may be there too.

use serde::Serialize;
use tidegauge_web::error::{DashboardErrorDetail, ErrorBody};
use utoipa::ToSchema;

use crate::resources::schemas::ChartTypeName;

/// A dashboard as its maker wrote it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DashboardDocument {
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// The id of the one person who sees it; empty or `X-AXIOM-EVERYONE` for the whole organisation.
    #[schema(max_length = 256)]
    pub owner: Option<String>,
    #[schema(max_length = 1000)]
    pub description: Option<String>,
    #[schema(max_items = 200)]
    pub charts: Vec<DashboardChart>,
    #[schema(max_items = 200)]
    pub layout: Vec<DashboardLayoutItem>,
    /// How often it asks anew, in seconds: 15, 60, 300 or 900.
    #[schema(minimum = 15, maximum = 900, example = 60)]
    pub refresh_time: i64,
    /// The form of the document.
    #[schema(minimum = 2, maximum = 2, example = 2)]
    pub schema_version: i64,
    /// A quick range, or milliseconds since 1970.
    #[schema(min_length = 1, max_length = 100, pattern = "^(qr-.*|[0-9]*)$", example = "qr-now-1h")]
    pub time_window_start: String,
    /// Like `timeWindowStart`.
    #[schema(min_length = 1, max_length = 100, pattern = "^(qr-.*|[0-9]*)$", example = "qr-now")]
    pub time_window_end: String,
    /// How far back the period lies that it is compared with, such as `-1d`.
    #[schema(max_length = 100)]
    pub against: Option<String>,
    /// The time that it is compared with.
    #[schema(max_length = 100)]
    pub against_timestamp: Option<String>,
    #[schema(max_length = 128, pattern = "^[A-Za-z0-9_-]*$")]
    pub uid: Option<String>,
}

/// A chart of a dashboard.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DashboardChart {
    /// No other chart of the dashboard has it.
    #[schema(min_length = 1, max_length = 200)]
    pub id: String,
    #[schema(value_type = ChartTypeName)]
    #[serde(rename = "type")]
    pub kind: String,
    #[schema(max_length = 500)]
    pub name: Option<String>,
    /// The query in text at `apl`, and how it is shown at `queryOptions`.
    #[schema(value_type = Option<Object>)]
    pub query: Option<String>,
    /// Of a note.
    #[schema(max_length = 100_000)]
    pub text: Option<String>,
}

/// Where a chart stands in the grid of twelve columns.
#[derive(Debug, Serialize, ToSchema)]
pub struct DashboardLayoutItem {
    /// The id of the chart.
    #[schema(min_length = 1, max_length = 200)]
    pub i: String,
    #[schema(minimum = 0, maximum = 11)]
    pub x: i64,
    /// Null where there is room.
    #[schema(minimum = 0)]
    pub y: Option<i64>,
    #[schema(minimum = 1, maximum = 12)]
    pub w: i64,
    #[schema(minimum = 1, maximum = 100)]
    pub h: i64,
}

/// What a write has done.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DashboardStatus {
    Created,
    Updated,
}

/// The body of an error about a dashboard: that of every error, and why it was not written.
#[derive(Debug, Serialize, ToSchema)]
pub struct DashboardErrorBody {
    #[serde(flatten)]
    pub error: ErrorBody,
    #[serde(flatten)]
    pub detail: DashboardErrorDetail,
}
