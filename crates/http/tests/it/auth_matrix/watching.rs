//! The routes of monitors and annotations.

use serde_json::json;

use super::{Id, Row, row};

pub(super) fn rows() -> Vec<Row> {
    // It reads no dataset, so that it needs no right beside the one that the route asks for.
    let monitor = || {
        Some(json!({
            "name": "m",
            "aplQuery": "print x = 1",
            "operator": "Above",
            "threshold": 1,
            "intervalMinutes": 5,
            "rangeMinutes": 5,
            "resolvable": true,
        }))
    };
    let backtest = Some(json!({
        "monitor": monitor(),
        "startTime": "2026-06-01T10:00:00Z",
        "endTime": "2026-06-01T10:30:00Z",
    }));
    let annotation = || Some(json!({"datasets": ["web"], "type": "release"}));
    vec![
        row("GET", "/monitors", Id::None, None, 200),
        row("POST", "/monitors", Id::None, monitor(), 200),
        row("GET", "/monitors/{id}", Id::Monitor, None, 200),
        row("PUT", "/monitors/{id}", Id::Monitor, monitor(), 200),
        row("DELETE", "/monitors/{id}", Id::Monitor, None, 204),
        row("GET", "/monitors/{id}/history", Id::Monitor, None, 200),
        row("GET", "/monitors/{id}/runs", Id::Monitor, None, 200),
        row("POST", "/monitors/{id}/resolve", Id::Monitor, None, 200),
        row("POST", "/monitors/backtest", Id::None, backtest, 200),
        row("GET", "/monitors/states", Id::None, None, 200),
        row("GET", "/annotations", Id::None, None, 200),
        row("POST", "/annotations", Id::None, annotation(), 201),
        row("GET", "/annotations/{id}", Id::Annotation, None, 200),
        row("PUT", "/annotations/{id}", Id::Annotation, Some(json!({"title": "changed"})), 200),
        row("DELETE", "/annotations/{id}", Id::Annotation, None, 204),
    ]
}
