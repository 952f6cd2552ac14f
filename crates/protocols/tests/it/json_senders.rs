//! Datadog and Honeycomb: JSON in an envelope.

use tidegauge_ingest::{Limits, Options};
use tidegauge_model::ErrorKind;
use tidegauge_protocols::{Answer, Problem, TokenFault, datadog, honeycomb};

use crate::support::{Gate, Read, read, read_with};

fn datadog(body: &str) -> Result<Read, Problem> {
    read(|events| datadog::read(body.as_bytes(), events))
}

#[test]
fn datadog_entries_have_their_tags_as_fields() {
    let body = r#"[{"message":"hi","status":"info","timestamp":1794000000123,"hostname":"h","service":"s","ddsource":"node","ddtags":"env:prod,team:web:x,beta,"},
        {"message":{"a":{"b":1}},"timestamp":null}]"#;
    assert_eq!(
        datadog(body).unwrap().events,
        [
            "@1794000000123000000 ddsource=\"node\" hostname=\"h\" message=\"hi\" service=\"s\" status=\"info\" tags.beta=\"true\" tags.env=\"prod\" tags.team=\"web:x\"",
            "message.a.b=1",
        ]
    );
    assert_eq!(datadog(r#"{"message":"one"}"#).unwrap().events, ["message=\"one\""]);
}

#[test]
fn datadog_agents_ask_with_nothing() {
    for probe in ["", "{}", "[]", "[{}]"] {
        let read = datadog(probe).unwrap();
        assert_eq!((read.events.len(), read.outcome.failed), (0, 0), "{probe}");
    }
    assert_eq!((datadog::accepted().status, datadog::accepted().body.as_slice()), (202, &b"{}"[..]));
    assert_eq!(datadog::validated().body, br#"{"valid":true}"#);
    for body in ["{", "[{\"a\":1}", "[{}] x", "[{\"a\" 1}]"] {
        assert_eq!(datadog(body).unwrap_err().kind, ErrorKind::Malformed, "{body}");
    }
    assert_eq!(datadog("[1]").unwrap().outcome.failed, 1);
    let answer = datadog::refused(&Problem::new(ErrorKind::Busy, "slow"));
    assert_eq!(answer.status, 429);
    assert_eq!(answer.body, br#"{"errors":[{"status":"429","detail":"slow"}]}"#);
    let refused = |fault| datadog::not_validated(&Problem::unauthenticated(Some(fault), "no"));
    for fault in [TokenFault::Malformed, TokenFault::Unknown, TokenFault::Expired] {
        assert_eq!(
            refused(fault),
            Answer::new(403, "application/json", br#"{"errors":["no"]}"#),
            "{fault:?}"
        );
    }
    assert_eq!(refused(TokenFault::Missing).status, 401);
    assert_eq!(datadog::not_validated(&Problem::new(ErrorKind::Busy, "slow")).status, 429);
}

#[test]
fn a_honeycomb_event_has_its_time_in_a_header() {
    let headers = honeycomb::Headers { time: Some("2026-11-14T00:00:00Z"), sample_rate: Some("10") };
    let read = read(|events| honeycomb::read_event(br#"{"a":1}"#, headers, events)).unwrap();
    assert_eq!(read.events, ["@1794614400000000000 a=1 samplerate=10"]);
    let problem =
        crate::support::read(|events| honeycomb::read_event(b"[]", honeycomb::Headers::default(), events));
    assert_eq!(problem.unwrap_err().kind, ErrorKind::Malformed);
}

#[test]
fn events_of_a_honeycomb_batch_have_states() {
    let body = br#"[{"time":"2026-11-14T00:00:00Z","samplerate":1,"data":{"a":1}},{"data":{"bad":1}},{"time":"x"},5]"#;
    let gate = Gate { refuses: vec!["bad"] };
    let read =
        read_with(Limits::default(), Options::default(), &gate, |events| honeycomb::read_batch(body, events));
    let read = read.unwrap();
    assert_eq!(read.events, ["@1794614400000000000 a=1"]);
    let answer = honeycomb::accepted_batch(&read.told);
    let states: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    let statuses: Vec<i64> =
        states.as_array().unwrap().iter().map(|state| state["status"].as_i64().unwrap()).collect();
    assert_eq!((answer.status, statuses), (200, vec![202, 400, 400, 400]));
    assert!(states[2]["error"].as_str().unwrap().contains("no object \"data\""));
}

#[test]
fn a_honeycomb_batch_has_so_many_events_and_no_more() {
    let batch = |count: usize| format!("[{}1]", "1,".repeat(count - 1));
    let whole = read(|events| honeycomb::read_batch(batch(100_000).as_bytes(), events)).unwrap();
    assert_eq!(whole.outcome.failed, 100_000);
    let answer = String::from_utf8(honeycomb::accepted_batch(&whole.told).body).unwrap();
    assert_eq!(answer.matches("400").count(), 100_000);
    assert!(answer.contains("one of many events that failed"), "reasons are kept for some of them");
    let problem = read(|events| honeycomb::read_batch(batch(100_001).as_bytes(), events)).unwrap_err();
    assert_eq!(problem.kind, ErrorKind::TooLarge);
}
