//! What a refusal looks like to a sender: each protocol has its own body and, where a sender would drop its data over
//! ours, its own status. The face is chosen by the path alone, so that it is the same for whoever refuses: the guard, the
//! clock, a panic or the use case.

use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::Response;
use tidegauge_model::{EndpointKind, ErrorKind, Timestamp};
use tidegauge_protocols::{
    Answer, Problem, TokenFault, cloudevents, datadog, elastic, firehose, gelf, hec, honeycomb, journald,
    loki, otlp, remote_write,
};
use tidegauge_web::error::ErrorBody;

use super::head::{FIREHOSE_REQUEST_ID, is_grpc_call, otlp_encoding, remote_write_version};
use super::respond;
use crate::endpoint_path;

/// Whose words a refusal is written in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Face {
    Otlp(otlp::Encoding),
    Grpc,
    Elastic,
    Loki,
    Hec,
    Datadog,
    /// An agent of Datadog asks whether its key is good.
    DatadogKey,
    Honeycomb,
    /// Its answers repeat the id of the request, and say when they were written.
    Firehose {
        request_id: String,
        now_ms: i64,
    },
    Journald,
    CloudEvents,
    Gelf,
    RemoteWrite(remote_write::Version),
}

impl Face {
    /// The face of a request; none for the interface itself.
    pub fn of(uri: &Uri, headers: &HeaderMap, now: Timestamp) -> Option<Self> {
        let path = endpoint_path::split(uri.path()).map_or(uri.path(), |(_, route)| route);
        match path {
            "/v1/logs" | "/v1/traces" | "/v1/metrics" | "/otlp/v1/logs" => {
                // Who sends something else is told in the form that a person can read.
                Some(Self::Otlp(otlp_encoding(headers).unwrap_or(otlp::Encoding::Json)))
            }
            _ if path.ends_with("/_bulk") => Some(Self::Elastic),
            "/loki/api/v1/push" | "/api/prom/push" => Some(Self::Loki),
            "/api/v2/logs" | "/v1/input" => Some(Self::Datadog),
            "/api/v1/validate" => Some(Self::DatadogKey),
            "/gelf" => Some(Self::Gelf),
            "/api/v1/write" => {
                let version = remote_write_version(headers).unwrap_or(remote_write::Version::V1);
                Some(Self::RemoteWrite(version))
            }
            _ if path.starts_with("/opentelemetry.proto.collector.") => {
                is_grpc_call(headers).then_some(Self::Grpc)
            }
            _ if path.starts_with("/v1/input/") => Some(Self::Datadog),
            _ if path.starts_with("/services/collector") => Some(Self::Hec),
            _ if path.starts_with("/1/events/") || path.starts_with("/1/batch/") => Some(Self::Honeycomb),
            _ => Self::below_dataset(path, headers, now),
        }
    }

    /// The face of a route that stands below the one of ingest.
    fn below_dataset(path: &str, headers: &HeaderMap, now: Timestamp) -> Option<Self> {
        if let Some((_, rest)) = path.strip_prefix("/v1/datasets/").and_then(|below| below.split_once('/')) {
            return (rest.split('/').next() == Some("elastic")).then_some(Self::Elastic);
        }
        let (_, rest) = path.strip_prefix("/v1/ingest/")?.split_once('/')?;
        Some(match rest.split('/').next().unwrap_or_default() {
            "elastic" => Self::Elastic,
            "journald" => Self::Journald,
            "cloudevents" => Self::CloudEvents,
            "gelf" => Self::Gelf,
            "firehose" => {
                let id = headers
                    .get(FIREHOSE_REQUEST_ID)
                    .and_then(|value| value.to_str().ok())
                    .unwrap_or_default();
                Self::Firehose { request_id: id.to_owned(), now_ms: now.as_millis() }
            }
            _ => return None,
        })
    }

