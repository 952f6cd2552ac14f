//! Times, their parts, and what lies between them.

use super::{Json, NOW, Null, Time, Timespan, cases, refusals};

#[test]
fn now_and_ago() {
    cases! {
        now() => Time("2026-07-01T10:00:00Z");
        now(Timespan(-3_600_000_000_000)) => Time("2026-07-01T09:00:00Z");
        ago(Timespan(3_600_000_000_000)) => Time("2026-07-01T09:00:00Z");
        ago(Timespan(i64::MIN)) => Null;
        ago(Timespan(i64::MAX)) => Time(oldest());
    }
    refusals! {
        ago(5) => "argument 1 of `ago` must be a timespan, and it is an integer";
        now("1h") => "argument 1 of `now` must be a timespan, and it is a string";
    }
}

/// The moment that is as long before the query as a timespan can be.
fn oldest() -> &'static str {
    assert_eq!(NOW - i64::MAX, -7_440_472_036_854_775_807);
    "1734-03-22T10:12:43.145224193Z"
}

#[test]
fn starts_and_ends() {
    cases! {
        startofhour(Time("2026-07-01T10:20:30Z")) => Time("2026-07-01T10:00:00Z");
        startofhour(Time("1969-12-31T23:59:59Z"), 1) => Time("1970-01-01");
        startofday(Time("2020-08-01T13:14:15.5Z")) => Time("2020-08-01");
        startofday(Time("2020-08-01T13:14:15Z"), 1) => Time("2020-08-02");
        startofday(Time("1969-12-31T23:59:59Z")) => Time("1969-12-31");
        startofweek(Time("2020-08-01")) => Time("2020-07-26");
        startofweek(Time("2020-07-26")) => Time("2020-07-26");
        startofweek(Time("2020-08-01"), -1) => Time("2020-07-19");
        startofmonth(Time("2020-08-31T01:00:00Z")) => Time("2020-08-01");
        startofmonth(Time("2020-08-31T01:00:00Z"), -8) => Time("2019-12-01");
        startofyear(Time("2019-10-09T01:00:00Z")) => Time("2019-01-01");
        startofyear(Time("2019-10-09"), 2) => Time("2021-01-01");
        startofyear(Time("2019-10-09"), 5_000) => Null;
        startofyear(Time("2019-10-09"), i64::MAX) => Null;
        endofday(Time("2020-08-01T13:00:00Z")) => Time("2020-08-01T23:59:59.999999999Z");
        endofweek(Time("2020-08-01")) => Time("2020-08-01T23:59:59.999999999Z");
        endofmonth(Time("2020-02-10")) => Time("2020-02-29T23:59:59.999999999Z");
        endofmonth(Time("2019-12-10"), 1) => Time("2020-01-31T23:59:59.999999999Z");
        endofyear(Time("2016-10-06")) => Time("2016-12-31T23:59:59.999999999Z");
        endofyear(Time("2262-01-01")) => Null;
        endofday(Null) => Null;
        startofday(Json("\"2020-08-01T13:14:15Z\"")) => Time("2020-08-01");
        startofday(Time("2020-08-01"), i64::MIN) => Null;
    }
    refusals! {
        startofday("2020-08-01") => "argument 1 of `startofday` must be a datetime, and it is a string";
        startofday(Time("2020-08-01"), "x") => "argument 2 of `startofday` must be a number, and it is a string";
    }
}

#[test]
fn parts_by_function() {
    cases! {
        hourofday(Time("2016-06-26T08:20:03.123456Z")) => 8;
        hourofday(Time("1969-12-31T23:59:59Z")) => 23;
        dayofweek(Time("2019-05-18")) => 6;
        dayofweek(Time("2019-05-19")) => 0;
        dayofweek(Time("1969-12-31")) => 3;
        dayofmonth(Time("2017-11-30")) => 30;
        dayofyear(Time("2020-07-20")) => 202;
        dayofyear(Time("2015-12-14T23:59:59.999Z")) => 348;
        week_of_year(Time("2020-12-31")) => 53;
        week_of_year(Time("2021-01-01")) => 53;
        week_of_year(Time("2021-01-04")) => 1;
        weekofyear(Time("2017-10-30")) => 44;
        getmonth(Time("2026-07-01")) => 7;
        monthofyear(Time("2026-12-31")) => 12;
        getyear(Time("2026-07-01")) => 2026;
        getyear(Null) => Null;
    }
    refusals! {
        getyear(2026) => "argument 1 of `getyear` must be a datetime, and it is an integer";
    }
}

