//! OTLP over HTTP: `/v1/logs`, `/v1/traces` and `/v1/metrics`, as protobuf or JSON, and logs where Loki has them.
//! Exporters have few seconds and drop what is not answered by 429, 502, 503 or 504, so whatever passes by itself is
//! one of these.

use axum::body::Body;
use axum::response::Response;
use tidegauge_app::service::datasets::Making;
use tidegauge_model::ErrorKind;
use tidegauge_protocols::otlp::{self, Encoding, MAP_FIELDS, Signal};
use tidegauge_web::error::ApiError;

use super::{Call, Incoming, RawBytes, SenderHeaders, SenderParameters};
use crate::resources::event_body::text;
use crate::senders::face::Face;
use crate::senders::head::otlp_encoding;

/// Where existing senders of metrics name their dataset.
const METRICS_DATASET: &str = "x-axiom-metrics-dataset";

/// Stores log records of OpenTelemetry. Those that fail are counted in `partialSuccess`, the others are stored.
#[utoipa::path(post, path = "/logs", tag = "senders", operation_id = "otlp_logs",
    params(SenderParameters, SenderHeaders),
    request_body(content((Object = "application/json"), (RawBytes = "application/x-protobuf")),
        description = "An `ExportLogsServiceRequest`; gzip, zstd and deflate are understood."),
    responses(
        (status = 200, description = "An `ExportLogsServiceResponse`, as the request was written.", content(
            (Object = "application/json"), (RawBytes = "application/x-protobuf"))),
        (status = 415, description = "The media type or the content encoding is not understood."),
    ))]
pub async fn logs(call: Call, body: Body) -> Result<Response, ApiError> {
    take(Signal::Logs, call, body).await
}

/// The same where Loki takes them, for exporters that were set up for it.
#[utoipa::path(post, path = "/otlp/v1/logs", tag = "senders", operation_id = "otlp_logs_loki",
    params(SenderParameters, SenderHeaders),
    request_body(content((Object = "application/json"), (RawBytes = "application/x-protobuf")),
        description = "An `ExportLogsServiceRequest`; gzip, zstd and deflate are understood."),
    responses(
        (status = 200, description = "An `ExportLogsServiceResponse`, as the request was written.", content(
            (Object = "application/json"), (RawBytes = "application/x-protobuf"))),
        (status = 415, description = "The media type or the content encoding is not understood."),
    ))]
pub async fn logs_of_loki(mut call: Call, body: Body) -> Result<Response, ApiError> {
    call.name_by_tenant()?;
    take(Signal::Logs, call, body).await
}

/// Stores spans of OpenTelemetry. Those that fail are counted in `partialSuccess`, the others are stored.
#[utoipa::path(post, path = "/traces", tag = "senders", operation_id = "otlp_traces",
    params(SenderParameters, SenderHeaders),
    request_body(content((Object = "application/json"), (RawBytes = "application/x-protobuf")),
        description = "An `ExportTraceServiceRequest`; gzip, zstd and deflate are understood."),
    responses(
        (status = 200, description = "An `ExportTraceServiceResponse`, as the request was written.", content(
            (Object = "application/json"), (RawBytes = "application/x-protobuf"))),
        (status = 415, description = "The media type or the content encoding is not understood."),
    ))]
pub async fn traces(call: Call, body: Body) -> Result<Response, ApiError> {
    take(Signal::Traces, call, body).await
}

/// Stores points of metrics of OpenTelemetry, an event each. Those that fail are counted in `partialSuccess`.
#[utoipa::path(post, path = "/metrics", tag = "senders", operation_id = "otlp_metrics",
    params(SenderParameters, SenderHeaders),
    request_body(content((Object = "application/json"), (RawBytes = "application/x-protobuf")),
        description = "An `ExportMetricsServiceRequest`; gzip, zstd and deflate are understood."),
    responses(
        (status = 200, description = "An `ExportMetricsServiceResponse`, as the request was written.", content(
            (Object = "application/json"), (RawBytes = "application/x-protobuf"))),
        (status = 415, description = "The media type or the content encoding is not understood."),
    ))]
pub async fn metrics(call: Call, body: Body) -> Result<Response, ApiError> {
    take(Signal::Metrics, call, body).await
}

async fn take(signal: Signal, call: Call, body: Body) -> Result<Response, ApiError> {
    let Call { app, caller, parameters, headers } = call;
    let encoding = otlp_encoding(&headers).ok_or_else(|| {
        let message = "unsupported media type, only [application/x-protobuf application/json] are allowed";
        ApiError::new(ErrorKind::UnsupportedMedia, message)
    })?;
    let named = match signal {
        Signal::Metrics => text(&headers, &[METRICS_DATASET])?,
        Signal::Logs | Signal::Traces => None,
    };
    let mut incoming = Incoming::new((app, caller), named, parameters, &headers, body)?;
    incoming.bytes_max = otlp::BODY_BYTES_MAX as u64;
    if encoding == Encoding::Json {
        // It is turned into protobuf first, which is never longer.
        incoming.beside = |body| body.len() as u64;
    }
    incoming.making = making(signal);
    let read = move |body: &[u8], events: &mut tidegauge_ingest::Events<'_>| {
        otlp::read(signal, encoding, body, events)
    };
    incoming
        .store(
            &Face::Otlp(encoding),
            read,
            |_| None,
            |stored| otlp::accepted(signal, encoding, &stored.outcome),
        )
        .await
}

/// What a dataset is like that is made for a signal.
pub(super) fn making(signal: Signal) -> Making {
    let kind = match signal {
        Signal::Logs => "otel:logs:v1",
        Signal::Traces => "otel:traces:v1",
        Signal::Metrics => "otel:metrics:v1",
    };
    Making { kind: Some(kind), map_fields: &MAP_FIELDS }
}
