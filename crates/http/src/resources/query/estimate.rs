//! `/query/estimate`: what a query would read and cost, before it runs.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde::Serialize;
use tidegauge_app::App;
use tidegauge_app::service::query::apl::estimate::{self, Estimate};
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json};
use utoipa::ToSchema;

use super::apl::body::AplRequest;
use super::read_body;

/// What a query would read at most, and about what it would cost.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EstimateResponse {
    /// Blocks that could have a row that is asked for, and all of the range.
    pub blocks: u64,
    pub blocks_total: u64,
    /// Bytes on the disk of the columns that are read of these blocks, and of all segments of the range.
    pub bytes: u64,
    pub bytes_total: u64,
    /// Rows of these blocks.
    pub rows: u64,
    pub cost: CostRange,
}

/// A cost in GB·ms: if all that is read is in memory already, and if nothing is.
#[derive(Debug, Serialize, ToSchema)]
pub struct CostRange {
    pub low: u64,
    pub high: u64,
}

impl From<Estimate> for EstimateResponse {
    fn from(estimate: Estimate) -> Self {
        let Estimate { blocks, blocks_total, bytes, bytes_total, rows, cost: (low, high) } = estimate;
        Self { blocks, blocks_total, bytes, bytes_total, rows, cost: CostRange { low, high } }
    }
}

/// Tells what a query in text would read and cost. No column is read for it and it costs nothing; rights are those of
/// the query. A query that needs only the newest events ends before it has read as much.
#[utoipa::path(post, path = "/query/estimate", tag = "query", request_body = AplRequest,
    responses(
        (status = 200, body = EstimateResponse),
        (status = 400, body = ErrorBody, description = "The text cannot be understood; `detail` says where."),
        (status = 404, body = ErrorBody, description = "There is no such dataset in the organisation."),
    ))]
pub async fn estimate(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<EstimateResponse>, ApiError> {
    let (request, _) = read_body::<AplRequest>(&app, &headers, body).await?;
    let found = Box::pin(estimate::estimate(&app, &caller, request.into_input()?)).await?;
    Ok(Json(found.into()))
}
