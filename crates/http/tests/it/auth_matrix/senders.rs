//! The rows of the routes of senders that speak a protocol of their own.

use serde_json::json;

use super::{Id, Row, row};

pub(super) fn rows() -> Vec<Row> {
    let nothing = || Some(json!({}));
    vec![
        row("POST", "/logs", Id::Sent, nothing(), 200),
        row("POST", "/traces", Id::Sent, nothing(), 200),
        row("POST", "/metrics", Id::Sent, nothing(), 200),
    ]
}
