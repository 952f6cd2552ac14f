//! Amazon Data Firehose. The id of a request stays the same in each attempt, so that it is stored once however often it
//! is sent.

use axum::body::Body;
use axum::response::Response;
use tidegauge_app::service::ingest::sender::Key;
use tidegauge_ingest::Events;
use tidegauge_protocols::{Problem, firehose};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::PathId;

use super::{Call, Incoming, SenderHeaders, SenderParameters};
use crate::resources::event_body::text;
use crate::senders::face::Face;
use crate::senders::head::FIREHOSE_REQUEST_ID;

const COMMON_ATTRIBUTES: &str = "x-amz-firehose-common-attributes";

/// What the compressed records of a request may become, one after the other.
const RECORDS_BYTES_MAX: u64 = 64 << 20;

/// Stores the records of a delivery. The token may be sent as the access key.
#[utoipa::path(post, path = "/ingest/{name}/firehose", tag = "senders", operation_id = "firehose",
    params(("name" = String, Path), SenderParameters, SenderHeaders),
    request_body(content((Object = "application/json"))),
    responses((status = 200, body = Object, description = "`requestId` and `timestamp`.")))]
pub async fn deliver(PathId(name): PathId, call: Call, body: Body) -> Result<Response, ApiError> {
    let Call { app, caller, parameters, headers } = call;
    let now_ms = caller.now.as_millis();
    let in_header = text(&headers, &[FIREHOSE_REQUEST_ID])?;
    let attributes = text(&headers, &[COMMON_ATTRIBUTES])?;
    let face = Face::Firehose { request_id: in_header.clone().unwrap_or_default(), now_ms };
    let bytes_max = app.ingest.limits.max_uncompressed_bytes.min(RECORDS_BYTES_MAX);
    let incoming = Incoming::new((app, caller), Some(name), parameters, &headers, body)?;
    let read = move |body: &[u8], events: &mut Events<'_>| -> Result<String, Problem> {
        let read = firehose::read(body, attributes.as_deref(), bytes_max, events)?;
        // The header is what the answer must repeat; bodies have the same.
        Ok(in_header.unwrap_or(read.id))
    };
    let key = |id: &String| (!id.is_empty()).then(|| Key::own("firehose", &[id.as_str()]));
    incoming.store(&face, read, key, |stored| firehose::accepted(&stored.read, now_ms)).await
}
