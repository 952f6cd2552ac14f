//! The headers that tell how much of a month's quota is left.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use tidegauge_app::service::quota_remaining::{Quota, QuotaRemaining};

const INGEST: [HeaderName; 3] = [
    HeaderName::from_static("x-ingestlimit-limit"),
    HeaderName::from_static("x-ingestlimit-remaining"),
    HeaderName::from_static("x-ingestlimit-reset"),
];
const QUERY: [HeaderName; 3] = [
    HeaderName::from_static("x-querylimit-limit"),
    HeaderName::from_static("x-querylimit-remaining"),
    HeaderName::from_static("x-querylimit-reset"),
];

pub fn set(headers: &mut HeaderMap, quota_remaining: &QuotaRemaining) {
    let [limit, remaining, reset] = match quota_remaining.quota {
        Quota::Ingest => INGEST,
        Quota::Query => QUERY,
    };
    headers.insert(limit, HeaderValue::from(quota_remaining.limit));
    headers.insert(remaining, HeaderValue::from(quota_remaining.remaining));
    headers.insert(reset, HeaderValue::from(quota_remaining.reset_at));
}
