//! Prometheus remote write, 1.0 and 2.0: samples in a snappy block, an event each. Senders of 2.0 are told how much was
//! written, or they take the service for one that does not know it.

use axum::body::Body;
use axum::response::Response;
use tidegauge_app::service::datasets::Making;
use tidegauge_ingest::Events;
use tidegauge_model::ErrorKind;
use tidegauge_protocols::{remote_write, snappy};
use tidegauge_web::error::ApiError;

use super::{Call, Incoming, RawBytes, SenderHeaders, SenderParameters, without_snappy};
use crate::senders::face::Face;
use crate::senders::head::remote_write_version;

/// Stores samples and native histograms. Where some are refused it is 400, which is not repeated, and the rest stays.
#[utoipa::path(post, path = "/api/v1/write", tag = "senders", operation_id = "remote_write",
    params(SenderParameters, SenderHeaders),
    request_body(content((RawBytes = "application/x-protobuf")), description = "A snappy block with the message."),
    responses(
        (status = 204, description = "Stored. For 2.0, headers tell how much."),
        (status = 415, description = "The message is of a version that is not understood."),
    ))]
pub async fn write(call: Call, body: Body) -> Result<Response, ApiError> {
    let Call { app, caller, parameters, mut headers } = call;
    let version = remote_write_version(&headers).ok_or_else(|| {
        let message =
            "unsupported media type, only [application/x-protobuf] of remote write 1.0 and 2.0 is allowed";
        ApiError::new(ErrorKind::UnsupportedMedia, message)
    })?;
    without_snappy(&mut headers);
    let bytes_max = usize::try_from(app.ingest.limits.max_uncompressed_bytes).unwrap_or(usize::MAX);
    let mut incoming = Incoming::new((app, caller), None, parameters, &headers, body)?;
    incoming.beside = |block| snappy::declared_bytes(block) as u64;
    incoming.making = Making { kind: Some("otel:metrics:v1"), map_fields: &["labels.custom"] };
    let read =
        move |body: &[u8], events: &mut Events<'_>| remote_write::read(version, body, bytes_max, events);
    let answer = |stored: &super::Stored<_>| remote_write::accepted(version, stored.read, &stored.outcome);
    incoming.store(&Face::RemoteWrite(version), read, |_| None, answer).await
}
