//! Reads the body of a form that a page has sent.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;
use tidegauge_model::ErrorKind;
use tidegauge_web::error::ApiError;

const MEDIA_TYPE: &str = "application/x-www-form-urlencoded";

/// The fields of a form. A field more does not matter; without one that is needed the answer is 422.
#[derive(Debug)]
pub struct Form<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Form<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let essence = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case(MEDIA_TYPE) {
            let message = format!("unsupported media type {essence:?}, only [{MEDIA_TYPE}] is allowed");
            return Err(ApiError::new(ErrorKind::UnsupportedMedia, message));
        }
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| {
            if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
                ApiError::new(ErrorKind::TooLarge, "the form is larger than this service accepts")
            } else {
                ApiError::new(ErrorKind::Malformed, "the form could not be read")
            }
        })?;
        read(&bytes).map(Self)
    }
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    // What is wrong is told without the values, which may be passwords.
    let invalid =
        || ApiError::new(ErrorKind::Invalid, "the form lacks a field or has one twice: load its page again");
    let pairs: Vec<(String, String)> = url::form_urlencoded::parse(bytes).into_owned().collect();
    let value = serde_json::Value::Object(
        pairs.iter().map(|(name, value)| (name.clone(), serde_json::Value::from(value.as_str()))).collect(),
    );
    if value.as_object().map_or(0, serde_json::Map::len) != pairs.len() {
        return Err(invalid());
    }
    serde_json::from_value(value).map_err(|_| invalid())
}
