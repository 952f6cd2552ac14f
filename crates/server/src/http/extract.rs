//! Reads requests: JSON bodies, query strings and path ids, with errors that say what is wrong and where.

use axum::Json as AxumJson;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tidegauge_model::{ErrorKind, Rule, Violation};

use super::error::ApiError;
use crate::service::Caller;

/// A JSON body. Reading one: 415 for another media type, 413 when too large, 422 when absent, 400 with the position
/// for broken syntax, 422 with the field for a wrong or missing value.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        AxumJson(self.0).into_response()
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        check_media_type(request.headers())?;
        let bytes = Bytes::from_request(request, state).await.map_err(unreadable)?;
        read_json(&bytes).map(Self)
    }
}

fn check_media_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        return Ok(());
    };
    let text = value.to_str().unwrap_or_default();
    let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json")) {
        return Ok(());
    }
    let message = format!("unsupported media type {essence:?}, only [application/json] is allowed");
    Err(ApiError::new(ErrorKind::UnsupportedMedia, message)
        .hint("send the header Content-Type: application/json"))
}

fn unreadable(rejection: BytesRejection) -> ApiError {
    if rejection.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
        return ApiError::new(ErrorKind::TooLarge, "the body is larger than this service accepts")
            .hint("the setting max_body_bytes is the limit");
    }
    ApiError::new(ErrorKind::Malformed, "the body could not be read").detail(rejection.to_string())
}

fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Violation::new("body", Rule::Required, "is required").into());
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| explain(&error.path().to_string(), error.inner()))?;
    deserializer.end().map_err(|error| explain("", &error))?;
    Ok(value)
}

fn explain(path: &str, error: &serde_json::Error) -> ApiError {
    if error.is_data() {
        return violation(path, &error.to_string()).into();
    }
    let message = format!("malformed JSON at line {}, column {}", error.line(), error.column());
    ApiError::new(ErrorKind::Malformed, message).detail(error.to_string())
}

/// Turns serde's account of a wrong value into a violation. The texts are serde's own and part of its interface to
/// every derived type; a text that is not known here still comes out whole.
fn violation(path: &str, text: &str) -> Violation {
    let text = text.split(" at line ").next().unwrap_or(text);
    let within = |name: &str| {
        let parent = if path == "." { "" } else { path };
        let parent = parent.strip_suffix(name).map_or(parent, |rest| rest.trim_end_matches('.'));
        if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") }
    };
    if let Some(name) = text.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return Violation::required(within(name));
    }
    let field = if path == "." || path.is_empty() { "body" } else { path };
    if text.starts_with("invalid type: null") {
        return Violation::required(field);
    }
    let wanted = text.split_once(", expected ").map(|(_, wanted)| wanted);
    match wanted {
        Some(wanted) if text.starts_with("invalid ") => Violation::wrong_type(field, wanted),
        _ => Violation::new(field, Rule::Type, format!("is wrong: {text}")),
    }
}

/// The query string. An unknown parameter is ignored; a wrong value is 422 with its name.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        match axum::extract::Query::<T>::try_from_uri(&parts.uri) {
            Ok(query) => Ok(Self(query.0)),
            Err(rejection) => {
                let text = rejection.body_text();
                let text = text.rsplit_once("query string: ").map_or(text.as_str(), |(_, rest)| rest);
                let (field, problem) = text.split_once(": ").unwrap_or(("query", text));
                Err(Violation::new(field, Rule::Type, format!("is wrong: {problem}")).in_query().into())
            }
        }
    }
}

/// The one id in the path.
#[derive(Debug)]
pub struct PathId(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match axum::extract::Path::<String>::from_request_parts(parts, state).await {
            Ok(path) => Ok(Self(path.0)),
            // Not UTF-8: such an id was never handed out.
            Err(_) => Err(ApiError::new(ErrorKind::NotFound, "not found")),
        }
    }
}

/// The guard in front of the route has put the caller into the request.
impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        match parts.extensions.get::<Self>() {
            Some(caller) => Ok(caller.clone()),
            None => Err(ApiError::new(ErrorKind::Internal, "the route has no guard")),
        }
    }
}
