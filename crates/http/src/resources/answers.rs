//! `/answers`: answers that are kept as they were seen. Reading one is in `answers/read.rs`.

pub mod read;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde::Serialize;
use tidegauge_app::App;
use tidegauge_app::service::answers::{self, AnswerInput};
use tidegauge_app::service::query::apl;
use tidegauge_formats::time_text;
use tidegauge_lang::tree::TimeRange;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json};
use utoipa::ToSchema;

use super::query::apl::body::AplRequest;
use super::query::parameters::Format;
use super::query::{read_body, write};

/// Where an answer is kept.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeptResponse {
    #[schema(example = "h7TqVx20KcWm94ZpLd")]
    pub id: String,
}

/// Runs a query in text and keeps its answer as it is now, with the query and its range as absolute times. An
/// organisation has its newest 200 answers of the last 90 days, each of at most 1 MiB once it is compressed. Those that
/// may show events that are deleted or expire go with them.
#[utoipa::path(post, path = "/answers", tag = "query", request_body = AplRequest,
    responses(
        (status = 200, body = KeptResponse),
        (status = 400, body = ErrorBody, description = "The text cannot be understood; `detail` says where."),
        (status = 404, body = ErrorBody, description = "There is no such dataset in the organisation."),
        (status = 409, body = ErrorBody, description = "Events that the query read were deleted while it ran."),
        (status = 430, body = ErrorBody, description = "The organisation has used what its licence allows this month."),
        (status = 432, body = ErrorBody, description = "The query needs more memory than it may have."),
    ))]
pub async fn keep(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<KeptResponse>, ApiError> {
    caller.org_to_create_in()?;
    let (request, _) = read_body::<AplRequest>(&app, &headers, body).await?;
    let input = request.into_input()?;
    let (apl, since) = (input.text.clone(), answers::begin(&app));
    let queried = Box::pin(apl::query(&app, &caller, input)).await?;
    let range = queried.text.as_ref().map_or(TimeRange::ALL, |text| text.range);
    let reads = queried.datasets.iter().map(|dataset| dataset.name.clone()).collect();
    let (answer, held) = write(&app, Format::Tabular, true, queried).await?.whole();
    let (start_time, end_time) = (time_text(range.start), time_text(range.end));
    let input = AnswerInput { apl, start_time, end_time, reads, since, answer };
    let kept = answers::keep(&app, &caller, input).await;
    drop(held);
    Ok(Json(KeptResponse { id: kept? }))
}
