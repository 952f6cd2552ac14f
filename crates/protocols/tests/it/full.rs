//! Datasets that take no further field: what protocols keep in maps comes in whole, with the first of its events.

use tidegauge_ingest::{Events, Limits, Options};
use tidegauge_protocols::logplex::{self, Head};
use tidegauge_protocols::otlp::{Encoding, Signal, read as read_otlp};
use tidegauge_protocols::remote_write::{self, Version};
use tidegauge_protocols::syslog::{Messages, Origin};
use tidegauge_protocols::{Problem, datadog, firehose, journald::Journal, loki};

use crate::loki::snap_block;
use crate::support::{Full, Proto, any_text, otlp_request, pair, read_with};

/// The only event of a request to such a dataset, and the fields that it was told of.
fn taken<T>(read: impl FnOnce(&mut Events<'_>) -> Result<T, Problem>) -> (String, String) {
    let gate = Full::default();
    let read = read_with(Limits::default(), Options::default(), &gate, read).expect("a good request");
    assert_eq!((read.outcome.ingested, read.outcome.failed), (1, 0), "{:?}", read.outcome.failures);
    let told: Vec<&str> = gate.told.borrow().iter().copied().collect();
    (read.events[0].clone(), told.join(" "))
}

/// An event of OTLP in a full dataset.
fn otlp(signal: Signal, message: Proto) -> (String, String) {
    let body = otlp_request([message]);
    taken(|events| read_otlp(signal, Encoding::Protobuf, &body, events))
}

const RESOURCE: &str = "resource.custom=map{\"service.name\":\"shop\",\"host.name\":\"h1\",\"mine\":\"x\"}";

#[test]
fn logs_of_otlp_keep_everything() {
    let body = Proto::default().message(6, Proto::default().message(1, pair("a", any_text("y"))));
    let record = Proto::default()
        .fixed64(1, u64::MAX)
        .varint(2, 9)
        .message(5, body)
        .message(6, pair("http.route", any_text("/")));
    let (event, told) = otlp(Signal::Logs, record);
    for part in ["attributes.custom=map{\"http.route\":\"/\"}", "body.custom=map{\"a\":\"y\"}", RESOURCE] {
        assert!(event.contains(part), "{event}");
    }
    assert_eq!(
        told,
        "attributes.custom body.custom resource.custom scope.name scope.version severity severity_number \
         unreadable_time"
    );
}

#[test]
fn spans_and_points_of_otlp_keep_everything() {
    let span = Proto::default().bytes(5, "get").fixed64(7, 10).fixed64(8, 12);
    let span = span.message(9, pair("http.route", any_text("/")));
    let (event, told) = otlp(Signal::Traces, span);
    assert!(event.contains("attributes.custom=map{\"http.route\":\"/\"}"), "{event}");
    assert!(event.contains(RESOURCE) && event.contains("duration=2"), "{event}");
    assert!(told.contains("attributes.custom duration") && told.contains(" name resource.custom "), "{told}");

    let point = Proto::default().fixed64(3, 20).double(4, 1.5).message(7, pair("mine", any_text("x")));
    let metric = Proto::default().bytes(1, "m").message(5, Proto::default().message(1, point));
    let (event, told) = otlp(Signal::Metrics, metric);
    assert!(
        event.contains("attributes.custom=map{\"mine\":\"x\"}") && event.contains("value=1.5"),
        "{event}"
    );
    assert_eq!(told, "attributes.custom metric resource.custom scope.name scope.version series type value");
}

#[test]
fn labels_of_loki_and_remote_write_are_kept() {
    let body = br#"{"streams":[{"stream":{"job":"shop"},"values":[["7","x",{"user":"u"}]]}]}"#;
    let (event, told) = taken(|events| loki::read(loki::Encoding::Json, body, 1 << 20, events));
    assert_eq!(event, "@7 labels=map{\"job\":\"shop\",\"user\":\"u\"} message=\"x\"");
    assert_eq!(told, "labels message");

    let label = |name: &str, value: &str| Proto::default().bytes(1, name).bytes(2, value);
    let series = Proto::default().message(1, label("__name__", "up")).message(1, label("job", "node"));
    let series = series.message(2, Proto::default().double(1, 1.0).varint(2, 7));
    let body = snap_block(&Proto::default().message(1, series).0);
    let (event, told) = taken(|events| remote_write::read(Version::V1, &body, 1 << 20, events));
    assert!(
        event.starts_with("@7000000 labels.custom=map{\"job\":\"node\"} metric=\"up\" series="),
        "{event}"
    );
    assert_eq!(told, "labels.custom metric series value");
}

#[test]
fn structured_data_of_syslog_is_kept() {
    let message = b"<165>1 2026-11-14T00:00:00Z host app 12 ID47 [x@1 k=\"v\"] hi";
    let (event, told) = taken(|events| Messages::default().write(message, Origin::default(), events));
    assert!(event.contains("sd.custom=map{\"x@1.k\":\"v\"}") && event.contains("message=\"hi\""), "{event}");
    assert_eq!(told, "appname facility hostname message msgid priority procid sd.custom severity");

    let frame = "62 <40>1 2026-06-01T00:06:26+00:00 host app web.3 - it is started";
    let head = Head { messages: Some(1), drain: Some("d") };
    let (event, _) = taken(|events| logplex::read(frame.as_bytes(), head, events));
    assert!(event.contains("drain=\"d\"") && event.contains("message=\"it is started\""), "{event}");
}

#[test]
fn fields_of_a_journal_and_attributes_of_firehose_are_kept() {
    let entry = b"__REALTIME_TIMESTAMP=7\nMESSAGE=x\nPRIORITY=6\nMINE=1\n\n";
    let (event, told) = taken(|events| Journal::default().feed(entry, events));
    assert_eq!(
        event,
        "@7000 custom=map{\"message\":\"x\",\"PRIORITY\":\"6\",\"severity\":\"info\",\"MINE\":\"1\"}"
    );
    assert_eq!(told, "custom");

    let body = br#"{"requestId":"1","timestamp":1,"records":[{"data":"YSBsaW5l"}]}"#;
    let common = Some(r#"{"commonAttributes":{"env":"prod"}}"#);
    let (event, told) = taken(|events| firehose::read(body, common, 1 << 20, events));
    assert_eq!(event, "attributes.custom=map{\"env\":\"prod\"} message=\"a line\"");
    assert_eq!(told, "attributes.custom message");
}

#[test]
fn tags_of_datadog_are_kept() {
    let body = br#"{"timestamp":7,"ddtags":"env:prod,beta"}"#;
    let (event, told) = taken(|events| datadog::read(body, events));
    assert!(event.ends_with("tags.custom=map{\"env\":\"prod\",\"beta\":\"true\"}"), "{event}");
    assert_eq!(told, "tags.custom");
}
