//! Bodies that are made to do harm.

use tidegauge_ingest::{Format, Limits, MalformedKind, Options, Reader, Replaced};

use crate::support::{Cell, Gate, event, malformed, named, read, read_with};

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn a_million_levels_are_no_danger() {
    let depth = 1_000_000;
    let arrays = nested("[", "", "]", depth);
    let read = read(format!("{{\"a\":{arrays},\"b\":1}}\n{arrays}\n{{\"b\":2}}"));
    // The event is the first level, so that 99 arrays are left and the next is null.
    let kept = nested("[", "null", "]", 99);
    let first = named([("a", Cell::Array(kept)), ("b", Cell::Integer(1))]);
    assert_eq!(read.events, [first, named([("b", Cell::Integer(2))])]);
    let objects = nested("{\"a\":", "1", "}", depth);
    assert_eq!(event(format!("{{\"o\":{objects},\"b\":1}}")), named([("b", Cell::Integer(1))]));
    assert!(malformed(format!("{{\"a\":{}", "[".repeat(depth))).message.contains("ends inside"));
    assert!(malformed(format!("{{\"a\":{}", "{\"a\":".repeat(depth))).message.contains("ends inside"));
    assert_eq!(malformed("[".repeat(9 << 20)).kind, MalformedKind::TooLarge);
}

#[test]
fn nesting_is_cut_at_its_limit_and_not_before() {
    let limits = Limits { depth_max: 3, ..Limits::default() };
    let body = r#"{"a":{"b":{"c":1,"d":{"e":2},"f":[3]},"g":[4,[5],{"h":6}]},"i":[[7,[8],{"j":9}]],"k":{"l":{"m":{}}}}
        {"a":{"b":{"d":1,"d":{"x":1},"f":"x","f":[1]}}}"#;
    let read = read_with(&mut Reader::new(limits), Options::default(), &[body.as_bytes()], &Gate::default())
        .unwrap();
    let array = |text: &str| Cell::Array(text.to_owned());
    let expected = named([
        ("a.b.c", Cell::Integer(1)),
        ("a.g", array("[4,null,null]")),
        ("i", array("[[7,null,null]]")),
    ]);
    // What is cut is null, and null takes the place of what stood before it.
    assert_eq!(read.events, [expected, named([])]);
    assert_eq!(read.outcome.replaced, Replaced { too_deep: 9, ..Replaced::default() });
}

#[test]
fn what_is_replaced_is_counted_once_wherever_a_body_is_cut() {
    let limits = Limits { depth_max: 3, string_bytes_max: 16, ..Limits::default() };
    let counted = |pieces: &[&[u8]], format: Format| {
        let options = Options { format, ..Options::default() };
        let mut reader = Reader::new(limits.clone());
        read_with(&mut reader, options, pieces, &Gate::default()).unwrap().outcome
    };
    // The third event fails, and nothing of it is stored.
    let json = b"{\"s\":\"0123456789abcdefg\",\"t\":\"0123456789abcdef\",\"l\":[\"0123456789abcdefg\",[[1]],\"\xff\"]}\n\
        {\"u\":\"\\n123456789abcdefg\",\"o\":{\"a\":{\"b\":{}}},\"i\":\"\xff\",\"f\":1e400,\"g\":[-1e400]}\n\
        {\"s\":\"0123456789abcdefg\",\"l\":[[[1]]],\"i\":\"\xff\",\"_time\":\"never\"}\n";
    let csv = b"a,b\n0123456789abcdefg,\xff\n0123456789abcdef,\xc3\xa4\n";
    for (body, format, expected) in [
        (&json[..], Format::Json, Replaced { too_long: 3, not_text: 2, too_deep: 2, infinite: 2 }),
        (&csv[..], Format::Csv, Replaced { too_long: 1, not_text: 1, ..Replaced::default() }),
        (
            b"0123456789abcdef\n0123456789abcdefg\n",
            Format::Lines,
            Replaced { too_long: 1, ..Replaced::default() },
        ),
    ] {
        for cut in 0..body.len() {
            let outcome = counted(&[&body[..cut], &body[cut..]], format);
            assert_eq!(outcome.replaced, expected, "{format:?}, cut at {cut}: {outcome:?}");
        }
    }
}

#[test]
fn maps_are_cut_as_arrays_are() {
    let limits = Limits { depth_max: 3, ..Limits::default() };
    let options = Options { map_fields: std::sync::Arc::new(["m".to_owned()].into()), ..Options::default() };
    let body = br#"{"m":{"a":{"b":{"c":1},"d":[2]},"e":3}}"#;
    let read = read_with(&mut Reader::new(limits), options, &[body], &Gate::default()).unwrap();
    assert_eq!(read.events, [named([("m", Cell::Map(r#"{"a":{"b":null,"d":null},"e":3}"#.to_owned()))])]);
}

#[test]
fn what_is_skipped_must_be_json_too() {
    let limits = Limits { depth_max: 2, ..Limits::default() };
    for inner in ["[1,]", "{\"a\"}", "[tru]", "{\"a\":\"\\x\"}", "[01]", "[}", "{\"a\":1]"] {
        let body = format!("{{\"a\":{{\"b\":{inner}}}}}");
        let read = read_with(
            &mut Reader::new(limits.clone()),
            Options::default(),
            &[body.as_bytes()],
            &Gate::default(),
        );
        assert_eq!(read.unwrap_err().kind, MalformedKind::Malformed, "{inner}");
        malformed(format!("[{inner},[{inner}]]"));
    }
}

#[test]
fn endless_new_names_cost_no_memory_once_they_are_refused() {
    struct Closed;
    impl tidegauge_ingest::FieldGate for Closed {
        fn admit(&self, _field: &str) -> bool {
            false
        }
    }
    let mut reader = Reader::new(Limits::default());
    reader.begin(Options::default(), 0);
    let mut retained = 0;
    for round in 0..30 {
        let body: String =
            (0..10_000).map(|index| format!("{{\"name{round}x{index}\":{{\"x\":1}}}}")).collect();
        reader.feed(body.as_bytes(), &Closed).unwrap();
        if round == 10 {
            retained = reader.retained_bytes();
        }
    }
    assert_eq!(reader.retained_bytes(), retained);
    let outcome = reader.finish(&Closed).unwrap();
    assert_eq!((outcome.ingested, outcome.failed, outcome.failures.len()), (0, 300_000, 1000));
}

#[test]
fn very_long_names_and_numbers_are_read_once() {
    let long = "n".repeat(3_000_000);
    let digits = "1".repeat(3_000_000);
    let read =
        read(format!("{{\"{long}\":{{\"a\":1,\"b\":{{\"c\":[]}}}}}}{{\"a\":{digits}}}{{\"a\":{digits}.5}}"));
    assert_eq!((read.outcome.failed, read.events.len()), (2, 1));
    assert_eq!(read.events[0], named([]));
}

#[test]
fn an_event_of_one_name_many_times_has_one_value() {
    let pairs: Vec<String> =
        (0..50_000).map(|index| format!("\"a\":{}", ["1", "\"x\"", "[]", "2.5"][index % 4])).collect();
    assert_eq!(event(format!("{{{}}}", pairs.join(","))), named([("a", Cell::Float(2.5))]));
}
