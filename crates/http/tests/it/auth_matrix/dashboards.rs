//! The routes of dashboards.

use serde_json::json;

use super::{Id, Row, row};

pub(super) fn rows() -> Vec<Row> {
    let document = || {
        json!({
            "name": "d", "charts": [{"id": "n", "type": "Note", "text": "x"}], "layout": [], "refreshTime": 60,
            "schemaVersion": 2, "timeWindowStart": "qr-now-1h", "timeWindowEnd": "qr-now",
        })
    };
    let created = Some(json!({"dashboard": document()}));
    let replaced = Some(json!({"dashboard": document(), "overwrite": true}));
    let patched = Some(json!({"chart": {"text": "y"}, "overwrite": true}));
    let restored = Some(json!({"overwrite": true}));
    vec![
        row("GET", "/dashboards", Id::None, None, 200),
        row("POST", "/dashboards", Id::None, created, 201),
        row("GET", "/dashboards/uid/{uid}", Id::Dashboard, None, 200),
        row("PUT", "/dashboards/uid/{uid}", Id::Dashboard, replaced, 200),
        row("DELETE", "/dashboards/uid/{uid}", Id::Dashboard, None, 204),
        row("PATCH", "/dashboards/uid/{uid}/charts/{chartId}", Id::Dashboard, patched, 200),
        row("GET", "/dashboards/uid/{uid}/versions", Id::Dashboard, None, 200),
        row("GET", "/dashboards/uid/{uid}/versions/{version}", Id::Dashboard, None, 200),
        row("POST", "/dashboards/uid/{uid}/versions/{version}/restore", Id::Dashboard, restored, 200),
    ]
}
