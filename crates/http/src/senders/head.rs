//! What the head of a sender's request says of how it is written, by which a refusal is written too.

use axum::http::{HeaderMap, header};
use tidegauge_protocols::otlp::{self, GRPC};
use tidegauge_protocols::remote_write;

/// Stays the same in each attempt to send a request, and the answer repeats it.
pub(crate) const FIREHOSE_REQUEST_ID: &str = "x-amz-firehose-request-id";

/// Whether a request is a call of gRPC, and not a message that lost its way.
pub(crate) fn is_grpc_call(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.strip_prefix(GRPC).is_some_and(|rest| rest.is_empty() || rest.starts_with(['+', ';']))
}

/// How a request of OTLP is written; one that does not say so is taken for protobuf, which is what exporters send.
pub(crate) fn otlp_encoding(headers: &HeaderMap) -> Option<otlp::Encoding> {
    match headers.get(header::CONTENT_TYPE) {
        Some(kind) => otlp::Encoding::of(kind.to_str().unwrap_or_default()),
        None => Some(otlp::Encoding::Protobuf),
    }
}

/// Which message a request of remote write holds; one that does not say so holds the first.
pub(crate) fn remote_write_version(headers: &HeaderMap) -> Option<remote_write::Version> {
    match headers.get(header::CONTENT_TYPE) {
        Some(kind) => remote_write::Version::of(kind.to_str().unwrap_or_default()),
        None => Some(remote_write::Version::V1),
    }
}
