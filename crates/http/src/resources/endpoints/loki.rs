//! Loki's push: streams with labels as protobuf in a snappy block or as JSON, in the new form or the old one, at either
//! address. Some senders take nothing but 204 for success.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use tidegauge_app::App;
use tidegauge_ingest::Events;
use tidegauge_protocols::{loki, snappy};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, Query};

use super::{Incoming, RawBytes, SenderHeaders, SenderParameters, TENANT, without_snappy};
use crate::resources::event_body::text;
use crate::senders::face::Face;

/// Stores the entries of streams. Labels and metadata become fields, the line is `message`.
#[utoipa::path(post, path = "/loki/api/v1/push", tag = "senders", operation_id = "loki_push",
    params(SenderParameters, SenderHeaders),
    request_body(content((Object = "application/json"), (RawBytes = "application/x-protobuf")),
        description = "Streams as JSON, or as protobuf in a snappy block."),
    responses((status = 204, description = "Stored. A header `Warning` tells of entries that were refused.")))]
pub async fn push(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(parameters): Query<SenderParameters>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    take(app, caller, parameters, headers, body).await
}

/// The same at its older address.
#[utoipa::path(post, path = "/api/prom/push", tag = "senders", operation_id = "loki_push_old",
    params(SenderParameters, SenderHeaders),
    request_body(content((Object = "application/json"), (RawBytes = "application/x-protobuf"))),
    responses((status = 204, description = "Stored. A header `Warning` tells of entries that were refused.")))]
pub async fn push_old(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(parameters): Query<SenderParameters>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    take(app, caller, parameters, headers, body).await
}

async fn take(
    app: Arc<App>,
    caller: Caller,
    mut parameters: SenderParameters,
    mut headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let encoding = loki::Encoding::of(kind);
    parameters.dataset = parameters.dataset.filter(|name| !name.is_empty()).or(text(&headers, &[TENANT])?);
    without_snappy(&mut headers);
    let bytes_max = usize::try_from(app.ingest.limits.max_uncompressed_bytes).unwrap_or(usize::MAX);
    let mut incoming = Incoming::new((app, caller), None, parameters, &headers, body)?;
    if encoding == loki::Encoding::Snappy {
        incoming.beside = |block| snappy::declared_bytes(block) as u64;
    }
    let read = move |body: &[u8], events: &mut Events<'_>| loki::read(encoding, body, bytes_max, events);
    incoming.store(&Face::Loki, read, |_| None, |stored| loki::accepted(&stored.outcome)).await
}
