//! Loki push in its three forms.

use tidegauge_ingest::{Limits, Options};
use tidegauge_model::ErrorKind;
use tidegauge_protocols::Problem;
use tidegauge_protocols::loki::{Encoding, accepted, read as read_loki, refused};

use crate::support::{Gate, Proto, Read, read, read_with};

const BYTES_MAX: usize = 1 << 20;

fn json(body: &str) -> Result<Read, Problem> {
    read(|events| read_loki(Encoding::Json, body.as_bytes(), BYTES_MAX, events))
}

fn block(message: Proto) -> Vec<u8> {
    snap_block(&message.0)
}

/// A snappy block of literals.
pub(crate) fn snap_block(bytes: &[u8]) -> Vec<u8> {
    let mut block = Vec::new();
    let mut length = bytes.len();
    while length >= 0x80 {
        block.push(length as u8 | 0x80);
        length >>= 7;
    }
    block.push(length as u8);
    for piece in bytes.chunks(60) {
        block.push(((piece.len() - 1) << 2) as u8);
        block.extend_from_slice(piece);
    }
    block
}

#[test]
fn protobuf_in_a_snappy_block() {
    let time = |seconds: u64, nanoseconds: u64| Proto::default().varint(1, seconds).varint(2, nanoseconds);
    let metadata = Proto::default().bytes(1, "trace_id").bytes(2, "abc");
    let stream = Proto::default()
        .bytes(1, "{job=\"web\", level=\"info\"}")
        .message(
            2,
            Proto::default().message(1, time(1_794_000_000, 5)).bytes(2, "first").message(3, metadata),
        )
        .message(2, Proto::default().message(1, time(1_794_000_001, 0)).bytes(2, "{\"json\":1}"));
    let body = block(Proto::default().message(1, stream));
    let read = read(|events| read_loki(Encoding::of("application/x-protobuf"), &body, BYTES_MAX, events));
    assert_eq!(
        read.unwrap().events,
        [
            "@1794000000000000005 job=\"web\" level=\"info\" message=\"first\" trace_id=\"abc\"",
            "@1794000001000000000 job=\"web\" level=\"info\" message=\"{\\\"json\\\":1}\"",
        ]
    );
}

#[test]
fn json_in_the_new_form() {
    let body = r#"{"streams":[{"values":[["1794000000000000005","first",{"user":"u","n":3}],["7","second"]],
        "stream":{"job":"web","n":5},"hash":9}],"extra":{}}"#;
    assert_eq!(
        json(body).unwrap().events,
        [
            "@1794000000000000005 job=\"web\" message=\"first\" n=\"3\" user=\"u\"",
            "@7 job=\"web\" message=\"second\" n=\"5\""
        ]
    );
}

#[test]
fn json_in_the_old_form() {
    let body = r#"{"streams":[{"labels":"{job=\"web\"}","entries":[{"ts":"2026-11-14T00:00:00Z","line":"x"},{"ts":"later","line":"y"}]}]}"#;
    assert_eq!(
        json(body).unwrap().events,
        [
            "@1794614400000000000 job=\"web\" message=\"x\"",
            "job=\"web\" message=\"y\" unreadable_time=\"later\""
        ]
    );
}

#[test]
fn labels_that_the_dataset_does_not_take_are_in_a_map() {
    let body = r#"{"streams":[{"stream":{"a":"1","b":"2"},"values":[["7","x"]]}]}"#;
    let read = read_with(Limits::default(), Options::default(), &Gate { refuses: vec!["b"] }, |events| {
        read_loki(Encoding::Json, body.as_bytes(), BYTES_MAX, events)
    });
    assert_eq!(read.unwrap().events, ["@7 a=\"1\" labels=map{\"b\":\"2\"} message=\"x\""]);
}

#[test]
fn a_stream_has_so_many_labels_and_no_more() {
    for (count, is_good) in [(1024, true), (1025, false)] {
        let labels = |between: &str, quote: &str| {
            let label = |label: usize| format!("{quote}l{label}{quote}{between}\"v\"");
            (0..count).map(label).collect::<Vec<_>>().join(",")
        };
        let new =
            format!("{{\"streams\":[{{\"stream\":{{{}}},\"values\":[[\"7\",\"x\"]]}}]}}", labels(":", "\""));
        assert_eq!(json(&new).is_ok(), is_good, "{count} in JSON");
        let entry = Proto::default().bytes(2, "x");
        let stream = Proto::default().bytes(1, format!("{{{}}}", labels("=", ""))).message(2, entry);
        let body = block(Proto::default().message(1, stream));
        let read = read(|events| read_loki(Encoding::of("application/x-protobuf"), &body, BYTES_MAX, events));
        assert_eq!(read.is_ok(), is_good, "{count} in protobuf");
    }
}

#[test]
fn what_cannot_be_read_is_refused() {
    for body in ["", "[]", "{\"streams\":[{\"labels\":\"{a\"}]}", "{\"streams\":[{\"values\":[1]}]}", "{} x"]
    {
        assert_eq!(json(body).unwrap_err().kind, ErrorKind::Malformed, "{body}");
    }
    let problem = json("{\"streams\":[{\"values\":[[\"1\",\"x\" 2]]}]}").unwrap_err();
    assert!(problem.message.contains("byte 32"), "{problem}");
}

#[test]
fn success_is_204_and_nothing_else() {
    let read = json(r#"{"streams":[]}"#).unwrap();
    let answer = accepted(&read.outcome);
    assert_eq!((answer.status, answer.body.len(), answer.headers.len()), (204, 0, 0));
    assert_eq!(refused(&Problem::new(ErrorKind::StorageFull, "full")).status, 503);
    assert_eq!(refused(&Problem::new(ErrorKind::QuotaUsedUp, "used up")).status, 403);
    let body = br#"{"streams":[{"stream":{},"values":[["7","too long"]]}]}"#;
    let limits = Limits { event_bytes_max: 7, ..Limits::default() };
    let failed = read_with(limits, Options::default(), &Gate::default(), |events| {
        read_loki(Encoding::Json, body, BYTES_MAX, events)
    });
    let answer = accepted(&failed.unwrap().outcome);
    assert_eq!(answer.status, 204);
    assert!(answer.headers[0].1.starts_with("299 - \"1 entries were refused"), "{:?}", answer.headers);
}
