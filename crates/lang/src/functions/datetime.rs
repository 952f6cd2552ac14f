//! Functions on times and timespans. All times are in UTC.

use super::function::{
    DATETIME, Family, Function, INTEGER, NUMBER, Parameter, ResultType, STRING, TIMESPAN, parameter,
};
use crate::tree::Type;

const TIME: Parameter = parameter("time", DATETIME);
const OFFSET: Parameter = parameter("offset", INTEGER);
const PART: Parameter = parameter("part", STRING);

const fn time(
    name: &'static str,
    parameters: &'static [Parameter],
    result: Type,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::Datetime, name, parameters, ResultType::Always(result), doc, example)
}

const fn part(name: &'static str, doc: &'static str, example: (&'static str, &'static str)) -> Function {
    time(name, &[TIME], Type::Integer, doc, example)
}

/// The start or the end of a stretch of the calendar, so many stretches later if there is an offset.
const fn edge(name: &'static str, doc: &'static str, example: (&'static str, &'static str)) -> Function {
    time(name, &[TIME, OFFSET], Type::Datetime, doc, example).requires(1)
}

pub(super) const FUNCTIONS: &[Function] = &[
    time(
        "now",
        &[parameter("offset", TIMESPAN)],
        Type::Datetime,
        "The moment of the query, the same in all of it, moved by an offset if there is one.",
        ("now(1h) - now()", "1h"),
    )
    .requires(0),
    time(
        "ago",
        &[parameter("timespan", TIMESPAN)],
        Type::Datetime,
        "The moment of the query less a timespan.",
        ("now() - ago(1h)", "1h"),
    ),
    edge(
        "startofhour",
        "The first moment of the hour.",
        ("startofhour(datetime(2026-07-01T10:20:30Z))", "datetime(2026-07-01T10:00:00Z)"),
    ),
    edge(
        "startofday",
        "The first moment of the day.",
        ("startofday(datetime(2026-07-01T10:20:30Z))", "datetime(2026-07-01)"),
    ),
    edge(
        "startofweek",
        "The first moment of the week, which begins on Sunday.",
        ("startofweek(datetime(2020-08-01))", "datetime(2020-07-26)"),
    ),
    edge(
        "startofmonth",
        "The first moment of the month.",
        ("startofmonth(datetime(2026-07-15))", "datetime(2026-07-01)"),
    ),
    edge(
        "startofyear",
        "The first moment of the year.",
        ("startofyear(datetime(2019-10-09))", "datetime(2019-01-01)"),
    ),
    edge(
        "endofday",
        "The last nanosecond of the day.",
        ("endofday(datetime(2016-12-31))", "datetime(2016-12-31T23:59:59.999999999Z)"),
    ),
    edge(
        "endofweek",
        "The last nanosecond of the week, which ends on Saturday.",
        ("endofweek(datetime(2020-07-26))", "datetime(2020-08-01T23:59:59.999999999Z)"),
    ),
    edge(
        "endofmonth",
        "The last nanosecond of the month.",
        ("endofmonth(datetime(2024-02-10))", "datetime(2024-02-29T23:59:59.999999999Z)"),
    ),
    edge(
        "endofyear",
        "The last nanosecond of the year.",
        ("endofyear(datetime(2016-06-01))", "datetime(2016-12-31T23:59:59.999999999Z)"),
    ),
    time(
        "datetime_part",
        &[PART, TIME],
        Type::Integer,
        "A part of a time: year, quarter, month, week_of_year, day, dayOfYear, hour, minute, second and below.",
        ("datetime_part(\"Day\", datetime(2016-06-26))", "26"),
    ),
    time(
        "datetime_add",
        &[PART, parameter("amount", INTEGER), TIME],
        Type::Datetime,
        "The time so many parts later, months and years by the calendar.",
        ("datetime_add(\"month\", 1, datetime(2016-10-06))", "datetime(2016-11-06)"),
    ),
    time(
        "datetime_diff",
        &[PART, TIME, parameter("earlier", DATETIME)],
        Type::Integer,
        "How many whole parts lie from the second time to the first.",
        ("datetime_diff(\"week\", datetime(2015-11-08), datetime(2014-11-08))", "52"),
    ),
    part("hourofday", "The hour, from 0.", ("hourofday(datetime(2026-07-01T08:20:03Z))", "8")),
    part("dayofweek", "The day of the week; Sunday is 0.", ("dayofweek(datetime(2019-05-18))", "6")),
    part("dayofmonth", "The day of the month, from 1.", ("dayofmonth(datetime(2017-11-30))", "30")),
    part("dayofyear", "The day of the year, from 1.", ("dayofyear(datetime(2020-07-20))", "202")),
    part("week_of_year", "The week by ISO 8601.", ("week_of_year(datetime(2020-12-31))", "53")),
    part("monthofyear", "The month, from 1.", ("monthofyear(datetime(2026-07-01))", "7")),
    part("getmonth", "The month, from 1.", ("getmonth(datetime(2026-07-01))", "7")),
    part("getyear", "The year.", ("getyear(datetime(2026-07-01))", "2026")),
    time(
        "unixtime_seconds_todatetime",
        &[parameter("seconds", NUMBER)],
        Type::Datetime,
        "The time so many seconds after 1970.",
        ("unixtime_seconds_todatetime(1782900000)", "datetime(2026-07-01T10:00:00Z)"),
    ),
    time(
        "unixtime_milliseconds_todatetime",
        &[parameter("milliseconds", NUMBER)],
        Type::Datetime,
        "The time so many milliseconds after 1970.",
        ("unixtime_milliseconds_todatetime(1782900000000)", "datetime(2026-07-01T10:00:00Z)"),
    ),
    time(
        "unixtime_microseconds_todatetime",
        &[parameter("microseconds", NUMBER)],
        Type::Datetime,
        "The time so many microseconds after 1970.",
        ("unixtime_microseconds_todatetime(1782900000000000)", "datetime(2026-07-01T10:00:00Z)"),
    ),
    time(
        "unixtime_nanoseconds_todatetime",
        &[parameter("nanoseconds", NUMBER)],
        Type::Datetime,
        "The time so many nanoseconds after 1970.",
        ("unixtime_nanoseconds_todatetime(1782900000000000000)", "datetime(2026-07-01T10:00:00Z)"),
    ),
];
