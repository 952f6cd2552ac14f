//! The addresses of endpoints, `/e/{secret}/…`, for senders that can be given an address and nothing else. What stands
//! behind the secret is the path of a route that takes events, and the request goes on as one of that route; the guard
//! lets it in by the secret alone. Other routes have no such address. The form of one is in `endpoint_path`.

use axum::extract::Request;
use axum::http::{HeaderMap, Uri};
use axum::middleware::Next;
use axum::response::Response;
use tidegauge_auth::OpaqueSecret;
use tidegauge_catalog::endpoints::Endpoint;
use tidegauge_model::{EndpointKind, ErrorKind, Timestamp};
use tidegauge_web::error::ApiError;

use crate::endpoint_path::{BELOW, PLAIN, split};
use crate::senders::face::Face;
use crate::senders::head::{is_elastic_probe, is_of_logplex};

/// The address that a request came by.
#[derive(Clone, Debug)]
pub struct Address {
    pub secret: OpaqueSecret,
}

/// Lets a request to the address of an endpoint go on as one of the route that it means.
pub async fn open(mut request: Request, next: Next) -> Response {
    if let Some((address, uri)) = routed(&request) {
        request.extensions_mut().insert(address);
        *request.uri_mut() = uri;
    }
    next.run(request).await
}

fn routed(request: &Request) -> Option<(Address, Uri)> {
    let (secret, route) = split(request.uri().path())?;
    let (method, path) = (request.method().as_str(), request.uri().path());
    // What clients of Elasticsearch ask first is asked of the address as if it were a root.
    let asked = path.trim_end_matches('/').len() == BELOW.len() + secret.reveal().len();
    let route = if asked && ["GET", "HEAD"].contains(&method) { "/" } else { route };
    // The face does not depend on the time.
    let now = Timestamp::from_micros(0);
    let takes_events = route == PLAIN
        || Face::of(request.uri(), request.headers(), now).is_some()
        || is_elastic_probe(method, route);
    if !takes_events {
        return None;
    }
    let target = match request.uri().query() {
        Some(query) => format!("{route}?{query}"),
        None => route.to_owned(),
    };
    let mut parts = request.uri().clone().into_parts();
    parts.path_and_query = Some(target.parse().ok()?);
    Some((Address { secret }, Uri::from_parts(parts).ok()?))
}

/// An endpoint takes what its kind says: a sender that speaks otherwise was given the wrong address.
pub fn check_kind(endpoint: &Endpoint, face: Option<&Face>, headers: &HeaderMap) -> Result<(), ApiError> {
    let spoken = match face {
        Some(face) => face.kind(),
        None if is_of_logplex(headers) => EndpointKind::Logplex,
        None => EndpointKind::Ingest,
    };
    // What comes to the routes of ingest is for an endpoint of their kind too.
    if spoken == endpoint.kind || (face.is_none() && endpoint.kind == EndpointKind::Ingest) {
        return Ok(());
    }
    let message = format!("the endpoint takes {}, and this is {}", endpoint.kind.name(), spoken.name());
    Err(ApiError::new(ErrorKind::Malformed, message).hint("make an endpoint of the other kind"))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http;

    use super::*;

    const SECRET: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

    fn goes_to(method: &str, path: &str) -> Option<String> {
        let request = http::Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        routed(&request).map(|(address, uri)| {
            assert_eq!(address.secret.reveal(), SECRET);
            uri.to_string()
        })
    }

    #[test]
    fn an_address_stands_for_routes_that_take_events() {
        for (method, rest, route) in [
            ("POST", "", "/v1/ingest/endpoint"),
            ("POST", "/?timestamp-field=t", "/v1/ingest/endpoint?timestamp-field=t"),
            ("POST", "/upload", "/v1/ingest/endpoint/journald/upload"),
            ("POST", "/firehose", "/v1/ingest/endpoint/firehose"),
            ("POST", "/loki/api/v1/push", "/loki/api/v1/push"),
            ("POST", "/v1/logs", "/v1/logs"),
            ("PUT", "/_bulk", "/_bulk"),
            ("GET", "/", "/"),
            ("HEAD", "", "/"),
            ("GET", "/_license", "/_license"),
        ] {
            let path = format!("/e/{SECRET}{rest}");
            assert_eq!(goes_to(method, &path).as_deref(), Some(route), "{method} {path}");
        }
    }

    #[test]
    fn nothing_else_has_such_an_address() {
        for (method, path) in [
            ("GET", format!("/e/{SECRET}/v2/datasets")),
            ("POST", format!("/e/{SECRET}/v1/query/_apl")),
            ("POST", format!("/e/{SECRET}/v1/ingest/web")),
            ("GET", format!("/e/{SECRET}/login")),
            ("GET", format!("/e/{SECRET}/metrics")),
            ("POST", format!("/e/{SECRET}/e/{SECRET}/v1/logs")),
            ("POST", format!("/e/{SECRET}x/v1/logs")),
            ("POST", "/e/_bulk".to_owned()),
            ("POST", "/e//v1/logs".to_owned()),
            ("POST", "/v1/logs".to_owned()),
        ] {
            assert_eq!(goes_to(method, &path), None, "{method} {path}");
        }
    }
}
