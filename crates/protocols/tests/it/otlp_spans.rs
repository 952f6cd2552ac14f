//! Spans in protobuf.

use tidegauge_protocols::otlp::{Encoding, Signal, read as read_otlp};

use crate::support::{ORIGIN, Proto, any_text, otlp_request, pair, read};

fn spans(spans: impl IntoIterator<Item = Proto>) -> Vec<String> {
    let body = otlp_request(spans);
    let read = read(|events| read_otlp(Signal::Traces, Encoding::Protobuf, &body, events));
    read.expect("a good request").events
}

#[test]
fn a_span_is_laid_out_as_the_public_service_does() {
    let happened = Proto::default()
        .fixed64(1, 12)
        .bytes(2, "exception")
        .message(3, pair("exception.type", any_text("E")));
    let link = Proto::default().bytes(1, [1; 16]).bytes(2, [2; 8]).message(4, pair("a", any_text("b")));
    let span = Proto::default()
        .bytes(1, [0x0a; 16])
        .bytes(2, [0x0b; 8])
        .bytes(4, [0x0c; 8])
        .bytes(5, "GET /")
        .varint(6, 2)
        .fixed64(7, 10)
        .fixed64(8, 35)
        .message(9, pair("http.response.status_code", Proto::default().varint(3, 500)))
        .message(9, pair("mine", Proto::default().varint(2, 1)))
        .varint(12, 4)
        .message(11, happened)
        .message(13, link)
        .message(15, Proto::default().bytes(2, "no").varint(3, 2));
    let expected = format!(
        "@10 attributes.custom=map{{\"mine\":true}} attributes.http.response.status_code=500 \
         dropped_events_count=4 duration=25 error=true \
         events=[{{\"timestamp\":12,\"name\":\"exception\",\"attributes\":{{\"exception.type\":\"E\"}}}}] \
         kind=\"server\" links=[{{\"trace_id\":\"{}\",\"span_id\":\"{}\",\"attributes\":{{\"a\":\"b\"}}}}] \
         name=\"GET /\" parent_span_id=\"{}\" {ORIGIN} span_id=\"{}\" status.code=\"ERROR\" \
         status.message=\"no\" trace_id=\"{}\"",
        "01".repeat(16),
        "02".repeat(8),
        "0c".repeat(8),
        "0b".repeat(8),
        "0a".repeat(16)
    );
    assert_eq!(spans([span]), [expected]);
}

#[test]
fn a_root_has_no_parent_and_an_unset_status_no_code() {
    let root = spans([Proto::default().bytes(2, [1; 8]).bytes(4, [0; 8]).fixed64(7, 10)]);
    assert_eq!(root, [format!("@10 error=false kind=\"unspecified\" {ORIGIN} span_id=\"0101010101010101\"")]);
    let good = spans([Proto::default().varint(6, 99).message(15, Proto::default().varint(3, 1))]);
    assert!(good[0].contains("status.code=\"OK\""));
    assert!(good[0].contains("kind=\"unspecified\""));
}

#[test]
fn what_is_nested_in_a_known_attribute_is_flattened_and_in_others_kept() {
    let list = Proto::default().message(1, pair("b", any_text("x")));
    let nested = || Proto::default().message(6, list.clone());
    let event = &spans([Proto::default()
        .message(9, pair("http.a", nested()))
        .message(9, pair("mine", nested()))
        .message(
            9,
            pair("db.tags", Proto::default().message(5, Proto::default().message(1, any_text("t")))),
        )])[0];
    assert!(event.contains("attributes.http.a.b=\"x\""), "{event}");
    assert!(event.contains("attributes.custom=map{\"mine\":{\"b\":\"x\"}}"), "{event}");
    assert!(event.contains("attributes.db.tags=[\"t\"]"), "{event}");
}
