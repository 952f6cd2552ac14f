//! `/mcp`: the Model Context Protocol over streamable HTTP, so that language models can ask about events. Each request
//! stands for itself: there are no sessions and no streams, and every answer is one JSON object. Both kinds of clients
//! are served, those that say with each request what they speak (2026-07-28) and those that begin with `initialize`.
//! Written by hand: what is used of the protocol is a handful of messages, and the tools are the use cases of this
//! service. Reading messages is in `message`, which revisions there are in `revision`, what they ask of headers in `era`,
//! the tools are in `tools`, what they have in common in `tool`.

mod era;
mod message;
mod methods;
mod revision;
mod tool;
mod tools;

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tidegauge_app::App;
use tidegauge_model::ErrorKind;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::Caller;

use self::message::{Fault, Incoming, McpMessage};
use self::methods::Asked;
use super::query::read_body;
use crate::guard::InFlight;

/// The path as the router knows it.
pub const ROUTE: &str = "/mcp";

/// Answers one message of the Model Context Protocol (JSON-RPC 2.0, revisions 2026-07-28 to 2024-11-05): `server/discover`,
/// `initialize`, `ping`, `tools/list` and `tools/call`. What a tool may do, and whether it is listed, is decided by the
/// capabilities of the caller. Notifications are answered with 202. A page in a browser may only call from this service's
/// own origin.
#[utoipa::path(post, path = "/mcp", tag = "mcp", operation_id = "call", request_body = McpMessage, responses(
    (status = 200, body = Object, content_type = "application/json", description = "The result, or an error of the call."),
    (status = 202, description = "A notification was taken."),
    (status = 400, body = Object, content_type = "application/json", description = "The message cannot be read, or speaks another revision."),
    (status = 404, body = Object, content_type = "application/json", description = "There is no such method."),
    (status = 413, body = ErrorBody, description = "The message is too large."),
))]
pub async fn call(
    State(app): State<Arc<App>>,
    caller: Caller,
    Extension(in_flight): Extension<Arc<InFlight>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    check_origin(&app, &headers)?;
    let message = match read_body::<McpMessage>(&app, &headers, body).await {
        Ok((message, _)) => message,
        Err(error) => return unreadable(error),
    };
    let incoming = match message.read() {
        Ok(incoming) => incoming,
        Err((id, fault)) => return Ok(fault.refused(id.as_ref())),
    };
    let era = match era::of(&incoming, &headers) {
        Ok(era) => era,
        Err(fault) => return Ok(fault.refused(incoming.id.as_ref())),
    };
    let Incoming { id: Some(id), method, params } = incoming else {
        // None is known that would change anything, as nothing is kept between requests.
        return Ok(StatusCode::ACCEPTED.into_response());
    };
    let asked = Asked { app: &app, caller: &caller, in_flight: &in_flight, era };
    Ok(match asked.answer(&method, params).await {
        Ok(result) => message::answered(&id, &result),
        Err(fault) => fault.answered(&id, era),
    })
}

/// A page of another site could call by a name that it lets point here; only this service's own pages may.
fn check_origin(app: &App, headers: &HeaderMap) -> Result<(), ApiError> {
    match headers.get(header::ORIGIN) {
        Some(origin) if origin.as_bytes() != app.public_url.as_str().as_bytes() => {
            let message = "a page of another origin may not call this";
            Err(ApiError::new(ErrorKind::Forbidden, message)
                .hint(format!("send no Origin header, or the one of this service: {}", app.public_url)))
        }
        _ => Ok(()),
    }
}

/// Reads a message and says nothing to it, for the fuzz targets: each that is not understood is refused by a status.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn try_message(headers: &HeaderMap, body: &[u8]) {
    let refused = match tidegauge_web::json::read::<McpMessage>(body) {
        Err(error) => unreadable(error).map_or_else(|error| error.status, |answer| answer.status()),
        Ok(message) => match message.read() {
            Err((id, fault)) => fault.refused(id.as_ref()).status(),
            Ok(incoming) => match era::of(&incoming, headers) {
                Err(fault) => fault.refused(incoming.id.as_ref()).status(),
                Ok(_) => return,
            },
        },
    };
    assert!(refused.is_client_error(), "{refused}");
}

/// A body that is no message is told in the words of JSON-RPC; one that is too large, or no JSON by its media type, is a
/// matter of HTTP.
fn unreadable(error: ApiError) -> Result<Response, ApiError> {
    match error.status {
        StatusCode::BAD_REQUEST => {
            let detail = error.body.cause();
            Ok(Fault::not_json(format!("{}: {detail}", error.body.message)).refused(None))
        }
        StatusCode::UNPROCESSABLE_ENTITY => Ok(Fault::invalid_request(error.body.message).refused(None)),
        _ => Err(error),
    }
}
