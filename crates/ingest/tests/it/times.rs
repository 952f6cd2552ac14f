//! The time of an event: which value gives it and which spellings are recognised.

use proptest::prelude::*;
use tidegauge_ingest::Options;

use crate::support::{ARRIVAL, Cell, named, read, read_options, text};

const SECOND: i64 = 1_000_000_000;
/// 2006-01-02T15:04:05Z
const GO: i64 = 1_136_214_245 * SECOND;
const GO_DAY: i64 = 1_136_160_000 * SECOND;

fn time_of(json: &str) -> Option<i64> {
    let read = read(format!("{{\"_time\":{json}}}"));
    assert_eq!(read.outcome.ingested + read.outcome.failed, 1);
    read.times.first().copied()
}

#[test]
fn iso_forms() {
    let table = [
        ("2006-01-02T15:04:05Z", GO),
        ("2006-01-02t15:04:05z", GO),
        ("2006-01-02 15:04:05Z", GO),
        ("2006-01-02T15:04:05", GO),
        ("2006-01-02 15:04:05", GO),
        ("  2006-01-02 15:04:05\\t\\n", GO),
        ("2006-01-02T15:04:05.5Z", GO + SECOND / 2),
        ("2006-01-02T15:04:05,25Z", GO + SECOND / 4),
        ("2006-01-02T15:04:05.123456789Z", GO + 123_456_789),
        ("2006-01-02T15:04:05.1234567899999Z", GO + 123_456_789),
        ("2006-01-02T15:04:05.000000001", GO + 1),
        ("2006-01-02T15:04:05+00:00", GO),
        ("2006-01-02T17:04:05+02:00", GO),
        ("2006-01-02T17:04:05+0200", GO),
        ("2006-01-02T17:04:05+02", GO),
        ("2006-01-02T11:34:05-03:30", GO),
        ("2006-01-02 15:04:05 +0000", GO),
        ("2006-01-02 08:04:05.25 -0700 MST", GO + SECOND / 4),
        ("2006-01-02 15:04:05 UTC", GO),
        ("2006-01-02T15:04Z", GO - 5 * SECOND),
        ("2006-01-02", GO_DAY),
        ("20060102T150405Z", GO),
        ("20060102T1504+0000", GO - 5 * SECOND),
        ("2006/01/02 15:04:05", GO),
        ("2006/01/02 15:04:05.5", GO + SECOND / 2),
        ("2006/01/02", GO_DAY),
        ("1969-12-31T23:59:59.5Z", -SECOND / 2),
        ("2000-02-29T00:00:00Z", 951_782_400 * SECOND),
        ("2016-12-31T23:59:60Z", 1_483_228_799 * SECOND),
        ("1677-09-21T00:12:43.145224192Z", i64::MIN),
        ("2262-04-11T23:47:16.854775807Z", i64::MAX),
    ];
    for (text, expected) in table {
        assert_eq!(time_of(&format!("\"{text}\"")), Some(expected), "{text}");
    }
}

#[test]
fn forms_with_the_name_of_a_month() {
    let table = [
        ("02/Jan/2006:15:04:05 +0000", GO),
        ("2/jan/2006:17:04:05 +0200", GO),
        ("Mon, 02 Jan 2006 15:04:05 GMT", GO),
        ("Mon, 02 Jan 2006 08:04:05 -0700", GO),
        ("Mon, 02 Jan 2006 08:04:05 MST", GO),
        ("Monday, 02-Jan-06 15:04:05 GMT", GO),
        ("Mon Jan  2 15:04:05 2006", GO),
        ("Mon Jan  2 15:04:05 UTC 2006", GO),
        ("Mon Jan 02 08:04:05 -0700 2006", GO),
        ("02 Jan 06 15:04 GMT", GO - 5 * SECOND),
        ("Jan 2 2006 15:04:05", GO),
        ("Jan 2, 2006 3:04:05 PM", GO),
        ("January 2, 2006 03:04:05.5pm UTC", GO + SECOND / 2),
        ("2 Jan 2006 15:04:05", GO),
        ("2006 Jan 2 15:04:05", GO),
        ("Jan 2, 2006", GO_DAY),
        ("Jan 2, 2006 12:00:00 AM", GO_DAY),
        ("Jan 2, 2006 12:00:00 PM", GO_DAY + 12 * 3600 * SECOND),
        ("15:04:05 2 January 2006 +0000 UTC", GO),
    ];
    for (text, expected) in table {
        assert_eq!(time_of(&format!("\"{text}\"")), Some(expected), "{text}");
    }
}

#[test]
fn epochs_have_the_unit_of_their_magnitude() {
    let table = [
        ("0", 0),
        ("1136214245", GO),
        ("9223372036", 9_223_372_036 * SECOND),
        ("-9223372036", -9_223_372_036 * SECOND),
        ("1136214245000", GO),
        ("1136214245000000", GO),
        ("1136214245000000000", GO),
        ("100000000000", 100_000_000_000 * 1_000_000),
        ("-100000000000", -100_000_000_000 * 1_000_000),
        ("100000000000000", 100_000_000_000_000 * 1_000),
        ("100000000000000000", 100_000_000_000_000_000),
        ("-100000000000000000", -100_000_000_000_000_000),
        ("1136214245.5", GO + SECOND / 2),
        ("1136214245.123456789", GO + 123_456_789),
        ("1136214245.1234567899", GO + 123_456_789),
        ("1136214245123.456789", GO + 123_456_789),
        ("-1.5", -1_500_000_000),
        ("1.136214245e9", GO),
        ("1.1362142455E9", GO + SECOND / 2),
        ("-1.5e0", -1_500_000_000),
    ];
    for (text, expected) in table {
        assert_eq!(time_of(text), Some(expected), "{text}");
        if !text.contains(['e', 'E']) {
            assert_eq!(time_of(&format!("\" {text} \"")), Some(expected), "\"{text}\"");
        }
    }
    // The largest of each unit is beyond 64 bits of nanoseconds, so none of them is read as a larger unit.
    for text in ["99999999999", "99999999999999", "99999999999999999"] {
        assert_eq!(time_of(text), None, "{text}");
    }
}

