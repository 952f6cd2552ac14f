//! `/openapi.json` and the browsable page over it at `/docs`. The page is part of the binary and loads nothing from
//! anywhere else, which its content security policy enforces.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use tidegauge_model::ErrorKind;
use utoipa_swagger_ui::{Config, serve};

use super::error::ApiError;

/// Scripts and styles from this service only; the page's own style attributes and inline images are needed.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    script-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

pub fn router<S: Clone + Send + Sync + 'static>(document: Arc<String>) -> Router<S> {
    let page = Page { config: Arc::new(page_config()) };
    Router::new()
        .route("/openapi.json", get(document_json).with_state(document))
        .route("/docs", get(|| async { Redirect::permanent("/docs/") }))
        .route("/docs/", get(index).with_state(page.clone()))
        .route("/docs/{*file}", get(file).with_state(page))
}

#[derive(Clone)]
struct Page {
    config: Arc<Config<'static>>,
}

fn page_config() -> Config<'static> {
    // Without this the page would ask a service on the internet to validate the document.
    Config::from("/openapi.json").validator_url("none").persist_authorization(false).try_it_out_enabled(true)
}

async fn document_json(State(document): State<Arc<String>>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], document.as_str().to_owned()).into_response()
}

async fn index(State(page): State<Page>) -> Response {
    answer("index.html", page)
}

async fn file(Path(name): Path<String>, State(page): State<Page>) -> Response {
    answer(&name, page)
}

fn answer(name: &str, page: Page) -> Response {
    match serve(name, page.config) {
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
