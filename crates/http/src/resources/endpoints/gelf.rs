//! GELF over HTTP: one message in a request. Senders name an encoding that the body does not have, so its bytes tell.

use axum::body::Body;
use axum::http::header;
use axum::response::Response;
use tidegauge_app::service::ingest::Patience;
use tidegauge_ingest::Events;
use tidegauge_protocols::gelf;
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::PathId;

use super::{Call, Incoming, SenderHeaders, SenderParameters};
use crate::senders::face::Face;

/// Stores a message. A header, the query or a token for one dataset names the dataset.
#[utoipa::path(post, path = "/gelf", tag = "senders", operation_id = "gelf",
    params(SenderParameters, SenderHeaders), request_body(content((Object = "application/json"))),
    responses((status = 202, description = "Stored.")))]
pub async fn at_root(call: Call, body: Body) -> Result<Response, ApiError> {
    take(None, call, body).await
}

/// The same below its dataset.
#[utoipa::path(post, path = "/ingest/{name}/gelf", tag = "senders", operation_id = "gelf_dataset",
    params(("name" = String, Path), SenderParameters, SenderHeaders),
    request_body(content((Object = "application/json"))),
    responses((status = 202, description = "Stored.")))]
pub async fn into_dataset(PathId(name): PathId, call: Call, body: Body) -> Result<Response, ApiError> {
    take(Some(name), call, body).await
}

async fn take(named: Option<String>, call: Call, body: Body) -> Result<Response, ApiError> {
    let Call { app, caller, parameters, mut headers } = call;
    headers.remove(header::CONTENT_ENCODING);
    // A request is one event, whose limit is that of every event.
    let bytes_max = app.ingest.limits.max_event_bytes as u64;
    let mut incoming = Incoming::new((app, caller), named, parameters, &headers, body)?;
    incoming.bytes_max = bytes_max;
    // Its senders do not come back with what is refused.
    incoming.patience = Patience::Patient;
    let read = move |body: &[u8], events: &mut Events<'_>| gelf::read(body, None, bytes_max, events);
    incoming.store(&Face::Gelf, read, |_| None, |_| gelf::accepted()).await
}
