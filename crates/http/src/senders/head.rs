//! What the head of a sender's request says: of which protocol it is, and how it is written, by which a refusal is written
//! too.

use axum::http::{HeaderMap, header};
use tidegauge_protocols::otlp::{self, GRPC};
use tidegauge_protocols::{elastic, logplex, remote_write};

use crate::endpoint_path;

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

/// Whether a body is said to be one of Logplex.
pub(crate) fn is_of_logplex(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(logplex::MEDIA_TYPE)
}

/// Whether a client of Elasticsearch asks this before it sends.
pub(crate) fn is_elastic_probe(method: &str, path: &str) -> bool {
    elastic::probe(method, path, "").is_some()
}

/// Whether a bulk request comes from a client that sends single items again, and gives up a request that is refused whole:
/// those of Elasticsearch and OpenSearch for Node. Others come back with the whole of it, and some with nothing else.
pub(crate) fn repeats_items(headers: &HeaderMap) -> bool {
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    ["elasticsearch-js/", "opensearch-js/"].iter().any(|name| agent.starts_with(name))
}

/// Whether a path is a route of GELF, or the address of an endpoint for one.
pub(crate) fn is_for_gelf(path: &str) -> bool {
    let path = endpoint_path::split(path).map_or(path, |(_, route)| route);
    path == "/gelf" || path.starts_with("/v1/ingest/") && path.ends_with("/gelf")
}
