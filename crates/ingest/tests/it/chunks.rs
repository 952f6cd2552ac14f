//! Bodies that come in pieces: the pieces must not matter, and must not cost.

use tidegauge_ingest::{Format, Limits, Malformed, MalformedKind, Options, Reader};

use crate::support::{Cell, Event, Gate, Read, named, read, read_with, text};

fn in_pieces(body: &[u8], size: usize) -> Read {
    let chunks: Vec<&[u8]> = body.chunks(size).collect();
    read_with(&mut Reader::new(Limits::default()), Options::default(), &chunks, &Gate::default()).unwrap()
}

#[test]
fn every_cut_gives_the_same() {
    let body = "\u{feff}[{\"_time\":1,\"a\":\"ä\\u00e4\\ud83d\\ude00\",\"b\":{\"c\":-12.5e3,\"a\":null}},\n 17, {\"a\":true,\"a\":\"€\",\"l\":[1,{\"x\":[]}]}] {\"_time\":\"no\"}\n{\"n\":123} 45";
    let whole = read(body);
    assert_eq!((whole.events.len(), whole.outcome.failed), (3, 3));
    for size in 1..body.len() {
        let read = in_pieces(body.as_bytes(), size);
        assert_eq!(
            (&read.events, &read.times, &read.outcome),
            (&whole.events, &whole.times, &whole.outcome),
            "{size}"
        );
    }
    for cut in 0..body.len() {
        let (left, right) = body.as_bytes().split_at(cut);
        let mut reader = Reader::new(Limits::default());
        let read = read_with(&mut reader, Options::default(), &[left, b"", right], &Gate::default()).unwrap();
        assert_eq!((&read.events, &read.outcome), (&whole.events, &whole.outcome), "{cut}");
    }
}

#[test]
fn large_events_in_small_pieces_take_linear_time() {
    // Trying again with each piece would read this event 60,000 times.
    let value = "x".repeat(1_000_000);
    let body = format!("{{\"a\":\"{value}\"}}{{\"b\":\"{value}\"}}");
    let read = in_pieces(body.as_bytes(), 33);
    assert_eq!(read.events, [named([("a", text(&value))]), named([("b", text(&value))])]);
    // The gate is asked again for a name that it refused, which tells how often the event was tried.
    let body = format!("{{\"refused\":1,\"a\":\"{value}\"}}");
    let chunks: Vec<&[u8]> = body.as_bytes().chunks(33).collect();
    let gate = Gate { refuses: vec!["refused"], ..Gate::default() };
    read_with(&mut Reader::new(Limits::default()), Options::default(), &chunks, &gate).unwrap();
    assert!(gate.asked.borrow().len() < 30, "tried {} times", gate.asked.borrow().len());
}

#[test]
fn an_event_has_a_largest_size() {
    let limits = Limits { event_bytes_max: 1000, ..Limits::default() };
    let event = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes - 8));
    let fits = format!("{}\n{}", event(1000), event(1000));
    for size in [1, 7, 999, 1000, 1001, 5000] {
        let run = |body: &str| {
            let chunks: Vec<&[u8]> = body.as_bytes().chunks(size).collect();
            read_with(&mut Reader::new(limits.clone()), Options::default(), &chunks, &Gate::default())
        };
        assert_eq!(run(&fits).unwrap().events.len(), 2, "pieces of {size}");
        let error = run(&format!("{fits}\n {}", event(1001))).unwrap_err();
        assert_eq!(
            (error.kind, error.line, error.column, error.offset),
            (MalformedKind::TooLarge, 3, 2, 2003)
        );
        // What is wrong behind the limit is not looked at.
        let error = run(&format!("{}!", &event(2000)[..1500])).unwrap_err();
        assert_eq!((error.kind, error.offset), (MalformedKind::TooLarge, 0), "pieces of {size}");
        let error = run(&format!("[{}", "[".repeat(3000))).unwrap_err();
        assert_eq!((error.kind, error.offset), (MalformedKind::TooLarge, 1), "pieces of {size}");
    }
}

#[test]
fn a_body_has_a_largest_number_of_events() {
    let limits = Limits { events_max: 3, ..Limits::default() };
    let read = |body: &str, format: Format| {
        let options = Options { format, ..Options::default() };
        read_with(&mut Reader::new(limits.clone()), options, &[body.as_bytes()], &Gate::default())
    };
    assert_eq!(read("{}{}{}", Format::Json).unwrap().outcome.ingested, 3);
    assert_eq!(read("{}{}{}{}", Format::Json).unwrap_err().kind, MalformedKind::TooLarge);
    assert_eq!(read("a\n1\n2\n3\n", Format::Csv).unwrap().outcome.ingested, 3);
    assert_eq!(read("a\n1\n2\n3\n4\n", Format::Csv).unwrap_err().kind, MalformedKind::TooLarge);
}

