//! Logs in the form of Datadog, at its three addresses, one of which has the key in it. Agents send a body without
//! events to ask whether they may send.

use axum::body::Body;
use axum::response::Response;
use tidegauge_protocols::datadog;
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::Caller;

use super::{Call, Incoming, SenderHeaders, SenderParameters};
use crate::senders::face::Face;
use crate::senders::respond;

/// Stores logs. The token may be sent as `DD-API-KEY`.
#[utoipa::path(post, path = "/api/v2/logs", tag = "senders", operation_id = "datadog_logs",
    params(SenderParameters, SenderHeaders),
    request_body(content((Vec<Object> = "application/json")), description = "Logs in an array, or one of them."),
    responses((status = 202, body = Object, description = "Stored, as far as they did not fail.")))]
pub async fn logs(call: Call, body: Body) -> Result<Response, ApiError> {
    take(call, body).await
}

/// The same at its older address.
#[utoipa::path(post, path = "/input", tag = "senders", operation_id = "datadog_input",
    params(SenderParameters, SenderHeaders), request_body(content((Vec<Object> = "application/json"))),
    responses((status = 202, body = Object, description = "Stored, as far as they did not fail.")))]
pub async fn input(call: Call, body: Body) -> Result<Response, ApiError> {
    take(call, body).await
}

/// The same with the token in the path, which is not logged.
#[utoipa::path(post, path = "/input/{key}", tag = "senders", operation_id = "datadog_input_with_key",
    params(("key" = String, Path, description = "The token."), SenderParameters, SenderHeaders),
    request_body(content((Vec<Object> = "application/json"))),
    responses((status = 202, body = Object, description = "Stored, as far as they did not fail.")))]
pub async fn input_with_key(call: Call, body: Body) -> Result<Response, ApiError> {
    take(call, body).await
}

/// Whether the token may send events.
#[utoipa::path(get, path = "/api/v1/validate", tag = "senders", operation_id = "datadog_validate",
    responses((status = 200, body = Object, description = "It may.")))]
pub async fn validate(_: Caller) -> Response {
    respond(datadog::validated())
}

async fn take(call: Call, body: Body) -> Result<Response, ApiError> {
    let Call { app, caller, parameters, headers } = call;
    let incoming = Incoming::new((app, caller), None, parameters, &headers, body)?;
    incoming.store(&Face::Datadog, datadog::read, |_| None, |_| datadog::accepted()).await
}
