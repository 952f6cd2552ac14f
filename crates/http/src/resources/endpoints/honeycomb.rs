//! Events in the form of Honeycomb: one in a request, or a batch in which each has a state of its own.

use axum::body::Body;
use axum::response::Response;
use tidegauge_ingest::Events;
use tidegauge_protocols::honeycomb::{self, Headers};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::PathId;

use super::{Call, Incoming, SenderHeaders, SenderParameters};
use crate::resources::event_body::text;
use crate::senders::face::Face;

const EVENT_TIME: &str = "x-honeycomb-event-time";
const SAMPLE_RATE: &str = "x-honeycomb-samplerate";

/// Stores one event. The token may be sent as `X-Honeycomb-Team`.
#[utoipa::path(post, path = "/1/events/{name}", tag = "senders", operation_id = "honeycomb_event",
    params(("name" = String, Path), SenderParameters, SenderHeaders),
    request_body(content((Object = "application/json"))),
    responses((status = 200, description = "Stored.")))]
pub async fn event(PathId(name): PathId, call: Call, body: Body) -> Result<Response, ApiError> {
    let Call { app, caller, parameters, headers } = call;
    let (time, rate) = (text(&headers, &[EVENT_TIME])?, text(&headers, &[SAMPLE_RATE])?);
    let incoming = Incoming::new((app, caller), Some(name), parameters, &headers, body)?;
    let read = move |body: &[u8], events: &mut Events<'_>| {
        let said = Headers { time: time.as_deref(), sample_rate: rate.as_deref() };
        honeycomb::read_event(body, said, events)
    };
    incoming.store(&Face::Honeycomb, read, |_| None, |_| honeycomb::accepted_event()).await
}

/// Stores a batch of events. The answer has the state of each, in their order.
#[utoipa::path(post, path = "/1/batch/{name}", tag = "senders", operation_id = "honeycomb_batch",
    params(("name" = String, Path), SenderParameters, SenderHeaders),
    request_body(content((Vec<Object> = "application/json"))),
    responses((status = 200, body = Vec<Object>, description = "`status` of each: 202, or 400 with `error`.")))]
pub async fn batch(PathId(name): PathId, call: Call, body: Body) -> Result<Response, ApiError> {
    let Call { app, caller, parameters, headers } = call;
    let incoming = Incoming::new((app, caller), Some(name), parameters, &headers, body)?;
    incoming
        .store(
            &Face::Honeycomb,
            honeycomb::read_batch,
            |_| None,
            |stored| honeycomb::accepted_batch(&stored.read),
        )
        .await
}
