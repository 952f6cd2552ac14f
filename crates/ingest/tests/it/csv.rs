//! CSV bodies.

use tidegauge_ingest::{Format, Limits, Malformed, MalformedKind, Options, Reader, TimeLayout};

use crate::support::{Cell, Event, Gate, Read, named, read_options, read_with, text, try_read};

fn csv() -> Options {
    Options { format: Format::Csv, ..Options::default() }
}

fn with_names(names: &[&str]) -> Options {
    Options { csv_fields: Some(names.iter().map(|name| (*name).to_owned()).collect()), ..csv() }
}

fn texts<const N: usize>(pairs: [(&str, &str); N]) -> Event {
    named(pairs.map(|(name, value)| (name, text(value))))
}

#[test]
fn the_first_line_gives_the_names() {
    let read = read_options(csv(), "a, b.c ,d\n1,x,\n\n2,\"y,\"\"z\"\"\n\",true\r\n");
    let expected = [
        texts([("a", "1"), ("b.c", "x"), ("d", "")]),
        texts([("a", "2"), ("b.c", "y,\"z\"\n"), ("d", "true")]),
    ];
    assert_eq!(read.events, expected);
}

#[test]
fn the_request_may_give_the_names() {
    let read = read_options(with_names(&["a", " b "]), "1,2\n3,4");
    assert_eq!(read.events, [texts([("a", "1"), ("b", "2")]), texts([("a", "3"), ("b", "4")])]);
}

#[test]
fn the_delimiter_can_be_set() {
    let read = read_options(Options { csv_delimiter: b';', ..csv() }, "a;b\n1,5;2\n");
    assert_eq!(read.events, [texts([("a", "1,5"), ("b", "2")])]);
}

#[test]
fn lines_may_be_shorter_but_not_longer_than_the_names() {
    let read = read_options(csv(), "a,b\n1\n1,2,3\n4,5\n  \n");
    assert_eq!(read.events, [texts([("a", "1")]), texts([("a", "4"), ("b", "5")])]);
    assert_eq!(read.outcome.failures.len(), 1);
    assert_eq!(read.outcome.failures[0].index, 1);
    assert_eq!(
        read.outcome.failures[0].error,
        "event fails: the line has 3 values, but there are only 2 names"
    );
}

#[test]
fn names_follow_the_rules_of_fields() {
    let read = read_options(csv(), "_sysTime,a,a\n1,2,3\n");
    assert_eq!(read.events, [texts([("_user_sysTime", "1"), ("a", "3")])]);
    let long = "n".repeat(201);
    let read = read_options(csv(), format!("a,{long}\n1\n1,2\n"));
    assert_eq!((read.outcome.ingested, read.outcome.failed), (1, 1));
    let read = read_options(csv(), "a,\n1,\n2,x\n");
    assert_eq!(read.events, [texts([("a", "1")])]);
    assert_eq!(read.outcome.failures[0].error, "event fails: a field has an empty name; give it one");
}

#[test]
fn lines_have_times_like_events() {
    let read = read_options(csv(), "_time,a\n2020-01-01,1\n1577836801,2\n,3\nno,4\n");
    assert_eq!(read.times, [1_577_836_800_000_000_000, 1_577_836_801_000_000_000]);
    assert_eq!(read.outcome.failed, 2);
    let options = Options {
        timestamp_field: Some("time".to_owned()),
        timestamp_format: Some(TimeLayout::parse("2/Jan/2006:15:04:05 +0000").unwrap()),
        ..with_names(&["time", "ip"])
    };
    // Lines of a known client begin with tabs.
    let read = read_options(options, "17/May/2015:08:05:30 +0000,1\n\t\t17/May/2015:08:05:31 +0000,2\n\t");
    assert_eq!(read.times, [1_431_849_930_000_000_000, 1_431_849_931_000_000_000]);
    assert_eq!(read.events, [texts([("ip", "1")]), texts([("ip", "2")])]);
}

#[test]
fn an_open_quote_at_the_end_is_malformed() {
    for body in ["a,b\n1,\"x", "a,b\n1,\"x\ny,z\n", "a\n\""] {
        let error: Malformed = try_read(csv(), body).unwrap_err();
        assert!(error.message.contains("close its quote"), "{body}: {error}");
        assert_eq!(error.offset, body.len() as u64);
    }
    for body in ["", "a,b", "a,b\n1,\"x\"", "a\n\"\"\n"] {
        try_read(csv(), body).unwrap();
    }
}

#[test]
fn invalid_and_long_values_say_so() {
    let mut body = b"a,b\n\xff,ok\n".to_vec();
    body.extend_from_slice("x".repeat((1 << 20) + 1).as_bytes());
    body.extend_from_slice(",\u{e4}\n".as_bytes());
    let read = read_options(csv(), body);
    let expected = [
        texts([("a", "<invalid data>"), ("b", "ok")]),
        texts([("a", "<invalid string: too long>"), ("b", "ä")]),
    ];
    assert_eq!(read.events, expected);
}

#[test]
fn a_line_has_a_largest_size() {
    let limits = Limits { event_bytes_max: 10_000, ..Limits::default() };
    for body in [
        format!("a\n{}\n", "x".repeat(10_001)),
        format!("a\n\"{}", "x\n".repeat(6000)),
        format!("a\n{}", ",".repeat(70_000)),
    ] {
        let read = read_with(&mut Reader::new(limits.clone()), csv(), &[body.as_bytes()], &Gate::default());
        assert_eq!(read.unwrap_err().kind, MalformedKind::TooLarge);
    }
}

#[test]
fn chunks_do_not_matter() {
    let body = "\u{feff}_time,a,b\r\n1,\"x\"\"y\",ä\r\n\r\n2,\"line\nbreak\",z\n3,,\n";
    let whole: Read = read_options(csv(), body);
    assert_eq!(whole.events.len(), 3);
    assert_eq!(whole.events[0], texts([("a", "x\"y"), ("b", "ä")]));
    for size in 1..body.len() {
        let chunks: Vec<&[u8]> = body.as_bytes().chunks(size).collect();
        let read = read_with(&mut Reader::new(Limits::default()), csv(), &chunks, &Gate::default()).unwrap();
        assert_eq!((read.events, read.times), (whole.events.clone(), whole.times.clone()), "{size}");
    }
    // What begins like a byte order mark but is none belongs to the first name.
    let read = read_options(csv(), "\u{fefe}a\n1\n");
    assert_eq!(read.events, [named([("\u{fefe}a", Cell::String("1".to_owned()))])]);
}

#[test]
fn a_refused_name_fails_its_lines() {
    let gate = Gate { refuses: vec!["b"], ..Gate::default() };
    let mut reader = Reader::new(Limits::default());
    let read = read_with(&mut reader, csv(), &[b"a,b\n1\n1,2\n3\n"], &gate).unwrap();
    assert_eq!(read.events, [texts([("a", "1")]), texts([("a", "3")])]);
    assert_eq!(*gate.asked.borrow(), ["a", "b"]);
}
