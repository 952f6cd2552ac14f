//! Tests of the firehose: the stream is pinned, and has the shape that measurements rely on.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;
use tidegauge_model::Timestamp;

use super::Firehose;
use super::languages::RARE;
use crate::lines::write;
use crate::pace::Pace;

fn lines(seed: u64, count: u64) -> Vec<u8> {
    let from = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    let pace = Pace { from, step: Duration::from_micros(8_640) };
    let mut out = Vec::new();
    write(&Firehose::new(seed, pace), count, &mut out).unwrap();
    out
}

fn events(count: u64) -> Vec<Value> {
    let text = String::from_utf8(lines(1, count)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn share_in_thousand(events: &[Value], pointer: &str) -> usize {
    events.iter().filter(|event| event.pointer(pointer).is_some()).count() * 1_000 / events.len()
}

#[test]
fn the_stream_of_a_seed_never_changes() {
    assert_eq!(xxhash_rust::xxh3::xxh3_64(&lines(1, 1_000)), 0xD396_B7D5_CB08_A924);
    assert_eq!(lines(9, 500), lines(9, 500));
    assert_ne!(lines(1, 10), lines(2, 10));
}

#[test]
fn a_short_stream_is_the_beginning_of_a_long_one() {
    let long = lines(5, 2_000);
    for count in [0, 1, 7, 1_000] {
        assert!(long.starts_with(&lines(5, count)), "{count}");
    }
}

#[test]
fn times_go_forward_and_are_said_twice() {
    let mut last = 0;
    for event in events(2_000) {
        let time = Timestamp::parse(event["_time"].as_str().unwrap()).unwrap().as_micros();
        assert_eq!(event["time_us"].as_i64(), Some(time));
        assert!(last <= time);
        last = time;
    }
}

#[test]
fn events_are_of_three_kinds_and_most_create_a_record() {
    let events = events(20_000);
    let mut counts: HashMap<String, usize> = HashMap::new();
    for event in &events {
        let kind = event["kind"].as_str().unwrap();
        assert!(event.get(kind).is_some_and(Value::is_object), "{event}");
        let operation = event.pointer("/commit/operation").and_then(Value::as_str).unwrap_or("none");
        *counts.entry(format!("{kind} {operation}")).or_default() += 1;
        assert_eq!(event.pointer("/commit/record").is_some(), matches!(operation, "create" | "update"));
    }
    assert_eq!(counts.len(), 5, "{counts:?}");
    assert!((17_500..18_800).contains(&counts["commit create"]), "{counts:?}");
    assert!((900..1_400).contains(&counts["commit delete"]), "{counts:?}");
    assert!((70..250).contains(&counts["account none"]), "{counts:?}");
    assert!((120..300).contains(&counts["identity none"]), "{counts:?}");
}

#[test]
fn optional_fields_are_in_their_share_of_the_events() {
    let events = events(20_000);
    for field in ["region", "lag_ms", "followers", "verified", "trace", "label"] {
        let share = share_in_thousand(&events, &format!("/relay/{field}"));
        assert!((380..420).contains(&share), "{field}: {share}");
    }
    assert_eq!(share_in_thousand(&events, "/relay/seq"), 1_000);
    let is_post = |event: &Value| event.pointer("/commit/record/text").is_some();
    let posts: Vec<Value> = events.into_iter().filter(is_post).collect();
    assert!((2_100..2_700).contains(&posts.len()), "{}", posts.len());
    let reply = share_in_thousand(&posts, "/commit/record/reply/parent/uri");
    assert!((360..440).contains(&reply), "{reply}");
    let langs = share_in_thousand(&posts, "/commit/record/langs/0");
    assert!((560..640).contains(&langs), "{langs}");
}

#[test]
fn posts_are_in_several_languages_and_seldom_alike() {
    let mut texts: HashMap<String, usize> = HashMap::new();
    let mut languages: HashMap<String, usize> = HashMap::new();
    let mut rare = 0;
    for event in events(60_000) {
        let record = &event["commit"]["record"];
        if let Some(text) = record["text"].as_str() {
            *texts.entry(text.to_owned()).or_default() += 1;
            rare += usize::from(text.contains(RARE));
        }
        if let Some(language) = record["langs"][0].as_str() {
            *languages.entry(language.to_owned()).or_default() += 1;
        }
    }
    assert_eq!(languages.len(), 8, "{languages:?}");
    assert!(languages["en"] > languages["ru"] * 4, "{languages:?}");
    assert!(texts.len() > 6_800 && texts.values().all(|count| *count < 4), "{}", texts.len());
    assert!((5..45).contains(&rare), "{rare}");
}

#[test]
fn some_accounts_are_frequent_and_ids_of_contents_are_new_each_time() {
    let mut accounts: HashMap<String, usize> = HashMap::new();
    let mut contents: HashMap<String, usize> = HashMap::new();
    let events = events(20_000);
    for event in &events {
        *accounts.entry(event["did"].as_str().unwrap().to_owned()).or_default() += 1;
        if let Some(content) = event.pointer("/commit/cid").and_then(Value::as_str) {
            *contents.entry(content.to_owned()).or_default() += 1;
        }
    }
    assert!((10_000..17_000).contains(&accounts.len()), "{}", accounts.len());
    assert!(contents.values().all(|count| *count == 1));
    let bytes = lines(1, 20_000).len() / 20_000;
    assert!((500..900).contains(&bytes), "{bytes}");
}
