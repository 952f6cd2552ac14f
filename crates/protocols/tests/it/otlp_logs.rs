//! Records of logs in protobuf: the layout of fields, and what happens to the odd ones.

use std::collections::HashSet;
use std::sync::Arc;

use tidegauge_ingest::{Limits, Options};
use tidegauge_model::ErrorKind;
use tidegauge_protocols::otlp::{Encoding, Signal, read as read_otlp};

use crate::support::{Gate, ORIGIN, Proto, Read, any_text, otlp_request, pair, read, read_with};

fn logs(records: impl IntoIterator<Item = Proto>) -> Read {
    let body = otlp_request(records);
    read(|events| read_otlp(Signal::Logs, Encoding::Protobuf, &body, events)).expect("a good request")
}

#[test]
fn a_record_has_its_fields_and_those_of_its_origin() {
    let record = Proto::default()
        .fixed64(1, 1_794_000_000_000_000_001)
        .varint(2, 17)
        .bytes(3, "ERROR")
        .message(5, any_text("it broke"))
        .message(6, pair("http.request.method", any_text("GET")))
        .message(6, pair("order", Proto::default().varint(3, 7)))
        .fixed32(8, 1)
        .bytes(9, [0xab; 16])
        .bytes(10, [0xcd; 8])
        .fixed64(11, 5)
        .bytes(12, "order.failed");
    let read = logs([record]);
    let expected = format!(
        "@1794000000000000001 attributes.custom=map{{\"order\":7}} attributes.http.request.method=\"GET\" \
         body=\"it broke\" event_name=\"order.failed\" flags=1 {ORIGIN} severity=\"error\" \
         severity_number=17 severity_text=\"ERROR\" span_id=\"{}\" trace_id=\"{}\"",
        "cd".repeat(8),
        "ab".repeat(16)
    );
    assert_eq!(sorted(&read.events[0]), sorted(&expected));
}

#[test]
fn an_event_has_so_many_attributes_and_no_more() {
    let attribute = pair("http.route", any_text("/"));
    let record =
        |count: usize| (0..count).fold(Proto::default(), |record, _| record.message(6, attribute.clone()));
    assert_eq!(logs([record(65_536)]).events.len(), 1);
    let body = otlp_request([record(65_537)]);
    let problem = read(|events| read_otlp(Signal::Logs, Encoding::Protobuf, &body, events)).unwrap_err();
    assert_eq!(problem.kind, ErrorKind::TooLarge);
}

/// The fields of a shown event, in one order.
fn sorted(event: &str) -> Vec<&str> {
    let mut fields: Vec<&str> = event.split(' ').collect();
    fields.sort_unstable();
    fields
}

#[test]
fn the_time_is_that_of_the_record_or_of_its_observation_or_of_the_arrival() {
    let read = logs([
        Proto::default().fixed64(1, 7).fixed64(11, 9),
        Proto::default().fixed64(11, 9),
        Proto::default(),
        Proto::default().fixed64(1, u64::MAX),
    ]);
    assert!(read.events[0].starts_with("@7 "), "{}", read.events[0]);
    assert!(read.events[1].starts_with("@9 "));
    assert!(!read.events[2].starts_with('@'));
    assert!(read.events[3].contains(&format!("unreadable_time=\"{}\"", u64::MAX)));
}

#[test]
fn bodies_of_every_type_are_kept() {
    let list = |pairs: Vec<Proto>| pairs.into_iter().fold(Proto::default(), |all, it| all.message(1, it));
    let inner = list(vec![pair("deep", Proto::default().varint(2, 1))]);
    let body = list(vec![pair("a", any_text("x")), pair("b", Proto::default().message(6, inner))]);
    let array = list(vec![any_text("x"), Proto::default().double(4, 0.5), Proto::default()]);
    let read = logs([
        Proto::default().message(5, Proto::default().message(6, body)),
        Proto::default().message(5, Proto::default().message(5, array)),
        Proto::default().message(5, Proto::default().bytes(7, [1, 2, 255])),
        Proto::default().message(5, Proto::default().double(4, f64::NAN)),
        Proto::default().message(5, Proto::default().varint(3, (-3_i64) as u64)),
    ]);
    assert!(read.events[0].contains("body.a=\"x\" body.b.deep=true"), "{}", read.events[0]);
    assert!(read.events[1].contains("body=[\"x\",0.5,null]"), "{}", read.events[1]);
    assert!(read.events[2].contains("body=\"AQL/\""));
    assert!(read.events[3].contains("body=\"NaN\""));
    assert!(read.events[4].contains("body=-3"));
}

#[test]
fn what_the_dataset_does_not_take_is_in_the_map() {
    let body = otlp_request([Proto::default()
        .message(6, pair("http.request.method", any_text("GET")))
        .message(6, pair("http.request.header.x", any_text("1")))]);
    let gate = Gate { refuses: vec!["attributes.http.request.method", "resource.host.name", "service.name"] };
    let read = read_with(Limits::default(), Options::default(), &gate, |events| {
        read_otlp(Signal::Logs, Encoding::Protobuf, &body, events)
    })
    .unwrap();
    let event = &read.events[0];
    assert!(
        event.contains(
            "attributes.custom=map{\"http.request.method\":\"GET\",\"http.request.header.x\":\"1\"}"
        )
    );
    assert!(
        event.contains("resource.custom=map{\"service.name\":\"shop\",\"host.name\":\"h1\",\"mine\":\"x\"}")
    );
    assert_eq!(read.outcome.failed, 0);
}

#[test]
fn a_map_field_takes_all_attributes() {
    let body = otlp_request([Proto::default().message(6, pair("http.route", any_text("/")))]);
    let options =
        Options { map_fields: Arc::new(HashSet::from(["attributes".to_owned()])), ..Options::default() };
    let read = read_with(Limits::default(), options, &Gate::default(), |events| {
        read_otlp(Signal::Logs, Encoding::Protobuf, &body, events)
    })
    .unwrap();
    assert!(read.events[0].starts_with("attributes=map{\"http.route\":\"/\"}"), "{}", read.events[0]);
}

#[test]
fn an_empty_request_is_good() {
    let read = read(|events| read_otlp(Signal::Logs, Encoding::Protobuf, b"", events)).unwrap();
    assert_eq!(read.events.len(), 0);
}

#[test]
fn a_resource_behind_its_records_counts_for_them() {
    let scoped = Proto::default().message(2, Proto::default().message(5, any_text("x")));
    let resource = Proto::default().message(1, pair("service.name", any_text("late")));
    let body = Proto::default().message(1, Proto::default().message(2, scoped).message(1, resource)).0;
    let read = read(|events| read_otlp(Signal::Logs, Encoding::Protobuf, &body, events)).unwrap();
    assert_eq!(read.events, ["body=\"x\" service.name=\"late\""]);
}

#[test]
fn a_body_that_is_cut_is_refused_as_a_whole() {
    let body = otlp_request([Proto::default().message(5, any_text("x"))]);
    for length in 1..body.len() {
        let problem =
            read(|events| read_otlp(Signal::Logs, Encoding::Protobuf, &body[..length], events)).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Malformed, "{length}");
    }
}
