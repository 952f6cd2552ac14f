//! CloudEvents in their three modes.

use tidegauge_ingest::{Limits, Options};
use tidegauge_model::ErrorKind;
use tidegauge_protocols::cloudevents::{
    Identity, accepted, handshake, read_batch, read_binary, read_structured,
};

use crate::support::{Gate, read, read_with};

const EVENT: &str = r#"{"specversion":"1.0","type":"t","source":"/s","id":"1","time":"2026-11-14T00:00:00Z","ext":5,"data":{"a":{"b":1}}}"#;
const SHOWN: &str = r#"@1794614400000000000 data.a.b=1 ext=5 id="1" source="/s" specversion="1.0" type="t""#;

#[test]
fn structured_and_batched() {
    let one = read(|events| read_structured(EVENT.as_bytes(), events)).unwrap();
    assert_eq!(one.events, [SHOWN]);
    assert_eq!(one.told, Identity { source: "/s".to_owned(), id: "1".to_owned() });
    let two = read(|events| read_batch(format!("[{EVENT},{EVENT}]").as_bytes(), events)).unwrap();
    assert_eq!(two.events, [SHOWN, SHOWN]);
    assert_eq!(accepted().status, 204);
}

#[test]
fn binary() {
    let headers = [
        ("Ce-Specversion", "1.0"),
        ("ce-type", "t"),
        ("ce-source", "/s%C3%A4"),
        ("ce-id", "1"),
        ("ce-time", "2026-11-14T00:00:00Z"),
        ("host", "x"),
    ];
    let json = read(|events| {
        read_binary(headers.into_iter(), Some("application/json; charset=utf-8"), br#"{"a":1}"#, events)
    });
    let json = json.unwrap();
    assert_eq!(
        json.events,
        [
            r#"@1794614400000000000 data.a=1 datacontenttype="application/json; charset=utf-8" id="1" source="/sä" specversion="1.0" type="t""#
        ]
    );
    assert_eq!(json.told.source, "/sä");
    let text = read(|events| read_binary(headers.into_iter(), Some("text/plain"), b"hi", events)).unwrap();
    assert!(text.events[0].contains("data=\"hi\""));
    let bytes = read(|events| read_binary(headers.into_iter(), None, &[0xff, 0], events)).unwrap();
    assert!(bytes.events[0].contains("data_base64=\"/wA=\""));
}

#[test]
fn an_event_needs_a_source_and_an_id() {
    for body in ["{\"id\":\"1\"}", "{\"source\":\"s\"}", "{}", "5", "[]"] {
        let problem = read(|events| read_structured(body.as_bytes(), events)).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Malformed, "{body}");
    }
    let gate = Gate { refuses: vec!["ext"] };
    let refused = read_with(Limits::default(), Options::default(), &gate, |events| {
        read_structured(EVENT.as_bytes(), events)
    });
    assert!(refused.unwrap_err().message.contains("limit of fields"));
    let batch = format!("[{EVENT},{{}}]");
    let problem = read(|events| read_batch(batch.as_bytes(), events)).unwrap_err();
    assert_eq!(problem.item, Some(1));
}

#[test]
fn a_sender_may_ask_first() {
    let answer = handshake("eventemitter.example.com\r\n");
    assert_eq!(answer.headers[0], ("webhook-allowed-origin", "eventemitter.example.com".to_owned()));
}
