//! Small bodies with events are read where they came in, also while the threads that read large ones have no time.

use std::io::Write;
use std::sync::mpsc::{Sender, channel};

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use serde_json::json;

use crate::app::{HANGS, TestApp};
use crate::cases::Case;

pub(crate) const ALL: &[(&str, Case)] =
    &[("small_bodies_are_read_while_large_ones_wait", |app| Box::pin(at_once(app)))];

const PATH: &str = "/v1/datasets/d/ingest";

/// Keeps every background thread from its work until what it gives is dropped.
fn occupy(app: &TestApp) -> Vec<Sender<()>> {
    let threads = app.app.background.handle();
    let count = threads.metrics().num_workers();
    let (begins, has_begun) = channel();
    let mut held = Vec::new();
    for _ in 0..count {
        let (hold, until_dropped) = channel::<()>();
        let begins = begins.clone();
        threads.spawn(async move {
            begins.send(()).unwrap();
            // Not awaited: the thread itself is to be held.
            until_dropped.recv().unwrap_err();
        });
        held.push(hold);
    }
    for _ in 0..count {
        has_begun.recv_timeout(HANGS).unwrap();
    }
    held
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

async fn at_once(app: TestApp) {
    let made = app.send("POST", "/v2/datasets", Some(&app.owner_token), Some(&json!({"name": "d"}))).await;
    assert_eq!(made.status, 200, "{made:?}");
    let event = &b"[{\"n\":1}]"[..];
    let mut deflate = ZlibEncoder::new(Vec::new(), Compression::default());
    deflate.write_all(event).unwrap();
    let bodies = [
        ("identity", event.to_vec()),
        ("gzip", gzip(event)),
        ("deflate", deflate.finish().unwrap()),
        ("zstd", zstd::encode_all(event, 3).unwrap()),
    ];
    let held = occupy(&app);
    for (encoding, body) in bodies {
        let length = body.len().to_string();
        let headers = [("content-encoding", encoding), ("content-length", length.as_str())];
        let sent = tokio::time::timeout(HANGS, app.send_bytes(PATH, &headers, body)).await;
        let answer = sent.unwrap_or_else(|_| panic!("{encoding} waits"));
        assert_eq!(answer.status, 200, "{encoding}: {answer:?}");
        assert_eq!(answer.json()["processedBytes"], event.len(), "{encoding}");
    }
    drop(held);
    // Small as it is sent, and large behind that: it is handed over whole, and what is wrong with one is told as before.
    let large = "{\"n\":1}\n".repeat(20_000);
    let packed = gzip(large.as_bytes());
    let length = packed.len().to_string();
    let headers = [("content-encoding", "gzip"), ("content-length", length.as_str())];
    let answer = app.send_bytes(PATH, &headers, packed.clone()).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["ingested"]), (200, &json!(20_000)), "{answer:?}");
    let cut = packed[..packed.len() - 1].to_vec();
    let length = cut.len().to_string();
    let headers = [("content-encoding", "gzip"), ("content-length", length.as_str())];
    let answer = app.send_bytes(PATH, &headers, cut).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert_eq!(answer.json()["hint"], "nothing of this request was stored");
    assert_eq!(app.rows("d").await.len(), 4 + 20_000);
}
