//! MessagePack on the routes of ingest, which is what Fluent Bit sends unless it is told otherwise. Answers and refusals
//! are those of ingest.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use tidegauge_app::App;
use tidegauge_app::service::ingest::sender::Key;
use tidegauge_app::service::ingest::{IngestAnswer, Patience};
use tidegauge_protocols::msgpack;
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::Caller;

use super::{Incoming, SenderParameters};

/// Whether a body is said to be MessagePack.
pub fn is_meant(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(media.as_str(), "application/msgpack" | "application/x-msgpack" | "application/vnd.msgpack")
}

/// Stores records, each alone or in a pair with its time.
pub async fn take(
    (app, caller): (Arc<App>, Caller),
    dataset: String,
    timestamp_field: Option<String>,
    key: Option<String>,
    headers: &HeaderMap,
    body: Body,
) -> Result<IngestAnswer, ApiError> {
    let parameters = SenderParameters { dataset: None, timestamp_field };
    let mut incoming = Incoming::new((app, caller), Some(dataset), parameters, headers, body)?;
    // As for every other body of ingest.
    incoming.patience = Patience::Patient;
    incoming.store_as_ingest(msgpack::read, move |_| key.map(Key::Chosen)).await
}
