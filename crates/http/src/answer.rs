//! What every request goes through, whatever its route: ids, the time limit, panics, the body of errors,
//! the log line and the metrics.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tidegauge_app::App;
use tidegauge_app::service::query::WAIT_MAX;
use tidegauge_model::ErrorKind;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::request_ids::{REQUEST_ID, RequestIds};
use tower_http::catch_panic::CatchPanicLayer;

use super::guard::ORG_HEADERS;
use super::logged_path::logged_path;
use super::resources;
use super::resources::endpoints::{journald, logplex};
use super::senders::face::Face;
use super::senders::head::is_of_logplex;

const TRACE_ID: HeaderName = HeaderName::from_static("x-tidegauge-trace-id");
/// The same under the name that existing clients read.
const CLIENT_TRACE_ID: HeaderName = HeaderName::from_static("x-axiom-trace-id");

/// How long an upload of a journal may last as a whole.
const UPLOAD_TIME_MAX: Duration = Duration::from_secs(24 * 3600);

/// Headers that decide who acts, where, and whether a request is a repetition: of two, one server reads the first and
/// another the last.
const ONCE: [(&str, &str); 4] = [
    ("authorization", "there may be one Authorization header"),
    (ORG_HEADERS[0], "there may be one X-Tidegauge-Org-Id header"),
    (ORG_HEADERS[1], "there may be one X-Axiom-Org-Id header"),
    ("idempotency-key", "there may be one Idempotency-Key header"),
];

/// The outermost layer: gives the request its ids, and the answer its headers, its error body and its log line.
pub async fn finish(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    #[expect(clippy::disallowed_methods, reason = "a duration, not a time of day, is measured here")]
    let begun = Instant::now();
    let ids = RequestIds::of(request.headers(), &*app.rng);
    request.extensions_mut().insert(ids.clone());
    let method = request.method().clone();
    let path = logged_path(request.uri().path());
    let face = Face::of(request.uri(), request.headers(), app.now());
    let is_of_drain = is_of_logplex(request.headers());

    let in_flight = InFlight::begin(&app);
    let mut response = next.run(request).await;
    drop(in_flight);

    if response.status() == StatusCode::METHOD_NOT_ALLOWED
        && response.extensions().get::<ErrorBody>().is_none()
    {
        response = wrong_method(method.as_str(), &response);
    }
    if let Some(mut body) = response.extensions_mut().remove::<ErrorBody>() {
        body.request_id = Some(ids.request.clone());
        if is_of_drain {
            logplex::have_sent_again(&mut response, &mut body);
        }
        if !face.is_some_and(|face| face.put_on(&mut response, &body)) {
            write_error_body(&mut response, &body);
        }
    }
    for (name, value) in [(REQUEST_ID, &ids.request), (TRACE_ID, &ids.trace), (CLIENT_TRACE_ID, &ids.trace)] {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));

    let took = begun.elapsed();
    let status = response.status().as_u16();
    let route = response.extensions().get::<Route>();
    app.metrics.request_answered(
        known_method(&method),
        route.map_or("unknown", |route| route.0.as_str()),
        status,
        took,
    );
    tracing::info!(
        method = method.as_str(),
        path,
        status,
        took_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        request_id = ids.request,
        trace_id = ids.trace,
        "answered"
    );
    response
}

/// The route that answered, for the metrics.
#[derive(Clone)]
struct Route(MatchedPath);

/// Tells the outermost layer, which does not see it, which route answered.
pub async fn note_route(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    if let Some(route) = route {
        response.extensions_mut().insert(Route(route));
    }
    response
}

/// A client may send any word as its method; the metrics have a series for the usual ones only.
fn known_method(method: &Method) -> &str {
    let usual = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::DELETE,
        Method::PATCH,
        Method::OPTIONS,
    ];
    if usual.contains(method) { method.as_str() } else { "other" }
}

/// Counts a request as in flight until it is dropped, also when the client goes away in the middle.
struct InFlight<'a>(&'a App);

impl<'a> InFlight<'a> {
    fn begin(app: &'a App) -> Self {
        app.metrics.request_begins();
        Self(app)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.metrics.request_ends();
    }
}

fn write_error_body(response: &mut Response, body: &ErrorBody) {
    let text = serde_json::to_vec(body).unwrap_or_default();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(text.len()));
    *response.body_mut() = Body::from(text);
}

