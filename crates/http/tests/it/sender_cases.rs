//! Cases of senders that a scenario cannot say: bodies that are no text, compressed ones, long ones, and a full disk.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use crate::app::TestApp;
use crate::cases::Case;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("otlp_comes_as_protobuf_and_compressed", |app| Box::pin(otlp_protobuf(app))),
    ("otlp_comes_as_calls_of_grpc", |app| Box::pin(grpc(app))),
    ("loki_comes_in_a_snappy_block", |app| Box::pin(loki_snappy(app))),
    ("a_journal_is_stored_in_parts", |app| Box::pin(journal_in_parts(app))),
    ("msgpack_comes_to_the_routes_of_ingest", |app| Box::pin(msgpack(app))),
    ("on_a_full_disk_senders_are_told_to_come_back", |app| Box::pin(full_disk(app))),
    ("remote_write_tells_what_was_written", |app| Box::pin(remote_write(app))),
    ("a_block_that_declares_too_much_is_refused", |app| Box::pin(hostile_block(app))),
];

/// A field of a protobuf message that has a length, which is below 128 here.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2, u8::try_from(bytes.len()).unwrap()];
    out.extend_from_slice(bytes);
    out
}

/// A request with one log record, at 2026-06-01T11:00:00Z.
fn log_request(text: &str) -> Vec<u8> {
    let mut record = vec![1 << 3 | 1];
    record.extend_from_slice(&1_780_311_600_000_000_000_u64.to_le_bytes());
    record.extend(field(5, &field(1, text.as_bytes())));
    field(1, &field(2, &field(2, &record)))
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// A block that is a single literal, of at most 60 bytes.
fn snappy(plain: &[u8]) -> Vec<u8> {
    let length = u8::try_from(plain.len()).unwrap();
    assert!((1..=60).contains(&length));
    [&[length, (length - 1) << 2][..], plain].concat()
}

async fn otlp_protobuf(app: TestApp) {
    let plain = log_request("hello");
    let bodies = [
        ("identity", plain.clone()),
        ("gzip", gzip(&plain)),
        ("zstd", zstd::encode_all(&plain[..], 3).unwrap()),
    ];
    for (encoding, body) in bodies {
        let headers = [("content-type", "application/x-protobuf"), ("content-encoding", encoding)];
        let answer = app.send_bytes("/v1/logs?dataset=logs", &headers, body).await;
        assert_eq!(answer.status, 200, "{encoding}: {answer:?}");
        assert_eq!(answer.headers["content-type"], "application/x-protobuf", "{encoding}");
        assert_eq!(answer.text, "", "{encoding}");
    }
    assert_eq!(app.rows("logs").await.len(), 3);
    let headers = [("content-type", "application/x-protobuf")];
    let answer = app.send_bytes("/v1/logs?dataset=logs", &headers, plain[..plain.len() - 1].to_vec()).await;
    assert_eq!((answer.status.as_u16(), app.rows("logs").await.len()), (400, 3), "{answer:?}");
    assert_eq!(answer.headers["content-type"], "application/x-protobuf");
}

/// A message in a frame of gRPC.
fn framed(is_compressed: bool, message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap();
    [&[u8::from(is_compressed)][..], &length.to_be_bytes(), message].concat()
}

async fn grpc(app: TestApp) {
    let path = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
    let plain = log_request("hello");
    let headers = [
        ("content-type", "application/grpc+proto"),
        ("x-tidegauge-dataset", "logs"),
        ("grpc-encoding", "gzip"),
    ];
    for body in [framed(false, &plain), framed(true, &gzip(&plain))] {
        let answer = app.send_bytes(path, &headers, body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.headers["content-type"], "application/grpc");
        assert!(!answer.headers.contains_key("grpc-status"), "it is in the trailers: {answer:?}");
        assert_eq!(answer.text, "\0\0\0\0\0", "an empty message");
    }
    assert_eq!(app.rows("logs").await.len(), 2);
    let status = async |headers: &[(&str, &str)], body: Vec<u8>| {
        let answer = app.send_bytes(path, headers, body).await;
        assert_eq!((answer.status.as_u16(), answer.text.as_str()), (200, ""), "{answer:?}");
        answer.headers["grpc-status"].to_str().unwrap().to_owned()
    };
    assert_eq!(status(&headers, Vec::new()).await, "3", "no message");
    assert_eq!(status(&headers, framed(false, &plain[1..])).await, "3", "a broken message");
    assert_eq!(status(&headers[..1], framed(false, &plain)).await, "3", "no dataset");
    app.disk.fill(true);
    assert_eq!(status(&headers, framed(false, &plain)).await, "14", "a full disk");
    app.disk.fill(false);
    assert_eq!(app.rows("logs").await.len(), 2);
}

async fn loki_snappy(app: TestApp) {
    let time = [1 << 3, 0xb0, 0xcc, 0xf5, 0xd0, 0x06];
    let entry = [field(1, &time), field(2, b"line")].concat();
    let request = field(1, &[field(1, b"{job=\"web\"}"), field(2, &entry)].concat());
    for headers in [
        &[("content-type", "application/x-protobuf")][..],
        &[("content-type", "application/x-protobuf"), ("content-encoding", "snappy")],
    ] {
        let answer = app.send_bytes("/loki/api/v1/push?dataset=web", headers, snappy(&request)).await;
        assert_eq!(answer.status, 204, "{answer:?}");
    }
    assert_eq!(app.rows("web").await.len(), 2);
}

async fn remote_write(app: TestApp) {
    let label = |name: &[u8], value: &[u8]| field(1, &[field(1, name), field(2, value)].concat());
    let mut sample = vec![1 << 3 | 1];
    sample.extend_from_slice(&1.5_f64.to_le_bytes());
    sample.extend_from_slice(&[2 << 3, 7]);
    let first = field(1, &[label(b"__name__", b"up"), field(2, &sample)].concat());
    let headers = [("content-type", "application/x-protobuf"), ("content-encoding", "snappy")];
    let answer = app.send_bytes("/api/v1/write?dataset=metrics", &headers, snappy(&first)).await;
    assert_eq!(answer.status, 204, "{answer:?}");
    let symbols = [field(4, b""), field(4, b"__name__"), field(4, b"up")].concat();
    let series = field(5, &[field(1, &[1, 2]), field(2, &sample)].concat());
    let second = [symbols, series].concat();
    let kind = "application/x-protobuf;proto=io.prometheus.write.v2.Request";
    let headers = [("content-type", kind), ("content-encoding", "snappy")];
    let answer = app.send_bytes("/api/v1/write?dataset=metrics", &headers, snappy(&second)).await;
    assert_eq!(answer.status, 204, "{answer:?}");
    assert_eq!(answer.headers["x-prometheus-remote-write-samples-written"], "1");
    assert_eq!(app.rows("metrics").await.len(), 2);
    let unknown = [("content-type", "application/x-protobuf;proto=other")];
    let answer = app.send_bytes("/api/v1/write?dataset=metrics", &unknown, snappy(&second)).await;
    assert_eq!(answer.status, 415, "{answer:?}");
}

async fn journal_in_parts(app: TestApp) {
    let entries = 30_000;
    let mut body = String::new();
    for number in 0..entries {
        let time = 1_780_311_600_000_000_u64 + number;
        body.push_str(&format!("__REALTIME_TIMESTAMP={time}\nMESSAGE=entry {number} {}\n\n", "x".repeat(60)));
    }
    let headers = [("content-type", "application/vnd.fdo.journal")];
    let path = "/v1/ingest/journal/journald/upload";
    let answer = app.send_bytes(path, &headers, body.into_bytes()).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    assert_eq!(app.rows("journal").await.len() as u64, entries);
}

async fn msgpack(app: TestApp) {
    // A time and a record, as Fluent Bit sends them.
    let mut pair = vec![0x92, 0xce];
    pair.extend_from_slice(&1_780_311_600_u32.to_be_bytes());
    pair.extend_from_slice(&[0x81, 0xa1, b'a', 0x01]);
    let body = pair.repeat(2);
    let headers = [("content-type", "application/msgpack"), ("idempotency-key", "k")];
    for repeated in [false, true] {
        let answer = app.send_bytes("/v1/ingest/web", &headers, body.clone()).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!((&answer.json()["ingested"], &answer.json()["processedBytes"]), (&json!(2), &json!(20)));
        assert_eq!(answer.headers.contains_key("x-tidegauge-repeated"), repeated);
    }
    assert_eq!(app.rows("web").await.len(), 2);
    let answer = app.send_bytes("/v1/ingest/web", &headers, pair.clone()).await;
    assert_eq!(answer.status, 422, "another body with the same key: {answer:?}");
    let answer = app.send_bytes("/v1/ingest/web", &headers[..1], pair[..5].to_vec()).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["code"]), (400, &json!(400)), "{answer:?}");
}

