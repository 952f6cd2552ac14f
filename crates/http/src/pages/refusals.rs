//! What several pages say when they do nothing: a form is not bound to the browser, or somebody has to wait.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use tidegauge_model::Timestamp;

use super::labels;
use super::layout::{Action, Message};

/// What is said about a form that is not bound to the browser that sends it.
pub const STALE_FORM: &str =
    "This page was open for too long, or cookies are switched off. Please try again.";

/// Answers a form that is not bound to the browser that sends it.
pub fn out_of_date(page: &str) -> Response {
    let action = Some(Action { path: page, label: "Back to the page" });
    Message { title: "Nothing was done", text: STALE_FORM, action }.respond(StatusCode::FORBIDDEN)
}

/// Says how long to wait.
pub fn wait_text(until: Timestamp, now: Timestamp) -> String {
    format!("There were too many failed attempts. Try again in {}.", labels::until(until, now))
}

/// The same for programs.
pub fn retry_after(response: &mut Response, until: Timestamp, now: Timestamp) {
    let seconds = until.as_micros().saturating_sub(now.as_micros()).max(0).div_euclid(1_000_000) + 1;
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
}
