//! What single values become.

use crate::support::{Cell, event, malformed, named, read, read_options, text};

fn value(json: &str) -> Option<Cell> {
    event(format!("{{\"v\":{json}}}")).get("v").cloned()
}

#[test]
fn numbers_are_integers_when_they_are_written_so_and_fit() {
    let table = [
        ("0", Cell::Integer(0)),
        ("-1", Cell::Integer(-1)),
        ("999999999999999999", Cell::Integer(999_999_999_999_999_999)),
        ("1000000000000000000", Cell::Integer(1_000_000_000_000_000_000)),
        ("9223372036854775807", Cell::Integer(i64::MAX)),
        ("-9223372036854775808", Cell::Integer(i64::MIN)),
        ("1.0", Cell::Float(1.0)),
        ("1e3", Cell::Float(1000.0)),
        ("1E+3", Cell::Float(1000.0)),
        ("-2.5e-3", Cell::Float(-0.0025)),
        ("0.1", Cell::Float(0.1)),
        ("0e0", Cell::Float(0.0)),
        ("9007199254740993.0", Cell::Float(9_007_199_254_740_992.0)),
        ("123456789012345678901234567890e-10", Cell::Float(12_345_678_901_234_567_890.0)),
        ("1e-400", Cell::Float(0.0)),
        ("5e-324", Cell::Float(5e-324)),
        ("1.7976931348623157e308", Cell::Float(f64::MAX)),
    ];
    for (json, expected) in table {
        assert_eq!(value(json), Some(expected), "{json}");
    }
}

#[test]
fn integers_beyond_64_bits_keep_their_digits() {
    let longest = format!("-1{}", "0".repeat(308));
    for digits in ["9223372036854775808", "-9223372036854775809", "18446744073709551615", &longest] {
        assert_eq!(value(digits), Some(Cell::LongInteger(digits.to_owned())), "{digits}");
        // The number may be cut anywhere by the end of a chunk, and another value may follow on it in the field.
        let twice = event(format!("{{\"v\":{digits},\"v\":1}}"));
        assert_eq!(twice.get("v"), Some(&Cell::Integer(1)));
    }
}

#[test]
fn minus_zero_is_a_float() {
    for json in ["-0", "-0.0", "-0e5"] {
        assert!(
            matches!(value(json), Some(Cell::Float(zero)) if zero == 0.0 && zero.is_sign_negative()),
            "{json}"
        );
    }
}

#[test]
fn floats_beyond_their_range_are_infinite_and_null() {
    for json in ["1e400", "-1e400", "1e99999999999999999999", &format!("{}.0", "9".repeat(400))] {
        assert_eq!(value(json), None, "{json}");
    }
    assert_eq!(value("[1e400,-1e400,1.50e0]"), Some(Cell::Array("[null,null,1.50e0]".to_owned())));
}

#[test]
fn an_event_with_an_integer_beyond_a_float_fails_alone() {
    let digits = "9".repeat(400);
    for json in
        [digits.clone(), format!("-{digits}"), format!("[1,-{digits}]"), format!("[[{{\"a\":{digits}}}]]")]
    {
        let read = read(format!("{{\"a\":1}}{{\"o\":{{\"v\":{json}}},\"b\":2}}{{\"a\":3}}"));
        assert_eq!((read.outcome.ingested, read.outcome.failed), (2, 1), "{json}");
        let failure = &read.outcome.failures[0];
        let error = "event fails: an integer of the field \"o.v\" is beyond the range of a float, 1.8e308";
        assert_eq!((failure.index, failure.error.as_str()), (1, error), "{json}");
    }
    // What is nested too deep to be kept is not looked at.
    let deep = format!("{}{digits}{}", "[".repeat(120), "]".repeat(120));
    assert_eq!(read(format!("{{\"v\":{deep}}}")).outcome.failed, 0);
}

#[test]
fn what_is_no_number_is_malformed() {
    for json in [
        "01",
        "-01",
        "00",
        "-",
        "+1",
        ".5",
        "1.",
        "1.e3",
        "1e",
        "1e+",
        "0x10",
        "NaN",
        "Infinity",
        "-Infinity",
    ] {
        let error = malformed(format!("{{\"v\":{json}}}"));
        assert_eq!(error.line, 1, "{json}");
        malformed(format!("{{\"v\":[{json}]}}"));
    }
}

#[test]
fn floats_are_the_nearest_to_what_is_written() {
    for digits in [
        "3.141592653589793",
        "0.30000000000000004",
        "8.5e22",
        "8.5e23",
        "123456789.123456789",
        "2.2250738585072014e-308",
        "1.7e-22",
        "1.7e-23",
    ] {
        assert_eq!(value(digits), Some(Cell::Float(digits.parse().unwrap())), "{digits}");
    }
}

#[test]
fn booleans_nulls_and_empty_objects() {
    let body = r#"{"yes":true,"no":false,"nothing":null,"empty":{},"deep":{"er":{}},"list":[],"text":""}"#;
    let expected = named([
        ("yes", Cell::Boolean(true)),
        ("no", Cell::Boolean(false)),
        ("list", Cell::Array("[]".to_owned())),
        ("text", text("")),
    ]);
    assert_eq!(event(body), expected);
}

