//! Go reference layouts.

use tidegauge_ingest::{Options, TimeLayout};

use crate::support::{ARRIVAL, read_options};

const SECOND: i64 = 1_000_000_000;
const GO: i64 = 1_136_214_245 * SECOND;
const GO_DAY: i64 = 1_136_160_000 * SECOND;

fn time_of(layout: &str, json: &str) -> Option<i64> {
    let timestamp_format = Some(TimeLayout::parse(layout).unwrap());
    let options = Options { timestamp_format, ..Options::default() };
    read_options(options, format!("{{\"_time\":{json}}}")).times.first().copied()
}

#[test]
fn layouts_read_what_they_describe() {
    let table = [
        ("2/Jan/2006:15:04:05 +0000", "2/Jan/2006:15:04:05 +0000", GO),
        ("2/Jan/2006:15:04:05 -0700", "02/Jan/2006:17:04:05 +0200", GO),
        ("2006-01-02T15:04:05.999999Z07:00", "2006-01-02T15:04:05.25Z", GO + SECOND / 4),
        ("2006-01-02T15:04:05.999999Z07:00", "2006-01-02T15:04:05.123456789+00:00", GO + 123_456_789),
        ("2006-01-02T15:04:05.999999Z07:00", "2006-01-02T17:04:05+02:00", GO),
        ("2006-01-02T15:04:05.000Z0700", "2006-01-02T15:04:05.250Z", GO + SECOND / 4),
        ("2006-01-02T15:04:05,000Z07", "2006-01-02T16:04:05,250+01", GO + SECOND / 4),
        ("2006-01-02 15:04:05-07", "2006-01-02 08:04:05-07", GO),
        ("2006-01-02 15:04:05-07:00:00", "2006-01-02 15:04:35+00:00:30", GO),
        ("2006-01-02 15:04:05Z070000", "2006-01-02 15:04:35+000030", GO),
        ("Mon Jan _2 15:04:05 2006", "Mon Jan  2 15:04:05 2006", GO),
        ("Mon Jan _2 15:04:05 2006", "mon JAN 2 15:04:05 2006", GO),
        ("Monday, 02-Jan-06 15:04:05 MST", "Monday, 02-Jan-06 15:04:05 UTC", GO),
        ("Mon, 02 Jan 2006 15:04:05 MST", "Mon, 02 Jan 2006 15:04:05 CET", GO),
        ("Mon, 02 Jan 2006 15:04:05 MST", "Mon, 02 Jan 2006 18:04:05 GMT+3", GO),
        ("January 2, 2006 3:04:05 PM", "JANUARY 2, 2006 3:04:05 PM", GO),
        ("1/2/06 03:04:05pm", "1/2/06 03:04:05pm", GO),
        ("1/2/06 3:4:5pm", "01/02/06 03:04:05pm", GO),
        ("01/02/2006 03:04 PM", "01/02/2006 12:00 AM", GO_DAY),
        ("01/02/2006 03:04 PM", "01/02/2006 12:00 PM", GO_DAY + 12 * 3600 * SECOND),
        ("2006-01-02 15:4:5", "2006-01-02 15:04:5", GO),
        ("2006-002 15:04:05", "2006-002 15:04:05", GO),
        ("2006 __2 15:04:05", "2006   2 15:04:05", GO),
        ("2006_01_02", "2006_01_02", GO_DAY),
        ("_2006-01-02", "_2006-01-02", GO_DAY),
        ("20060102150405", "20060102150405", GO),
        ("2006-01-02", " 2006-01-02 ", GO_DAY),
        ("2006-01-02 15:04:05", "2006-01-02    15:04:05", GO),
        // A fraction may follow the seconds though the layout has none.
        ("2006-01-02 15:04:05", "2006-01-02 15:04:05.5", GO + SECOND / 2),
        ("15:04:05 2006-01-02", "15:04:05,5 2006-01-02", GO + SECOND / 2),
        ("2006-01-02 15:04:05.999", "2006-01-02 15:04:05", GO),
        ("06-01-02", "69-01-01", -365 * 86_400 * SECOND),
        ("06-01-02", "68-01-01", 3_092_601_600 * SECOND),
        ("on 2006-01-02 at 15 o'clock", "on 2006-01-02 at 15 o'clock", GO_DAY + 15 * 3600 * SECOND),
        ("Janet 2006-01-02", "Janet 2006-01-02", GO_DAY),
    ];
    for (layout, value, expected) in table {
        assert_eq!(time_of(layout, &format!("\"{value}\"")), Some(expected), "{layout} reads {value}");
    }
}

