//! `/exports/{link}`: the file that a link stands for, page after page, so that it may be of any size.

use std::io;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use tidegauge_app::App;
use tidegauge_app::service;
use tidegauge_app::service::exports::{self, FileFormat, Offer};
use tidegauge_app::service::query::Queried;
use tidegauge_engine::Held;
use tidegauge_formats::{Shown, field_names, write_csv_for_people, write_ndjson, write_parquet};
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::PathId;

/// Nothing that is in a file may do anything if a browser shows it.
const POLICY: &str = "default-src 'none'; sandbox";

/// A file that is being written.
struct File {
    app: Arc<App>,
    offer: Offer,
    /// The fields of the first page, in whose order the values of all others stand.
    names: Option<Arc<[String]>>,
    /// The memory of the page that is on its way.
    held: Held,
}

/// The file that a link stands for; the link is used up by it, but not by a question for its head alone. It is good for as
/// long as who made it may ask the query.
#[utoipa::path(get, path = "/exports/{link}", tag = "query", params(("link" = String, Path)),
    responses(
        (status = 200, content((String = "text/csv"), (String = "application/x-ndjson"),
            (Vec<u8> = "application/vnd.apache.parquet"))),
        (status = 404, body = ErrorBody, description = "The link is not good, or not any more."),
        (status = 432, body = ErrorBody, description = "The answer cannot be written in pages, and is too large for one."),
    ))]
pub async fn download(
    State(app): State<Arc<App>>,
    method: Method,
    PathId(link): PathId,
) -> Result<Response, ApiError> {
    if method == Method::HEAD {
        let offer = Box::pin(exports::look(&app, &link)).await?;
        return Ok(headers(offer.format, &app).into_response());
    }
    let offer = Box::pin(exports::take(&app, &link)).await?;
    let headers = headers(offer.format, &app);
    let mut file = File { app, offer, names: None, held: Held::default() };
    // The first page decides whether there is a file at all.
    let first = file.next().await?.unwrap_or_default();
    let rest = stream::unfold(Some(file), |file| async move {
        let mut file = file?;
        match file.next().await {
            Ok(Some(page)) => Some((Ok(page), Some(file))),
            Ok(None) => None,
            // The connection breaks off, so that nobody takes a part for the whole.
            Err(error) => {
                tracing::warn!(error = error.message, "a file could not be written to its end");
                Some((Err(io::Error::other("the file ends early")), None))
            }
        }
    });
    // Who compresses it asks once more after its end.
    let body = stream::iter([Ok(first)]).chain(rest).fuse();
    Ok((headers, Body::from_stream(body)).into_response())
}

impl File {
    async fn next(&mut self) -> Result<Option<Bytes>, service::Error> {
        // Before the next page is asked for: who holds a place must not wait for another.
        self.held = Held::default();
        let Some(queried) = Box::pin(self.offer.next(&self.app)).await? else {
            return Ok(None);
        };
        let names = field_names(&Shown::of(&queried, true));
        let format = self.offer.format;
        let above = self.names.clone();
        let writing = move || written(format, &queried, above.as_deref());
        let (bytes, held) = self.app.background.compute(writing).await?;
        self.held = held;
        self.names.get_or_insert_with(|| names.into());
        Ok(Some(bytes.into()))
    }
}

/// The bytes of a page, which is below the names of the first one.
fn written(
    format: FileFormat,
    queried: &Queried,
    above: Option<&[String]>,
) -> Result<(Vec<u8>, Held), service::Error> {
    let shown = Shown::of(queried, true);
    match format {
        FileFormat::Csv => Ok(write_csv_for_people(&shown, above)?.whole()),
        FileFormat::Ndjson => Ok(write_ndjson(&shown)?.whole()),
        FileFormat::Parquet => Ok((write_parquet(&shown)?, queried.answer.held.clone())),
    }
}

fn headers(format: FileFormat, app: &App) -> HeaderMap {
    let kind = match format {
        FileFormat::Csv => "text/csv; charset=utf-8",
        FileFormat::Ndjson => "application/x-ndjson",
        FileFormat::Parquet => "application/vnd.apache.parquet",
    };
    let time: String = app.now().to_string().chars().filter(|c| *c != ':').take(17).collect();
    let name = format!("attachment; filename=\"tidegauge-{time}.{}\"", format.name());
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers
}
