//! Tests of the generator: the stream is pinned, and has the shape that measurements rely on.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Map, Value};
use tidegauge_model::Timestamp;

use super::{Events, Pace, Shape, write};

fn pace() -> Pace {
    Pace { from: Timestamp::parse("2026-01-01T00:00:00Z").unwrap(), step: Duration::from_micros(43_200) }
}

fn lines(seed: u64, shape: Shape, count: u64) -> Vec<u8> {
    let mut out = Vec::new();
    write(&Events::new(seed, shape, pace()), count, &mut out).unwrap();
    out
}

fn events(shape: Shape, count: u64) -> Vec<Map<String, Value>> {
    let bytes = lines(1, shape, count);
    let text = String::from_utf8(bytes).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_stream_of_a_seed_never_changes() {
    // Measurements are compared over months: a change here makes earlier figures worthless.
    assert_eq!(xxhash_rust::xxh3::xxh3_64(&lines(1, Shape::Nested, 1_000)), 0xB1F7_BA5C_0077_BFC3);
    assert_eq!(xxhash_rust::xxh3::xxh3_64(&lines(1, Shape::Flat, 1_000)), 0x8415_FBCB_7049_7003);
    assert_ne!(lines(1, Shape::Nested, 10), lines(2, Shape::Nested, 10));
}

#[test]
fn a_short_stream_is_the_beginning_of_a_long_one() {
    let long = lines(5, Shape::Nested, 3_000);
    for count in [0, 1, 7, 1_000] {
        assert!(long.starts_with(&lines(5, Shape::Nested, count)), "{count}");
    }
}

#[test]
fn an_event_has_about_25_fields_and_700_bytes() {
    let bytes = lines(1, Shape::Nested, 20_000).len() / 20_000;
    assert!((600..=750).contains(&bytes), "{bytes}");
    for event in events(Shape::Flat, 5_000) {
        assert!((25..=29).contains(&event.len()), "{event:?}");
    }
}

#[test]
fn messages_are_sentences_of_80_to_150_characters() {
    for event in events(Shape::Nested, 10_000) {
        let message = event["message"].as_str().unwrap();
        assert!((80..=150).contains(&message.chars().count()), "{}: {message}", message.len());
        assert!(!message.contains('%'), "{message}");
    }
}

#[test]
fn both_shapes_say_the_same() {
    for (nested, flat) in events(Shape::Nested, 2_000).iter().zip(events(Shape::Flat, 2_000)) {
        let mut flattened = Map::new();
        for (key, value) in nested {
            match value {
                Value::Object(inner) => {
                    flattened
                        .extend(inner.iter().map(|(part, value)| (format!("{key}.{part}"), value.clone())));
                }
                value => {
                    flattened.insert(key.clone(), value.clone());
                }
            }
        }
        assert_eq!(flattened, flat);
    }
}

#[test]
fn times_go_forward_by_the_pace() {
    let times: Vec<Timestamp> = events(Shape::Nested, 2_000)
        .iter()
        .map(|event| Timestamp::parse(event["_time"].as_str().unwrap()).unwrap())
        .collect();
    assert!(times.is_sorted());
    let spread = times[1_999].as_micros() - times[0].as_micros();
    assert!((spread - 1_999 * 43_200).abs() < 2 * 43_200, "{spread}");
}

#[test]
fn fields_have_their_cardinality_and_share() {
    let events = events(Shape::Flat, 20_000);
    let mut values: HashMap<&str, HashMap<String, u32>> = HashMap::new();
    for event in &events {
        for (key, value) in event {
            *values.entry(key).or_default().entry(value.to_string()).or_default() += 1;
        }
    }
    let different = |key: &str| values[key].len();
    assert_eq!(different("service"), 20);
    assert_eq!(different("level"), 4);
    assert_eq!(different("region"), 5);
    assert_eq!(different("status"), 17);
    assert_eq!(different("user_agent"), 50);
    assert_eq!(different("geo.city"), 40);
    assert_eq!(different("k8s.pod"), 240);
    assert!((170..=200).contains(&different("path")), "{}", different("path"));
    assert!((4_000..6_000).contains(&different("trace_id")), "{}", different("trace_id"));
    assert_eq!(different("span_id"), 20_000);
    assert!((10_000..17_000).contains(&different("user_id")), "{}", different("user_id"));
    assert!(different("message") > 19_900);
    let most = *values["service"].values().max().unwrap();
    assert!((4_000..8_000).contains(&most), "{most}");
    let share = |key: &str| values.get(key).map_or(0, |counts| counts.values().sum::<u32>());
    assert!((200..=400).contains(&share("error.kind")), "{}", share("error.kind"));
    assert_eq!(share("error.kind"), share("error.stack"));
    assert!((500..700).contains(&share("retries")));
    assert!((1_400..1_800).contains(&share("flags")));
}