#[test]
fn the_columns_have_a_largest_size() {
    let limits = Limits { columns_bytes_max: 10_000, ..Limits::default() };
    let read = |body: &str| {
        read_with(&mut Reader::new(limits.clone()), Options::default(), &[body.as_bytes()], &Gate::default())
    };
    let error = read(&"{}".repeat(1300)).unwrap_err();
    assert_eq!(error.kind, MalformedKind::TooLarge);
    assert!(read(&"{}".repeat(1200)).is_ok());
    assert!(read(&format!("{{\"a\":\"{}\"}}", "x".repeat(10_000))).is_err());
    // Failed events take nothing.
    let failing = "{\"a\":\"0123456789\",\"\":1}".repeat(3000);
    assert_eq!(read(&failing).unwrap().outcome.failed, 3000);
}

#[test]
fn whitespace_is_not_carried() {
    let limits = Limits { event_bytes_max: 100, ..Limits::default() };
    let mut reader = Reader::new(limits);
    let blank = " \n".repeat(5000);
    let chunks: [&[u8]; 3] = [blank.as_bytes(), b"{\"a\":1}", blank.as_bytes()];
    let read = read_with(&mut reader, Options::default(), &chunks, &Gate::default()).unwrap();
    assert_eq!(read.events, [named([("a", Cell::Integer(1))])]);
}

/// Reads a body whole and in pieces of every size, which must end in the same way, and returns how.
fn however_cut(limits: &Limits, format: Format, body: &[u8]) -> Result<Vec<Event>, Malformed> {
    let read = |size: usize| {
        let chunks: Vec<&[u8]> = body.chunks(size).collect();
        let options = Options { format, ..Options::default() };
        read_with(&mut Reader::new(limits.clone()), options, &chunks, &Gate::default())
            .map(|read| (read.events, read.outcome))
    };
    let whole = read(body.len());
    for size in 1..body.len() {
        assert_eq!(read(size), whole, "pieces of {size} of {:?}", String::from_utf8_lossy(body));
    }
    whole.map(|(events, _)| events)
}

#[test]
fn the_place_of_an_error_does_not_depend_on_the_cuts() {
    let limits = Limits { event_bytes_max: 10, events_max: 3, ..Limits::default() };
    let place = |format: Format, body: &str| {
        let error = however_cut(&limits, format, body.as_bytes()).unwrap_err();
        (error.kind, error.line, error.column, error.offset)
    };
    let too_large = |line: u64, offset: u64| (MalformedKind::TooLarge, line, 1, offset);
    // A long line is named by where it begins, whether its end is there or not.
    assert_eq!(place(Format::Lines, "one\n\r\n12345678901\nthree"), too_large(3, 6));
    assert_eq!(place(Format::Lines, "one\ntwo12345678901"), too_large(2, 4));
    assert_eq!(place(Format::Csv, "a,b\r\n1,2\r\n\r\n123456,78901\r\n"), too_large(4, 12));
    assert_eq!(place(Format::Csv, "a\n\n\"12\n456\n789\n12\"\nb"), too_large(3, 3));
    // So is the event that is one too many, before what comes behind it is looked at.
    assert_eq!(place(Format::Lines, "1\n2\n3\n4\n123456789012"), too_large(4, 6));
    assert_eq!(place(Format::Csv, "a\n1\n2\n3\n4\n123456789012"), too_large(5, 8));
    assert_eq!(place(Format::Csv, "a\n1\n\"23"), (MalformedKind::Malformed, 3, 4, 7));
}

#[test]
fn too_many_values_and_too_many_bytes_are_told_in_the_order_of_the_body() {
    let limits = Limits { event_bytes_max: 100, ..Limits::default() };
    let read = |body: &str, size: usize| {
        let chunks: Vec<&[u8]> = body.as_bytes().chunks(size).collect();
        let options = Options { format: Format::Csv, ..Options::default() };
        read_with(&mut Reader::new(limits.clone()), options, &chunks, &Gate::default()).unwrap_err()
    };
    let values_first = format!("a\n{}{}\n", ",".repeat(70_000), "x".repeat(200));
    let bytes_first = format!("a\n{}{}\n", "x".repeat(200), ",".repeat(70_000));
    for size in [1, 7, 1000, 100_000] {
        assert!(read(&values_first, size).message.contains("65536 values"), "pieces of {size}");
        assert!(read(&bytes_first, size).message.contains("100 bytes"), "pieces of {size}");
    }
}

#[test]
fn only_the_first_byte_order_mark_is_left_out() {
    let name = "\u{feff}a";
    for (format, body, expected) in [
        (Format::Csv, "\u{feff}\u{feff}a\n1", named([(name, text("1"))])),
        (Format::Lines, "\u{feff}\u{feff}a", named([("message", text(name))])),
    ] {
        assert_eq!(however_cut(&Limits::default(), format, body.as_bytes()), Ok(vec![expected]));
    }
}
