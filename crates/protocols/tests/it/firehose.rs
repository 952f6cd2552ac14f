//! Amazon Data Firehose: records in base64 and what they hold.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tidegauge_model::ErrorKind;
use tidegauge_protocols::Problem;
use tidegauge_protocols::firehose::{Request, accepted, read as read_firehose, refused};

use crate::support::{Read, read};

fn request(records: &[&[u8]]) -> String {
    let records: Vec<String> =
        records.iter().map(|record| format!("{{\"data\":\"{}\"}}", STANDARD.encode(record))).collect();
    format!("{{\"requestId\":\"id-1\",\"timestamp\":1,\"records\":[{}]}}", records.join(","))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn records(body: &str, attributes: Option<&str>) -> Result<Read<Request>, Problem> {
    read(|events| read_firehose(body.as_bytes(), attributes, 1 << 20, events))
}

#[test]
fn records_hold_json_lines_or_several_texts() {
    let body = request(&[b"{\"a\":1}{\"a\":2}\n", b"[{\"a\":3}]", b"plain one\nplain two\n", b"{\"cut\":"]);
    let read = records(&body, None).unwrap();
    assert_eq!(
        read.events,
        ["a=1", "a=2", "a=3", "message=\"plain one\"", "message=\"plain two\"", "message=\"{\\\"cut\\\":\""]
    );
    assert_eq!(read.told, Request { id: "id-1".to_owned(), records: 4 });
}

#[test]
fn cloudwatch_sends_events_in_an_envelope() {
    let data = br#"{"messageType":"DATA_MESSAGE","owner":"1","logGroup":"g","logStream":"s","logEvents":[{"id":"a","timestamp":1794000000123,"message":"x"},{"id":"b","timestamp":1794000000124,"message":"y"}]}"#;
    let control =
        br#"{"messageType":"CONTROL_MESSAGE","logEvents":[{"id":"","timestamp":1,"message":"check"}]}"#;
    let body = request(&[&gzip(data), &gzip(control)]);
    let read = records(&body, Some(r#"{"commonAttributes":{"env":"prod"}}"#)).unwrap();
    assert_eq!(
        read.events,
        [
            "@1794000000123000000 env=\"prod\" id=\"a\" logGroup=\"g\" logStream=\"s\" message=\"x\" owner=\"1\"",
            "@1794000000124000000 env=\"prod\" id=\"b\" logGroup=\"g\" logStream=\"s\" message=\"y\" owner=\"1\"",
        ]
    );
}

#[test]
fn what_expands_without_end_is_refused() {
    let bomb = gzip(&vec![b'x'; 4 << 20]);
    assert_eq!(records(&request(&[&bomb]), None).unwrap_err().kind, ErrorKind::TooLarge);
    let half = gzip(&vec![b'x'; 600 << 10]);
    assert_eq!(records(&request(&[&half, &half]), None).unwrap_err().kind, ErrorKind::TooLarge);
}

#[test]
fn what_stands_around_log_events_is_bounded() {
    let around = |count: usize| {
        let names: Vec<String> = (0..count).map(|name| format!("\"n{name}\":1")).collect();
        let data = format!(
            "{{\"messageType\":\"DATA_MESSAGE\",{},\"logEvents\":[{{\"message\":\"x\"}}]}}",
            names.join(",")
        );
        records(&request(&[data.as_bytes()]), None)
    };
    assert_eq!(around(256).unwrap().events.len(), 1);
    assert_eq!(around(257).unwrap_err().kind, ErrorKind::Malformed);
}

#[test]
fn what_cannot_be_read_is_told_with_the_same_id() {
    for body in ["", "[]", "{\"records\":[{\"data\":\"*\"}]}", "{\"records\":[{}]}", "{} {}"] {
        assert_eq!(records(body, None).unwrap_err().kind, ErrorKind::Malformed, "{body}");
    }
    let answer = refused("id-1", 5, &Problem::new(ErrorKind::Unavailable, "later"));
    assert_eq!(answer.status, 503);
    assert_eq!(answer.body, br#"{"requestId":"id-1","timestamp":5,"errorMessage":"later"}"#);
    assert_eq!(accepted("id-1", 5).body, br#"{"requestId":"id-1","timestamp":5}"#);
    let long = refused("id", 5, &Problem::malformed("ä".repeat(20_000)));
    assert!(long.body.len() < 8 << 10);
}