#[test]
fn a_plus_that_became_a_space_still_works() {
    for layout in ["2/Jan/2006:15:04:05  0000", "2/Jan/2006:15:04:05 0000"] {
        assert_eq!(
            time_of(layout, "\"17/May/2015:08:05:30 +0000\""),
            Some(1_431_849_930 * SECOND),
            "{layout}"
        );
    }
    assert_eq!(time_of("2006-01-02T15:04:05 00:00", "\"2006-01-02T15:04:05+00:00\""), Some(GO));
    assert_eq!(time_of("2006-01-02T15:04:05 -0700", "\"2006-01-02T17:04:05 +0200\""), Some(GO));
}

#[test]
fn values_that_do_not_match_fail() {
    let table = [
        ("2/Jan/2006:15:04:05 +0000", "2/Jan/2006:15:04:05 +0200"),
        ("2/Jan/2006:15:04:05 +0000", "2006-01-02T15:04:05Z"),
        ("2006-01-02", "2006-01-02T15:04:05Z"),
        ("2006-01-02", "2006-1-02"),
        ("2006-01-02", "2006-02-30"),
        ("2006-01-02", "206-02-30"),
        ("2006-01-02 15:04", "2006-01-02 25:04"),
        ("2006-01-02 15:04", "2006-01-02 15:4"),
        ("2006-01-02 15:04", "2006-01-0215:04"),
        ("2006-01-02 15:04:05", "2006-01-02 15:04:60"),
        ("2006-01-02 03:04", "2006-01-02 13:04"),
        ("2006-01-02 3:04PM", "2006-01-02 3:04pm"),
        ("2006-01-02 15:04:05.000", "2006-01-02 15:04:05.25"),
        ("2006-01-02 15:04:05.000", "2006-01-02 15:04:05"),
        ("2006-01-02 15:04:05.000", "2006-01-02 15:04:05.2500"),
        ("2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05+0200"),
        ("2006-01-02T15:04:05-0700", "2006-01-02T15:04:05Z"),
        ("2006-01-02T15:04:05-0700", "2006-01-02T15:04:05+0260"),
        ("2006-01-02T15:04:05-07:00", "2006-01-02T15:04:05 07:00"),
        ("2006 Jan 02", "2006 Foo 02"),
        ("2006 January 02", "2006 Jan 02"),
        ("Mon 2006-01-02", "Xyz 2006-01-02"),
        ("2006-002", "2006-366"),
        ("2006-002 01", "2006-002 02"),
        ("2006-01-02 MST", "2006-01-02 m"),
        ("2006-01-02", "1136214245"),
        ("2006-01-02", "9999-01-01"),
    ];
    for (layout, value) in table {
        assert_eq!(time_of(layout, &format!("\"{value}\"")), None, "{layout} must not read {value}");
    }
}

#[test]
fn numbers_are_epochs_whatever_the_layout() {
    assert_eq!(time_of("2006-01-02", "1136214245"), Some(GO));
    assert_eq!(time_of("2006-01-02", "1136214245.5"), Some(GO + SECOND / 2));
}

#[test]
fn the_layout_is_not_for_the_fallback() {
    let options = Options {
        timestamp_field: Some("at".to_owned()),
        timestamp_format: Some(TimeLayout::parse("02.01.2006").unwrap()),
        ..Options::default()
    };
    let body = r#"{"at":"02.01.2006"} {"_time":"2006-01-02T15:04:05Z"} {"_time":"02.01.2006"}"#;
    let read = read_options(options, body);
    assert_eq!((read.times.as_slice(), read.outcome.failed), (&[GO_DAY, GO][..], 1));
}

#[test]
fn a_missing_year_is_the_one_before_arrival() {
    // The requests arrive at 2026-11-15T00:00:00Z.
    let day = 86_400 * SECOND;
    assert_eq!(time_of("Jan _2 15:04:05", "\"Nov 14 00:00:00\""), Some(ARRIVAL - day));
    assert_eq!(time_of("Jan _2 15:04:05", "\"Nov 16 00:00:00\""), Some(ARRIVAL + day));
    assert_eq!(time_of("Jan _2 15:04:05", "\"Dec 31 00:00:00\""), Some(ARRIVAL + (46 - 365) * day));
}

#[test]
fn a_layout_names_some_part_of_a_time() {
    for layout in ["", "yyyy", "rfc", " + "] {
        let error = TimeLayout::parse(layout).unwrap_err().to_string();
        assert!(error.contains("names no part of a time"), "{layout}: {error}");
    }
}
