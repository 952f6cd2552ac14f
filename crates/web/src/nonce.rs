//! The header by which a client is told what to put into its next proof of a key (RFC 9449).

use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// The header with the nonce for the next proof (RFC 9449, 8).
const NONCE: HeaderName = HeaderName::from_static("dpop-nonce");

/// Tells a client what to put into its next proof.
pub fn set_nonce(headers: &mut HeaderMap, nonce: &str) {
    if let Ok(value) = HeaderValue::from_str(nonce) {
        headers.insert(NONCE, value);
    }
}
