//! What every route that takes events reads of a request, whatever the form of the events: what the headers say of the
//! body, and whether the body is small.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use tidegauge_app::App;
use tidegauge_app::service::ingest::small;
use tidegauge_ingest::Encoding;
use tidegauge_model::ErrorKind;
use tidegauge_web::error::ApiError;

/// Ours first; the second is what existing clients send.
pub(super) const EVENT_LABELS: [&str; 2] = ["x-tidegauge-event-labels", "x-axiom-event-labels"];

/// How long a body says that it is.
pub(super) fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok())
}

/// A body that says that it is too large need not be read.
pub(super) fn check_length(length: Option<u64>, max: u64) -> Result<(), ApiError> {
    if length.is_some_and(|length| length > max) {
        let message = format!("the body is larger than {max} bytes; send it in smaller parts");
        return Err(ApiError::new(ErrorKind::TooLarge, message)
            .hint("the setting max_ingest_body_bytes is the limit"));
    }
    Ok(())
}

/// The error of a body that does not come to its end, as for one that is read while it comes.
pub(super) fn unreadable(error: axum::Error) -> ApiError {
    let message = format!("the body could not be read: {error}");
    ApiError::new(ErrorKind::Malformed, message).hint("nothing of this request was stored")
}

/// What a body says that it is compressed with.
pub(super) fn encoding(headers: &HeaderMap) -> Result<Encoding, ApiError> {
    let Some(value) = headers.get(header::CONTENT_ENCODING) else {
        return Ok(Encoding::Identity);
    };
    let text = value.to_str().unwrap_or("unreadable");
    Encoding::parse(text).ok_or_else(|| {
        let known = "gzip zstd deflate identity";
        let message = format!("unsupported content encoding {text:?}, only [{known}] are allowed");
        ApiError::new(ErrorKind::UnsupportedMedia, message)
    })
}

/// The text of a header under one of its names; an empty one counts as absent, as clients send it.
pub(super) fn text(headers: &HeaderMap, names: &[&str]) -> Result<Option<String>, ApiError> {
    let Some((name, value)) = names.iter().find_map(|name| Some((name, headers.get(*name)?))) else {
        return Ok(None);
    };
    let text = std::str::from_utf8(value.as_bytes())
        .map_err(|_| ApiError::new(ErrorKind::Malformed, format!("the header {name} is not UTF-8")))?;
    Ok(Some(text.to_owned()).filter(|text| !text.is_empty()))
}

/// Whether a body is small, and if it is so only compressed, what it is without that.
pub(super) async fn settle(
    app: &App,
    encoding: Encoding,
    length: Option<u64>,
    body: Body,
) -> Result<(Body, Encoding, bool), ApiError> {
    let said_small = length.is_some_and(|length| length <= small::BYTES_MAX as u64);
    if encoding == Encoding::Identity || !said_small {
        return Ok((body, encoding, said_small));
    }
    let sent = axum::body::to_bytes(body, small::BYTES_MAX).await.map_err(unreadable)?;
    Ok(match small::decompressed(encoding, &sent, &app.ingest.limits) {
        Some(plain) => (Body::from(plain), Encoding::Identity, true),
        None => (Body::from(sent), encoding, false),
    })
}
