//! Ingest cases that a scenario cannot say: compressed bodies, sizes, requests at the same time, and the stored
//! events themselves, which are read back from the store.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use serde_json::{Value, json};
use tidegauge_model::{Action, Capabilities, DatasetArea};
use tidegauge_store::{StoredRow, StoredValue};

use crate::app::{Answer, TestApp};
use crate::cases::Case;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("compressed_bodies_are_stored_and_counted_uncompressed", |app| Box::pin(compressed(app))),
    ("of_a_broken_compressed_body_nothing_is_stored", |app| Box::pin(broken_compression(app))),
    ("bodies_and_events_beyond_the_limits_are_refused_whole", |app| Box::pin(too_large(app))),
    ("events_come_back_as_they_came_in", |app| Box::pin(read_back(app))),
    ("every_form_of_body_stores_the_same_events", |app| Box::pin(forms(app))),
    ("times_become_the_time_of_the_event", |app| Box::pin(times(app))),
    ("map_fields_keep_their_objects_and_old_events_their_form", |app| Box::pin(map_fields(app))),
    ("of_a_malformed_body_nothing_is_stored_wherever_it_breaks", |app| Box::pin(malformed(app))),
    ("repetitions_at_the_same_time_are_stored_once", |app| Box::pin(concurrent_keys(app))),
    ("a_sender_who_goes_away_and_repeats_is_stored_once", |app| Box::pin(cancelled_keys(app))),
    ("a_new_dataset_is_made_once_by_many_at_the_same_time", |app| Box::pin(concurrent_creation(app))),
    ("fields_of_requests_at_the_same_time_stay_within_the_limit", |app| Box::pin(concurrent_fields(app))),
    ("keys_and_the_limit_of_fields_count_before_there_is_a_dataset", |app| Box::pin(first_requests(app))),
    ("commits_grow_with_every_request", |app| Box::pin(commits(app))),
    ("tokens_come_in_pairs_too", |app| Box::pin(basic_tokens(app))),
    ("retention_removes_what_is_old", |app| Box::pin(retention(app))),
    ("a_full_disk_is_told_and_of_the_request_nothing_is_stored", |app| Box::pin(full_disk(app))),
    ("what_is_stored_in_another_form_is_told", |app| Box::pin(stored_otherwise(app))),
    ("names_are_decoded_once_and_are_in_no_path", |app| Box::pin(names_in_paths(app))),
];

const PATH: &str = "/v1/datasets/d/ingest";

/// A stored event as the JSON object that it came as.
fn event(row: &StoredRow) -> Value {
    let value = |value: &StoredValue| match value {
        StoredValue::Boolean(value) => json!(value),
        StoredValue::Integer(value) => json!(value),
        StoredValue::Float(value) => json!(value),
        StoredValue::String(value) => json!(value),
        StoredValue::Array(text) | StoredValue::Map(text) | StoredValue::LongInteger(text) => {
            serde_json::from_str(text).unwrap()
        }
    };
    Value::Object(row.fields.iter().map(|(name, stored)| (name.to_string(), value(stored))).collect())
}

async fn events(app: &TestApp, dataset: &str) -> Vec<Value> {
    app.rows(dataset).await.iter().map(event).collect()
}

async fn event_count(app: &TestApp, dataset: &str) -> u64 {
    let path = format!("/v1/datasets/{dataset}/info");
    let info = app.send("GET", &path, Some(&app.owner_token), None).await.json();
    info["numEvents"].as_u64().unwrap()
}

async fn make(app: &TestApp, dataset: &str) {
    let body = json!({"name": dataset});
    assert_eq!(app.send("POST", "/v2/datasets", Some(&app.owner_token), Some(&body)).await.status, 200);
}

fn expect(answer: &Answer, status: u16, what: &str) {
    assert_eq!(answer.status.as_u16(), status, "{what}: {answer:?}");
}

