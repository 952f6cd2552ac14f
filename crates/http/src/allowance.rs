//! The headers that tell how much of a month's quota is left.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use tidegauge_app::service::allowance::{Allowance, Quota};

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

pub fn set(headers: &mut HeaderMap, allowance: &Allowance) {
    let [limit, remaining, reset] = match allowance.quota {
        Quota::Ingest => INGEST,
        Quota::Query => QUERY,
    };
    headers.insert(limit, HeaderValue::from(allowance.limit));
    headers.insert(remaining, HeaderValue::from(allowance.remaining));
    headers.insert(reset, HeaderValue::from(allowance.reset_at));
}
