//! Bodies that are no JSON: nothing is taken, and the error says where and what.

use tidegauge_ingest::{Limits, MalformedKind, Options, Reader};

use crate::support::{Cell, Gate, malformed, named, read};

#[test]
fn every_arrangement_of_events_is_one_grammar() {
    let one = named([("a", Cell::Integer(1))]);
    let two = named([("a", Cell::Integer(2))]);
    for body in [
        r#"[{"a":1},{"a":2}]"#,
        "{\"a\":1}\n{\"a\":2}\n",
        "{\"a\":1}\r\n\r\n\n{\"a\":2}",
        r#"{"a":1}{"a":2}"#,
        r#" [ {"a":1} ] [ {"a":2} ] "#,
        "[{\"a\":1}]\n{\"a\":2}",
        "\u{feff}{\"a\":1} {\"a\":2}",
        "[\n  {\n    \"a\": 1\n  },\n  {\n    \"a\": 2\n  }\n]",
    ] {
        assert_eq!(read(body).events, [one.clone(), two.clone()], "{body}");
    }
    for body in ["", " \n\t\r ", "[]", "[ ]\n[]", "\u{feff}"] {
        let read = read(body);
        assert_eq!((read.outcome.ingested, read.outcome.failed), (0, 0), "{body:?}");
    }
}

