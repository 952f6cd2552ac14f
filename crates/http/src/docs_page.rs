//! `/openapi.json` and the browsable page over it at `/docs`. The page is part of the binary and loads nothing from
//! anywhere else, which its content security policy enforces.

use std::sync::{Arc, OnceLock};

use axum::Extension;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use bytes::Bytes;
use tidegauge_app::App;
use tidegauge_model::ErrorKind;
use tidegauge_web::error::ApiError;
use utoipa_swagger_ui::{Config, serve};

use super::openapi;

/// Scripts and styles from this service only; the page's own style attributes and inline images are needed.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    script-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// The API document as it is served. It is long and few ask for it, so that it is written when the first one does.
#[derive(Clone, Debug, Default)]
pub struct Document(Arc<OnceLock<Bytes>>);

/// The files of the page. Its first one is a route of the API like any other.
pub fn files<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/docs", get(|| async { Redirect::permanent("/docs/") }))
        .route("/docs/{*file}", get(|Path(name): Path<String>| async move { answer(&name) }))
}

/// The API document, in the form of OpenAPI 3.1.
#[utoipa::path(get, path = "/openapi.json", tag = "service",
    responses((status = 200, body = Object, content_type = "application/json")))]
pub async fn openapi(State(app): State<Arc<App>>, Extension(document): Extension<Document>) -> Response {
    let text = document.0.get_or_init(|| openapi::render(&super::api(&app).finish().1).into());
    ([(header::CONTENT_TYPE, "application/json")], text.clone()).into_response()
}

/// A page to browse the API document with.
#[utoipa::path(get, path = "/docs/", tag = "service",
    responses((status = 200, body = String, content_type = "text/html")))]
pub async fn page() -> Response {
    answer("index.html")
}

fn page_config() -> Config<'static> {
    // Without this the page would ask a service on the internet to validate the document.
    Config::from("/openapi.json").validator_url("none").persist_authorization(false).try_it_out_enabled(true)
}

fn answer(name: &str) -> Response {
    match serve(name, Arc::new(page_config())) {
        Ok(Some(file)) => {
            let mut response = (StatusCode::OK, file.bytes.into_owned()).into_response();
            let headers = response.headers_mut();
            if let Ok(kind) = HeaderValue::from_str(&file.content_type) {
                headers.insert(header::CONTENT_TYPE, kind);
            }
            headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
            response
        }
        Ok(None) => ApiError::new(ErrorKind::NotFound, "page not found").into_response(),
        Err(error) => {
            tracing::error!(%error, "the API page could not be made");
            ApiError::new(ErrorKind::Internal, "the page could not be made").into_response()
        }
    }
}
