//! How the names of nested values become names of fields, and which value wins.

use tidegauge_ingest::{Limits, Options, Reader};

use crate::support::{Cell, Gate, event, named, read, read_with, text};

#[test]
fn nested_names_are_joined_with_dots() {
    let body = r#"{"geo":{"city":"x","at":{"lat":1.5}},"geo.zip":2,"a.b":{"c.d":3}}"#;
    let expected = named([
        ("geo.city", text("x")),
        ("geo.at.lat", Cell::Float(1.5)),
        ("geo.zip", Cell::Integer(2)),
        ("a.b.c.d", Cell::Integer(3)),
    ]);
    assert_eq!(event(body), expected);
}

#[test]
fn both_spellings_are_the_same_field() {
    let read = read(r#"{"geo":{"city":1}} {"geo.city":2} {"geo":{"city":3}}"#);
    let cities: Vec<_> = read.events.iter().map(|event| event["geo.city"].clone()).collect();
    assert_eq!(cities, [Cell::Integer(1), Cell::Integer(2), Cell::Integer(3)]);
}

#[test]
fn the_last_of_equal_names_wins_whatever_its_type() {
    let table = [
        (r#"{"a":1,"a":2}"#, Some(Cell::Integer(2))),
        (r#"{"a":1,"a":"x"}"#, Some(text("x"))),
        (r#"{"a":"long text","a":[1],"a":true}"#, Some(Cell::Boolean(true))),
        (r#"{"a":1.5,"a":1,"a":1.5}"#, Some(Cell::Float(1.5))),
        (r#"{"a":1,"a":null}"#, None),
        (r#"{"a":1,"a":1e400}"#, None),
        (r#"{"a":null,"a":1}"#, Some(Cell::Integer(1))),
        (r#"{"a":1,"a":null,"a":"x"}"#, Some(text("x"))),
        (r#"{"a":1,"\u0061":"x"}"#, Some(text("x"))),
    ];
    for (body, expected) in table {
        assert_eq!(event(body).get("a"), expected.as_ref(), "{body}");
        // The same between other events, whose values must stay.
        let read = read(format!("{{\"a\":0}}{body}{{\"a\":\"end\"}}"));
        assert_eq!(read.events[0]["a"], Cell::Integer(0), "{body}");
        assert_eq!(read.events[1].get("a"), expected.as_ref(), "{body}");
        assert_eq!(read.events[2]["a"], text("end"), "{body}");
    }
}

#[test]
fn equal_flattened_names_are_equal_names() {
    assert_eq!(event(r#"{"a":{"b":1},"a.b":"x"}"#), named([("a.b", text("x"))]));
    assert_eq!(event(r#"{"a.b":"x","a":{"b":1}}"#), named([("a.b", Cell::Integer(1))]));
    // A name that had no field when it was null the first time may have one the next time.
    let read = read(r#"{"a":{"b":null}} {"a.b":1,"a":{"b":null}} {"a.b":2}"#);
    assert_eq!(read.events, [named([]), named([]), named([("a.b", Cell::Integer(2))])]);
    assert_eq!(event(r#"{"a.b":"x","a":{"b":null}}"#), named([]));
    assert_eq!(
        event(r#"{"a":{"b":1},"a":{"c":2}}"#),
        named([("a.b", Cell::Integer(1)), ("a.c", Cell::Integer(2))])
    );
}

#[test]
fn reserved_names_get_others() {
    for name in ["blockInfo", "cursor", "rowID", "rowId", "source", "sysTime"] {
        let stored = format!("_user_{name}");
        assert_eq!(event(format!("{{\"_{name}\":1}}")), named([(stored.as_str(), Cell::Integer(1))]));
    }
    let expected = named([("_user_source.a", Cell::Integer(2)), ("x._source", Cell::Integer(3))]);
    assert_eq!(event(r#"{"_source":{"a":1},"_source.a":2,"x":{"_source":3}}"#), expected);
}

#[test]
fn names_have_a_longest_length() {
    let fits = "n".repeat(200);
    assert_eq!(event(format!("{{\"{fits}\":1}}")), named([(fits.as_str(), Cell::Integer(1))]));
    for body in [
        format!("{{\"{fits}n\":1}}"),
        format!("{{\"{}\":{{\"{}\":1}}}}", "a".repeat(100), "b".repeat(100)),
        format!("{{\"{fits}\":{{\"\":1}}}}"),
        format!("{{\"{}\":{{\"x\":{{\"y\":[1]}}}}}}", "a".repeat(300)),
    ] {
        let read = read(format!("{{\"ok\":1}}{body}{{\"ok\":2}}"));
        assert_eq!(read.outcome.failures.len(), 1, "{body}");
        assert_eq!(read.outcome.failures[0].index, 1);
        assert!(read.outcome.failures[0].error.starts_with("event fails: the field name"), "{body}");
        assert_eq!(read.events.len(), 2);
    }
    let split = format!("{{\"{}\":{{\"{}\":1}}}}", "a".repeat(100), "b".repeat(99));
    assert_eq!(event(split).len(), 1);
}

#[test]
fn an_empty_name_fails_only_when_it_is_the_whole_name() {
    assert_eq!(read(r#"{"":1}"#).failure(), "event fails: a field has an empty name; give it one");
    let nul = read(r#"{"a\u0000b":1}"#);
    assert_eq!(nul.failure(), "event fails: a field name has the NUL character in it; leave it out");
    let expected = named([("a.", Cell::Integer(1)), (".b", Cell::Integer(2))]);
    assert_eq!(event(r#"{"a":{"":1},"":{"b":2}}"#), expected);
    assert_eq!(event(r#"{"":null}"#), named([]));
}

#[test]
fn names_with_escapes_are_names_like_others() {
    let body = r#"{"a\"b":1,"a\\b":2,"tab\there":{"x\/y":3},"é\u00e9":4}"#;
    let expected = named([
        ("a\"b", Cell::Integer(1)),
        ("a\\b", Cell::Integer(2)),
        ("tab\there.x/y", Cell::Integer(3)),
        ("éé", Cell::Integer(4)),
    ]);
    let read = read(format!("{body}{body}{body}"));
    assert_eq!(read.events, [expected.clone(), expected.clone(), expected]);
}

#[test]
fn a_name_with_a_quote_does_not_match_two_names() {
    let read = read(r#"{"a\":1,\"b":1} {"a":1,"b":2} {"a\":1,\"b":3}"#);
    assert_eq!(read.events[1], named([("a", Cell::Integer(1)), ("b", Cell::Integer(2))]));
    assert_eq!(read.events[2], named([("a\":1,\"b", Cell::Integer(3))]));
}

#[test]
fn events_of_changing_shape_keep_their_names() {
    let bodies = [
        r#"{"a":1,"b":{"c":2,"d":3},"e":4}"#,
        r#"{"e":4,"b":{"d":3,"c":2},"a":1}"#,
        r#"{"b":{"d":3},"e":4}"#,
        r#"{"ab":5,"a":1,"b":{"c":2,"cc":6}}"#,
        r#"{"a":{"c":7},"b":{"b":{"c":8}}}"#,
        r#"{}"#,
        r#"{"z":null,"y":null,"x":null,"w":null,"v":null,"a":1}"#,
    ];
    let expected = [
        named([("a", 1), ("b.c", 2), ("b.d", 3), ("e", 4)].map(|(name, value)| (name, Cell::Integer(value)))),
        named([("a", 1), ("b.c", 2), ("b.d", 3), ("e", 4)].map(|(name, value)| (name, Cell::Integer(value)))),
        named([("b.d", 3), ("e", 4)].map(|(name, value)| (name, Cell::Integer(value)))),
        named(
            [("ab", 5), ("a", 1), ("b.c", 2), ("b.cc", 6)].map(|(name, value)| (name, Cell::Integer(value))),
        ),
        named([("a.c", 7), ("b.b.c", 8)].map(|(name, value)| (name, Cell::Integer(value)))),
        named([]),
        named([("a", Cell::Integer(1))]),
    ];
    let mut reader = Reader::new(Limits::default());
    for rotation in 0..bodies.len() {
        let mut order: Vec<usize> = (0..bodies.len()).chain(0..bodies.len()).collect();
        order.rotate_left(rotation);
        let body: String = order.iter().map(|index| bodies[*index]).collect();
        let read = read_with(&mut reader, Options::default(), &[body.as_bytes()], &Gate::default()).unwrap();
        let wanted: Vec<_> = order.iter().map(|index| expected[*index].clone()).collect();
        assert_eq!(read.events, wanted);
    }
}

#[test]
fn more_names_than_are_remembered_are_still_read() {
    // Objects without values are no fields, but they are names.
    let mut body = String::from("{");
    for index in 0..70_000 {
        body.push_str(&format!("\"n{index}\":{{}},"));
    }
    body.push_str("\"last\":{\"x\":{\"y\":1},\"z\":null,\"w\":[2]}}");
    let again = r#"{"last":{"x":{"y":3}},"last.x.y":4}"#;
    let read = read(format!("{body}{again}"));
    let expected = named([("last.x.y", Cell::Integer(1)), ("last.w", Cell::Array("[2]".to_owned()))]);
    assert_eq!(read.events, [expected, named([("last.x.y", Cell::Integer(4))])]);
}