fn packed(encoding: &str, bytes: &[u8]) -> Vec<u8> {
    match encoding {
        "gzip" => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "zlib" => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "raw deflate" => {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "zstd" => {
            let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
            // Without it, damage can go unnoticed.
            encoder.include_checksum(true).unwrap();
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        other => panic!("{other} is not known here"),
    }
}

async fn compressed(app: TestApp) {
    let body = "{\"n\":1,\"text\":\"ü\"}\n{\"n\":2}\n".repeat(500);
    let cases = [
        ("gzip", "gzip"),
        ("gzip", "x-gzip"),
        ("gzip", "GZIP"),
        ("zstd", "zstd"),
        ("zstd", " ZStd "),
        ("zlib", "deflate"),
        ("raw deflate", "deflate"),
    ];
    for (index, (format, header)) in cases.into_iter().enumerate() {
        let dataset = format!("d{index}");
        let headers = [("content-encoding", header), ("content-type", "application/x-ndjson")];
        let path = format!("/v1/datasets/{dataset}/ingest");
        let answer = app.send_bytes(&path, &headers, packed(format, body.as_bytes())).await;
        expect(&answer, 200, header);
        assert_eq!(answer.json()["ingested"], 1000, "{header}");
        assert_eq!(answer.json()["processedBytes"], body.len(), "{header}");
        let stored = events(&app, &dataset).await;
        assert_eq!(stored.len(), 1000, "{header}");
        assert_eq!(stored[0], json!({"n": 1, "text": "ü"}), "{header}");
    }
    // Several members and frames one after the other are one body.
    for format in ["gzip", "zstd"] {
        let mut parts = packed(format, b"{\"n\":1}\n{\"n\"");
        parts.extend(packed(format, b":2}"));
        let answer = app.send_bytes("/v1/ingest/parts", &[("content-encoding", format)], parts).await;
        expect(&answer, 200, format);
        assert_eq!(answer.json()["processedBytes"], 15, "{format}");
    }
    assert_eq!(event_count(&app, "parts").await, 4);
}

async fn broken_compression(app: TestApp) {
    make(&app, "d").await;
    let body = "{\"n\":1}\n".repeat(10_000);
    for (format, header) in [("gzip", "gzip"), ("zstd", "zstd"), ("zlib", "deflate")] {
        let whole = packed(format, body.as_bytes());
        let mut flipped = whole.clone();
        let middle = flipped.len() / 2;
        flipped[middle] ^= 0x55;
        let mut longer = whole.clone();
        longer.extend(b"more");
        let cut = whole[..whole.len() - 1].to_vec();
        let half = whole[..whole.len() / 2].to_vec();
        for (what, bytes) in [("flipped", flipped), ("longer", longer), ("cut", cut), ("half", half)] {
            let answer = app.send_bytes(PATH, &[("content-encoding", header)], bytes).await;
            assert_eq!(answer.status, 400, "{header} {what}: {answer:?}");
            assert_eq!(answer.json()["hint"], "nothing of this request was stored", "{header} {what}");
        }
    }
    assert_eq!(event_count(&app, "d").await, 0);
    expect(&app.send_bytes(PATH, &[], b"[{\"n\":1}]".to_vec()).await, 200, "afterwards");
}

async fn too_large(app: TestApp) {
    make(&app, "d").await;
    // As it is sent: 1 MiB, with and without saying so beforehand. Many events before it make no difference.
    let large = "{\"n\":1}\n".repeat((1 << 20) / 8 + 1);
    let length = large.len().to_string();
    let headers: [&[(&str, &str)]; 2] = [&[("content-length", &length)], &[]];
    for headers in headers {
        let answer = app.send_bytes(PATH, headers, large.clone().into_bytes()).await;
        expect(&answer, 413, "a large body");
        assert_eq!(answer.json()["code"], 413);
    }
    let exact = large[..1 << 20].to_owned();
    expect(&app.send_bytes(PATH, &[], exact.into_bytes()).await, 200, "a body of just the size");
    let stored = event_count(&app, "d").await;
    assert_eq!(stored, (1 << 20) / 8);
    // Uncompressed: 4 MiB.
    for format in ["gzip", "zstd"] {
        let larger = "{\"n\":1}\n".repeat((4 << 20) / 8 + 1);
        let bytes = packed(format, larger.as_bytes());
        expect(&app.send_bytes(PATH, &[("content-encoding", format)], bytes).await, 413, format);
    }
    // One event: 256 KiB.
    for (body, status) in [(256 << 10, 413), (300 << 10, 413), ((256 << 10) - 100, 200)] {
        let body = format!("[{{\"n\":2}},{{\"text\":\"{}\"}}]", "x".repeat(body));
        expect(&app.send_bytes(PATH, &[], body.into_bytes()).await, status, "a large event");
    }
    assert_eq!(event_count(&app, "d").await, stored + 2);
}

async fn read_back(app: TestApp) {
    let deep = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let cases = [
        (r#"{"i":-7,"f":1.0,"e":1e3,"t":true,"s":"ü\n\u0041\uD83C\uDF0A","n":null}"#.to_owned(),
         json!({"i": -7, "f": 1.0, "e": 1000.0, "t": true, "s": "ü\nA\u{1F30A}"})),
        (r#"{"max":9223372036854775807,"over":9223372036854775808,"inf":1e999,"min":-9223372036854775808}"#.to_owned(),
         json!({"max": i64::MAX, "over": 9_223_372_036_854_775_808_u64, "min": i64::MIN})),
        (r#"{"a":{"b":{"c":1},"d":[]},"e":{},"l":[1,"x",{"k":null}]}"#.to_owned(),
         json!({"a.b.c": 1, "a.d": [], "l": [1, "x", {"k": null}]})),
        (r#"{"k":1,"k":2}"#.to_owned(), json!({"k": 2})),
        (r#"{"k":1,"k":"two"}"#.to_owned(), json!({"k": "two"})),
        (r#"{"_sysTime":1,"_rowId":2,"_source":"s"}"#.to_owned(),
         json!({"_user_sysTime": 1, "_user_rowId": 2, "_user_source": "s"})),
        (r#"{"a b":1,"ü":2,"":3}"#.to_owned(), Value::Null),
        ("{}".to_owned(), json!({})),
        (format!(r#"{{"deep":{}}}"#, deep(99)), Value::Null),
    ];
    for (index, (sent, wanted)) in cases.iter().enumerate() {
        let dataset = format!("d{index}");
        let path = format!("/v1/datasets/{dataset}/ingest");
        let answer = app.send_bytes(&path, &[], sent.clone().into_bytes()).await;
        expect(&answer, 200, sent);
        let stored = events(&app, &dataset).await;
        if !wanted.is_null() {
            assert_eq!(stored, std::slice::from_ref(wanted), "{sent}");
        }
    }
    // Labels stand in place of fields of the same name.
    let labels = [("x-axiom-event-labels", r#"{"region":"eu","at":{"x":1}}"#)];
    app.send_bytes("/v1/ingest/labels", &labels, br#"[{"a":1},{"region":"us"}]"#.to_vec()).await;
    let labelled = events(&app, "labels").await;
    let wanted = [json!({"a": 1, "at.x": 1, "region": "eu"}), json!({"at.x": 1, "region": "eu"})];
    assert_eq!(labelled, wanted);
    // And the same when the events are in a segment.
    app.app.store.flush_all().await.unwrap();
    assert_eq!(events(&app, "labels").await, wanted);
    assert_eq!(events(&app, "d0").await, [cases[0].1.clone()]);
    // What is not UTF-8 is replaced, and the event is kept.
    let answer = app.send_bytes("/v1/ingest/bytes", &[], b"{\"a\":\"x\xff\xfe\",\"b\":1}".to_vec()).await;
    expect(&answer, 200, "not UTF-8");
    assert_eq!(events(&app, "bytes").await, [json!({"a": "<invalid data>", "b": 1})]);
}

async fn forms(app: TestApp) {
    let forms: [(&str, &str); 7] = [
        ("application/json", r#"[{"a":"1","b":"x"},{"a":"2"}]"#),
        ("application/json", "{\"a\":\"1\",\"b\":\"x\"}\n{\"a\":\"2\"}"),
        ("application/json", "\u{feff}[{\"a\":\"1\",\"b\":\"x\"}]\r\n[{\"a\":\"2\"}]\r\n"),
        ("application/x-ndjson", "{\"a\":\"1\",\"b\":\"x\"}\r\n{\"a\":\"2\"}\r\n"),
        ("application/nd-json", "\n\n{\"a\":\"1\",\"b\":\"x\"}\n\n{\"a\":\"2\"}\n\n"),
        ("application/json", "  [ { \"a\" : \"1\" , \"b\" : \"x\" } , { \"a\" : \"2\" } ]  "),
        ("application/json", r#"{"a":"1","b":"x"}{"a":"2"}"#),
    ];
    for (index, (media, body)) in forms.into_iter().enumerate() {
        let path = format!("/v1/ingest/d{index}");
        let answer = app.send_bytes(&path, &[("content-type", media)], body.as_bytes().to_vec()).await;
        expect(&answer, 200, body);
        assert_eq!(answer.json()["processedBytes"], body.len(), "{body}");
        let stored = events(&app, &format!("d{index}")).await;
        assert_eq!(stored, [json!({"a": "1", "b": "x"}), json!({"a": "2"})], "{body}");
    }
    let csv = [("", "a,b\r\n1,\"x\"\r\n2,y\r\n"), ("a,b", "\t1,x\n2,y")];
    for (index, (names, body)) in csv.into_iter().enumerate() {
        let headers = [("content-type", "text/csv"), ("x-axiom-csv-fields", names)];
        let path = format!("/v1/ingest/csv{index}");
        let answer = app.send_bytes(&path, &headers, body.as_bytes().to_vec()).await;
        expect(&answer, 200, body);
        assert_eq!(answer.json()["processedBytes"], body.len(), "{body}");
        let stored = events(&app, &format!("csv{index}")).await;
        assert_eq!(stored[1], json!({"a": "2", "b": "y"}), "{body}");
        assert_eq!(stored[0]["b"], "x", "{body}");
        assert_eq!(stored[0]["a"].as_str().unwrap().trim(), "1", "{body}");
    }
}

async fn times(app: TestApp) {
    const SECOND: i64 = 1_000_000_000;
    let cases: [(&str, &str, i64); 8] = [
        ("", r#"{"_time":1500000000}"#, 1_500_000_000 * SECOND),
        ("", r#"{"_time":1500000000.25}"#, 1_500_000_000 * SECOND + SECOND / 4),
        ("", r#"{"_time":1500000000123}"#, 1_500_000_000 * SECOND + 123_000_000),
        ("", r#"{"_time":1500000000123456789}"#, 1_500_000_000 * SECOND + 123_456_789),
        ("", r#"{"_time":"2017-07-14T04:40:00.123456789+02:00"}"#, 1_500_000_000 * SECOND + 123_456_789),
        ("", r#"{"_time":"2017-07-14 02:40:00"}"#, 1_500_000_000 * SECOND),
        ("?timestamp-field=at", r#"{"at":1500000000,"_time":7}"#, 1_500_000_000 * SECOND),
        ("?timestamp-format=02.01.2006%2015:04", r#"{"_time":"14.07.2017 02:40"}"#, 1_500_000_000 * SECOND),
    ];
    for (index, (query, body, wanted)) in cases.into_iter().enumerate() {
        let path = format!("/v1/ingest/d{index}{query}");
        let answer = app.send_bytes(&path, &[], body.as_bytes().to_vec()).await;
        expect(&answer, 200, body);
        let rows = app.rows(&format!("d{index}")).await;
        assert_eq!(rows.len(), 1, "{body}: {answer:?}");
        assert_eq!(rows[0].time, wanted, "{body}");
        assert_eq!(rows[0].arrival, app.app.now().as_micros() * 1000, "{body}");
    }
}

async fn map_fields(app: TestApp) {
    make(&app, "d").await;
    let owner = Some(app.owner_token.as_str());
    let body = br#"[{"foo":{"bar":{"x":[1]}},"other":{"y":1}}]"#.to_vec();
    app.send_bytes(PATH, &[], body.clone()).await;
    let maps = json!(["foo"]);
    expect(&app.send("PUT", "/v2/datasets/d/mapfields", owner, Some(&maps)).await, 200, "declare");
    app.clock.advance(Duration::from_secs(1));
    app.send_bytes(PATH, &[], body.clone()).await;
    app.app.store.flush_all().await.unwrap();
    expect(&app.send("DELETE", "/v2/datasets/d/mapfields/foo", owner, None).await, 204, "remove");
    app.clock.advance(Duration::from_secs(1));
    app.send_bytes(PATH, &[], body).await;
    let flat = json!({"foo.bar.x": [1], "other.y": 1});
    let map = json!({"foo": {"bar": {"x": [1]}}, "other.y": 1});
    assert_eq!(events(&app, "d").await, [flat.clone(), map, flat]);
}

/// Cuts a good body at every byte: either it is whole, or nothing of it is stored.
async fn malformed(app: TestApp) {
    make(&app, "d").await;
    let body = br#"[{"a":1,"b":{"c":[true,"x\u00e4"]}},{"a":-1.5e3,"n":null}]"#;
    for end in 1..body.len() {
        if end.is_multiple_of(50) {
            app.clock.advance(Duration::from_secs(60));
        }
        let answer = app.send_bytes(PATH, &[], body[..end].to_vec()).await;
        expect(&answer, 400, &format!("the first {end} bytes"));
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains("line 1, column "), "{message}");
    }
    assert_eq!(event_count(&app, "d").await, 0);
    let state = app.app.store.find(&app.org, "d").unwrap();
    assert!(state.fields().is_empty(), "{:?}", state.fields());
}

async fn concurrent_keys(app: TestApp) {
    make(&app, "d").await;
    let body = b"[{\"a\":1},{\"a\":2},7]".to_vec();
    let headers = [("idempotency-key", "k")];
    let requests = (0..20).map(|_| app.send_bytes(PATH, &headers, body.clone()));
    let answers = futures_util::future::join_all(requests).await;
    let first: Vec<&Answer> =
        answers.iter().filter(|answer| !answer.headers.contains_key("x-tidegauge-repeated")).collect();
    assert_eq!(first.len(), 1);
    for answer in &answers {
        expect(answer, 200, "a repetition");
        assert_eq!(answer.headers["x-tidegauge-commit"], first[0].headers["x-tidegauge-commit"]);
        for key in ["ingested", "failed", "failures", "processedBytes"] {
            assert_eq!(answer.json()[key], first[0].json()[key], "{key}");
        }
    }
    assert_eq!(event_count(&app, "d").await, 2);
    // Also while the events move to a segment.
    let (flushed, again) =
        tokio::join!(app.app.store.flush_all(), app.send_bytes(PATH, &headers, body.clone()));
    flushed.unwrap();
    assert_eq!(again.headers["x-tidegauge-repeated"], "true");
    assert_eq!(event_count(&app, "d").await, 2);
}

/// Each sender goes away a little later than the one before and then repeats until there is an answer.
async fn cancelled_keys(app: TestApp) {
    make(&app, "d").await;
    const SENDERS: u32 = 60;
    for sender in 0..SENDERS {
        let (key, body) = (format!("k{sender}"), format!("[{{\"sender\":{sender}}}]"));
        let headers = [("idempotency-key", key.as_str())];
        let patience = sender * Duration::from_micros(100);
        let _ = tokio::time::timeout(patience, app.send_bytes(PATH, &headers, body.clone().into())).await;
        expect(&app.send_bytes(PATH, &headers, body.into()).await, 200, "the repetition");
    }
    let mut senders: Vec<i64> =
        events(&app, "d").await.iter().map(|event| event["sender"].as_i64().unwrap()).collect();
    senders.sort_unstable();
    assert_eq!(senders, (0..i64::from(SENDERS)).collect::<Vec<_>>());
}

async fn concurrent_creation(app: TestApp) {
    // Just one more may be made: who comes second finds it, and is not told that there is no room.
    app.operate(|org| org.licence.limits.max_datasets = 1).await;
    let requests = (0..20).map(|_| app.send_bytes(PATH, &[], b"[{\"a\":1}]".to_vec()));
    for answer in futures_util::future::join_all(requests).await {
        expect(&answer, 200, "an event for a new dataset");
    }
    assert_eq!(event_count(&app, "d").await, 20);
    assert_eq!(app.app.catalog.list_datasets(&app.org).await.unwrap().len(), 1);
}

async fn concurrent_fields(app: TestApp) {
    make(&app, "d").await;
    app.operate(|org| org.licence.limits.max_fields = 10).await;
    let bodies: Vec<String> = (0..30).map(|n| format!("[{{\"f{}\":1}}]", n % 15)).collect();
    let requests = bodies.iter().map(|body| app.send_bytes(PATH, &[], body.clone().into_bytes()));
    let answers = futures_util::future::join_all(requests).await;
    let ingested: u64 = answers.iter().map(|answer| answer.json()["ingested"].as_u64().unwrap()).sum();
    let fields = app.app.store.find(&app.org, "d").unwrap().fields();
    assert_eq!(fields.len(), 10, "{fields:?}");
    assert_eq!(ingested, 20);
}

/// Many requests at once are the first of their dataset, which is made when the first of them has been read.
async fn first_requests(app: TestApp) {
    app.operate(|org| org.licence.limits.max_fields = 10).await;
    let bodies: Vec<String> = (0..30).map(|n| format!("[{{\"f{}\":1}}]", n % 15)).collect();
    let requests =
        bodies.iter().map(|body| app.send_bytes("/v1/ingest/wide", &[], body.clone().into_bytes()));
    let answers = futures_util::future::join_all(requests).await;
    let ingested: u64 = answers.iter().map(|answer| answer.json()["ingested"].as_u64().unwrap()).sum();
    let fields = app.app.store.find(&app.org, "wide").unwrap().fields();
    assert_eq!((fields.len(), ingested), (10, 20), "{fields:?}");
    app.clock.advance(Duration::from_secs(60));
    let headers = [("idempotency-key", "k")];
    let requests =
        (0..20).map(|_| app.send_bytes("/v1/ingest/keyed", &headers, b"[{\"a\":1},{\"a\":2},7]".to_vec()));
    let answers = futures_util::future::join_all(requests).await;
    for answer in &answers {
        expect(answer, 200, "one of many with a key");
        assert_eq!(answer.json()["ingested"], 2, "{answer:?}");
    }
    let is_first = |answer: &&Answer| !answer.headers.contains_key("x-tidegauge-repeated");
    assert_eq!(answers.iter().filter(is_first).count(), 1);
    assert_eq!(event_count(&app, "keyed").await, 2);
}

async fn commits(app: TestApp) {
    make(&app, "d").await;
    let mut last = 0;
    for _ in 0..10 {
        let answer = app.send_bytes(PATH, &[], b"[{\"a\":1}]".to_vec()).await;
        let commit: u64 = answer.headers["x-tidegauge-commit"].to_str().unwrap().parse().unwrap();
        assert!(commit > last, "{commit} after {last}");
        assert_eq!(app.rows("d").await.iter().map(|row| row.sequence).max(), Some(commit));
        last = commit;
    }
    let empty = app.send_bytes(PATH, &[], b"[]".to_vec()).await;
    assert!(!empty.headers.contains_key("x-tidegauge-commit"), "{empty:?}");
}

async fn basic_tokens(app: TestApp) {
    make(&app, "d").await;
    let capabilities =
        Capabilities::where_allowed(|_, _| false, |area, action| (area, action) == SEND, |_, _| false);
    let token = app.api_token(capabilities, None).await;
    let pairs = [format!("axiom:{token}"), format!("{token}:"), format!(":{token}"), token.clone()];
    for pair in &pairs {
        for scheme in ["Basic", "basic", "ApiKey"] {
            let headers = [("authorization".to_owned(), format!("{scheme} {}", base64(pair.as_bytes())))];
            let answer = app.send_raw("POST", PATH, &headers, b"[{\"a\":1}]".to_vec()).await;
            expect(&answer, 200, &format!("{scheme} {pair}"));
        }
    }
    assert_eq!(event_count(&app, "d").await, 12);
    // The same rights as with the header: other routes take them too, and refuse what the token may not.
    let headers = [("authorization".to_owned(), format!("Basic {}", base64(pairs[0].as_bytes())))];
    assert_eq!(app.send_raw("GET", "/v2/datasets", &headers, Vec::new()).await.status, 200);
    assert_eq!(app.send_raw("GET", "/v2/tokens", &headers, Vec::new()).await.status, 403);
}

const SEND: (DatasetArea, Action) = (DatasetArea::Ingest, Action::Create);

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let sextet = (bits >> (18 - 6 * digit) & 63) as usize;
            text.push(if digit <= chunk.len() { char::from(DIGITS[sextet]) } else { '=' });
        }
    }
    text
}

async fn retention(app: TestApp) {
    let owner = Some(app.owner_token.as_str());
    let kept = json!({"name": "d", "useRetentionPeriod": true, "retentionDays": 7});
    expect(&app.send("POST", "/v2/datasets", owner, Some(&kept)).await, 200, "make");
    make(&app, "for-ever").await;
    let old = json!([{"_time": "2026-05-25T11:59:59Z", "n": 1}]);
    let new = json!([{"_time": "2026-05-25T12:00:01Z", "n": 2}]);
    for (dataset, events) in [("d", &old), ("for-ever", &old), ("d", &new)] {
        let path = format!("/v1/ingest/{dataset}");
        expect(&app.send("POST", &path, owner, Some(events)).await, 200, dataset);
        app.app.store.flush_all().await.unwrap();
    }
    app.app.store.enforce_retention().await.unwrap();
    assert_eq!(events(&app, "d").await, [json!({"n": 2})]);
    assert_eq!(event_count(&app, "for-ever").await, 1);
    // The retention is what it is now, not what it was when the events came.
    let change = json!({"useRetentionPeriod": false});
    expect(&app.send("PUT", "/v2/datasets/d", owner, Some(&change)).await, 200, "change");
    app.clock.advance(Duration::from_secs(60));
    app.app.store.enforce_retention().await.unwrap();
    assert_eq!(event_count(&app, "d").await, 1);
}

/// While the disk is full requests are refused whole, and they can be repeated when there is room again.
async fn full_disk(app: TestApp) {
    let send = async |key: &str, n: u64| {
        let headers = [("idempotency-key", key), ("content-type", "application/json")];
        app.send_bytes(PATH, &headers, format!("[{{\"n\":{n}}},{{\"n\":{n}}}]").into_bytes()).await
    };
    expect(&send("before", 1).await, 200, "before");
    app.disk.fill(true);
    // The second finds no file to write to, the third is a repetition.
    for (key, n) in [("first", 2), ("second", 3), ("first", 2)] {
        let answer = send(key, n).await;
        expect(&answer, 507, key);
        assert_eq!(answer.json()["code"], 507, "{answer:?}");
        assert_eq!(answer.json()["message"], "the disk is full: free space or add some");
        assert_eq!(events(&app, "d").await.len(), 2, "{key}");
        assert_eq!(event_count(&app, "d").await, 2, "{key}");
    }
    app.disk.fill(false);
    for (key, n) in [("first", 2), ("second", 3), ("first", 2), ("after", 4)] {
        expect(&send(key, n).await, 200, key);
    }
    let mut stored: Vec<u64> =
        events(&app, "d").await.iter().map(|event| event["n"].as_u64().unwrap()).collect();
    stored.sort_unstable();
    assert_eq!(stored, [1, 1, 2, 2, 3, 3, 4, 4]);
    let state = app.app.store.find(&app.org, "d").unwrap();
    app.app.store.flush(&state).await.unwrap();
    assert_eq!(events(&app, "d").await.len(), 8, "in segments as well");
}

/// What is stored in another form than it was sent is told, counted, and again where the request is repeated. Else the
/// answer has no such member: there are clients that refuse members that they do not know.
async fn stored_otherwise(app: TestApp) {
    let app = TestApp::start_sized(app.backend, |sizes| {
        sizes.ingest.max_body_bytes = 4 << 20;
        sizes.ingest.max_event_bytes = 4 << 20;
    })
    .await;
    let send = async |key: &str, body: &[u8]| {
        let headers = [("idempotency-key", key), ("content-type", "application/json")];
        let answer = app.send_bytes(PATH, &headers, body.to_vec()).await;
        expect(&answer, 200, key);
        answer.json()
    };
    let fits = "x".repeat(1 << 20);
    let plain = send("plain", format!("[{{\"s\":\"{fits}\"}}]").as_bytes()).await;
    assert_eq!(plain.get("messages"), None, "{plain}");
    let body = format!("[{{\"s\":\"{fits}y\",\"t\":[\"{fits}y\"],\"n\":1e400}},{{\"n\":1}}]");
    for time in ["first", "again"] {
        let answer = send("long", body.as_bytes()).await;
        assert_eq!((&answer["ingested"], &answer["failed"]), (&json!(2), &json!(0)), "{time}");
        let messages = answer["messages"].as_array().unwrap();
        let told: Vec<_> = messages
            .iter()
            .map(|message| (message["code"].as_str().unwrap(), message["count"].as_u64().unwrap()))
            .collect();
        assert_eq!(told, [("string_too_long", 2), ("infinite_number", 1)], "{time}");
        assert_eq!(messages[0]["priority"], "warn");
        let text = messages[0]["msg"].as_str().unwrap();
        assert!(text.contains("1048576 bytes") && text.contains("<invalid string: too long>"), "{text}");
    }
    let not_text = send("bytes", b"[{\"s\":\"\xff\"}]").await;
    assert_eq!(not_text["messages"][0]["code"], "invalid_data");
}

/// A name that is encoded twice is not decoded twice, and no name leads to a file of its own.
async fn names_in_paths(app: TestApp) {
    let owner = Some(app.owner_token.as_str());
    make(&app, "mark").await;
    let encoded =
        ["%2e%2e%2fmark", "%252e%252e%252fmark", "mark%252f..", "%252fmark", "mark%2500", "%25mark"];
    for name in encoded {
        let ingest =
            app.send_bytes(&format!("/v1/datasets/{name}/ingest"), &[], b"[{\"a\":1}]".to_vec()).await;
        assert!(ingest.status.is_client_error(), "{name}: {ingest:?}");
        for (method, path) in [("GET", ""), ("DELETE", ""), ("GET", "/fields")] {
            let answer = app.send(method, &format!("/v2/datasets/{name}{path}"), owner, None).await;
            assert!(answer.status.is_client_error(), "{method} {name}{path}: {answer:?}");
        }
    }
    // Encoded once, letters are what they stand for.
    let ingest = app.send_bytes("/v1/datasets/%6dark/ingest", &[], b"[{\"a\":1}]".to_vec()).await;
    expect(&ingest, 200, "encoded once");
    assert_eq!(events(&app, "mark").await, [json!({"a": 1})]);
    let state = app.app.store.find(&app.org, "mark").unwrap();
    app.app.store.flush(&state).await.unwrap();
    let files = files_below(app.data());
    assert!(files.iter().any(|file| file.ends_with(".parquet")), "{files:?}");
    assert!(!files.iter().any(|file| file.contains("mark")), "{files:?}");
    let beside = app.data().parent().unwrap().join("mark");
    assert!(!beside.try_exists().unwrap());
}

/// The paths of all files below a folder, without its own.
fn files_below(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = entries.flat_map(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let within = if path.is_dir() { files_below(&path) } else { Vec::new() };
        let within: Vec<String> = within.iter().map(|file| format!("{name}/{file}")).collect();
        std::iter::once(name).chain(within)
    });
    below.collect()
}
