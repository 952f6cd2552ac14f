//! Templates of messages: a mistake is named by a place in the text, what is written is bounded, and no value gets out of
//! the JSON string that it stands in.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tidegauge_model::monitor::AlertState;
use tidegauge_model::{Message, MonitorId, Timestamp};
use tidegauge_notify::template::Template;

const BODY_BYTES_MAX: usize = 1 << 20;

fn message(text: &str, is_open: bool) -> Message {
    Message {
        state: if is_open { AlertState::Open } else { AlertState::Closed },
        monitor: MonitorId::from("monitor_1"),
        incident: text.to_owned(),
        title: text.to_owned(),
        body: text.to_owned(),
        description: text.to_owned(),
        query_start: Timestamp::from_micros(0),
        query_end: Timestamp::from_micros(60_000_000),
        timestamp: Timestamp::from_micros(1_794_700_800_000_000),
        value: 1.5,
        matched_event: Some(serde_json::json!({"_time": text, "a": [text, 1, null]}).to_string()),
        group: vec![("service".to_owned(), text.to_owned()), ("n".to_owned(), "1".to_owned())],
        is_test: false,
    }
}

fuzz_target!(|text: &str| {
    let template = match Template::parse(text) {
        Ok(template) => template,
        Err(mistake) => {
            let lines: Vec<&str> = text.split('\n').collect();
            let line = lines.get(mistake.line - 1).expect("the line is in the text");
            assert!((1..=line.chars().count() + 1).contains(&mistake.column), "{mistake} of {text:?}");
            return;
        }
    };
    assert_eq!(Template::parse(text).as_ref(), Ok(&template));
    let plain = template.render(&message("x", true));
    let odd = template.render(&message("\"},\\\"\n\u{1}\u{2028}{\"é", true));
    let _ = template.render(&message("", false));
    for body in [&plain, &odd].into_iter().flatten() {
        assert!(body.len() <= BODY_BYTES_MAX);
    }
    // Where nothing is decided by the values, they change no more than the texts in the document.
    let is_document =
        |text: &Option<String>| text.as_ref().is_some_and(|text| serde_json::from_str::<Value>(text).is_ok());
    if !text.contains("if") && is_document(&plain) {
        assert!(is_document(&odd), "{odd:?}");
    }
});
