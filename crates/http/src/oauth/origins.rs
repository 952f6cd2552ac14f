//! Which endpoints programs in a browser may call from other origins (CORS): those that a public client needs, and no
//! page. Any origin may, because nothing there is decided by what a browser sends along by itself: the star never goes
//! together with cookies, and an Authorization header is not among those that are allowed, because a program in a browser
//! has no secret.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tidegauge_app::App;

use crate::guard::challenge::METADATA_PATH;

/// The endpoints with their methods.
const OPEN: [(&str, &str); 7] = [
    (METADATA_PATH, "GET"),
    ("/.well-known/oauth-authorization-server", "GET"),
    ("/oauth/jwks", "GET"),
    ("/oauth/token", "POST"),
    ("/oauth/device_authorization", "POST"),
    ("/oauth/revoke", "POST"),
    ("/oauth/register", "POST"),
];

/// What a program may send: a JSON body to register with, and the proof of a key.
const SENT: &str = "content-type, dpop";

/// What it may read beside the body.
const READ: &str = "dpop-nonce, retry-after, www-authenticate";

/// How long a browser may remember what is allowed, in seconds; browsers take no more.
const REMEMBERED: &str = "7200";

/// Answers the question that a browser asks before it sends what a form could not (a preflight), and lets programs of
/// any origin read the answers of the open endpoints.
pub async fn open(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let Some((path, method)) = OPEN.into_iter().find(|(path, _)| *path == route) else {
        return next.run(request).await;
    };
    // What is not there is not open either.
    if path != METADATA_PATH && !app.embedded.is_on {
        return next.run(request).await;
    }
    let mut response = if is_question(request.method(), request.headers()) {
        allowed(method)
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(READ));
    response
}

fn is_question(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// What may be sent, which the browser compares with what it was asked to send.
fn allowed(method: &'static str) -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, method),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, SENT),
        (header::ACCESS_CONTROL_MAX_AGE, REMEMBERED),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}
