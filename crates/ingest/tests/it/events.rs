//! Events that are handed over value by value: the same rules as for bodies.

use tidegauge_ingest::{Events, Labels, Limits, Options, Outcome, Overflow, Reader, UNREADABLE_TIME};

use crate::support::{ARRIVAL, Cell, Event, Gate, events as shown, named, text};

fn hand_over(
    limits: Limits,
    options: Options,
    gate: &Gate,
    write: impl FnOnce(&mut Events<'_>),
) -> (Outcome, Vec<i64>, Vec<Event>) {
    let mut reader = Reader::new(limits);
    reader.begin(options, ARRIVAL);
    let mut events = reader.events(gate);
    write(&mut events);
    let outcome = events.finish();
    (outcome, reader.columns().times.clone(), shown(reader.columns()))
}

fn one(write: impl FnOnce(&mut Events<'_>)) -> (Vec<i64>, Vec<Event>) {
    let (outcome, times, events) =
        hand_over(Limits::default(), Options::default(), &Gate::default(), |events| {
            events.start();
            write(events);
            assert_eq!(events.end(), Ok(true));
        });
    assert_eq!(outcome.ingested, 1);
    (times, events)
}

#[test]
fn values_of_every_type_are_stored() {
    let (times, events) = one(|events| {
        events.time(5);
        for name in ["boolean", "integer", "long", "float", "nan", "string", "array", "map", "empty"] {
            let field = events.field(name).expect("the dataset takes it");
            match name {
                "boolean" => events.boolean(field, true),
                "integer" => events.integer(field, -1),
                "long" => events.unsigned(field, u64::MAX),
                "float" => events.float(field, 0.5),
                "nan" => events.float(field, f64::NAN),
                "string" => events.string(field, "x"),
                "array" => events.array(field, "[1]"),
                "map" => events.map(field, "{\"a\":1}"),
                _ => events.map(field, "{}"),
            }
        }
    });
    assert_eq!(times, [5]);
    assert_eq!(
        events[0],
        named([
            ("boolean", Cell::Boolean(true)),
            ("integer", Cell::Integer(-1)),
            ("long", Cell::LongInteger(u64::MAX.to_string())),
            ("float", Cell::Float(0.5)),
            ("nan", text("NaN")),
            ("string", text("x")),
            ("array", Cell::Array("[1]".to_owned())),
            ("map", Cell::Map("{\"a\":1}".to_owned())),
        ])
    );
}

#[test]
fn json_inside_of_another_form_is_read_as_in_a_body() {
    let (times, events) = one(|events| {
        events.json_object(br#" {"a":{"b":1},"_time":"2026-11-14T00:00:00Z"} "#).expect("an object");
        events.json("x", br#"{"y":{"z":true},"n":null}"#).expect("an object");
        events.json("w", b"[1, 2]").expect("an array");
    });
    assert_eq!(times, [1_794_614_400_000_000_000]);
    assert_eq!(
        events[0],
        named([
            ("a.b", Cell::Integer(1)),
            ("x.y.z", Cell::Boolean(true)),
            ("w", Cell::Array("[1,2]".to_owned()))
        ])
    );
    one(|events| {
        for wrong in [&b"{"[..], b"", b"{} x", b"[]", b"{\"a\" 1}"] {
            assert!(events.json_object(wrong).is_err());
        }
        assert!(events.json("a", b"{\"b\":").is_err());
    });
}

#[test]
fn a_time_that_cannot_be_read_fails_its_event_or_is_kept() {
    let (outcome, ..) = hand_over(Limits::default(), Options::default(), &Gate::default(), |events| {
        events.start();
        events.time_text("soon");
        assert_eq!(events.end(), Ok(false));
    });
    assert_eq!(outcome.failed, 1);
    let (times, events) = one(|events| {
        events.take_unreadable_times();
        events.time_text("soon");
    });
    assert_eq!((times, &events[0]), (vec![ARRIVAL], &named([(UNREADABLE_TIME, text("soon"))])));
}

#[test]
fn a_field_that_is_not_taken_fails_the_event_or_not() {
    let gate = Gate { refuses: vec!["no"], ..Gate::default() };
    let (outcome, _, events) = hand_over(Limits::default(), Options::default(), &gate, |events| {
        events.start();
        assert_eq!(events.admitted("no"), None);
        assert!(!events.is_failing());
        assert_eq!(events.end(), Ok(true));
        events.start();
        assert_eq!(events.field("no"), None);
        assert_eq!(events.end(), Ok(false));
        assert_eq!((events.ended(), events.failed(), events.failures()[0].index), (2, 1, 1));
    });
    assert_eq!((outcome.ingested, outcome.failed, events.len()), (1, 1, 1));
}

#[test]
fn a_field_of_a_layout_is_taken_though_the_dataset_is_full() {
    let gate = Gate { refuses: vec!["kind", UNREADABLE_TIME], ..Gate::default() };
    let mut reader = Reader::new(Limits::default());
    for request in 1..=2 {
        reader.begin(Options::default(), ARRIVAL);
        let mut events = reader.events(&gate);
        events.take_unreadable_times();
        for _ in 0..2 {
            events.start();
            let kind = events.layout_field("kind").expect("it is of the layout");
            events.string(kind, "x");
            events.time_text("soon");
            assert_eq!(events.end(), Ok(true));
        }
        events.start();
        events.fail(|| "it is of no use".to_owned());
        assert_eq!(events.layout_field("late"), None, "nothing is taken for an event that fails");
        assert_eq!(events.end(), Ok(false));
        assert_eq!(events.finish().ingested, 2);
        let event = named([("kind", text("x")), (UNREADABLE_TIME, text("soon"))]);
        assert_eq!(shown(reader.columns()), [event.clone(), event], "request {request}");
    }
    // Whoever counts is told once, and is not asked.
    assert_eq!(*gate.told.borrow(), ["kind", UNREADABLE_TIME]);
    assert!(gate.asked.borrow().is_empty(), "{:?}", gate.asked);
}

#[test]
fn an_event_that_is_not_ended_leaves_no_trace() {
    let (outcome, _, events) = hand_over(Limits::default(), Options::default(), &Gate::default(), |events| {
        for value in 1..4 {
            events.start();
            let field = events.field("a").expect("the dataset takes it");
            events.integer(field, value);
            if value == 2 {
                assert_eq!(events.end(), Ok(true));
            }
        }
    });
    assert_eq!((outcome.ingested, events), (1, vec![named([("a", Cell::Integer(2))])]));
}

#[test]
fn what_is_held_beside_the_events_counts_with_them() {
    let mut reader = Reader::new(Limits::default());
    reader.begin(Options::default(), 0);
    let mut asked = Vec::new();
    let mut room = |bytes: usize| {
        asked.push(bytes);
        bytes < 1_000_000
    };
    let gate = Gate::default();
    let mut events = reader.events(&gate).within(&mut room);
    assert_eq!(events.hold(500_000), Ok(()));
    assert_eq!(events.hold(400_000), Ok(()), "it is in what was asked for");
    let field = events.field("a").expect("the dataset takes it");
    let ended = (0..100).find_map(|_| {
        events.start();
        events.string(field, &"x".repeat(10_000));
        events.end().err()
    });
    assert_eq!(ended, Some(Overflow::NoRoom));
    events.discard();
    assert_eq!(asked[0], 500_000);
    assert!(asked[1..].iter().all(|bytes| *bytes > 500_000), "{asked:?}");
}

#[test]
fn labels_are_added_and_limits_hold() {
    let labels = Labels::parse("{\"region\":\"eu\"}").expect("labels");
    let options = Options { labels: Some(labels), ..Options::default() };
    let limits = Limits { events_max: 2, event_bytes_max: 10, ..Limits::default() };
    let (outcome, _, events) = hand_over(limits, options, &Gate::default(), |events| {
        for end in [Ok(true), Ok(true), Err(Overflow::TooLarge)] {
            events.start();
            assert_eq!(events.end(), end);
        }
        events.start();
        assert!(!events.fits(11));
        assert!(events.is_failing());
    });
    assert_eq!(outcome.ingested, 3);
    assert_eq!(events[0], named([("region", text("eu"))]));
}
