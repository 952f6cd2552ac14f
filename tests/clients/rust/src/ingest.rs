//! Events in every format and encoding that axiom-rs knows, read back at once.

use std::io::Write;

use axiom_rs::Client;
use axiom_rs::datasets::{ContentEncoding, ContentType, IngestStatus};
use axiom_rs::{HeaderMap, RequestOptions};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::stream;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};

use crate::checks::{check_refusal, fields, query, rows};

const TYPES: [ContentType; 3] = [ContentType::Json, ContentType::NdJson, ContentType::Csv];
const ENCODINGS: [ContentEncoding; 3] =
    [ContentEncoding::Identity, ContentEncoding::Gzip, ContentEncoding::Zstd];

pub async fn formats(client: &Client) {
    client.datasets().create("rust-formats", "").await.expect("a dataset");
    for content_type in TYPES {
        for encoding in ENCODINGS {
            let source = format!("{content_type:?}-{encoding:?}");
            let body = body(content_type, &source);
            let packed = packed(encoding, &body);
            let status = client.ingest_bytes("rust-formats", packed, content_type, encoding).await;
            check_status(&status.expect("events are taken"), 2, body.len());

            let apl = format!(
                "['rust-formats'] | where source == '{source}' | sort by _time asc | project _time, n"
            );
            let value =
                |n: i64| if content_type == ContentType::Csv { json!(n.to_string()) } else { json!(n) };
            let expected = vec![
                vec![json!("2026-06-01T12:00:00.123456789Z"), value(3)],
                vec![json!("2026-06-01T12:00:01Z"), value(4)],
            ];
            assert_eq!(rows(&query(client, &apl).await), expected, "{source}");
        }
    }
    let apl = "['rust-formats'] | summarize events = count(), total = sum(toint(n)) by source";
    let found = rows(&query(client, apl).await);
    assert_eq!(found.len(), 9);
    assert!(found.iter().all(|row| row[1..] == [json!(2), json!(7)]), "{found:?}");
}

/// Values, labels, a stream in several requests, and events that fail alone.
pub async fn values(client: &Client) {
    let events = [
        json!({"_time": "2026-06-01T12:00:00Z", "whole": i64::MAX, "part": 0.1, "yes": true, "list": [1, "a", null],
            "geo": {"city": "Köln"}}),
        json!({"_time": "2026-06-01T12:00:00.000000001Z", "whole": i64::MIN, "part": -1.5e300, "yes": false, "list": []}),
        json!({"_time": "2026-06-01T12:00:01Z", "whole": 9_007_199_254_740_993_i64}),
    ];
    let bytes = events.iter().map(|event| event.to_string().len() + 1).sum::<usize>() - 1;
    check_status(&client.ingest("rust-values", &events).await.expect("events are taken"), 3, bytes);

    let apl = "['rust-values'] | sort by _time asc | project _time, whole, part, yes, list, ['geo.city']";
    let result = query(client, apl).await;
    let types = [
        "_time: datetime",
        "whole: integer",
        "part: float",
        "yes: boolean",
        "list: array",
        "geo.city: string",
    ];
    assert_eq!(fields(&result), types);
    assert_eq!(
        rows(&result),
        [
            vec![
                json!("2026-06-01T12:00:00Z"),
                json!(i64::MAX),
                json!(0.1),
                json!(true),
                json!([1, "a", null]),
                json!("Köln")
            ],
            vec![
                json!("2026-06-01T12:00:00.000000001Z"),
                json!(i64::MIN),
                json!(-1.5e300),
                json!(false),
                json!([]),
                Value::Null
            ],
            vec![
                json!("2026-06-01T12:00:01Z"),
                json!(9_007_199_254_740_993_i64),
                Value::Null,
                Value::Null,
                Value::Null,
                Value::Null
            ],
        ]
    );

    let status = client
        .ingest("rust-values", [json!({"_time": "soon"}), json!({"_time": "2026-06-01T12:00:02Z"})])
        .await
        .expect("one of two is taken");
    assert_eq!((status.ingested, status.failed, status.failures.len()), (1, 1, 1));
    assert!(status.failures[0].error.starts_with("event 0: "), "{:?}", status.failures);
}

