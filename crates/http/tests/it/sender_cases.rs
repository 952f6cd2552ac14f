//! Cases of senders that a scenario cannot say: bodies that are no text, compressed ones, long ones, and a full disk.

use std::io::{self, Write};
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use serde_json::json;
use tidegauge_model::{Action, Capabilities, DatasetArea};
use tokio::sync::oneshot;

use crate::app::{Answer, TestApp};
use crate::cases::Case;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("otlp_comes_as_protobuf_and_compressed", |app| Box::pin(otlp_protobuf(app))),
    ("otlp_comes_as_calls_of_grpc", |app| Box::pin(grpc(app))),
    ("calls_of_grpc_are_refused_by_their_own_codes", |app| Box::pin(grpc_rights(app))),
    ("loki_comes_in_a_snappy_block", |app| Box::pin(loki_snappy(app))),
    ("a_journal_is_stored_in_parts", |app| Box::pin(journal_in_parts(app))),
    ("a_whole_journal_comes_in_one_request", |app| Box::pin(whole_journal(app))),
    ("a_journal_comes_compressed", |app| Box::pin(compressed_journal(app))),
    ("msgpack_comes_to_the_routes_of_ingest", |app| Box::pin(msgpack(app))),
    ("json_of_any_type_comes_to_the_routes_of_ingest", |app| Box::pin(odd_types(app))),
    ("on_a_full_disk_senders_are_told_to_come_back", |app| Box::pin(full_disk(app))),
    ("senders_are_told_to_come_back_while_others_wait_for_room", |app| Box::pin(full_buffer(app))),
    ("clients_for_node_are_told_of_each_item_what_passes_by_itself", |app| Box::pin(told_by_items(app))),
    ("remote_write_tells_what_was_written", |app| Box::pin(remote_write(app))),
    ("remote_write_comes_by_the_address_of_an_endpoint", |app| Box::pin(by_address(app))),
    ("a_block_that_declares_too_much_is_refused", |app| Box::pin(hostile_block(app))),
    ("layouts_are_taken_beyond_the_limit_of_fields_and_count", |app| Box::pin(layouts_beyond_the_limit(app))),
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
        grpc_status(&app.send_bytes(path, headers, body).await)
    };
    assert_eq!(status(&headers, Vec::new()).await, "3", "no message");
    assert_eq!(status(&headers, framed(false, &plain[1..])).await, "3", "a broken message");
    assert_eq!(status(&headers[..1], framed(false, &plain)).await, "3", "no dataset");
    app.disk.fill(true);
    assert_eq!(status(&headers, framed(false, &plain)).await, "14", "a full disk");
    app.disk.fill(false);
    assert_eq!(app.rows("logs").await.len(), 2);
}

fn grpc_status(answer: &Answer) -> String {
    assert_eq!((answer.status.as_u16(), answer.text.as_str()), (200, ""), "{answer:?}");
    answer.headers["grpc-status"].to_str().unwrap().to_owned()
}

/// The rows of the authorisation matrix ask without gRPC, whose refusals are in headers.
async fn grpc_rights(app: TestApp) {
    let reader = app.api_token(where_allowed(|area, _| area == DatasetArea::Query), None).await;
    let sender = app.api_token(where_allowed(|area, _| area == DatasetArea::Ingest), None).await;
    for service in ["logs.v1.LogsService", "trace.v1.TraceService", "metrics.v1.MetricsService"] {
        let path = format!("/opentelemetry.proto.collector.{service}/Export");
        let status = async |token: Option<&str>, dataset: &str| {
            let headers = [("content-type", "application/grpc"), ("x-tidegauge-dataset", dataset)];
            let mut headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
            headers.extend(token.map(|token| ("authorization".to_owned(), format!("Bearer {token}"))));
            let answer = app.send_raw("POST", &path, &headers, framed(false, &[])).await;
            assert!(!answer.headers.contains_key("google.rpc.retryinfo-bin"), "it is final: {answer:?}");
            if answer.text == "\0\0\0\0\0" { "stored".to_owned() } else { grpc_status(&answer) }
        };
        assert_eq!(status(Some(&app.owner_token), "d").await, "stored", "{service}");
        assert_eq!(status(Some(&sender), "d").await, "stored", "{service}");
        assert_eq!(status(Some(&sender), "other").await, "5", "{service}: no such dataset");
        assert_eq!(status(Some(&reader), "d").await, "7", "{service}: permission denied");
        assert_eq!(status(None, "d").await, "16", "{service}: unauthenticated");
        assert_eq!(status(Some("xaat-unknown"), "d").await, "16", "{service}: unauthenticated");
    }
}

