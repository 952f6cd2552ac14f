//! Bodies of plain text.

use proptest::collection::vec;
use proptest::prelude::*;
use tidegauge_ingest::{Format, Labels, Limits, MalformedKind, Options, Reader};

use crate::support::{ARRIVAL, Gate, named, read_options, read_with, text, try_read};

const SECOND: i64 = 1_000_000_000;

fn lines() -> Options {
    Options { format: Format::Lines, ..Options::default() }
}

/// The time of a line, if it begins with one.
fn time_of(line: &str) -> Option<i64> {
    let read = read_options(lines(), line);
    assert_eq!(read.event(), &named([("message", text(line))]));
    Some(read.times[0]).filter(|time| *time != ARRIVAL)
}

#[test]
fn each_line_is_an_event() {
    let read = read_options(lines(), "one\r\n\n  \r\n\ttwo  \n{\"a\":1}\nlast");
    let expected = ["one", "\ttwo  ", "{\"a\":1}", "last"];
    assert_eq!(read.events, expected.map(|line| named([("message", text(line))])));
    assert_eq!(read.times, [ARRIVAL; 4]);
    assert_eq!(read_options(lines(), "").events, []);
    assert_eq!(read_options(lines(), "\u{feff}marked\n").events, [named([("message", text("marked"))])]);
}

#[test]
fn a_line_begins_with_its_time() {
    let noon = 1_780_315_200 * SECOND; // 2026-06-01T12:00:00Z
    for (line, expected) in [
        ("2026-06-01T12:00:00Z hello", noon),
        ("2026-06-01T12:00:00.25Z", noon + SECOND / 4),
        ("2026-06-01 12:00:00,250 INFO x", noon + SECOND / 4),
        ("2026-06-01 12:00:00.000000001: x", noon + 1),
        ("2026/06/01 12:00:00 [error] 1#1: x", noon),
        ("[2026-06-01 12:00:00] x", noon),
        ("[2026-06-01T14:00:00+02:00] x", noon),
        ("2026-06-01 14:00:00 +0200 x", noon),
        ("2026-06-01 05:00:00-07 x", noon),
        ("2026-06-01 12:00:00 UTC [12] LOG:  x", noon),
        ("2026-06-01 12:00:00 UTCX", noon),
        ("2026-06-01 07:00:00.250 EST [77] LOG:  x", noon + SECOND / 4),
        ("2026-06-01 12:00:00 -12 items left", noon),
        ("2026-06-01 12:00:00 +20 points", noon),
        ("2026-06-01 12:00:00 INFO x", noon),
        ("2026-06-01 12:00:00 - main - x", noon),
        ("2026-06-01T11:59:60Z leap", noon - SECOND),
        ("<34>1 2026-06-01T12:00:00.000Z host app - - - x", noon),
        ("<13>Jun  1 12:00:00 host app: x", noon),
        ("Jun  1 12:00:00 host app: x", noon),
        ("Jun 01 12:00:00 host app: x", noon),
        ("jun 1 12:00:00 host", noon),
        ("Jun 1 2026 12:00:00: %ASA-6-1: x", noon),
        ("[Mon Jun 01 12:00:00.250000 2026] [core:error] x", noon + SECOND / 4),
        ("Mon Jun  1 12:00:00 2026 x", noon),
        ("127.0.0.1 - frank [01/Jun/2026:05:00:00 -0700] \"GET / HTTP/1.0\" 200 2326", noon),
        ("::1 - - [01/Jun/2026:12:00:00 +0000] \"GET [x] HTTP/1.0\"", noon),
        ("1780315200.250 180 192.168.0.1 TCP_MISS/200", noon + SECOND / 4),
    ] {
        assert_eq!(time_of(line), Some(expected), "{line}");
    }
}

#[test]
fn what_could_mean_something_else_is_no_time() {
    for line in [
        "1780315200 events",
        "1780315200123 events",
        "1780315200.25 events",
        "12345678901.250 x",
        "2026-06-01 x",
        "2026-06-01",
        "2026-13-01 12:00:00 x",
        "2026-06-31 12:00:00 x",
        "2026-06-01 25:00:00 x",
        "2026-06-01T12:00:00Zulu",
        "2026-06-01 12:00:000 x",
        "01/06/2026 12:00:00 x",
        "12:00:00 x",
        "2026-06-01 12:00:00 CET x",
        "Juneau 12:00:00",
        "May 5 people",
        "Jun 31 12:00:00 x",
        "x 2026-06-01T12:00:00Z",
        "<9999>Jun  1 12:00:00 x",
        "a [01/Jun/2026:12:00:00] x",
        "a [01/Jun/2026:12:00:00 +0000 x",
    ] {
        assert_eq!(time_of(line), None, "{line}");
    }
}