#[test]
fn values_that_are_no_objects_fail_alone() {
    let read = read(r#"[1,{"a":1},"x",null,true,[{"a":2}],[],-1.5e3,{"a":3}] 7 "s" {"a":4}"#);
    let indexes: Vec<u64> = read.outcome.failures.iter().map(|failure| failure.index).collect();
    assert_eq!(indexes, [0, 2, 3, 4, 5, 6, 7, 9, 10]);
    assert_eq!((read.outcome.ingested, read.outcome.failed), (3, 9));
    let errors: Vec<&str> = read.outcome.failures.iter().map(|failure| failure.error.as_str()).collect();
    assert_eq!(errors[0], "event fails: an event must be a JSON object, this is a number");
    assert!(
        errors[1].ends_with("a string") && errors[2].ends_with("null") && errors[3].ends_with("a boolean")
    );
    assert!(errors[4].ends_with("an array in an array"));
}

#[test]
fn the_place_and_the_reason_are_named() {
    let table: [(&[u8], u64, u64, u64, &str); 24] = [
        (b"{\"a\":1,}", 1, 8, 7, "expected a field name"),
        (b"{,}", 1, 2, 1, "expected a field name"),
        (b"{\"a\" 1}", 1, 6, 5, "expected ':'"),
        (b"{\"a\":}", 1, 6, 5, "expected a value"),
        (b"{\"a\":1 \"b\":2}", 1, 8, 7, "expected ',' or '}'"),
        (b"{\"a\":1]", 1, 7, 6, "expected ',' or '}'"),
        (b"{\"a\":[1 2]}", 1, 9, 8, "expected ',' or ']'"),
        (b"{\"a\":[1,]}", 1, 9, 8, "expected a value"),
        (b"{\"a\":[{\"x\":1,}]}", 1, 14, 13, "expected a field name"),
        (b"{\"a\":[{\"x\":1]}", 1, 13, 12, "expected ',' or '}'"),
        (b"{\"a\":tru}", 1, 6, 5, "expected a value"),
        (b"{\"a\":'x'}", 1, 6, 5, "expected a value"),
        (b"{\"a\":01}", 1, 6, 5, "must not start with a zero"),
        (b"{\"a\":1.x}", 1, 8, 7, "expected a digit"),
        (b"{\"a\":\"\n\"}", 1, 7, 6, "control character"),
        (b"{\"a\\x\":1}", 1, 4, 3, "unknown escape"),
        (b"{\"a\":\"\\u12g4\"}", 1, 7, 6, "four hexadecimal digits"),
        (b"[{\"a\":1},]", 1, 10, 9, "expected a value"),
        (b"[{\"a\":1} {\"a\":2}]", 1, 10, 9, "expected ',' or ']' after an event"),
        (b"{\"a\":1},{\"a\":2}", 1, 8, 7, "expected a value"),
        (b"{\"a\":1}\n{\"a\":2}\n]", 3, 1, 16, "expected a value"),
        (b"{\"a\":1}\n{\"a\":\n  x}", 3, 3, 16, "expected a value"),
        (b"{\"a\":1}\n\n  hello", 3, 3, 11, "expected a value"),
        (b"\xef\xbb\xbf{\"a\":1}\n{x}", 2, 2, 12, "expected a field name"),
    ];
    for (body, line, column, offset, message) in table {
        let shown = String::from_utf8_lossy(body);
        let error = malformed(body);
        assert!(error.message.contains(message), "{shown}: {error}");
        assert_eq!((error.line, error.column, error.offset), (line, column, offset), "{shown}: {error}");
        assert_eq!(error.kind, MalformedKind::Malformed);
        for size in 1..body.len() {
            let mut reader = Reader::new(Limits::default());
            reader.begin(Options::default(), 0);
            let gate = Gate::default();
            let fed = body.chunks(size).try_for_each(|chunk| reader.feed(chunk, &gate));
            let found = fed.and_then(|()| reader.finish(&gate)).expect_err("malformed in pieces too");
            assert_eq!(found, error, "{shown} in pieces of {size}");
        }
    }
}

#[test]
fn bodies_that_end_too_early_are_malformed() {
    for body in [
        "{",
        "[",
        "[{\"a\":1}",
        "[{\"a\":1},",
        "{\"a",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":\"x",
        "{\"a\":\"\\",
        "{\"a\":\"\\u12",
        "{\"a\":\"\\ud800\\",
        "{\"a\":[",
        "{\"a\":[{\"b\":1}",
        "{\"a\":tr",
        "{\"a\":-",
        "{\"a\":{\"b\":1}",
        "\"abc",
        "nul",
        "-",
        "1.",
        "[1",
    ] {
        let error = malformed(body);
        assert!(error.message.contains("the body ends inside"), "{body}: {error}");
        assert_eq!(error.offset, body.len() as u64, "{body}");
    }
}

#[test]
fn bytes_outside_strings_are_malformed() {
    for body in [
        &b"\xff"[..],
        b"{\"a\":\xff}",
        b"{\xc3\xa4:1}",
        b"\xef\xbb",
        b"\xef\xbbx",
        b"{\"a\":1}\x00",
        b"{\"a\":1}\x0b{}",
    ] {
        malformed(body);
    }
}

#[test]
fn the_error_can_be_shown_and_is_said_again() {
    let mut reader = Reader::new(Limits::default());
    let gate = Gate::default();
    reader.begin(Options::default(), 0);
    reader.feed(b"{\"a\":1}\n", &gate).unwrap();
    assert_eq!(reader.columns().rows(), 1);
    let error = reader.feed(b"{\"a\" 1}\n", &gate).unwrap_err();
    assert_eq!(
        error.to_string(),
        "malformed body at line 2, column 6 (byte 13): expected ':' after a field name"
    );
    assert_eq!(reader.columns().rows(), 0);
    assert_eq!(reader.feed(b"{}", &gate), Err(error.clone()));
    assert_eq!(reader.finish(&gate), Err(error));
    reader.begin(Options::default(), 0);
    reader.feed(b"{\"a\":1}", &gate).unwrap();
    assert_eq!(reader.finish(&gate).unwrap().ingested, 1);
}

#[test]
fn failures_are_listed_up_to_a_limit_and_counted_beyond() {
    let read = read("1 ".repeat(1500));
    assert_eq!((read.outcome.failed, read.outcome.failures.len()), (1500, 1000));
    assert_eq!(read.outcome.failures[999].index, 999);
}