#[test]
fn strings_are_unescaped() {
    let body = r#"{"v":"a\"\\\/\b\f\n\r\tz\u00e4\u20ac\ud83d\ude00 ä"}"#;
    assert_eq!(event(body)["v"], text("a\"\\/\u{8}\u{c}\n\r\tzä€😀 ä"));
    assert_eq!(value(r#""\u0000""#), Some(text("\0")));
}

#[test]
fn half_a_character_is_replaced() {
    let table = [
        (r#""\ud800""#, "\u{fffd}"),
        (r#""\udc00x""#, "\u{fffd}x"),
        (r#""\ud800\ud83d\ude00""#, "\u{fffd}😀"),
        (r#""\ud800\n""#, "\u{fffd}\n"),
        (r#""\ud800\u0041""#, "\u{fffd}A"),
        (r#""\uD83Dx""#, "\u{fffd}x"),
    ];
    for (json, expected) in table {
        assert_eq!(value(json), Some(text(expected)), "{json}");
    }
    assert_eq!(
        value(r#"["\ud800","\u0001\u00e4"]"#),
        Some(Cell::Array("[\"\u{fffd}\",\"\\u0001ä\"]".to_owned()))
    );
}

#[test]
fn arrays_are_kept_as_text_without_whitespace() {
    let body = "{\"v\": [ 1.50 , -0,\n { \"a b\" : [ true , null ] , \"c\\n\\\"\":\" x \" } , [ ] , { } ] , \"w\":1}";
    let expected = r#"[1.50,-0,{"a b":[true,null],"c\n\"":" x "},[],{}]"#;
    assert_eq!(event(body), named([("v", Cell::Array(expected.to_owned())), ("w", Cell::Integer(1))]));
}

#[test]
fn too_long_strings_say_so() {
    let limit = 1 << 20;
    let long = "x".repeat(limit + 1);
    let fits = "y".repeat(limit);
    let body = format!(r#"{{"long":"{long}","fits":"{fits}","list":["{long}"],"escaped":"\n{fits}"}}"#);
    let event = event(body);
    assert_eq!(event["long"], text("<invalid string: too long>"));
    assert_eq!(event["escaped"], text("<invalid string: too long>"));
    assert_eq!(event["list"], Cell::Array(r#"["<invalid string: too long>"]"#.to_owned()));
    assert_eq!(event["fits"], text(&fits));
}

#[test]
fn strings_that_are_not_utf8_say_so_and_spare_the_others() {
    let body = b"{\"a\":\"\xff\",\"b\":\"\xc3\xa4\",\"c\":[\"\xc3\",\"ok\"],\"d\":\"\\n\xed\xa0\x80\"}\n{\"a\":\"fine\"}";
    let read = read(body);
    let expected = named([
        ("a", text("<invalid data>")),
        ("b", text("ä")),
        ("c", Cell::Array(r#"["<invalid data>","ok"]"#.to_owned())),
        ("d", text("<invalid data>")),
    ]);
    assert_eq!(read.events, [expected, named([("a", text("fine"))])]);
    assert_eq!(read.outcome.replaced.not_text, 3);
}

#[test]
fn a_name_that_is_not_utf8_fails_its_event_alone() {
    let read = read(b"{\"\xff\":{\"x\":[1]},\"b\":1}\n{\"b\":2}\n{\"a\":{\"\xc3\":null}}");
    assert_eq!(read.events, [named([("b", Cell::Integer(2))])]);
    let failed: Vec<u64> = read.outcome.failures.iter().map(|failure| failure.index).collect();
    assert_eq!(failed, [0, 2]);
    assert!(read.outcome.failures[0].error.contains("not valid UTF-8"));
}

#[test]
fn maps_are_kept_where_the_dataset_declares_them() {
    let options = tidegauge_ingest::Options {
        map_fields: std::sync::Arc::new(["m".to_owned(), "a.m".to_owned(), "_user_source".to_owned()].into()),
        ..Default::default()
    };
    let body = r#"
        {"m":{"x":{"y":1},"z":[1]},"a":{"m":{"k":"v"},"n":2},"a.b":{"m":3}}
        {"m":5,"a":{"m":"text"}}
        {"m":{},"a.m":{"dotted":true},"m.x":1}
        {"_source":{"k":1},"m":{"a":1},"m":{"b":2}}"#;
    let map = |text: &str| Cell::Map(text.to_owned());
    let expected = [
        named([
            ("m", map(r#"{"x":{"y":1},"z":[1]}"#)),
            ("a.m", map(r#"{"k":"v"}"#)),
            ("a.n", Cell::Integer(2)),
            ("a.b.m", Cell::Integer(3)),
        ]),
        named([("m", Cell::Integer(5)), ("a.m", text("text"))]),
        named([("a.m", map(r#"{"dotted":true}"#)), ("m.x", Cell::Integer(1))]),
        named([("_user_source", map(r#"{"k":1}"#)), ("m", map(r#"{"b":2}"#))]),
    ];
    assert_eq!(read_options(options, body).events, expected);
}
