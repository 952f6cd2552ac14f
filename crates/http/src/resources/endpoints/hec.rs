//! Splunk's HTTP event collector: events in envelopes, or lines of text with what belongs to them in the query. The index
//! of a request names the dataset. What it says of its media type does not matter, because loggers say anything.

use std::borrow::Cow;

use axum::body::Body;
use axum::response::Response;
use serde::Deserialize;
use tidegauge_ingest::Events;
use tidegauge_protocols::hec::{self, Metadata};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::Caller;
use utoipa::IntoParams;

use super::{Call, Incoming, SenderHeaders, SenderParameters};
use crate::senders::face::Face;
use crate::senders::respond;

/// What the query of a request says about its events.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct HecParameters {
    /// The dataset. Without it, the index of the first envelope.
    pub index: Option<String>,
    /// The same, for who keeps an index of their own.
    pub dataset: Option<String>,
    pub host: Option<String>,
    pub source: Option<String>,
    pub sourcetype: Option<String>,
    /// Seconds since 1970, for events that have no time.
    pub time: Option<String>,
}

/// How a body is written.
#[derive(Clone, Copy)]
enum Form {
    Envelopes,
    Lines,
}

/// Stores events in envelopes, one behind the other. One that fails refuses all of them.
#[utoipa::path(post, path = "/services/collector", tag = "senders", operation_id = "hec",
    params(HecParameters, SenderHeaders), request_body(content((Object = "application/json"))),
    responses((status = 200, body = Object, description = "`text` and `code`, which is 0.")))]
pub async fn collector(call: Call<HecParameters>, body: Body) -> Result<Response, ApiError> {
    take(Form::Envelopes, call, body).await
}

/// The same.
#[utoipa::path(post, path = "/services/collector/event", tag = "senders", operation_id = "hec_event",
    params(HecParameters, SenderHeaders), request_body(content((Object = "application/json"))),
    responses((status = 200, body = Object, description = "`text` and `code`, which is 0.")))]
pub async fn event(call: Call<HecParameters>, body: Body) -> Result<Response, ApiError> {
    take(Form::Envelopes, call, body).await
}

/// The same.
#[utoipa::path(post, path = "/services/collector/event/1.0", tag = "senders", operation_id = "hec_event_1",
    params(HecParameters, SenderHeaders), request_body(content((Object = "application/json"))),
    responses((status = 200, body = Object, description = "`text` and `code`, which is 0.")))]
pub async fn event_1(call: Call<HecParameters>, body: Body) -> Result<Response, ApiError> {
    take(Form::Envelopes, call, body).await
}

/// Stores lines of text, an event each.
#[utoipa::path(post, path = "/services/collector/raw", tag = "senders", operation_id = "hec_raw",
    params(HecParameters, SenderHeaders), request_body(content((String = "text/plain"))),
    responses((status = 200, body = Object, description = "`text` and `code`, which is 0.")))]
pub async fn raw(call: Call<HecParameters>, body: Body) -> Result<Response, ApiError> {
    take(Form::Lines, call, body).await
}

/// The same.
#[utoipa::path(post, path = "/services/collector/raw/1.0", tag = "senders", operation_id = "hec_raw_1",
    params(HecParameters, SenderHeaders), request_body(content((String = "text/plain"))),
    responses((status = 200, body = Object, description = "`text` and `code`, which is 0.")))]
pub async fn raw_1(call: Call<HecParameters>, body: Body) -> Result<Response, ApiError> {
    take(Form::Lines, call, body).await
}

/// Always refused: events are on the disk when their request is answered, so nothing is acknowledged later.
#[utoipa::path(post, path = "/services/collector/ack", tag = "senders", operation_id = "hec_ack",
    request_body(content((Object = "application/json"))),
    responses((status = 400, body = Object, description = "`code` is 14.")))]
pub async fn acknowledgements(_: Caller) -> Response {
    respond(hec::acknowledgements())
}

/// Whether events can be sent.
#[utoipa::path(get, path = "/services/collector/health", tag = "senders", operation_id = "hec_health",
    responses((status = 200, body = Object, description = "`code` is 17.")))]
pub async fn health() -> Response {
    respond(hec::health())
}

/// The same.
#[utoipa::path(get, path = "/services/collector/health/1.0", tag = "senders", operation_id = "hec_health_1",
    responses((status = 200, body = Object, description = "`code` is 17.")))]
pub async fn health_1() -> Response {
    respond(hec::health())
}

async fn take(form: Form, call: Call<HecParameters>, body: Body) -> Result<Response, ApiError> {
    let Call { app, caller, parameters, headers } = call;
    let HecParameters { index, dataset, host, source, sourcetype, time } = parameters;
    let said = |text: Option<String>| text.filter(|text| !text.is_empty()).map(Cow::Owned);
    let named = index.clone();
    let address: Metadata<'static> = Metadata {
        time: said(time),
        host: said(host),
        source: said(source),
        sourcetype: said(sourcetype),
        index: said(index),
    };
    let parameters = SenderParameters { dataset, timestamp_field: None };
    let mut incoming = Incoming::new((app, caller), named, parameters, &headers, body)?;
    incoming.unnamed = hec::no_data;
    if matches!(form, Form::Envelopes) {
        incoming.dataset_in_body = hec::index_of;
    }
    let read = move |body: &[u8], events: &mut Events<'_>| match form {
        Form::Envelopes => hec::read_events(body, &address, events),
        Form::Lines => hec::read_raw(body, &address, events),
    };
    incoming.store(&Face::Hec, read, |_| None, |_| hec::accepted()).await
}
