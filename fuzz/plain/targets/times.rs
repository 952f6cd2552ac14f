//! Times and durations as text: what was read and is written again is read as the same, and the readers of events, of
//! queries and of requests agree on what they all can read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_fuzz_plain::bodies::ARRIVAL;
use tidegauge_ingest::TimeLayout;
use tidegauge_ingest::testing::{read_leading_time, read_time, read_time_by};
use tidegauge_lang::tree::{Expr, ExprKind, Literal};
use tidegauge_lang::{parse_expression, print_expression, read_datetime, read_timespan};
use tidegauge_model::{Timestamp, duration};

/// A time as RFC 3339 in UTC.
fn written(nanoseconds: i64) -> String {
    let time =
        jiff::Timestamp::from_nanosecond(i128::from(nanoseconds)).expect("event times are civil times");
    time.to_string()
}

/// Prints a value of a query and reads it again.
fn printed_and_read(value: Literal) {
    let expr = Expr::new(ExprKind::Literal(value), tidegauge_lang::Span::default());
    let text = print_expression(&expr);
    let (again, diagnostics) = parse_expression(&text);
    assert!(diagnostics.is_empty(), "{text}");
    assert_eq!(print_expression(&again), text);
}

fn check_event_time(text: &[u8]) {
    let Some(time) = read_time(text) else { return };
    let again = written(time);
    assert_eq!(read_time(again.as_bytes()), Some(time), "{again}");
    assert_eq!(read_leading_time(format!("{again} and more").as_bytes(), ARRIVAL), Some(time), "{again}");
    assert_eq!(read_datetime(&again), Some(time), "{again}");
    let Ok(text) = std::str::from_utf8(text) else { return };
    if let Some(asked) = read_datetime(text) {
        assert_eq!(asked, time, "{text} is another time in a query");
    }
    if let Ok(sent) = Timestamp::parse(text) {
        assert_eq!(sent, Timestamp::from_nanos(time), "{text} is another time in a request");
    }
}

fn check_text(text: &str) {
    if let Ok(time) = Timestamp::parse(text) {
        assert_eq!(Timestamp::parse(&time.to_string()).ok(), Some(time));
    }
    if let Some(time) = Timestamp::parse_http_date(text) {
        assert_eq!(Timestamp::parse_http_date(&time.to_http_date()), Some(time));
    }
    if let Some(time) = read_datetime(text) {
        assert_eq!(read_datetime(&written(time)), Some(time));
        printed_and_read(Literal::Datetime(time));
    }
    if let Some(span) = read_timespan(text) {
        printed_and_read(Literal::Timespan(span));
    }
    if let Some(length) = duration::parse(text)
        && let Ok(nanoseconds) = i64::try_from(length.as_nanos())
    {
        let shown = duration::to_text(nanoseconds);
        let again = duration::parse(&shown).unwrap_or_else(|| panic!("{shown} is a duration"));
        // Numbers with a fraction are read as floats.
        let off = again.as_nanos().abs_diff(length.as_nanos());
        assert!(off <= 1 + (length.as_nanos() >> 50), "{shown}");
    }
}

fuzz_target!(|data: &[u8]| {
    check_event_time(data);
    let leading = read_leading_time(data, ARRIVAL);
    assert_eq!(leading, read_leading_time(data, ARRIVAL));
    let Ok(text) = std::str::from_utf8(data) else { return };
    check_text(text);
    // A layout and a value by it.
    if let Some((layout, value)) = text.split_once('\n')
        && let Ok(layout) = TimeLayout::parse(layout)
    {
        let time = read_time_by(&layout, value.as_bytes(), ARRIVAL);
        assert_eq!(time, read_time_by(&layout, format!(" {value} ").as_bytes(), ARRIVAL));
    }
});
