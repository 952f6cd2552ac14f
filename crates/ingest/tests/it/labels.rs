//! Labels: fields that a request adds to each event.

use tidegauge_ingest::{Format, Labels, Options};

use crate::support::{Cell, named, read_options, text};

fn labelled(labels: &str) -> Options {
    Options { labels: Some(Labels::parse(labels).unwrap()), ..Options::default() }
}

#[test]
fn labels_are_added_to_each_event_and_win() {
    let options = labelled(r#" {"region":"eu-west-1","a":9,"geo":{"x":[ 1 ]},"none":null} "#);
    let read = read_options(options, r#"{"a":1,"b":2} {} {"region":"mine","geo":{"x":"y","z":3}} 5"#);
    let common =
        [("region", text("eu-west-1")), ("a", Cell::Integer(9)), ("geo.x", Cell::Array("[1]".to_owned()))];
    let mut first = named(common.clone());
    first.insert("b".to_owned(), Cell::Integer(2));
    let mut third = named(common.clone());
    third.insert("geo.z".to_owned(), Cell::Integer(3));
    assert_eq!(read.events, [first, named(common), third]);
    assert_eq!(read.outcome.failures[0].index, 3);
}

#[test]
fn labels_follow_the_rules_of_fields() {
    let read = read_options(labelled(r#"{"_sysTime":1,"_time":"2020-01-01T00:00:00Z"}"#), r#"{"_time":5}"#);
    assert_eq!(read.events, [named([("_user_sysTime", Cell::Integer(1))])]);
    assert_eq!(read.times, [1_577_836_800_000_000_000]);
    let long = format!("{{\"{}\":1}}", "n".repeat(201));
    let read = read_options(labelled(&long), "{\"a\":1}{\"a\":2}");
    assert_eq!((read.outcome.failed, read.events.len()), (2, 0));
}

#[test]
fn labels_are_added_to_csv_lines() {
    let options = Options { format: Format::Csv, ..labelled(r#"{"region":"eu","b":7}"#) };
    let read = read_options(options, "a,b\n1,2\n");
    assert_eq!(read.events, [named([("a", text("1")), ("b", Cell::Integer(7)), ("region", text("eu"))])]);
}

#[test]
fn labels_must_be_an_object() {
    for labels in
        ["", "1", "[]", "\"x\"", "{", "{\"a\":}", "{\"a\":1} x", "{\"a\":1}{}", "{a:1}", "{\"a\":1,}", "null"]
    {
        let error = Labels::parse(labels).unwrap_err().to_string();
        assert!(error.starts_with("event labels must be one JSON object"), "{labels}: {error}");
    }
    assert!(Labels::parse("{}").is_ok());
}