    /// The media types of refusals on a path of the API document; none for the interface itself, and for calls of gRPC,
    /// which are refused in headers.
    pub fn media(path: &str) -> &'static [&'static str] {
        let face =
            path.parse().ok().and_then(|uri| Self::of(&uri, &HeaderMap::new(), Timestamp::from_micros(0)));
        match face {
            None | Some(Self::Grpc) => &[],
            Some(Self::Otlp(_)) => &["application/json", "application/x-protobuf"],
            Some(Self::Loki | Self::Journald | Self::Gelf | Self::RemoteWrite(_)) => &["text/plain"],
            Some(_) => &["application/json"],
        }
    }

    /// The token where senders of a protocol put it, besides the header `Authorization`.
    pub fn key(&self, uri: &Uri, headers: &HeaderMap) -> Option<String> {
        let in_header =
            |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let in_query = |name: &str| {
            let mut pairs = uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|pair| pair.0 == name).map(|pair| pair.1.to_owned())
        };
        match self {
            Self::Datadog | Self::DatadogKey => in_header("dd-api-key")
                .or_else(|| in_query("dd-api-key"))
                .or_else(|| uri.path().strip_prefix("/v1/input/").map(str::to_owned)),
            Self::Honeycomb => in_header("x-honeycomb-team"),
            Self::Hec => in_query("token"),
            _ => None,
        }
    }

    /// The kind of endpoint whose senders speak so.
    pub fn kind(&self) -> EndpointKind {
        match self {
            Self::Otlp(_) | Self::Grpc => EndpointKind::Otlp,
            Self::Elastic => EndpointKind::Elastic,
            Self::Loki => EndpointKind::Loki,
            Self::Hec => EndpointKind::Hec,
            Self::Datadog | Self::DatadogKey => EndpointKind::Datadog,
            Self::Honeycomb => EndpointKind::Honeycomb,
            Self::Firehose { .. } => EndpointKind::Firehose,
            Self::Journald => EndpointKind::Journald,
            Self::CloudEvents => EndpointKind::CloudEvents,
            Self::Gelf => EndpointKind::Gelf,
            Self::RemoteWrite(_) => EndpointKind::RemoteWrite,
        }
    }

    pub fn refused(&self, problem: &Problem) -> Answer {
        match self {
            Self::Otlp(encoding) => otlp::refused(*encoding, problem),
            Self::Grpc => otlp::grpc_refused(problem),
            Self::Elastic => elastic::refused(problem),
            Self::Loki => loki::refused(problem),
            Self::Hec => hec::refused(problem),
            Self::Datadog => datadog::refused(problem),
            Self::DatadogKey => datadog::not_validated(problem),
            Self::Honeycomb => honeycomb::refused(problem),
            Self::Firehose { request_id, now_ms } => firehose::refused(request_id, *now_ms, problem),
            Self::Journald => journald::refused(problem),
            Self::CloudEvents => cloudevents::refused(problem),
            Self::Gelf => gelf::refused(problem),
            Self::RemoteWrite(version) => remote_write::refused(*version, problem),
        }
    }

    /// Why nobody knows who sends, with where senders of this protocol put their token.
    fn denial(&self, error: &ErrorBody) -> String {
        let place = self.token_place();
        match error.fault {
            Some(TokenFault::Missing) => format!("there is no access token: send {place}"),
            Some(TokenFault::Header) => {
                format!("the Authorization header has a form that is not read here: send {place}")
            }
            Some(TokenFault::Malformed) => {
                format!("what was sent has not the form of an access token (xaat-… or xapt-…): send {place}")
            }
            Some(TokenFault::Unknown | TokenFault::Expired) | None => error.cause(),
        }
    }

    /// Where senders of the protocol put their token.
    fn token_place(&self) -> &'static str {
        match self {
            Self::Otlp(_) | Self::CloudEvents | Self::Gelf => "the header Authorization: Bearer <token>",
            Self::Grpc => "the metadata authorization: Bearer <token>",
            Self::Elastic => {
                "the header Authorization: ApiKey <token>, or Basic with the token as the password"
            }
            Self::Loki | Self::RemoteWrite(_) => {
                "the header Authorization: Bearer <token>, or Basic with the token as the password"
            }
            Self::Hec => "the header Authorization: Splunk <token>",
            Self::Datadog | Self::DatadogKey => "the header DD-API-KEY: <token>",
            Self::Honeycomb => "the header X-Honeycomb-Team: <token>",
            Self::Firehose { .. } => "it as the access key (X-Amz-Firehose-Access-Key: <token>)",
            Self::Journald => "the header Authorization: Basic with the token as the password",
        }
    }

    /// Writes an error of ours in the words of the protocol; `false` if it has none for it. Headers stay, but for when
    /// to come back, which is the protocol's to say.
    pub fn put_on(&self, response: &mut Response, error: &ErrorBody) -> bool {
        let Some(kind) = kind(response.status()) else { return false };
        let problem = match (kind, &error.hint) {
            (ErrorKind::Unauthenticated, _) => Problem::unauthenticated(error.fault, self.denial(error)),
            (_, Some(hint)) => Problem::new(kind, format!("{}; {hint}", error.message)),
            (_, None) => Problem::new(kind, error.message.clone()),
        };
        let faced = respond(self.refused(&problem));
        let (head, body) = faced.into_parts();
        if kind == ErrorKind::Unauthenticated && head.status == StatusCode::FORBIDDEN {
            response.headers_mut().remove(header::WWW_AUTHENTICATE);
        }
        *response.status_mut() = head.status;
        *response.body_mut() = body;
        let headers = response.headers_mut();
        for name in [header::RETRY_AFTER, header::CONTENT_TYPE, header::CONTENT_LENGTH] {
            headers.remove(name);
        }
        headers.extend(head.headers);
        true
    }
}