fn where_allowed(may: fn(DatasetArea, Action) -> bool) -> Capabilities {
    Capabilities::where_allowed(|_, _| false, may, |_, _| false)
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

/// A sample of remote write.
fn sample() -> Vec<u8> {
    let mut sample = vec![1 << 3 | 1];
    sample.extend_from_slice(&1.5_f64.to_le_bytes());
    sample.extend_from_slice(&[2 << 3, 7]);
    sample
}

/// A request of remote write 1.0 with one sample.
fn one_sample() -> Vec<u8> {
    let name = field(1, &[field(1, b"__name__"), field(2, b"up")].concat());
    field(1, &[name, field(2, &sample())].concat())
}

async fn remote_write(app: TestApp) {
    let sample = sample();
    let headers = [("content-type", "application/x-protobuf"), ("content-encoding", "snappy")];
    let answer = app.send_bytes("/api/v1/write?dataset=metrics", &headers, snappy(&one_sample())).await;
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

async fn by_address(app: TestApp) {
    let owner = Some(app.owner_token.as_str());
    app.send("POST", "/v2/datasets", owner, Some(&json!({"name": "metrics"}))).await;
    let endpoint = json!({"name": "e", "kind": "remoteWrite", "dataset": "metrics", "labels": {"via": "e"}});
    let made = app.send("POST", "/v2/endpoints", owner, Some(&endpoint)).await;
    assert_eq!(made.status, 200, "{made:?}");
    let address = format!("{}/api/v1/write?dataset=elsewhere", made.json()["url"].as_str().unwrap());
    let headers = [("content-type", "application/x-protobuf"), ("content-encoding", "snappy")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let answer = app.send_raw("POST", &address, &headers, snappy(&one_sample())).await;
    assert_eq!(answer.status, 204, "{answer:?}");
    let broken = app.send_raw("POST", &address, &headers, vec![7]).await;
    assert_eq!(broken.status, 400, "{broken:?}");
    assert_eq!(app.rows("metrics").await.len(), 1);
    assert!(app.app.store.find(&app.org, "elsewhere").is_none());
    let endpoints = app.send("GET", "/v2/endpoints", owner, None).await.json();
    assert_eq!((&endpoints[0]["events"], &endpoints[0]["failures"]), (&json!(1), &json!(1)), "{endpoints}");
}

/// Entries in the export format, with texts of so many bytes.
fn journal(numbers: std::ops::Range<u64>, bytes: usize) -> Vec<u8> {
    let text = "x".repeat(bytes);
    let entries = numbers.map(|number| {
        let time = 1_780_311_600_000_000 + number;
        format!("__REALTIME_TIMESTAMP={time}\nMESSAGE=entry {number} {text}\n\n")
    });
    entries.collect::<String>().into_bytes()
}

const UPLOAD: &str = "/v1/ingest/journal/journald/upload";

async fn journal_in_parts(app: TestApp) {
    let entries = 30_000;
    let headers = [("content-type", "application/vnd.fdo.journal")];
    let answer = app.send_bytes(UPLOAD, &headers, journal(0..entries, 60)).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    assert_eq!(answer.headers["accept-encoding"], "zstd", "it may compress what follows");
    assert_eq!(app.rows("journal").await.len() as u64, entries);
}

/// A first upload is far longer than a body, what all bodies may take of the memory, and the time of a request.
async fn whole_journal(app: TestApp) {
    let app = TestApp::start_sized(app.backend, |sizes| {
        sizes.http.request_timeout = Duration::from_millis(200);
        sizes.ingest.max_body_bytes = 64 << 10;
        sizes.ingest.max_uncompressed_bytes = 64 << 10;
        sizes.ingest.max_event_bytes = 16 << 10;
        sizes.ingest.memory_bytes = 8 << 20;
    })
    .await;
    let (pieces, entries_of_piece) = (48, 512);
    let piece = move |number: u64| {
        let first = number * entries_of_piece;
        io::Result::Ok(journal(first..first + entries_of_piece, 1_000))
    };
    let (time_is_over, until_then) = oneshot::channel();
    let last = stream::once(async move {
        until_then.await.unwrap();
        piece(pieces - 1)
    });
    let whole = stream::iter((0..pieces - 1).map(piece)).chain(last);
    let upload = respond(&app, UPLOAD, Body::from_stream(whole));
    let other = async {
        let endless = Body::from_stream(stream::pending::<io::Result<Vec<u8>>>());
        let status = respond(&app, "/v1/ingest/other", endless).await.status;
        assert_eq!(status, 504, "the time of a request is over");
        time_is_over.send(()).unwrap();
    };
    let (answer, ()) = tokio::join!(upload, other);
    assert_eq!(answer.status, 202, "{answer:?}");
    assert_eq!(app.rows("journal").await.len() as u64, pieces * entries_of_piece);
}

/// Sends a body that comes bit by bit.
async fn respond(app: &TestApp, path: &str, body: Body) -> Answer {
    let token = format!("Bearer {}", app.owner_token);
    let request = Request::post(path).header("authorization", token).body(body).unwrap();
    Answer::read(app.serve(request).await).await
}

async fn compressed_journal(app: TestApp) {
    let plain = journal(0..30_000, 60);
    // What the sender has at a time is a frame of its own.
    let frames: Vec<u8> =
        plain.chunks(16 << 10).flat_map(|piece| zstd::encode_all(piece, 3).unwrap()).collect();
    let send = async |encoding: &str, body: Vec<u8>| {
        app.send_bytes(UPLOAD, &[("content-encoding", encoding)], body).await
    };
    for (encoding, body) in [("zstd", frames.clone()), ("gzip", gzip(&plain)), ("identity", plain.clone())] {
        let answer = send(encoding, body).await;
        assert_eq!(answer.status, 202, "{encoding}: {answer:?}");
    }
    assert_eq!(app.rows("journal").await.len(), 90_000);
    let answer = send("lz4", plain).await;
    assert_eq!(answer.status, 415, "{answer:?}");
    assert_eq!(answer.headers["accept-encoding"], "zstd", "what it may be instead");
    assert_eq!(send("zstd", frames[..frames.len() - 1].to_vec()).await.status, 400, "an end that is missing");
    let bomb = zstd::encode_all(&[&b"MESSAGE="[..], &b"x".repeat(8 << 20)].concat()[..], 3).unwrap();
    assert_eq!(send("zstd", bomb).await.status, 413, "little that becomes much");
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

/// Lines of JSON in gzip that are said to be anything, as Logpush of Cloudflare sends them.
async fn odd_types(app: TestApp) {
    let lines = b"{\"a\":1}\n{\"a\":2}\n";
    let headers = [("content-type", "application/octet-stream"), ("content-encoding", "gzip")];
    let answer = app.send_bytes("/v1/ingest/d", &headers, gzip(lines)).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["ingested"]), (200, &json!(2)), "{answer:?}");
    // Longer than what is read at once, and blank at first.
    let long = [&b" ".repeat(40_000)[..], &lines.repeat(10_000)].concat();
    let answer = app.send_bytes("/v1/ingest/d", &headers, gzip(&long)).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["ingested"]), (200, &json!(20_000)), "{answer:?}");
    let cut = gzip(lines);
    let cases = [(gzip(b"a,b\n1,2\n"), 415), (lines.to_vec(), 400), (cut[..cut.len() - 1].to_vec(), 400)];
    for (body, status) in cases {
        let answer = app.send_bytes("/v1/ingest/d", &headers, body).await;
        assert_eq!(answer.status, status, "{answer:?}");
    }
    assert_eq!(app.rows("d").await.len(), 20_002);
}

