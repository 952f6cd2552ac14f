//! Drains of Heroku's Logplex, on the routes of ingest, whose address is all that a drain is told. The id of a request
//! stays the same in each attempt, so that it is stored once however often it is sent. Answers and refusals are those
//! of ingest, but for a status that a drain would lose its messages over.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use tidegauge_app::App;
use tidegauge_app::service::ingest::IngestAnswer;
use tidegauge_app::service::ingest::sender::Key;
use tidegauge_ingest::Events;
use tidegauge_protocols::logplex::{self, Head};
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::Caller;

use super::{Incoming, SenderParameters};
use crate::resources::event_body::text;

const MESSAGES: &str = "logplex-msg-count";
const REQUEST_ID: &str = "logplex-frame-id";
const DRAIN: &str = "logplex-drain-token";

/// A drain drops what is answered by a status from 400 to 499, and comes back for any other that is no success: what is
/// only refused for now must have one of those.
pub fn have_sent_again(response: &mut Response, body: &mut ErrorBody) {
    if response.status() == StatusCode::TOO_MANY_REQUESTS {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        body.code = StatusCode::SERVICE_UNAVAILABLE.as_u16();
    }
}

/// Stores the messages of a drain. A key that the caller has chosen counts before the id of the request.
pub async fn take(
    (app, caller): (Arc<App>, Caller),
    dataset: String,
    key: Option<String>,
    headers: &HeaderMap,
    body: Body,
) -> Result<IngestAnswer, ApiError> {
    let messages = text(headers, &[MESSAGES])?.and_then(|count| count.trim().parse().ok());
    let drain = text(headers, &[DRAIN])?;
    let own = text(headers, &[REQUEST_ID])?
        .map(|id| Key::own("logplex", &[drain.as_deref().unwrap_or_default(), id.as_str()]));
    let key = key.map(Key::Chosen).or(own);
    let incoming = Incoming::new((app, caller), Some(dataset), SenderParameters::default(), headers, body)?;
    let read = move |body: &[u8], events: &mut Events<'_>| {
        logplex::read(body, Head { messages, drain: drain.as_deref() }, events)
    };
    incoming.store_as_ingest(read, move |_| key).await
}
