//! Bodies that come in pieces: the pieces must not matter, and must not cost.

use tidegauge_ingest::{Format, Limits, MalformedKind, Options, Reader};

use crate::support::{Cell, Gate, Read, named, read, read_with, text};

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