#[test]
fn parts_by_name() {
    const TIME: &str = "2017-10-30T01:02:03.7654321Z";
    cases! {
        datetime_part("year", Time(TIME)) => 2017;
        datetime_part("quarter", Time(TIME)) => 4;
        datetime_part("month", Time(TIME)) => 10;
        datetime_part("week_of_year", Time(TIME)) => 44;
        datetime_part("day", Time(TIME)) => 30;
        datetime_part("Day", Time("2016-06-26")) => 26;
        datetime_part("dayOfYear", Time(TIME)) => 303;
        datetime_part("hour", Time(TIME)) => 1;
        datetime_part("minute", Time(TIME)) => 2;
        datetime_part("second", Time(TIME)) => 3;
        datetime_part("millisecond", Time(TIME)) => 765;
        datetime_part("microsecond", Time(TIME)) => 765_432;
        datetime_part("nanosecond", Time(TIME)) => 765_432_100;
        datetime_part("minute", Time("1969-12-31T23:59:58.9Z")) => 59;
        datetime_part("second", Time("1969-12-31T23:59:58.9Z")) => 58;
        datetime_part(Null, Time(TIME)) => Null;
    }
}

#[test]
fn addition() {
    cases! {
        datetime_add("month", 1, Time("2016-10-06")) => Time("2016-11-06");
        datetime_add("month", 1, Time("2016-01-31T05:06:07Z")) => Time("2016-02-29T05:06:07Z");
        datetime_add("month", -1, Time("2016-01-31")) => Time("2015-12-31");
        datetime_add("year", -1, Time("2016-02-29")) => Time("2015-02-28");
        datetime_add("quarter", 2, Time("2016-11-30")) => Time("2017-05-30");
        datetime_add("week", 1, Time("2016-10-06")) => Time("2016-10-13");
        datetime_add("Day", -6, Time("2016-10-06")) => Time("2016-09-30");
        datetime_add("hour", 25, Time("2016-10-06")) => Time("2016-10-07T01:00:00Z");
        datetime_add("millisecond", 1, Time("2016-10-06")) => Time("2016-10-06T00:00:00.001Z");
        datetime_add("microsecond", 1, Time("2016-10-06")) => Time("2016-10-06T00:00:00.000001Z");
        datetime_add("year", 10_000, Time("2016-10-06")) => Null;
        datetime_add("day", i64::MAX, Time("2016-10-06")) => Null;
        datetime_add("year", i64::MIN, Time("2016-10-06")) => Null;
        datetime_add("day", Null, Time("2016-10-06")) => Null;
    }
}

#[test]
fn differences_are_whole_units_that_have_passed() {
    cases! {
        datetime_diff("week", Time("2019-06-26"), Time("2014-06-26")) => 260;
        datetime_diff("week", Time("2015-11-08"), Time("2014-11-08")) => 52;
        datetime_diff("year", Time("2017-01-01"), Time("2000-12-31")) => 16;
        datetime_diff("year", Time("2000-12-31"), Time("2017-01-01")) => -16;
        datetime_diff("month", Time("2017-03-01"), Time("2017-01-31")) => 1;
        datetime_diff("quarter", Time("2017-07-01"), Time("2017-01-01")) => 2;
        datetime_diff("day", Time("2017-01-02T23:00:00Z"), Time("2017-01-01")) => 1;
        datetime_diff("hour", Time("2017-01-01"), Time("2017-01-01T01:59:00Z")) => -1;
        datetime_diff("minute", Time("2017-01-01"), Time("2017-01-01")) => 0;
        datetime_diff("nanosecond", Time("2017-01-01T00:00:00.000000001Z"), Time("2017-01-01")) => 1;
        datetime_diff("nanosecond", Time("2262-01-01"), Time("1700-01-01")) => Null;
        datetime_diff("day", Time("2262-01-01"), Time("1700-01-01")) => 205_266;
        datetime_diff("day", Null, Time("2017-01-01")) => Null;
    }
}

#[test]
fn parts_that_are_not_known() {
    let text = super::expr(super::ExprKind::Literal(super::Literal::String("decade".to_owned())));
    let time = super::expr(super::ExprKind::Literal(super::Literal::Datetime(0)));
    let error = super::results(&super::call("datetime_part", vec![text, time]), &[], 1).unwrap_err();
    assert!(error.starts_with("`datetime_part` does not know the part `decade`"), "{error}");
}

#[test]
fn unix_times() {
    cases! {
        unixtime_seconds_todatetime(1_546_300_800) => Time("2019-01-01");
        unixtime_seconds_todatetime(1_546_300_800.9) => Time("2019-01-01");
        unixtime_seconds_todatetime(-1) => Time("1969-12-31T23:59:59Z");
        unixtime_seconds_todatetime(i64::MAX) => Null;
        unixtime_milliseconds_todatetime(1_546_300_800_001) => Time("2019-01-01T00:00:00.001Z");
        unixtime_microseconds_todatetime(1_546_300_800_000_000) => Time("2019-01-01");
        unixtime_nanoseconds_todatetime(1_546_300_800_000_000_000) => Time("2019-01-01");
        unixtime_seconds_todatetime(Null) => Null;
    }
    refusals! {
        unixtime_seconds_todatetime("0") => "must be a number, and it is a string";
    }
}
