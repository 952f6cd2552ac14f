//! The files of the web interface, from the binary: in the smallest form that the browser takes, and to be kept for
//! ever where the name holds a digest of the content.

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tidegauge_model::ErrorKind;
use tidegauge_web::error::ApiError;
use tidegauge_webui as webui;

use super::assets::FOREVER;
use crate::encodings::takes;

const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The route of the files.
pub fn files<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let file = |Path(name): Path<String>, headers: HeaderMap| async move { answer(&name, &headers) };
    Router::new().route("/ui/{*file}", get(file))
}

fn answer(name: &str, asked: &HeaderMap) -> Response {
    let Some(file) = webui::file(name) else {
        return ApiError::new(ErrorKind::NotFound, "file not found").into_response();
    };
    let (bytes, coding) = file.bytes(|coding| takes(asked, coding));
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind()));
    let kept = if file.is_hashed() { FOREVER } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    if let Some(coding) = coding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    response
}