/// The kind of error that a status of ours stands for; none for those of HTTP itself, which stay as they are.
fn kind(status: StatusCode) -> Option<ErrorKind> {
    Some(match status.as_u16() {
        400 => ErrorKind::Malformed,
        401 => ErrorKind::Unauthenticated,
        402 => ErrorKind::PaymentRequired,
        403 => ErrorKind::Forbidden,
        404 => ErrorKind::NotFound,
        409 => ErrorKind::Conflict,
        413 => ErrorKind::TooLarge,
        415 => ErrorKind::UnsupportedMedia,
        422 => ErrorKind::Invalid,
        429 => ErrorKind::Busy,
        430 => ErrorKind::QuotaUsedUp,
        432 => ErrorKind::OutOfMemory,
        500 => ErrorKind::Internal,
        503 => ErrorKind::Unavailable,
        504 => ErrorKind::TimedOut,
        507 => ErrorKind::StorageFull,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;
    use tidegauge_auth::Refusal;
    use tidegauge_web::error::ApiError;

    fn faced(kind: ErrorKind) -> Response {
        let error = ApiError::new(kind, "no");
        let body = error.body.clone();
        let mut response = error.into_response();
        assert!(Face::Otlp(otlp::Encoding::Json).put_on(&mut response, &body));
        response
    }

    #[test]
    fn exporters_come_back_after_what_passes_by_itself() {
        for kind in [
            ErrorKind::StorageFull,
            ErrorKind::Unavailable,
            ErrorKind::TimedOut,
            ErrorKind::OutOfMemory,
            ErrorKind::Internal,
        ] {
            let response = faced(kind);
            assert_eq!(response.status(), 503, "{kind:?}");
            assert_eq!(response.headers()[header::RETRY_AFTER], "1", "{kind:?}");
        }
        assert_eq!(faced(ErrorKind::Busy).status(), 429);
        for (kind, status) in [(ErrorKind::QuotaUsedUp, 403), (ErrorKind::Invalid, 400)] {
            let response = faced(kind);
            assert_eq!(response.status(), status);
            assert!(!response.headers().contains_key(header::RETRY_AFTER));
        }
    }

    #[test]
    fn the_document_says_what_refusals_are_written_in() {
        let paths = [
            ("/v1/ingest/{name}/gelf", &["text/plain"][..]),
            ("/loki/api/v1/push", &["text/plain"]),
            ("/v1/ingest/{name}/elastic/{index}/_bulk", &["application/json"]),
            ("/v1/datasets/{name}/elastic/_bulk", &["application/json"]),
            ("/v1/datasets/{name}/ingest", &[]),
            ("/v1/logs", &["application/json", "application/x-protobuf"]),
            ("/otlp/v1/logs", &["application/json", "application/x-protobuf"]),
            ("/v1/ingest/{name}", &[]),
        ];
        for (path, media) in paths {
            assert_eq!(Face::media(path), media, "{path}");
        }
    }

    #[test]
    fn who_sends_no_token_is_told_where_to_put_it() {
        for (path, place) in [
            ("/v1/logs", "Authorization: Bearer"),
            ("/v1/datasets/web/elastic/_bulk", "Authorization: ApiKey"),
            ("/services/collector", "Authorization: Splunk"),
            ("/api/v2/logs", "DD-API-KEY"),
            ("/1/batch/web", "X-Honeycomb-Team"),
            ("/v1/ingest/web/firehose", "X-Amz-Firehose-Access-Key"),
            ("/v1/ingest/web/journald/upload", "Basic"),
        ] {
            let uri = path.parse().unwrap();
            let face = Face::of(&uri, &HeaderMap::new(), Timestamp::from_micros(0)).unwrap();
            let told = |refusal: Refusal| face.denial(&ApiError::from(refusal).body);
            assert!(told(Refusal::NoToken).contains(place), "{path}");
            assert!(told(Refusal::MalformedToken).contains(place), "{path}");
            assert_eq!(told(Refusal::UnknownToken), Refusal::UnknownToken.to_string(), "{path}");
            assert_eq!(told(Refusal::ExpiredToken), Refusal::ExpiredToken.to_string(), "{path}");
        }
    }

    #[test]
    fn a_challenge_stays() {
        let response = faced(ErrorKind::Unauthenticated);
        assert_eq!(response.status(), 401);
        assert!(response.headers().contains_key(header::WWW_AUTHENTICATE));
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
    }
}