async fn full_disk(app: TestApp) {
    let json = [("content-type", "application/json")];
    let log = r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"x"}}]}]}]}"#;
    let senders = [
        ("/v1/logs?dataset=d", log),
        ("/v1/ingest/d/elastic/_bulk", "{\"index\":{}}\n{\"a\":1}\n"),
        ("/loki/api/v1/push?dataset=d", r#"{"streams":[{"stream":{},"values":[["7","x"]]}]}"#),
        ("/services/collector?index=d", r#"{"event":1}"#),
        ("/api/v2/logs?dataset=d", r#"[{"message":"x"}]"#),
        ("/1/events/d", r#"{"a":1}"#),
        ("/v1/ingest/d/firehose", r#"{"requestId":"1","records":[{"data":"eyJhIjoxfQ=="}]}"#),
        ("/v1/ingest/d/journald/upload", "MESSAGE=x\n\n"),
        ("/v1/ingest/d/cloudevents", r#"{"source":"s","id":"1"}"#),
        ("/v1/ingest/d/gelf", r#"{"short_message":"x"}"#),
    ];
    let before = app.send_bytes("/v1/ingest/d", &json, b"[{\"a\":0}]".to_vec()).await;
    assert_eq!(before.status, 200, "{before:?}");
    app.disk.fill(true);
    for (path, body) in senders {
        let answer = app.send_bytes(path, &json, body.as_bytes().to_vec()).await;
        assert_eq!(answer.status, 503, "{path}: {answer:?}");
        assert_eq!(answer.headers["retry-after"], "1", "{path}");
    }
    assert_eq!(app.rows("d").await.len(), 1, "nothing was stored");
    app.disk.fill(false);
    for (path, body) in senders {
        let answer = app.send_bytes(path, &json, body.as_bytes().to_vec()).await;
        assert!(answer.status.is_success(), "{path}: {answer:?}");
    }
    assert_eq!(app.rows("d").await.len(), 1 + senders.len());
}

async fn hostile_block(app: TestApp) {
    let headers = [("content-type", "application/x-protobuf")];
    let four_gibibytes = vec![0xff, 0xff, 0xff, 0xff, 0x0f, 0];
    let answer = app.send_bytes("/loki/api/v1/push?dataset=web", &headers, four_gibibytes).await;
    assert!(matches!(answer.status.as_u16(), 400 | 413), "{answer:?}");
    assert!(app.app.store.find(&app.org, "web").is_none());
}
