//! The rows of the routes of senders that speak a protocol of their own.

use serde_json::json;

use super::{Id, Row, row};

pub(super) fn rows() -> Vec<Row> {
    let nothing = || Some(json!({}));
    let bulk = || Some(json!("{\"index\":{}}\n{\"a\":1}\n"));
    vec![
        row("POST", "/logs", Id::Sent, nothing(), 200),
        row("POST", "/traces", Id::Sent, nothing(), 200),
        row("POST", "/metrics", Id::Sent, nothing(), 200),
        row("POST", "/ingest/{name}/elastic/_bulk", Id::Sent, bulk(), 200),
        row("PUT", "/ingest/{name}/elastic/_bulk", Id::Sent, bulk(), 200),
        row("POST", "/ingest/{name}/elastic/{index}/_bulk", Id::Sent, bulk(), 200),
        row("POST", "/_bulk", Id::Sent, bulk(), 200),
        row("PUT", "/_bulk", Id::Sent, bulk(), 200),
    ]
}
