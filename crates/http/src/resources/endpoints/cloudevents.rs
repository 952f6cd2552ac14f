//! CloudEvents over HTTP: structured, batched and binary. A single event that is repeated is stored once, because its
//! source and its id tell it from every other.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use tidegauge_app::service::ingest::sender::Key;
use tidegauge_ingest::Events;
use tidegauge_protocols::cloudevents::{self, BATCHED, Identity, STRUCTURED};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::PathId;

use super::{Call, Incoming, SenderHeaders, SenderParameters};
use crate::resources::event_body::text;
use crate::senders::face::Face;
use crate::senders::respond;

/// Who asks whether it may send.
const REQUEST_ORIGIN: &str = "webhook-request-origin";

/// Stores an event, or a batch of them. One that fails refuses all of them.
#[utoipa::path(post, path = "/ingest/{name}/cloudevents", tag = "senders", operation_id = "cloudevents",
    params(("name" = String, Path), SenderParameters, SenderHeaders),
    request_body(content((Object = "application/cloudevents+json"),
        (Vec<Object> = "application/cloudevents-batch+json"), (Object = "application/json")),
        description = "An event, a batch, or the data of an event whose attributes are headers `ce-…`."),
    responses((status = 204, description = "Stored.")))]
pub async fn deliver(PathId(name): PathId, call: Call, body: Body) -> Result<Response, ApiError> {
    let Call { app, caller, parameters, headers } = call;
    let incoming = Incoming::new((app, caller), Some(name), parameters, &headers, body)?;
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let read = move |body: &[u8], events: &mut Events<'_>| {
        let media = kind.as_deref().and_then(|kind| kind.split(';').next()).unwrap_or_default().trim();
        if media.eq_ignore_ascii_case(BATCHED) {
            return cloudevents::read_batch(body, events).map(|()| None);
        }
        // Without attributes among the headers they must be in the body, whatever it is said to be.
        if media.eq_ignore_ascii_case(STRUCTURED) || !headers.contains_key("ce-id") {
            return cloudevents::read_structured(body, events).map(Some);
        }
        let pairs = headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        cloudevents::read_binary(pairs, kind.as_deref(), body, events).map(Some)
    };
    let key = |identity: &Option<Identity>| {
        identity.as_ref().map(|event| Key::own("cloudevents", &[event.source.as_str(), event.id.as_str()]))
    };
    incoming.store(&Face::CloudEvents, read, key, |_| cloudevents::accepted()).await
}

/// Tells a sender that it may send, at any rate.
#[utoipa::path(options, path = "/ingest/{name}/cloudevents", tag = "senders",
    operation_id = "cloudevents_handshake", params(("name" = String, Path)),
    responses((status = 200, description = "`WebHook-Allowed-Origin` and `WebHook-Allowed-Rate`.")))]
pub async fn handshake(_: PathId, headers: HeaderMap) -> Result<Response, ApiError> {
    let origin = text(&headers, &[REQUEST_ORIGIN])?.unwrap_or_default();
    Ok(respond(cloudevents::handshake(&origin)))
}
