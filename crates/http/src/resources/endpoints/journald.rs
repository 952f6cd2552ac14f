//! Uploads of a journal, as `systemd-journal-upload` sends them. The first is a whole journal in one request, so what came
//! is stored in parts, and the time that counts is that between its bytes.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use tidegauge_app::App;
use tidegauge_app::service::ingest::journal;
use tidegauge_app::service::ingest::sender::Sending;
use tidegauge_protocols::journald;
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, PathId};

use super::{RawBytes, SenderHeaders, refuse};
use crate::resources::event_body::{EVENT_LABELS, encoding, text};
use crate::senders::face::Face;
use crate::senders::respond;

/// The route, which has no limit on its time as a whole.
pub const ROUTE: &str = "/v1/ingest/{name}/journald/upload";

/// Stores the entries of a journal. What was stored of an upload that fails comes again, because the sender begins where
/// it began.
#[utoipa::path(post, path = "/ingest/{name}/journald/upload", tag = "senders", operation_id = "journald",
    params(("name" = String, Path), SenderHeaders),
    request_body(content((RawBytes = "application/vnd.fdo.journal")), description = "Entries in the export format."),
    responses((status = 202, description = "Stored.", content((String = "text/plain")))))]
pub async fn upload(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(dataset): PathId,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let labels = text(&headers, &EVENT_LABELS)?;
    let encoding = encoding(&headers)?;
    let to_app = Arc::clone(&app);
    // Boxed once here, or every layer around it would copy it.
    let work = Box::pin(async move {
        let sending = Sending { dataset, labels, ..Sending::default() };
        journal::upload(&to_app, &caller, sending, encoding, body.into_data_stream()).await
    });
    match app.background.run(work).await {
        Ok(()) => Ok(respond(journald::accepted())),
        Err(refused) => refuse(&Face::Journald, refused),
    }
}
