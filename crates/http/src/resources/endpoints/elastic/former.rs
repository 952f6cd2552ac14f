//! Bulk requests below the path that datasets have in the rest of the interface, which older configurations of clients
//! name. What is done with them is the same.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use tidegauge_app::App;

use super::{Meant, take};
use crate::guard::InFlight;
use crate::resources::endpoints::{SenderHeaders, SenderParameters};

/// Stores the sources of a bulk request, under the older path.
#[utoipa::path(post, path = "/datasets/{name}/elastic/_bulk", tag = "senders",
    operation_id = "elastic_bulk_former",
    params(("name" = String, Path), SenderParameters, SenderHeaders),
    request_body(content((String = "application/x-ndjson"), (String = "application/json"))),
    responses((status = 200, body = Object, description = "The state of each item, in their order.")))]
pub async fn bulk(
    state: State<Arc<App>>,
    caller: Caller,
    in_flight: Extension<Arc<InFlight>>,
    PathId(name): PathId,
    parameters: Query<SenderParameters>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    take(state, caller, in_flight, Meant::Fixed(name), parameters, headers, body).await
}

/// The same by PUT.
#[utoipa::path(put, path = "/datasets/{name}/elastic/_bulk", tag = "senders",
    operation_id = "elastic_bulk_former_put",
    params(("name" = String, Path), SenderParameters, SenderHeaders),
    request_body(content((String = "application/x-ndjson"), (String = "application/json"))),
    responses((status = 200, body = Object, description = "The state of each item, in their order.")))]
pub async fn bulk_put(
    state: State<Arc<App>>,
    caller: Caller,
    in_flight: Extension<Arc<InFlight>>,
    PathId(name): PathId,
    parameters: Query<SenderParameters>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    take(state, caller, in_flight, Meant::Fixed(name), parameters, headers, body).await
}

/// The same for clients that put an index into the path, which is not looked at.
#[utoipa::path(post, path = "/datasets/{name}/elastic/{index}/_bulk", tag = "senders",
    operation_id = "elastic_bulk_former_below",
    params(("name" = String, Path), ("index" = String, Path), SenderParameters, SenderHeaders),
    request_body(content((String = "application/x-ndjson"), (String = "application/json"))),
    responses((status = 200, body = Object, description = "The state of each item, in their order.")))]
pub async fn bulk_below(
    state: State<Arc<App>>,
    caller: Caller,
    in_flight: Extension<Arc<InFlight>>,
    names: PathIds,
    parameters: Query<SenderParameters>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    take(state, caller, in_flight, Meant::Fixed(names.0), parameters, headers, body).await
}

/// The same by PUT.
#[utoipa::path(put, path = "/datasets/{name}/elastic/{index}/_bulk", tag = "senders",
    operation_id = "elastic_bulk_former_below_put",
    params(("name" = String, Path), ("index" = String, Path), SenderParameters, SenderHeaders),
    request_body(content((String = "application/x-ndjson"), (String = "application/json"))),
    responses((status = 200, body = Object, description = "The state of each item, in their order.")))]
pub async fn bulk_below_put(
    state: State<Arc<App>>,
    caller: Caller,
    in_flight: Extension<Arc<InFlight>>,
    names: PathIds,
    parameters: Query<SenderParameters>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    take(state, caller, in_flight, Meant::Fixed(names.0), parameters, headers, body).await
}