#[test]
fn what_is_no_time_fails_the_event_alone() {
    for json in [
        "\"\"",
        "\"yesterday\"",
        "\"2006-13-02T15:04:05Z\"",
        "\"2006-02-30\"",
        "\"2006-01-02T24:00:00Z\"",
        "\"2006-01-02T15:60:05Z\"",
        "\"2006-01-02T15:04:61Z\"",
        "\"2006-01-02T15:04:05X\"",
        "\"2006-01-02T15:04:05.Z\"",
        "\"2006-01-02T15:04:05+25:00\"",
        "\"2006-01-02T15:04:05+02:60\"",
        "\"2006-01/02 15:04:05\"",
        "\"01/02/2006\"",
        "\"2006-1-2\"",
        "\"1-2\"",
        "\"1.\"",
        "\".5\"",
        "\"1e9\"",
        "\"Jan 2 15:04:05\"",
        "\"Jan Feb 2 2006\"",
        "\"Foo 2 2006\"",
        "\"32 Jan 2006\"",
        "\"Jan 2 2006 15:04:05 CEST\"",
        "\"Jan 2 2006 13:04 PM\"",
        "\"1500-01-01\"",
        "\"2300-01-01\"",
        "true",
        "[1]",
        "9223372036854775808",
        "1e30",
        "-99999999999",
    ] {
        assert_eq!(time_of(json), None, "{json}");
    }
    let long = "é".repeat(200);
    let read = read(format!("{{\"_time\":\"{long}\",\"a\":1}}"));
    let shown = "é".repeat(64);
    assert!(read.failure().contains(&format!("its time \"{shown}\" cannot be read")), "{}", read.failure());
}

#[test]
fn events_without_a_time_have_the_time_of_arrival() {
    let read = read(r#"{"a":1} {"_time":null} {"_time":{"a":1}} {"_time":1e400} {"_time":1,"_time":null}"#);
    assert_eq!(read.times, [ARRIVAL; 5]);
    assert_eq!(read.events[2], named([("_time.a", Cell::Integer(1))]));
    assert_eq!(read.events[1], named([]));
}

#[test]
fn the_last_time_wins_and_none_is_stored() {
    let read = read(r#"{"_time":"no","a":1,"_time":2} {"_time":3,"_time":"4"}"#);
    assert_eq!(read.times, [2 * SECOND, 4 * SECOND]);
    assert_eq!(read.events, [named([("a", Cell::Integer(1))]), named([])]);
    let read = super::support::read(r#"{"_time":3,"_time":"no"}"#);
    assert_eq!(read.outcome.failed, 1);
}

#[test]
fn another_field_may_give_the_time() {
    let at = |field: &str| Options { timestamp_field: Some(field.to_owned()), ..Options::default() };
    let body = r#"{"t":{"at":5},"_time":6,"a":1} {"_time":7} {"t.at":null,"_time":8} {"a":2} {"_time":"no","t.at":9}"#;
    let read = read_options(at("t.at"), body);
    assert_eq!(read.times, [5 * SECOND, 7 * SECOND, 8 * SECOND, ARRIVAL, 9 * SECOND]);
    let one = |value| named([("a", Cell::Integer(value))]);
    assert_eq!(read.events, [one(1), named([]), named([]), one(2), named([])]);
    // Reserved names mean the same here.
    let read = read_options(at("_sysTime"), r#"{"_sysTime":5,"x":"y"}"#);
    assert_eq!((read.times.as_slice(), read.event()), (&[5 * SECOND][..], &named([("x", text("y"))])));
    let read = read_options(at("_time"), r#"{"_time":5}"#);
    assert_eq!(read.times, [5 * SECOND]);
}

proptest! {
    #[test]
    fn rfc_3339_is_read_as_jiff_reads_it(
        nanoseconds in any::<i64>(),
        offset_minutes in -1439..1440_i32,
        digits in 0..10_usize,
        separator in prop::sample::select(vec!['T', 't', ' ']),
    ) {
        let offset = jiff::tz::Offset::from_seconds(offset_minutes * 60).unwrap();
        let time = jiff::Timestamp::from_nanosecond(i128::from(nanoseconds)).unwrap();
        let local = offset.to_datetime(time).strftime("%Y-%m-%dT%H:%M:%S%.9f").to_string();
        let cut = local.replace('T', &separator.to_string());
        let cut = &cut[..if digits == 0 { 19 } else { 20 + digits }];
        let (sign, minutes) = (if offset_minutes < 0 { '-' } else { '+' }, offset_minutes.abs());
        let text = format!("{cut}{sign}{:02}:{:02}", minutes / 60, minutes % 60);
        let expected: jiff::Timestamp = text.parse().unwrap();
        prop_assert_eq!(time_of(&format!("\"{text}\"")), i64::try_from(expected.as_nanosecond()).ok(), "{}", text);
    }

    #[test]
    fn texts_that_look_like_times_never_panic(text in "[0-9TZ:+./ ,a-zA-Z-]{0,40}") {
        let _ = time_of(&format!("\"{text}\""));
    }
}
