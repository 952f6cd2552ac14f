//! Splunk HEC: envelopes, lines, and its codes.

use std::borrow::Cow;

use tidegauge_ingest::{Limits, Options};
use tidegauge_model::ErrorKind;
use tidegauge_protocols::hec::{
    Metadata, accepted, acknowledgements, health, index_of, read_events, read_raw, refused,
};
use tidegauge_protocols::{Answer, Problem, TokenFault};

use crate::support::{Gate, Read, read, read_with};

fn events(body: &str) -> Result<Read, Problem> {
    read(|events| read_events(body.as_bytes(), &Metadata::default(), events))
}

fn body(answer: &Answer) -> &str {
    std::str::from_utf8(&answer.body).unwrap()
}

#[test]
fn envelopes_stand_one_behind_the_other() {
    let request = r#"{"time":1794000000.5,"host":"h","source":"s","sourcetype":"st","index":"web","event":{"a":{"b":1}},"fields":{"c":"d"}}{"event":"text","time":"1794826840.976"}
        {"event":42,"time":null}"#;
    assert_eq!(
        events(request).unwrap().events,
        [
            "@1794000000500000000 a.b=1 c=\"d\" host=\"h\" index=\"web\" source=\"s\" sourcetype=\"st\"",
            "@1794826840976000000 _raw=\"text\"",
            "_raw=42",
        ]
    );
    assert_eq!(index_of(request.as_bytes()).as_deref(), Some("web"));
    assert_eq!(index_of(br#" [{"event":1,"index":"web"}]"#).as_deref(), Some("web"));
    assert_eq!(index_of(b"{\"event\":1}"), None);
    assert_eq!(index_of(b"nonsense"), None);
}

#[test]
fn a_time_that_cannot_be_read_is_kept() {
    assert_eq!(
        events(r#"{"event":{"a":1},"time":"soon"}"#).unwrap().events,
        ["a=1 unreadable_time=\"soon\""]
    );
}

#[test]
fn lines_have_what_the_address_says() {
    let address =
        Metadata { host: Some(Cow::Borrowed("h")), index: Some(Cow::Borrowed("web")), ..Metadata::default() };
    let read = read(|events| read_raw(b"one\r\n\n two\n", &address, events)).unwrap();
    assert_eq!(
        read.events,
        ["_raw=\"one\" host=\"h\" index=\"web\"", "_raw=\" two\" host=\"h\" index=\"web\""]
    );
}

#[test]
fn what_is_wrong_has_a_code_and_the_number_of_the_event() {
    let good = r#"{"event":1}"#;
    for (request, expected) in [
        (String::new(), "{\"text\":\"No data\",\"code\":5}"),
        (
            format!("{good}{{\"time\":1}}"),
            "{\"text\":\"Event field is required\",\"code\":12,\"invalid-event-number\":1}",
        ),
        (
            "{\"event\":\"\"}".to_owned(),
            "{\"text\":\"Event field cannot be blank\",\"code\":13,\"invalid-event-number\":0}",
        ),
        ("5".to_owned(), "{\"text\":\"Invalid data format\",\"code\":6,\"invalid-event-number\":0}"),
        (
            "{\"event\":1,\"fields\":[]}".to_owned(),
            "{\"text\":\"Error in handling indexed fields\",\"code\":15,\"invalid-event-number\":0}",
        ),
        (
            "{\"event\":1,\"index\":\"a\"}{\"event\":1,\"index\":\"b\"}".to_owned(),
            "{\"text\":\"Incorrect index\",\"code\":7,\"invalid-event-number\":1}",
        ),
    ] {
        let answer = refused(&events(&request).unwrap_err());
        assert_eq!((answer.status, body(&answer)), (400, expected), "{request}");
    }
    for (broken, number) in [("{\"event\":", 0), ("[{\"event\":1} {\"event\":2}]", 1), ("{\"event\":1}{", 1)]
    {
        let answer = refused(&events(broken).unwrap_err());
        let said = format!("\"code\":6,\"invalid-event-number\":{number}}}");
        assert!(answer.status == 400 && body(&answer).ends_with(&said), "{broken}: {}", body(&answer));
    }
}

#[test]
fn one_event_that_fails_refuses_all() {
    let gate = Gate { refuses: vec!["bad"] };
    let problem = read_with(Limits::default(), Options::default(), &gate, |events| {
        read_events(br#"{"event":{"a":1}}{"event":{"bad":1}}"#, &Metadata::default(), events)
    })
    .unwrap_err();
    assert_eq!((problem.kind, problem.item), (ErrorKind::Malformed, Some(1)));
}

#[test]
fn a_token_that_is_not_taken_has_the_code_of_what_is_wrong_with_it() {
    for (fault, status, said) in [
        (Some(TokenFault::Missing), 401, "{\"text\":\"Token is required; x\",\"code\":2}"),
        (Some(TokenFault::Header), 401, "{\"text\":\"Invalid authorization; x\",\"code\":3}"),
        (Some(TokenFault::Malformed), 403, "{\"text\":\"Invalid token; x\",\"code\":4}"),
        (Some(TokenFault::Unknown), 403, "{\"text\":\"Invalid token; x\",\"code\":4}"),
        (Some(TokenFault::Expired), 403, "{\"text\":\"Invalid token; x\",\"code\":4}"),
        (None, 401, "{\"text\":\"Invalid token; x\",\"code\":4}"),
    ] {
        let answer = refused(&Problem::unauthenticated(fault, "x"));
        assert_eq!((answer.status, body(&answer)), (status, said), "{fault:?}");
    }
}

#[test]
fn pressure_and_probes_have_their_codes() {
    for (kind, status, code) in [
        (ErrorKind::Unavailable, 503, 9),
        (ErrorKind::Busy, 503, 9),
        (ErrorKind::StorageFull, 503, 9),
        (ErrorKind::Forbidden, 403, 4),
        (ErrorKind::QuotaUsedUp, 403, 4),
        (ErrorKind::NotFound, 400, 7),
        (ErrorKind::TooLarge, 413, 6),
        (ErrorKind::Internal, 500, 8),
    ] {
        let answer = refused(&Problem::new(kind, "x"));
        assert_eq!(answer.status, status, "{kind:?}");
        assert!(body(&answer).contains(&format!("\"code\":{code}")), "{kind:?}");
    }
    assert_eq!(body(&accepted()), "{\"text\":\"Success\",\"code\":0}");
    assert_eq!(body(&health()), "{\"text\":\"HEC is healthy\",\"code\":17}");
    assert_eq!(
        (acknowledgements().status, body(&acknowledgements())),
        (400, "{\"text\":\"ACK is disabled\",\"code\":14}")
    );
}
