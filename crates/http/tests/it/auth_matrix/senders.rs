//! The rows of the routes of senders, and of language models, that speak a protocol of their own.

use serde_json::{Value, json};

use super::{DEFINED_ON, Id, Row, row};

pub(super) fn rows() -> Vec<Row> {
    let sent = |method, path, body: Value, success| row(method, path, Id::Sent, Some(body), success);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let bulk = || json!("{\"index\":{}}\n{\"a\":1}\n");
    let envelope = || json!({"event": {"a": 1}});
    let log = || json!([{"message": "a"}]);
    let journal = json!("__REALTIME_TIMESTAMP=1780315200000000\nMESSAGE=a\n\n");
    let cloud_event = json!({"specversion": "1.0", "type": "t", "source": "s", "id": "1"});
    vec![
        row("POST", "/mcp", Id::None, Some(ping), 200),
        sent("POST", "/logs", json!({}), 200),
        sent("POST", "/traces", json!({}), 200),
        sent("POST", "/metrics", json!({}), 200),
        sent("POST", "/otlp/v1/logs", json!({}), 200),
        // Who may send is told that it is no call of gRPC. As one, every refusal has the status 200.
        sent("POST", "/opentelemetry.proto.collector.logs.v1.LogsService/Export", json!({}), 415),
        sent("POST", "/opentelemetry.proto.collector.trace.v1.TraceService/Export", json!({}), 415),
        sent("POST", "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", json!({}), 415),
        sent("POST", "/ingest/{name}/elastic/_bulk", bulk(), 200),
        sent("PUT", "/ingest/{name}/elastic/_bulk", bulk(), 200),
        sent("POST", "/ingest/{name}/elastic/{index}/_bulk", bulk(), 200),
        sent("PUT", "/ingest/{name}/elastic/{index}/_bulk", bulk(), 200),
        sent("POST", "/datasets/{name}/elastic/_bulk", bulk(), 200),
        sent("PUT", "/datasets/{name}/elastic/_bulk", bulk(), 200),
        sent("POST", "/datasets/{name}/elastic/{index}/_bulk", bulk(), 200),
        sent("PUT", "/datasets/{name}/elastic/{index}/_bulk", bulk(), 200),
        sent("POST", "/_bulk", bulk(), 200),
        sent("PUT", "/_bulk", bulk(), 200),
        sent("POST", "/{index}/_bulk", bulk(), 200),
        sent("PUT", "/{index}/_bulk", bulk(), 200),
        sent("POST", "/loki/api/v1/push", json!({"streams": []}), 204),
        sent("POST", "/api/prom/push", json!({"streams": []}), 204),
        sent("POST", "/services/collector", envelope(), 200),
        sent("POST", "/services/collector/event", envelope(), 200),
        sent("POST", "/services/collector/event/1.0", envelope(), 200),
        sent("POST", "/services/collector/raw", json!("a line"), 200),
        sent("POST", "/services/collector/raw/1.0", json!("a line"), 200),
        // Who may send is told that nothing is acknowledged later.
        sent("POST", "/services/collector/ack", json!({"acks": [1]}), 400),
        sent("POST", "/api/v2/logs", log(), 202),
        sent("POST", "/input", log(), 202),
        sent("POST", "/input/{key}", log(), 202),
        row("GET", "/api/v1/validate", Id::Sent, None, 200),
        sent("POST", "/1/events/{name}", json!({"a": 1}), 200),
        sent("POST", "/1/batch/{name}", json!([{"data": {"a": 1}}]), 200),
        sent("POST", "/ingest/{name}/firehose", json!({"requestId": "r", "records": []}), 200),
        sent("POST", "/ingest/{name}/journald/upload", journal, 202),
        sent("POST", "/ingest/{name}/cloudevents", cloud_event, 204),
        sent("POST", "/ingest/{name}/gelf", json!({"short_message": "a"}), 202),
        // Who may send is told that it is no message of this protocol.
        sent("POST", "/api/v1/write", json!({}), 415),
        sent("POST", "/gelf", json!({"short_message": "a"}), 202),
    ]
}

/// The rows of the addresses that people make for some senders.
pub(super) fn endpoint_rows() -> Vec<Row> {
    let endpoint = || Some(json!({"name": "e", "kind": "loki", "dataset": DEFINED_ON}));
    vec![
        row("GET", "/endpoints", Id::None, None, 200),
        row("POST", "/endpoints", Id::None, endpoint(), 200),
        row("GET", "/endpoints/{id}", Id::Endpoint, None, 200),
        row("PUT", "/endpoints/{id}", Id::Endpoint, endpoint(), 200),
        row("DELETE", "/endpoints/{id}", Id::Endpoint, None, 204),
    ]
}
