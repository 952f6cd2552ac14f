//! `/orgs/{id}/usage`: what an organisation uses by day and dataset, what it keeps, and what its licence leaves of the
//! month.

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::usage::{self, DaysInput, Measure, Stored, Usage};
use tidegauge_catalog::usage::DayOfDataset;
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, Json, PathId, Query};
use utoipa::{IntoParams, ToSchema};

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UsageParameters {
    /// The first day, in UTC; 29 days before the last where it is left out.
    #[param(example = "2026-11-01", format = Date)]
    from: Option<String>,
    /// The last day, which is included; today where it is left out. At most 400 days are kept.
    #[param(example = "2026-11-30", format = Date)]
    to: Option<String>,
}

/// What an organisation uses.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageResponse {
    #[schema(format = Date)]
    pub from: String,
    #[schema(format = Date)]
    pub to: String,
    /// In the order of days; a day without use is not there.
    pub days: Vec<DayResponse>,
    /// What datasets have now.
    pub datasets: Vec<StoredResponse>,
    pub month: MonthResponse,
}

/// What was used on a day in a dataset.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DayResponse {
    #[schema(format = Date)]
    pub day: String,
    /// Null for queries that read no dataset, and for all datasets together that are not among the largest.
    pub dataset: Option<String>,
    /// Bytes of the bodies that events came in.
    pub ingested_bytes: u64,
    /// In gigabytes times milliseconds.
    pub query_cost: u64,
}

/// What a dataset has now.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoredResponse {
    pub dataset: String,
    /// Bytes that its events take in segments.
    pub stored_bytes: u64,
    /// Bytes of the bodies that they came in.
    pub input_bytes: u64,
    pub events: u64,
}

/// The present month beside what the licence allows.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MonthResponse {
    #[schema(example = "2026-11")]
    pub month: String,
    /// When the next month begins.
    #[schema(format = DateTime)]
    pub resets_at: String,
    pub ingested_bytes: MeasureResponse,
    /// In gigabytes times milliseconds.
    pub query_cost: MeasureResponse,
    /// What segments take now; it does not end with the month.
    pub stored_bytes: MeasureResponse,
}

/// How much of a limit is used.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MeasureResponse {
    pub used: u64,
    pub limit: u64,
    pub remaining: u64,
}

impl From<Measure> for MeasureResponse {
    fn from(Measure { used, limit }: Measure) -> Self {
        Self { used, limit, remaining: limit.saturating_sub(used) }
    }
}

impl From<DayOfDataset> for DayResponse {
    fn from(day: DayOfDataset) -> Self {
        Self {
            day: day.day,
            dataset: Some(day.dataset).filter(|name| !name.is_empty()),
            ingested_bytes: day.ingested_bytes,
            query_cost: day.query_cost,
        }
    }
}

impl From<Stored> for StoredResponse {
    fn from(Stored { dataset, stored_bytes, input_bytes, events }: Stored) -> Self {
        Self { dataset, stored_bytes, input_bytes, events }
    }
}

impl From<Usage> for UsageResponse {
    fn from(usage: Usage) -> Self {
        Self {
            from: usage.from,
            to: usage.to,
            days: usage.days.into_iter().map(DayResponse::from).collect(),
            datasets: usage.datasets.into_iter().map(StoredResponse::from).collect(),
            month: MonthResponse {
                month: usage.month,
                resets_at: usage.resets_at.to_string(),
                ingested_bytes: usage.ingested_bytes.into(),
                query_cost: usage.query_cost.into(),
                stored_bytes: usage.stored_bytes.into(),
            },
        }
    }
}

/// Tells what an organisation uses by day and dataset, what it keeps now, and what its licence leaves of the month.
#[utoipa::path(get, path = "/orgs/{id}/usage", tag = "organisations", operation_id = "org_usage",
    params(("id" = String, Path), UsageParameters), responses((status = 200, body = UsageResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Query(parameters): Query<UsageParameters>,
) -> Result<Json<UsageResponse>, ApiError> {
    let days = DaysInput { from: parameters.from, to: parameters.to };
    Ok(Json(usage::get(&app, &caller, &id, &days).await?.into()))
}
