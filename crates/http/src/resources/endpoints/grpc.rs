//! OTLP over gRPC, on the same port: three calls with one message each, so that the frame around it and the trailers
//! behind the answer are all of gRPC that there is. The message is read as that of OTLP over HTTP.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use http_body_util::{BodyExt, Full};
use tidegauge_app::App;
use tidegauge_ingest::{Encoding, Events};
use tidegauge_model::ErrorKind;
use tidegauge_protocols::Problem;
use tidegauge_protocols::otlp::{self, FRAME_BYTES, Frame, GRPC, Signal, accepted_message, framed};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::Caller;

use super::{Incoming, RawBytes, SenderParameters, refuse};
use crate::resources::event_body::text;
use crate::senders::face::Face;
use crate::senders::head::is_grpc_call;

/// What a message is compressed with, if its frame says that it is.
const MESSAGE_ENCODING: &str = "grpc-encoding";

/// What the path of every call of OTLP begins with.
const CALLS: &str = "/opentelemetry.proto.collector.";

/// Lets calls of OTLP through, on a port that is for nothing else. To clients of gRPC 404 says that there is no such call.
pub async fn alone(request: Request, next: Next) -> Response {
    if request.uri().path().starts_with(CALLS) {
        return next.run(request).await;
    }
    (StatusCode::NOT_FOUND, "this port takes OTLP over gRPC alone\n").into_response()
}

/// Stores log records, as `/v1/logs` does. Metadata of the call are headers.
#[utoipa::path(post, path = "/opentelemetry.proto.collector.logs.v1.LogsService/Export", tag = "senders",
    operation_id = "grpc_logs", request_body(content((RawBytes = "application/grpc"))),
    responses((status = 200, description = "The call was answered; `grpc-status` tells how.")))]
pub async fn logs(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    take(Signal::Logs, app, caller, headers, body).await
}

/// Stores spans, as `/v1/traces` does.
#[utoipa::path(post, path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export", tag = "senders",
    operation_id = "grpc_traces", request_body(content((RawBytes = "application/grpc"))),
    responses((status = 200, description = "The call was answered; `grpc-status` tells how.")))]
pub async fn traces(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    take(Signal::Traces, app, caller, headers, body).await
}

/// Stores points of metrics, as `/v1/metrics` does.
#[utoipa::path(post, path = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", tag = "senders",
    operation_id = "grpc_metrics", request_body(content((RawBytes = "application/grpc"))),
    responses((status = 200, description = "The call was answered; `grpc-status` tells how.")))]
pub async fn metrics(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    take(Signal::Metrics, app, caller, headers, body).await
}

async fn take(
    signal: Signal,
    app: Arc<App>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    if !is_grpc_call(&headers) {
        let message = "unsupported media type, only [application/grpc] is allowed";
        return Err(ApiError::new(ErrorKind::UnsupportedMedia, message)
            .hint("send the message to /v1/logs, /v1/traces or /v1/metrics by plain HTTP"));
    }
    let (frame, body) = match unframed(body).await? {
        Ok(unframed) => unframed,
        Err(problem) => return refuse(&Face::Grpc, problem.into()),
    };
    let mut incoming = Incoming::new((app, caller), None, SenderParameters::default(), &headers, body)?;
    incoming.encoding = encoding_of(&headers, frame)?;
    incoming.bytes_max = otlp::BODY_BYTES_MAX as u64;
    incoming.making = super::otlp::making(signal);
    let read = move |message: &[u8], events: &mut Events<'_>| {
        // What is compressed tells by itself whether it is whole.
        if !frame.is_compressed && message.len() as u64 != u64::from(frame.length) {
            return Err(Problem::malformed("the message is not as long as its frame says"));
        }
        otlp::read(signal, otlp::Encoding::Protobuf, message, events)
    };
    match incoming.run(read, |_| None).await? {
        Ok(stored) => Ok(answered(&accepted_message(&stored.outcome))),
        Err(refused) => refuse(&Face::Grpc, refused),
    }
}

/// Takes the frame off a body.
async fn unframed(body: Body) -> Result<Result<(Frame, Body), Problem>, ApiError> {
    let mut pieces = body.into_data_stream();
    let mut begun = Vec::new();
    while begun.len() < FRAME_BYTES {
        match pieces.next().await {
            Some(Ok(piece)) => begun.extend_from_slice(&piece),
            Some(Err(error)) => {
                let message = format!("the call could not be read: {error}");
                return Err(ApiError::new(ErrorKind::Malformed, message));
            }
            None => return Ok(Err(Problem::malformed("the call has no message"))),
        }
    }
    let rest = Bytes::from(begun.split_off(FRAME_BYTES));
    let head = <[u8; FRAME_BYTES]>::try_from(begun.as_slice()).unwrap_or_default();
    let first = stream::iter([Ok::<_, axum::Error>(rest)]);
    Ok(Frame::read(head).map(|frame| (frame, Body::from_stream(first.chain(pieces)))))
}

fn encoding_of(headers: &HeaderMap, frame: Frame) -> Result<Encoding, ApiError> {
    if !frame.is_compressed {
        return Ok(Encoding::Identity);
    }
    let named = text(headers, &[MESSAGE_ENCODING])?.unwrap_or_default();
    Encoding::parse(&named).ok_or_else(|| {
        let message = format!("unsupported message encoding {named:?}, only [gzip zstd deflate] are allowed");
        ApiError::new(ErrorKind::UnsupportedMedia, message)
    })
}

/// A call that went well: the message, and that it did in the trailers.
fn answered(message: &[u8]) -> Response {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    let body = Full::new(Bytes::from(framed(message))).with_trailers(std::future::ready(Some(Ok(trailers))));
    let mut response = Body::new(body).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(GRPC));
    response
}
