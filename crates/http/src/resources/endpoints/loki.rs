//! Loki's push: streams with labels as protobuf in a snappy block or as JSON, in the new form or the old one, at either
//! address. Some senders take nothing but 204 for success.

use axum::body::Body;
use axum::http::header;
use axum::response::Response;
use tidegauge_ingest::Events;
use tidegauge_protocols::{loki, snappy};
use tidegauge_web::error::ApiError;

use super::{Call, Incoming, RawBytes, SenderHeaders, SenderParameters, without_snappy};
use crate::senders::face::Face;

/// Stores the entries of streams. Labels and metadata become fields, the line is `message`.
#[utoipa::path(post, path = "/loki/api/v1/push", tag = "senders", operation_id = "loki_push",
    params(SenderParameters, SenderHeaders),
    request_body(content((Object = "application/json"), (RawBytes = "application/x-protobuf")),
        description = "Streams as JSON, or as protobuf in a snappy block."),
    responses((status = 204, description = "Stored. A header `Warning` tells of entries that were refused.")))]
pub async fn push(call: Call, body: Body) -> Result<Response, ApiError> {
    take(call, body).await
}

/// The same at its older address.
#[utoipa::path(post, path = "/api/prom/push", tag = "senders", operation_id = "loki_push_old",
    params(SenderParameters, SenderHeaders),
    request_body(content((Object = "application/json"), (RawBytes = "application/x-protobuf"))),
    responses((status = 204, description = "Stored. A header `Warning` tells of entries that were refused.")))]
pub async fn push_old(call: Call, body: Body) -> Result<Response, ApiError> {
    take(call, body).await
}

async fn take(mut call: Call, body: Body) -> Result<Response, ApiError> {
    call.name_by_tenant()?;
    let Call { app, caller, parameters, mut headers } = call;
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let encoding = loki::Encoding::of(kind);
    without_snappy(&mut headers);
    let bytes_max = usize::try_from(app.ingest.limits.max_uncompressed_bytes).unwrap_or(usize::MAX);
    let mut incoming = Incoming::new((app, caller), None, parameters, &headers, body)?;
    if encoding == loki::Encoding::Snappy {
        incoming.beside = |block| snappy::declared_bytes(block) as u64;
    }
    let read = move |body: &[u8], events: &mut Events<'_>| loki::read(encoding, body, bytes_max, events);
    incoming.store(&Face::Loki, read, |_| None, |stored| loki::accepted(&stored.outcome)).await
}
