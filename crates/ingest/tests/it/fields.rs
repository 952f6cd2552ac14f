//! When the gate is asked about a field, and what its answer does.

use tidegauge_ingest::{Limits, Options, Reader};

use crate::support::{ARRIVAL, Cell, Gate, named, read_with};

fn refusing(field: &'static str) -> Gate {
    Gate { refuses: vec![field], ..Gate::default() }
}

#[test]
fn a_refused_field_fails_the_events_that_have_it() {
    let mut reader = Reader::new(Limits::default());
    let body = br#"{"a":1} {"a":2,"x":{"y":1},"b":3} {"a":4,"x":{"y":null}} {"x.y":[1],"a":5} {"a":6}"#;
    let read = read_with(&mut reader, Options::default(), &[body], &refusing("x.y")).unwrap();
    let kept: Vec<_> = [1, 4, 6].map(|value| named([("a", Cell::Integer(value))])).into();
    assert_eq!(read.events, kept);
    assert_eq!(read.outcome.failures.len(), 2);
    assert_eq!((read.outcome.failures[0].index, read.outcome.failures[1].index), (1, 3));
    assert_eq!(
        read.outcome.failures[0].error,
        "event fails: field \"x.y\" would exceed the limit of fields of this dataset"
    );
}

#[test]
fn the_gate_is_asked_once_and_not_for_times_or_nulls() {
    let mut reader = Reader::new(Limits::default());
    let gate = Gate::default();
    let body = br#"{"_time":1,"a":1,"n":null,"e":{}} {"a":"x","b":{"c":1}} {"a":2,"b.c":2,"b":{"c":3}}"#;
    read_with(&mut reader, Options::default(), &[body], &gate).unwrap();
    assert_eq!(*gate.asked.borrow(), ["a", "b.c"]);
    let again = Gate::default();
    read_with(&mut reader, Options::default(), &[body], &again).unwrap();
    assert_eq!(*again.asked.borrow(), [""; 0]);
}

#[test]
fn a_field_is_only_known_when_it_was_stored() {
    let mut reader = Reader::new(Limits::default());
    // The event has one good field and then fails.
    let failing = br#"{"good":1,"bad":2,"later":3}"#;
    let gate = refusing("bad");
    read_with(&mut reader, Options::default(), &[failing], &gate).unwrap();
    assert_eq!(*gate.asked.borrow(), ["good", "bad"]);
    let open = Gate::default();
    let read = read_with(&mut reader, Options::default(), &[failing], &open).unwrap();
    assert_eq!(*open.asked.borrow(), ["good", "bad", "later"]);
    assert_eq!(read.events.len(), 1);
    // A malformed body stores nothing.
    let mut reader = Reader::new(Limits::default());
    read_with(&mut reader, Options::default(), &[b"{\"a\":1}x"], &Gate::default()).unwrap_err();
    let asked = Gate::default();
    read_with(&mut reader, Options::default(), &[b"{\"a\":1}"], &asked).unwrap();
    assert_eq!(*asked.asked.borrow(), ["a"]);
}

#[test]
fn a_field_stays_a_field_when_the_time_is_elsewhere() {
    let mut reader = Reader::new(Limits::default());
    let at = |field: &str| Options { timestamp_field: Some(field.to_owned()), ..Options::default() };
    let body = br#"{"at":5,"a":1}"#;
    let gate = Gate::default();
    let read = read_with(&mut reader, at("at"), &[body], &gate).unwrap();
    assert_eq!((read.times[0], read.events), (5_000_000_000, vec![named([("a", Cell::Integer(1))])]));
    assert_eq!(*gate.asked.borrow(), ["a"]);
    let gate = Gate::default();
    let read = read_with(&mut reader, Options::default(), &[body], &gate).unwrap();
    assert_eq!(*gate.asked.borrow(), ["at"]);
    assert_eq!(read.times, [ARRIVAL]);
    assert_eq!(read.events, [named([("at", Cell::Integer(5)), ("a", Cell::Integer(1))])]);
    let read = read_with(&mut reader, at("at"), &[body], &Gate::default()).unwrap();
    assert_eq!(read.times, [5_000_000_000]);
}

#[test]
fn too_many_fields_are_forgotten_before_the_next_request() {
    let limits = Limits { fields_kept_max: 10, ..Limits::default() };
    let mut reader = Reader::new(limits);
    let body: String = (0..20).map(|index| format!("{{\"f{index}\":{{\"x\":1}}}}")).collect();
    read_with(&mut reader, Options::default(), &[body.as_bytes()], &Gate::default()).unwrap();
    assert_eq!(reader.columns().columns.len(), 20);
    let gate = Gate::default();
    let read = read_with(&mut reader, Options::default(), &[br#"{"f1":{"x":7}}"#], &gate).unwrap();
    assert_eq!(read.events, [named([("f1.x", Cell::Integer(7))])]);
    assert_eq!(reader.columns().columns.len(), 1);
    assert_eq!(*gate.asked.borrow(), ["f1.x"]);
}

#[test]
fn other_map_fields_are_heeded_by_the_next_request() {
    let mut reader = Reader::new(Limits::default());
    let maps = Options { map_fields: std::sync::Arc::new(["m".to_owned()].into()), ..Options::default() };
    let body = br#"{"m":{"x":1}}"#;
    let flat = named([("m.x", Cell::Integer(1))]);
    let map = named([("m", Cell::Map(r#"{"x":1}"#.to_owned()))]);
    for (options, expected) in [(Options::default(), &flat), (maps, &map), (Options::default(), &flat)] {
        let read = read_with(&mut reader, options, &[body], &Gate::default()).unwrap();
        assert_eq!(read.event(), expected);
    }
}

#[test]
fn a_reader_says_how_much_it_keeps() {
    let mut reader = Reader::new(Limits::default());
    let small = reader.retained_bytes();
    let body = format!("{{\"a\":\"{}\"}}", "x".repeat(500_000));
    read_with(&mut reader, Options::default(), &[body.as_bytes()], &Gate::default()).unwrap();
    assert!(reader.retained_bytes() > small + 500_000);
    // Memory is kept for the next request, not for each request anew.
    let after_one = reader.retained_bytes();
    for _ in 0..5 {
        read_with(&mut reader, Options::default(), &[body.as_bytes()], &Gate::default()).unwrap();
    }
    assert_eq!(reader.retained_bytes(), after_one);
}
