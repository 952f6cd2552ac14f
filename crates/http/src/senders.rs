//! What the guard and the other layers know of senders of other services, as the routes of these do: what is asked of them,
//! and how an answer of their protocol is sent. What a refusal looks like is in `face`, what the head of a request says of
//! how it is written in `head`.

pub mod face;
pub(crate) mod head;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tidegauge_auth::Access;
use tidegauge_model::{Action, DatasetArea};
use tidegauge_protocols::Answer;

/// What every route that takes events asks of its caller.
pub const SEND: Access = Access::Dataset(DatasetArea::Ingest, Action::Create);

/// Why a protocol refused a request, beside what it says of that in its own form.
#[derive(Clone, Debug)]
pub struct Told(pub String);

/// Sends what a protocol answers.
pub(crate) fn respond(answer: Answer) -> Response {
    let mut response = Body::from(answer.body).into_response();
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    if let Some(kind) = answer.content_type {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    for (name, value) in answer.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    response
}