fn wrong_method(method: &str, response: &Response) -> Response {
    let allow = response.headers().get(header::ALLOW).cloned();
    let allowed = allow.as_ref().and_then(|value| value.to_str().ok()).unwrap_or_default();
    let message = format!("method {method} is not allowed, but [{allowed}] are");
    let mut error = ApiError::with_status(StatusCode::METHOD_NOT_ALLOWED, message);
    if let Some(allow) = allow {
        error.headers.insert(header::ALLOW, allow);
    }
    error.into_response()
}

/// Refuses a request whose head can be read in two ways, before anything is decided by it: servers on its way might
/// have read it in the other.
pub async fn check_head(request: Request, next: Next) -> Response {
    match problem_of_head(&request) {
        Some(problem) => ApiError::new(ErrorKind::Malformed, problem).into_response(),
        None => next.run(request).await,
    }
}

fn problem_of_head(request: &Request) -> Option<&'static str> {
    let headers = request.headers();
    let count = |name: &str| headers.get_all(name).iter().count();
    if let Some(twice) = ONCE.iter().find(|once| count(once.0) > 1) {
        return Some(twice.1);
    }
    let [own, other] = ORG_HEADERS.map(|name| headers.get(name));
    if own.is_some() && other.is_some() && own != other {
        return Some(
            "X-Tidegauge-Org-Id and X-Axiom-Org-Id must not name two organisations: send one of them",
        );
    }
    // A connection that speaks HTTP/1 is looked at before (`line_ends`), because the library forgets one of the two.
    if headers.contains_key(header::CONTENT_LENGTH) && headers.contains_key(header::TRANSFER_ENCODING) {
        return Some("there may be a Content-Length or a Transfer-Encoding header, not both");
    }
    let names_host = count("host") == 1 || request.version() != Version::HTTP_11;
    (count("host") > 1 || !names_host).then_some("there must be one Host header")
}

/// What no route is for: a question of a client of Elasticsearch, which has many paths and one answer, or a mistake.
pub async fn unknown_path(State(app): State<Arc<App>>, request: Request) -> Result<Response, ApiError> {
    if let Some(answer) = resources::endpoints::elastic::probe(&app.elastic_version, &request) {
        return Ok(answer);
    }
    let path: String = request.uri().path().chars().take(256).collect();
    let error = ApiError::new(ErrorKind::NotFound, format!("path {path} was not found"));
    Err(error.hint("/docs lists every path"))
}

/// Cuts off what takes too long.
pub async fn limit_time(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let limit = time_limit(&app, &request);
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let message = format!("the request took longer than {} s", limit.as_secs());
            ApiError::new(ErrorKind::TimedOut, message).into_response()
        }
    }
}

/// A query has a limit of its own, and may be asked to wait for events first. An upload of a journal has one between its
/// bytes, and may last.
fn time_limit(app: &App, request: &Request) -> Duration {
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    if resources::query::ROUTES.contains(&route) || route == resources::mcp::ROUTE {
        app.http.request_timeout + app.queries.limits.time_max + WAIT_MAX
    } else if route == journald::ROUTE {
        UPLOAD_TIME_MAX
    } else {
        app.http.request_timeout
    }
}

/// A bug in one request must not take the service down, nor show its insides.
pub fn catch_panics() -> CatchPanicLayer<fn(Box<dyn Any + Send>) -> Response> {
    CatchPanicLayer::custom(answer_panic as fn(Box<dyn Any + Send>) -> Response)
}

fn answer_panic(panic: Box<dyn Any + Send>) -> Response {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    tracing::error!(panic = text, "a request panicked");
    ApiError::new(ErrorKind::Internal, "the request could not be completed").into_response()
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    async fn broken() -> &'static str {
        panic!("a bug with a secret in it")
    }

    #[tokio::test]
    async fn a_panic_is_an_answer_without_its_text() {
        let router: Router = Router::new().route("/", get(broken)).layer(catch_panics());
        let response = router.oneshot(Request::new(Body::empty())).await.unwrap();
        assert_eq!(response.status(), 500);
        let body = response.extensions().get::<ErrorBody>().unwrap();
        assert_eq!(body.message, "the request could not be completed");
    }
}