pub async fn labels(client: &Client) {
    let mut additional_headers = HeaderMap::new();
    let region = r#"{"region":"eu-west-1"}"#;
    additional_headers.insert("X-Axiom-Event-Labels", region.parse().expect("a header"));
    additional_headers.insert("X-Axiom-CSV-Fields", "host,load".parse().expect("a header"));
    let options = RequestOptions { additional_headers };
    let body = "a,1\nb,2\n";
    let (csv, plain) = (ContentType::Csv, ContentEncoding::Identity);
    let status = client.ingest_bytes_opt("rust-labels", body, csv, plain, options).await;
    check_status(&status.expect("events are taken"), 2, body.len() + region.len());
    let result = query(client, "['rust-labels'] | sort by host asc | project host, load, region").await;
    let row = |host: &str, load: &str| vec![json!(host), json!(load), json!("eu-west-1")];
    assert_eq!(rows(&result), [row("a", "1"), row("b", "2")]);
}

/// The client cuts a stream into requests of 1000 events.
pub async fn streams(client: &Client) {
    let events = (0..2500).map(|n| json!({"_time": "2026-06-01T12:00:00Z", "n": n}));
    let status = client.ingest_stream("rust-stream", stream::iter(events)).await.expect("a stream is taken");
    assert_eq!((status.ingested, status.failed), (2500, 0));
    let more = stream::iter([Ok::<_, std::io::Error>(json!({"_time": "2026-06-01T12:00:01Z", "n": 2500}))]);
    let status = client.try_ingest_stream("rust-stream", more).await.expect("a stream is taken");
    assert_eq!((status.ingested, status.failed), (1, 0));
    let result = query(client, "['rust-stream'] | summarize count(), sum(n), max(n)").await;
    assert_eq!(rows(&result), [[json!(2501), json!(3_126_250), json!(2500)]]);
}

pub async fn refusals(client: &Client) {
    let (json, plain) = (ContentType::Json, ContentEncoding::Identity);
    let answer = client.ingest_bytes("rust-values", "[{", json, plain).await;
    check_refusal(answer, 400, "malformed body at line 1, column 3");
    for encoding in [ContentEncoding::Gzip, ContentEncoding::Zstd] {
        let answer = client.ingest_bytes("rust-values", "[{}]", json, encoding).await;
        check_refusal(answer, 400, "");
    }
}

fn body(content_type: ContentType, source: &str) -> String {
    let first = format!(r#"{{"_time":"2026-06-01T12:00:00.123456789Z","source":"{source}","n":3}}"#);
    let second = format!(r#"{{"_time":"2026-06-01T12:00:01Z","source":"{source}","n":4}}"#);
    match content_type {
        ContentType::Json => format!("[{first},{second}]"),
        ContentType::NdJson => format!("{first}\n{second}\n"),
        ContentType::Csv => format!(
            "_time,source,n\n2026-06-01T12:00:00.123456789Z,{source},3\n2026-06-01T12:00:01Z,{source},4\n"
        ),
        other => panic!("a new content type: {other}"),
    }
}

fn packed(encoding: ContentEncoding, body: &str) -> Vec<u8> {
    match encoding {
        ContentEncoding::Identity => body.as_bytes().to_vec(),
        ContentEncoding::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(body.as_bytes()).expect("memory takes bytes");
            encoder.finish().expect("memory takes bytes")
        }
        ContentEncoding::Zstd => compress_to_vec(body.as_bytes(), CompressionLevel::Fastest),
        other => panic!("a new encoding: {other}"),
    }
}

fn check_status(status: &IngestStatus, events: u64, bytes: usize) {
    assert_eq!((status.ingested, status.failed, status.failures.len()), (events, 0, 0), "{status:?}");
    assert_eq!(usize::try_from(status.processed_bytes).ok(), Some(bytes), "{status:?}");
}
