//! From one type to another.

use super::{Json, Null, Time, Timespan, cases, refusals};

#[test]
fn integers() {
    cases! {
        toint("456") => 456;
        toint(" -7 ") => -7;
        toint("0x1F") => 31;
        toint(2.3) => 2;
        toint(-2.9) => -2;
        toint("2.9") => 2;
        toint("") => Null;
        toint("nan") => Null;
        toint("12 apples") => Null;
        toint(true) => 1;
        toint(1e300) => Null;
        toint(f64::NAN) => Null;
        toint(Null) => Null;
        toint(Json("\"12\"")) => 12;
        toint(Json("[1]")) => Null;
        toint(Time("1970-01-01T00:00:01Z")) => 1_000_000_000;
        tolong("9223372036854775807") => i64::MAX;
        tolong("-9223372036854775808") => i64::MIN;
        tolong("9223372036854775808") => Null;
        tolong(123.5) => 123;
    }
}

#[test]
fn floats() {
    cases! {
        toreal("1567") => 1567.0;
        toreal("123.5") => 123.5;
        toreal("-1e3") => -1000.0;
        toreal("") => Null;
        toreal("Infinity") => Null;
        toreal("-inf") => Null;
        toreal("+nan") => Null;
        toreal("1e999") => Null;
        toreal(3) => 3.0;
        todouble(false) => 0.0;
        todouble(Json("2.5")) => 2.5;
        todouble(Timespan(1_500)) => 1500.0;
    }
}

#[test]
fn booleans_are_false_where_they_cannot_be_read() {
    cases! {
        tobool("true") => true;
        tobool("FALSE") => false;
        tobool("1") => true;
        tobool("0") => false;
        tobool("maybe") => false;
        tobool("") => false;
        tobool(Null) => Null;
        tobool(7) => true;
        tobool(0.0) => false;
        tobool(Json("true")) => true;
        toboolean(Json("{}")) => false;
    }
}

#[test]
fn texts() {
    cases! {
        tostring(404) => "404";
        tostring(1.5) => "1.5";
        tostring(true) => "true";
        tostring("abc") => "abc";
        tostring(Null) => "";
        tostring(Json("\"a\\nb\"")) => "a\nb";
        tostring(Json("[1,2]")) => "[1,2]";
        tostring(Json("{\"a\":1}")) => "{\"a\":1}";
        tostring(Time("2023-08-30T23:00:00Z")) => "2023-08-30T23:00:00Z";
        tostring(Timespan(10_000_000_000)) => "00:00:10";
        tostring(Timespan(-90_000_500_000_000)) => "-1.01:00:00.5000000";
        tostring(Timespan(1)) => "00:00:00.000000001";
        tostring(i64::MIN) => "-9223372036854775808";
    }
}

#[test]
fn times_and_timespans() {
    cases! {
        todatetime("2022-11-13") => Time("2022-11-13");
        todatetime("2016-06-26T08:20:03.123456Z") => Time("2016-06-26T08:20:03.123456Z");
        todatetime("2016-06-26 08:20:03") => Time("2016-06-26T08:20:03Z");
        todatetime("2016-06-26 08:20") => Time("2016-06-26T08:20:00Z");
        todatetime("2016-06-26T08:20:03+02:00") => Time("2016-06-26T06:20:03Z");
        todatetime("2022-13-01") => Null;
        todatetime("2022-02-30") => Null;
        todatetime("9999-12-31") => Null;
        todatetime("") => Null;
        todatetime("soon") => Null;
        todatetime("Sat, 08 Nov 2014 15:05:02 GMT") => Time("2014-11-08T15:05:02Z");
        todatetime("Sat, 8 Nov 2014 15:05:02 +0100") => Time("2014-11-08T14:05:02Z");
        todatetime("12-24-2015") => Time("2015-12-24");
        todatetime("1/2/2015 10:30") => Time("2015-01-02T10:30:00Z");
        todatetime("13-24-2015") => Null;
        todatetime("1-2-15") => Null;
        todatetime(true) => Null;
        todatetime(1_000_000_000) => Time("1970-01-01T00:00:01Z");
        todatetime(Json("\"2022-11-13\"")) => Time("2022-11-13");
        totimespan("1h") => Timespan(3_600_000_000_000);
        totimespan("1ms") => Timespan(1_000_000);
        totimespan("-1h30m") => Timespan(-5_400_000_000_000);
        totimespan("00:00:01.5") => Timespan(1_500_000_000);
        totimespan("1.02:03:04") => Timespan(93_784_000_000_000);
        totimespan(1_500_000_000) => Timespan(1_500_000_000);
        totimespan("24:00") => Null;
        totimespan("1:2:3:4") => Null;
        totimespan("long") => Null;
        totimespan("10min") => Timespan(600_000_000_000);
        totimespan("1.5 h") => Null;
        totimespan("1.5h") => Timespan(5_400_000_000_000);
        totimespan("0.12:34:56.7") => Timespan(45_296_700_000_000);
        totimespan("2") => Timespan(172_800_000_000_000);
        totimespan("9223372036854775807") => Null;
        totimespan("") => Null;
        totimespan(true) => Null;
    }
}

#[test]
fn dynamic_values() {
    cases! {
        parse_json("{\"a\": 1, \"b c\": [1, 2]}") => Json("{\"a\":1,\"b c\":[1,2]}");
        parse_json("null") => Null;
        parse_json("[1, \"a \\\" b\"]") => Json("[1,\"a \\\" b\"]");
        parse_json("no json") => Json("\"no json\"");
        parse_json("") => Json("\"\"");
        parse_json("{\"a\":1") => Json("\"{\\\"a\\\":1\"");
        parse_json(Json("[1]")) => Json("[1]");
        parse_json(5) => Json("5");
        todynamic("[1,2]") => Json("[1,2]");
        todynamic("no json") => Null;
        todynamic(Null) => Null;
        toarray(Json("[1,2]")) => Json("[1,2]");
        toarray(Json("{\"b\":1,\"a\":\"x\"}")) => Json("[1,\"x\"]");
        toarray("123") => Json("[\"123\"]");
        toarray(5) => Json("[5]");
        toarray(Null) => Null;
        dynamic_to_json(Json("[1,2,3]")) => "[1,2,3]";
        dynamic_to_json(Json("{\"b\": {\"z\": 1, \"y\": []}, \"a\": 2.0}")) => "{\"a\":2,\"b\":{\"y\":[],\"z\":1}}";
        dynamic_to_json("text") => "text";
        dynamic_to_json(1.5) => "1.5";
    }
}

#[test]
fn hexadecimal_digits() {
    cases! {
        tohex(546) => "222";
        tohex(-546) => "fffffffffffffdde";
        tohex(12345, 8) => "00003039";
        tohex(256, 2) => "100";
        tohex(-256, 8) => "ffffff00";
        tohex(-256, 2) => "ffffffffffffff00";
        tohex(-128, 2) => "80";
        tohex(i64::MIN) => "8000000000000000";
        tohex(i64::MIN, 16) => "8000000000000000";
        tohex(0, -3) => "0";
        tohex(255, 99) => "00000000000000ff";
        tohex(Null) => Null;
    }
    refusals! {
        tohex("ff") => "argument 1 of `tohex` must be a number, and it is a string";
    }
}
