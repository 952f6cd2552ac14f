//! `/endpoints`: addresses that people make for some senders alone, with what came in by each.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tidegauge_app::App;
use tidegauge_app::service::endpoints::{self, EndpointInput};
use tidegauge_catalog::endpoints::Endpoint;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId};
use utoipa::ToSchema;

use crate::resources::documents::raw;

/// What a caller sets of an endpoint.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndpointRequest {
    #[schema(min_length = 1, max_length = 256, example = "Edge routers")]
    pub name: String,
    /// What its senders speak: `ingest`, `otlp`, `elastic`, `loki`, `hec`, `datadog`, `honeycomb`, `firehose`, `journald`,
    /// `cloudevents`, `gelf`, `remoteWrite`, `logplex`, `syslog` or `fluent`.
    #[schema(example = "loki")]
    pub kind: String,
    /// The dataset that everything goes to, whatever a sender names.
    #[schema(example = "web")]
    pub dataset: String,
    /// Added to every event. Plain values, at most 32 of them in 4,096 bytes.
    #[schema(value_type = Option<Object>)]
    pub labels: Option<Box<RawValue>>,
}

/// An endpoint, without the secret of its address.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndpointResponse {
    #[schema(example = "endpoint_01890a5dac96774bbcceb302099a8057")]
    pub id: String,
    pub name: String,
    pub kind: String,
    pub dataset: String,
    #[schema(value_type = Object)]
    pub labels: Box<RawValue>,
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Id of the user who created it.
    pub created_by: String,
    #[schema(format = DateTime)]
    pub updated_at: String,
    /// Events that were stored.
    pub events: u64,
    /// Bytes of the requests that they came in.
    pub bytes: u64,
    /// Requests that were refused, and single events that failed.
    pub failures: u64,
    /// When events were last stored; null if never.
    #[schema(format = DateTime)]
    pub last_event_at: Option<String>,
    /// Why something was last not stored; null if nothing was refused. The reason is for who may query the dataset.
    #[schema(inline)]
    pub last_error: Option<EndpointError>,
}

/// Why something was not stored.
#[derive(Debug, Serialize, ToSchema)]
pub struct EndpointError {
    #[schema(format = DateTime)]
    pub time: String,
    pub message: String,
}

/// A new endpoint with its address, which is shown this once.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewEndpointResponse {
    #[serde(flatten)]
    pub record: EndpointResponse,
    /// Where its senders send to. Whoever has it can send.
    #[schema(example = "https://events.example.com/e/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")]
    pub url: String,
}

impl EndpointResponse {
    fn of(endpoint: Endpoint) -> Result<Self, ApiError> {
        let stats = endpoint.stats;
        Ok(Self {
            id: endpoint.id.into_string(),
            name: endpoint.name,
            kind: endpoint.kind.name().to_owned(),
            dataset: endpoint.dataset,
            labels: raw(endpoint.labels)?,
            created_at: endpoint.created.to_string(),
            created_by: endpoint.created_by.into_string(),
            updated_at: endpoint.modified.to_string(),
            events: stats.events,
            bytes: stats.bytes,
            failures: stats.failures,
            last_event_at: stats.last_event.map(|time| time.to_string()),
            last_error: stats
                .last_error
                .map(|error| EndpointError { time: error.at.to_string(), message: error.message }),
        })
    }
}

impl From<EndpointRequest> for EndpointInput {
    fn from(request: EndpointRequest) -> Self {
        let EndpointRequest { name, kind, dataset, labels } = request;
        Self { name, kind, dataset, labels }
    }
}

/// Lists the endpoints of the organisation.
#[utoipa::path(get, path = "/endpoints", tag = "endpoints", responses((status = 200, body = [EndpointResponse])))]
pub async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Vec<EndpointResponse>>, ApiError> {
    let found = endpoints::list(&app, &caller).await?;
    Ok(Json(found.into_iter().map(EndpointResponse::of).collect::<Result<_, _>>()?))
}

/// Reads one endpoint.
#[utoipa::path(get, path = "/endpoints/{id}", tag = "endpoints", params(("id" = String, Path)),
    responses((status = 200, body = EndpointResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<EndpointResponse>, ApiError> {
    Ok(Json(EndpointResponse::of(endpoints::get(&app, &caller, &id).await?)?))
}

/// Creates an endpoint. Whoever has its address may send to its dataset, so the caller must hold that right.
#[utoipa::path(post, path = "/endpoints", tag = "endpoints", request_body = EndpointRequest, responses(
    (status = 200, body = NewEndpointResponse),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
    (status = 404, body = ErrorBody, description = "There is no such dataset."),
))]
pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<EndpointRequest>,
) -> Result<Json<NewEndpointResponse>, ApiError> {
    let new = endpoints::create(&app, &caller, request.into()).await?;
    let url = new.address(&app.public_url);
    Ok(Json(NewEndpointResponse { record: EndpointResponse::of(new.endpoint)?, url }))
}

/// Replaces an endpoint; its address and its figures stay. An unknown id is not created. The caller must hold the right to
/// send to its dataset before and after.
#[utoipa::path(put, path = "/endpoints/{id}", tag = "endpoints", params(("id" = String, Path)),
    request_body = EndpointRequest, responses((status = 200, body = EndpointResponse)))]
pub async fn replace(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Json(request): Json<EndpointRequest>,
) -> Result<Json<EndpointResponse>, ApiError> {
    Ok(Json(EndpointResponse::of(endpoints::replace(&app, &caller, &id, request.into()).await?)?))
}

/// Deletes an endpoint; nothing comes in by its address from then on.
#[utoipa::path(delete, path = "/endpoints/{id}", tag = "endpoints", params(("id" = String, Path)),
    responses((status = 204, description = "Deleted.")))]
pub async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<StatusCode, ApiError> {
    endpoints::delete(&app, &caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
