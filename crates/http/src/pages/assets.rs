//! The files that pages refer to, from the binary. Their names hold a digest of what is in them, so that browsers may
//! keep them for ever and still see a new version at once.

use axum::Router;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tidegauge_model::ErrorKind;
use tidegauge_web::error::ApiError;

const STYLESHEET: &str = include_str!("../../assets/pages.css");
const ICON: &str = include_str!("../../assets/icon.svg");

/// For files whose names hold a digest of what is in them.
pub(super) const FOREVER: &str = "public, max-age=31536000, immutable";

/// The path of the stylesheet of all pages.
pub fn stylesheet_path() -> String {
    format!("/assets/{}", name("pages", STYLESHEET, "css"))
}

/// The path of the icon that browsers show for a page.
pub fn icon_path() -> String {
    format!("/assets/{}", name("icon", ICON, "svg"))
}

fn name(stem: &str, content: &str, extension: &str) -> String {
    format!("{stem}-{:016x}.{extension}", xxhash_rust::xxh3::xxh3_64(content.as_bytes()))
}

/// The route of the files.
pub fn files<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/assets/{file}", get(|Path(file): Path<String>| async move { answer(&file) }))
}

fn answer(file: &str) -> Response {
    let (content, kind) = if file == name("pages", STYLESHEET, "css") {
        (STYLESHEET, "text/css; charset=utf-8")
    } else if file == name("icon", ICON, "svg") {
        (ICON, "image/svg+xml")
    } else {
        return ApiError::new(ErrorKind::NotFound, "file not found").into_response();
    };
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, FOREVER)], content).into_response()
}