/// A request with one event for the dataset `d`: where it goes, its media type and its body.
type Sent = (&'static str, &'static str, Vec<u8>);

/// One of each protocol whose senders come back with what is refused.
fn of_who_comes_back() -> Vec<Sent> {
    let json = |path, body: &str| (path, "application/json", body.as_bytes().to_vec());
    let log = r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"x"}}]}]}]}"#;
    vec![
        json("/v1/logs?dataset=d", log),
        json("/v1/ingest/d/elastic/_bulk", "{\"index\":{}}\n{\"a\":1}\n"),
        json("/loki/api/v1/push?dataset=d", r#"{"streams":[{"stream":{},"values":[["7","x"]]}]}"#),
        json("/services/collector?index=d", r#"{"event":1}"#),
        json("/api/v2/logs?dataset=d", r#"[{"message":"x"}]"#),
        json("/1/events/d", r#"{"a":1}"#),
        json("/v1/ingest/d/firehose", r#"{"requestId":"1","records":[{"data":"eyJhIjoxfQ=="}]}"#),
        json("/v1/ingest/d/cloudevents", r#"{"source":"s","id":"1"}"#),
        ("/api/v1/write?dataset=d", "application/x-protobuf", snappy(&one_sample())),
    ]
}

/// The same of those that do not.
fn of_who_waits() -> Vec<Sent> {
    vec![
        ("/v1/ingest/d/journald/upload", "application/vnd.fdo.journal", b"MESSAGE=x\n\n".to_vec()),
        ("/v1/ingest/d/gelf", "application/json", br#"{"short_message":"x"}"#.to_vec()),
    ]
}

async fn send(app: &TestApp, (path, kind, body): &Sent) -> Answer {
    app.send_bytes(path, &[("content-type", *kind)], body.clone()).await
}

async fn full_disk(app: TestApp) {
    let senders = [of_who_comes_back(), of_who_waits()].concat();
    let own = ("/v1/ingest/d", "application/json", b"[{\"a\":0}]".to_vec());
    let fluent_bit = ("/v1/ingest/d", "application/msgpack", vec![0x81, 0xa1, b'a', 0x01]);
    let before = send(&app, &own).await;
    assert_eq!(before.status, 200, "{before:?}");
    app.disk.fill(true);
    for sender in &senders {
        let answer = send(&app, sender).await;
        assert_eq!(answer.status, 503, "{}: {answer:?}", sender.0);
        assert_eq!(answer.headers["retry-after"], "1", "{}", sender.0);
    }
    let answer = send(&app, &fluent_bit).await;
    assert_eq!(answer.status, 507, "as every body of ingest, which it tries again as well: {answer:?}");
    assert_eq!(app.rows("d").await.len(), 1, "nothing was stored");
    app.disk.fill(false);
    for sender in senders.iter().chain([&fluent_bit]) {
        let answer = send(&app, sender).await;
        assert!(answer.status.is_success(), "{}: {answer:?}", sender.0);
    }
    assert_eq!(app.rows("d").await.len(), 2 + senders.len());
}

/// Whoever may wait does so for as long as the settings say, which is longer than this test lasts.
async fn full_buffer(app: TestApp) {
    let app = TestApp::start_sized(app.backend, |sizes| {
        sizes.store.buffer_bytes_max = 4_000;
        sizes.store.buffer_wait = Duration::from_secs(3_600);
    })
    .await;
    let events: String = (0..1_000).map(|number| format!("{{\"number\":{number}}}\n")).collect();
    let filled = send(&app, &("/v1/ingest/d", "application/json", events.into_bytes())).await;
    assert_eq!(filled.status, 200, "{filled:?}");
    let own = ("/v1/ingest/d", "application/json", b"{\"number\":0}".to_vec());
    let who_wait = [of_who_waits(), vec![own]].concat();
    let waiting = join_all(who_wait.iter().map(|sender| send(&app, sender)));
    let senders = of_who_comes_back();
    let service = &app;
    let told = join_all(senders.iter().map(|sender| async move {
        let answer = send(service, sender).await;
        let status = if sender.0.ends_with("_bulk") { 429 } else { 503 };
        assert_eq!(answer.status, status, "{}: {answer:?}", sender.0);
        assert_eq!(answer.headers["retry-after"], "1", "{}", sender.0);
    }));
    tokio::pin!(waiting);
    tokio::select! {
        answers = &mut waiting => panic!("nobody waits: {answers:?}"),
        _ = told => {}
    }
    app.app.store.flush_all().await.unwrap();
    for answer in waiting.await {
        assert!(answer.status.is_success(), "{answer:?}");
    }
    assert_eq!(app.rows("d").await.len(), 1_000 + who_wait.len(), "what was refused is not there");
}

/// Clients that give up a request that is refused whole, and send its items again.
async fn told_by_items(app: TestApp) {
    let endpoint = json!({"name": "e", "kind": "elastic", "dataset": "d"});
    let owner = Some(app.owner_token.as_str());
    app.send("POST", "/v2/datasets", owner, Some(&json!({"name": "d"}))).await;
    let made = app.send("POST", "/v2/endpoints", owner, Some(&endpoint)).await.json();
    let address = format!("{}/_bulk", made["url"].as_str().unwrap());
    let send = async |agent: &str| {
        let headers = [("content-type", "application/x-ndjson"), ("user-agent", agent)];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        app.send_raw("POST", &address, &headers, b"{\"index\":{}}\n{\"a\":1}\n".to_vec()).await
    };
    app.disk.fill(true);
    for agent in ["elasticsearch-js/9.4.3 (linux)", "opensearch-js/3.9.0 (linux)"] {
        let answer = send(agent).await;
        assert_eq!(answer.status, 200, "{agent}: {answer:?}");
        assert_eq!(answer.json()["items"][0]["index"]["status"], 429, "{agent}: {answer:?}");
    }
    assert_eq!(send("elasticsearch-py/9.5.1").await.status, 503, "it sends the whole again");
    app.disk.fill(false);
    assert_eq!(send("elasticsearch-js/9.4.3").await.json()["errors"], false);
    assert_eq!(app.rows("d").await.len(), 1);
    // A person sees what was in the way, however it was told.
    let shown = app.send("GET", "/v2/endpoints", owner, None).await.json();
    assert_eq!((&shown[0]["events"], &shown[0]["failures"]), (&json!(1), &json!(3)), "{shown}");
    assert!(shown[0]["lastError"]["message"].is_string(), "{shown}");
    let gone = app.send("DELETE", "/v2/datasets/d", owner, None).await;
    assert_eq!(gone.status, 204, "{gone:?}");
    assert_eq!(
        send("elasticsearch-js/9.4.3").await.status,
        404,
        "what does not pass is in the way of the request"
    );
}

async fn hostile_block(app: TestApp) {
    let headers = [("content-type", "application/x-protobuf")];
    let four_gibibytes = vec![0xff, 0xff, 0xff, 0xff, 0x0f, 0];
    let answer = app.send_bytes("/loki/api/v1/push?dataset=web", &headers, four_gibibytes).await;
    assert!(matches!(answer.status.as_u16(), 400 | 413), "{answer:?}");
    assert!(app.app.store.find(&app.org, "web").is_none());
}

/// Many requests at once are the first of their dataset: of each, the layout is taken, and of the names that senders chose
/// as many as there are places.
async fn layouts_beyond_the_limit(app: TestApp) {
    app.operate(|org| org.licence.limits.max_fields = 6).await;
    let bodies: Vec<String> = (0..30)
        .map(|n| format!(r#"{{"streams":[{{"stream":{{"l{}":"x"}},"values":[["7","x"]]}}]}}"#, n % 15))
        .collect();
    let json = [("content-type", "application/json")];
    let pushed =
        bodies.iter().map(|body| app.send_bytes("/loki/api/v1/push?dataset=web", &json, body.clone().into()));
    for answer in join_all(pushed).await {
        assert_eq!((answer.status.as_u16(), answer.headers.get("warning")), (204, None), "{answer:?}");
    }
    assert_eq!(app.rows("web").await.len(), 30);
    let dataset = app.app.store.find(&app.org, "web").unwrap();
    let names = || -> Vec<String> { dataset.fields().into_keys().collect() };
    let (own, layout): (Vec<String>, Vec<String>) = names().into_iter().partition(|it| it.starts_with('l'));
    assert!(layout.contains(&"message".to_owned()), "{layout:?}");
    // One place may have gone to `message`, which the others do not wait for.
    let free = own.iter().filter(|name| *name != "labels").count();
    assert!((5..=6).contains(&free) && own.contains(&"labels".to_owned()), "{own:?}");
    // Another protocol brings its layout to a dataset that is full, and nothing of anyone's choice.
    let before = names().len();
    let log = r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"x"},"severityNumber":9,
        "attributes":[{"key":"http.route","value":{"stringValue":"/"}}]}]}]}]}"#;
    let answer = app.send_bytes("/v1/logs?dataset=web", &json, log.into()).await;
    assert_eq!((answer.status.as_u16(), answer.text.as_str()), (200, "{}"), "{answer:?}");
    assert_eq!(names().len(), before + 4, "body, two of the severity, and the map: {:?}", names());
    let refused = app.send_bytes("/v1/ingest/web", &json, b"[{\"other\":1}]".to_vec()).await;
    assert_eq!(refused.json()["failed"], 1, "{refused:?}");
}