/// The requests of these tests arrive on 2026-11-15.
#[test]
fn a_time_without_its_year_is_the_last_one_that_is_not_in_the_future() {
    let day = 86_400 * SECOND;
    assert_eq!(time_of("Nov 15 00:00:00 x"), None, "it is that of the arrival");
    assert_eq!(time_of("Nov 16 00:00:00 x"), Some(ARRIVAL + day), "clocks and zones may be ahead");
    assert_eq!(time_of("Nov 16 00:00:01 x"), Some(ARRIVAL + day + SECOND - 365 * day));
    assert_eq!(time_of("Feb 29 00:00:00 x"), Some(1_709_164_800 * SECOND), "2024 was the last leap year");
    let new_year = |arrival: i64| {
        let mut reader = Reader::new(Limits::default());
        reader.begin(lines(), arrival);
        reader.feed(b"Jan  1 00:00:30 x", &Gate::default()).unwrap();
        reader.finish(&Gate::default()).unwrap();
        reader.columns().times[0]
    };
    let first = 1_798_761_600 * SECOND; // 2027-01-01
    assert_eq!(new_year(first - 60 * SECOND), first + 30 * SECOND);
    assert_eq!(new_year(first + 60 * SECOND), first + 30 * SECOND);
}

#[test]
fn labels_are_added_and_may_give_the_time() {
    let labels = Some(Labels::parse(r#"{"host":"a","_time":5}"#).unwrap());
    let read = read_options(Options { labels, ..lines() }, "2026-06-01T12:00:00Z x\n");
    let expected = named([("message", text("2026-06-01T12:00:00Z x")), ("host", text("a"))]);
    assert_eq!((read.event(), read.times[0]), (&expected, 5 * SECOND));
}

#[test]
fn a_line_that_is_not_utf8_fails_alone() {
    let read = read_options(lines(), b"one\ncaf\xe9\nthree\n");
    assert_eq!((read.outcome.ingested, read.outcome.failed), (2, 1));
    let failure = &read.outcome.failures[0];
    assert_eq!(failure.index, 1);
    assert_eq!(
        failure.error,
        "event fails: the line is not UTF-8 from its byte 4 on; convert it first, as iconv does"
    );
}

#[test]
fn a_field_that_the_dataset_does_not_take_fails_the_lines() {
    let gate = Gate { refuses: vec!["message"], ..Gate::default() };
    let read = read_with(&mut Reader::new(Limits::default()), lines(), &[b"one\ntwo"], &gate).unwrap();
    assert_eq!((read.outcome.ingested, read.outcome.failed), (0, 2));
}

#[test]
fn long_lines_end_the_request_and_long_bodies_too() {
    let limits = Limits { event_bytes_max: 10, events_max: 3, ..Limits::default() };
    let read = |chunks: &[&[u8]]| {
        read_with(&mut Reader::new(limits.clone()), lines(), chunks, &Gate::default())
            .map(|read| read.events.len())
    };
    assert_eq!(read(&[b"1234567890\n1234567890"]), Ok(2));
    let long: [&[&[u8]]; 3] = [&[b"x\n12345678901\n"], &[b"x\n123456789", b"01"], &[b"x\n12345678901"]];
    for chunks in long {
        let malformed = read(chunks).unwrap_err();
        assert_eq!((malformed.kind, malformed.line), (MalformedKind::TooLarge, 2), "{malformed}");
        assert!(malformed.message.contains("a line is larger than 10 bytes"), "{malformed}");
    }
    assert_eq!(read(&[b"1\n2\n3\n4\n5\n"]).unwrap_err().kind, MalformedKind::TooLarge);
    let long = "x".repeat(1_048_577);
    let read = read_options(lines(), &long);
    assert_eq!(read.event(), &named([("message", text("<invalid string: too long>"))]));
}

proptest! {
    /// Whatever the bytes and the cuts: what is read equals a plain reading of the rules, and nothing breaks.
    #[test]
    fn any_bytes_are_read_as_lines(
        pieces in vec(prop_oneof![
            vec(any::<u8>(), 0..12),
            "[0-9:TZ.,/+ \\-\\[\\]<>]{0,30}".prop_map(String::into_bytes),
            "(<[0-9]{1,4}>1? ?)?(Jun|Feb|Mon|[a-z]{3}) {0,2}[0-9]{1,2} [0-9:. ]{0,14}".prop_map(String::into_bytes),
            Just(b"\n".to_vec()),
            Just(b"\r\n".to_vec()),
        ], 0..12),
        cut in 0_usize..64,
    ) {
        let body = pieces.concat();
        let (first, second) = body.split_at(cut.min(body.len()));
        let read = read_with(&mut Reader::new(Limits::default()), lines(), &[first, second], &Gate::default()).unwrap();
        let whole = try_read(lines(), &body).unwrap();
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&body);
        let wanted: Vec<&[u8]> = body
            .split(|byte| *byte == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
            .filter(|line| !line.trim_ascii().is_empty())
            .collect();
        let readable: Vec<_> = wanted.iter().filter_map(|line| std::str::from_utf8(line).ok()).collect();
        prop_assert_eq!(read.outcome.failed as usize, wanted.len() - readable.len());
        let expected: Vec<_> = readable.iter().map(|line| named([("message", text(line))])).collect();
        prop_assert_eq!(&read.events, &expected);
        prop_assert_eq!((read.events, read.times), (whole.events, whole.times));
    }

    /// A time that is written as the service writes times is found again, whatever follows it.
    #[test]
    fn a_time_in_front_is_found(seconds in -9_000_000_000_i64..9_000_000_000, rest in " [^\n\r]{0,20}") {
        let micros = seconds * 1_000_000;
        let written = tidegauge_model::Timestamp::from_micros(micros).to_string();
        let rest = format!(" x{rest}");
        let read = read_options(lines(), format!("{written}{rest}"));
        prop_assert_eq!(read.times[0], micros * 1_000);
    }
}
