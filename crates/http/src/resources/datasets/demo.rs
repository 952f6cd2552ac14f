//! `/datasets/_demo`: events to look around with, for who has none yet.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tidegauge_app::App;
use tidegauge_app::service::ingest::demo;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json};
use tidegauge_web::quota_headers;
use utoipa::ToSchema;

/// What was made.
#[derive(Debug, Serialize, ToSchema)]
pub struct DemoResponse {
    #[schema(example = "demo")]
    pub dataset: String,
    /// Events stored.
    #[schema(example = 50000)]
    pub ingested: u64,
}

/// Makes the dataset `demo` with events of a small shop over the last six hours. They are on disk when the answer comes,
/// and count as all others do. The caller also needs `ingest|create` on that dataset. Who may make annotations and
/// dashboards also gets two marks at the release and the dashboards `demo-services`, `demo-visitors` and `demo-log`.
#[utoipa::path(post, path = "/datasets/_demo", tag = "datasets", responses(
    (status = 200, body = DemoResponse),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
    (status = 409, body = ErrorBody, description = "The dataset `demo` has events already."),
    (status = 430, body = ErrorBody, description = "The bytes of this month, or the storage, are used up."),
    (status = 507, body = ErrorBody, description = "The disk is full; nothing was stored."),
))]
pub async fn load(State(app): State<Arc<App>>, caller: Caller) -> Result<Response, ApiError> {
    let to_app = Arc::clone(&app);
    let work = Box::pin(async move { demo::load(&to_app, &caller).await });
    let answer = app.background.run(work).await?;
    let loaded = DemoResponse { dataset: demo::DATASET.to_owned(), ingested: answer.ingested.ingested };
    let mut response = Json(loaded).into_response();
    quota_headers::set(response.headers_mut(), &answer.quota_remaining);
    Ok(response)
}
