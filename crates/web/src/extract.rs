//! Reads requests: JSON bodies, query strings and path ids, with errors that say what is wrong and where.

use std::error::Error;
use std::ops::Deref;

use axum::Json as AxumJson;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use http_body_util::LengthLimitError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tidegauge_app::service;
use tidegauge_model::ErrorKind;

use crate::error::ApiError;
use crate::json;

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
        json::read(&json_bytes(request, state).await?).map(Self)
    }
}

/// A JSON body that is a list. Errors as those of [`Json`].
#[derive(Debug)]
pub struct JsonList<T>(pub Vec<T>);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonList<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        json::read_list(&json_bytes(request, state).await?).map(Self)
    }
}

async fn json_bytes<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, ApiError> {
    check_media_type(request.headers())?;
    check_encoding(request.headers())?;
    Bytes::from_request(request, state).await.map_err(unreadable)
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

/// The bodies of this interface are small and come as they are.
fn check_encoding(headers: &HeaderMap) -> Result<(), ApiError> {
    let encoding =
        headers.get(header::CONTENT_ENCODING).map_or("", |value| value.to_str().unwrap_or("unreadable"));
    if encoding.is_empty() || encoding.eq_ignore_ascii_case("identity") {
        return Ok(());
    }
    let message = format!("unsupported content encoding {encoding:?}, only [identity] is allowed");
    Err(ApiError::new(ErrorKind::UnsupportedMedia, message))
}

fn unreadable(rejection: BytesRejection) -> ApiError {
    if rejection.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
        return too_large("max_body_bytes");
    }
    unread(&rejection.to_string())
}

fn too_large(setting: &str) -> ApiError {
    ApiError::new(ErrorKind::TooLarge, "the body is larger than this service accepts")
        .hint(format!("the setting {setting} is the limit"))
}

fn unread(cause: &str) -> ApiError {
    ApiError::new(ErrorKind::Malformed, "the body could not be read").detail(cause)
}

/// Reads a JSON body of a route that has its own limit, in bytes and with the name of its setting. Errors as those of
/// [`Json`]. The text of the body is handed on too.
pub async fn read_json<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: Body,
    (max, setting): (usize, &str),
) -> Result<(T, Bytes), ApiError> {
    check_media_type(headers)?;
    check_encoding(headers)?;
    let bytes = to_bytes(body, max).await.map_err(|error| {
        let is_too_large = error.source().is_some_and(|cause| cause.is::<LengthLimitError>());
        if is_too_large { too_large(setting) } else { unread(&error.to_string()) }
    })?;
    Ok((json::read(&bytes)?, bytes))
}

/// The query string. An unknown parameter is ignored; a wrong value is 422 with its name.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        match axum::extract::Query::<T>::try_from_uri(&parts.uri) {
            Ok(query) => Ok(Self(query.0)),
            Err(rejection) => Err(json::violation_in_query(&rejection.body_text()).into()),
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
            Ok(path) if is_text(&path.0) => Ok(Self(path.0)),
            // Not UTF-8: such an id was never handed out.
            _ => Err(ApiError::new(ErrorKind::NotFound, "not found")),
        }
    }
}

/// The two ids in the path.
#[derive(Debug)]
pub struct PathIds(pub String, pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathIds {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match axum::extract::Path::<(String, String)>::from_request_parts(parts, state).await {
            Ok(axum::extract::Path((outer, inner))) if is_text(&outer) && is_text(&inner) => {
                Ok(Self(outer, inner))
            }
            _ => Err(ApiError::new(ErrorKind::NotFound, "not found")),
        }
    }
}

/// Not every database can be asked for a text with the NUL character, and none has one.
fn is_text(id: &str) -> bool {
    !id.contains('\0')
}

/// Who calls. The guard in front of the route has put them into the request.
#[derive(Clone, Debug)]
pub struct Caller(service::Caller);

impl Deref for Caller {
    type Target = service::Caller;

    fn deref(&self) -> &service::Caller {
        &self.0
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        match parts.extensions.remove::<service::Caller>() {
            Some(caller) => Ok(Self(caller)),
            None => Err(ApiError::new(ErrorKind::Internal, "the route has no guard")),
        }
    }
}
