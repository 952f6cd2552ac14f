//! Very many groups of one key: what is found by parting the rows equals what a plain table of the events says, for keys
//! of every type, with and without null, whether all groups are wanted or the first, and also where memory is not
//! enough for parting and the groups are spilled.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tidegauge_engine::{Answer, Engine, Options};
use tidegauge_store::DatasetState;

use crate::support::engines::{asked, engine};
use crate::support::house::{House, Placement, START, Way, block_on};
use crate::support::reply::value;

/// Enough for a scan to be looked at for its number of groups.
pub(crate) const EVENTS: i64 = 70_000;

/// How many events a block has: so many that it tells of very many groups.
const BLOCK_EVENTS: usize = 35_000;

/// How many different keys there are.
pub(crate) const KEYS: i64 = 9_001;

/// What one event has.
pub(crate) struct Event {
    pub(crate) key: i64,
    pub(crate) x: i64,
}

pub(crate) fn event(number: i64) -> Event {
    Event { key: number * number % KEYS, x: number % 1_000 }
}

/// A field, and how it is made of the key.
pub(crate) type Made = (&'static str, fn(i64) -> Value);

/// The fields that are grouped by; of the last, one in a hundred values is missing.
pub(crate) const FIELDS: &[Made] = &[
    ("short", |key| json!(format!("u{key}"))),
    ("long", |key| json!(format!("{}{key}", "n".repeat(180)))),
    ("middle", |key| json!(format!("usr_{key:010}"))),
    ("digits", |key| json!(format!("{:016x}", key * 0x1234_5678_9abc))),
    ("capitals", |key| json!(format!("{:016X}", key * 0x1234_5678_9abc))),
    ("nearly", |key| {
        json!(format!("{key:015x}{}", ["g", "`", ":", "/", "@", "F", "f", "0"][key as usize % 8]))
    }),
    ("mixed", |key| json!(format!("{}{key}", "m".repeat((key % 30) as usize)))),
    ("number", |key| json!(key * 3 - 100)),
    ("float", |key| json!(key as f64 + 0.5)),
    ("gaps", |key| if key % 100 == 0 { Value::Null } else { json!(format!("g{key}")) }),
];

pub(crate) async fn dataset(house: &House) -> Arc<DatasetState> {
    let of_key = |key: i64| FIELDS.iter().map(|(name, of)| format!(",{name:?}:{}", of(key))).collect();
    let of_keys: Vec<String> = (0..KEYS).map(of_key).collect();
    let line = |number: i64| {
        let Event { key, x } = event(number);
        format!("{{\"_time\":{},\"x\":{x}{}}}", START + number, of_keys[key as usize])
    };
    let numbers: Vec<i64> = (0..EVENTS).collect();
    let requests =
        numbers.chunks(BLOCK_EVENTS).map(|part| part.iter().map(|number| line(*number) + "\n").collect());
    house.filled(&requests.collect::<Vec<String>>(), Placement::Segments).await.state
}

/// The groups of a field as the events say: count, sum and the greatest of `x`, most frequent first.
fn wanted(of: fn(i64) -> Value) -> Vec<(Value, i64, i64, i64)> {
    let mut keys = vec![(0, 0, i64::MIN); KEYS as usize];
    for number in 0..EVENTS {
        let Event { key, x } = event(number);
        let (count, sum, greatest) = &mut keys[key as usize];
        (*count, *sum, *greatest) = (*count + 1, *sum + x, x.max(*greatest));
    }
    // Several keys may be the same value, as those of which it is missing are.
    let mut groups: BTreeMap<String, (Value, i64, i64, i64)> = BTreeMap::new();
    for (key, (count, sum, greatest)) in (0..).zip(keys).filter(|(_, (count, ..))| *count > 0) {
        let value = of(key);
        let group = groups.entry(value.to_string()).or_insert((value, 0, 0, i64::MIN));
        *group = (group.0.clone(), group.1 + count, group.2 + sum, group.3.max(greatest));
    }
    let mut groups: Vec<(Value, i64, i64, i64)> = groups.into_values().collect();
    groups.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| compared(&left.0, &right.0)));
    groups
}

pub(crate) fn compared(left: &Value, right: &Value) -> std::cmp::Ordering {
    match (left.as_f64(), right.as_f64(), left.as_str(), right.as_str()) {
        (Some(left), Some(right), ..) => left.total_cmp(&right),
        (.., Some(left), Some(right)) => left.cmp(right),
        // What is missing comes last.
        _ => left.is_null().cmp(&right.is_null()),
    }
}

fn rows(answer: &Answer) -> Vec<(Value, i64, i64, i64)> {
    let table = &answer.tables[0];
    let cell = |field: usize, row: usize| value(&table.fields[field], row);
    let number = |field: usize, row: usize| cell(field, row).as_i64().unwrap();
    (0..table.rows).map(|row| (cell(0, row), number(1, row), number(2, row), number(3, row))).collect()
}

fn text(field: &str, rest: &str) -> String {
    format!(
        "logs | summarize n = count(), s = sum(x), m = max(x) by k = {field} \
         | sort by n desc, k asc nulls last{rest}"
    )
}

#[test]
fn parted_rows_come_to_the_same_groups() {
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        for (field, of) in FIELDS {
            let wanted = wanted(*of);
            for (rest, count) in [(" | take 10", 10), (" | take 3000", 3_000), ("", wanted.len())] {
                for way in [Way::Cached, Way::Threads] {
                    let options =
                        Options { rows_max: 50_000, rows_default: Some(50_000), ..Options::at(START) };
                    let (datasets, text) = ([("logs", &state)], text(field, rest));
                    let answer = house.ask_with(&datasets, &text, way, options).await.unwrap();
                    assert_eq!(rows(&answer), wanted[..count], "{field} {rest} {way:?}");
                    assert_eq!(answer.figures.rows_matched, EVENTS as u64, "{field} {rest} {way:?}");
                }
            }
        }
    });
}

/// An engine whose queries have little memory.
pub(crate) fn small_engine(house: &House, query_memory_bytes: usize) -> Engine {
    engine(house, |settings| {
        settings.memory_bytes = query_memory_bytes;
        settings.query_memory_bytes = query_memory_bytes;
    })
}

#[test]
fn what_does_not_fit_is_grouped_all_the_same() {
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        // Less than the keys of all rows have; where that is noticed, much or little else is in memory.
        for query_memory_bytes in [10 << 20, 13 << 20, 16 << 20] {
            let engine = small_engine(&house, query_memory_bytes);
            let answer = asked(&engine, &state, &text("long", " | take 10")).await;
            assert_eq!(rows(&answer), wanted(FIELDS[1].1)[..10], "{query_memory_bytes}");
            assert_eq!(answer.figures.rows_matched, EVENTS as u64);
            assert_eq!(engine.memory_used().0, 0, "a query gives back what it held");
        }
    });
}

#[test]
fn parted_rows_wait_on_the_disk_where_they_do_not_fit() {
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        // Enough for the groups of some parts, and for the rows of one block.
        let engine = small_engine(&house, 3 << 20);
        for (field, of) in FIELDS.iter().filter(|(field, _)| !["long", "mixed", "gaps"].contains(field)) {
            let text = format!(
                "logs | summarize n = count(), s = sum(x), m = max(x), max(number), max(float), max(middle) \
                 by k = {field} | top 10 by n desc, k asc"
            );
            let answer = asked(&engine, &state, &text).await;
            assert_eq!(rows(&answer), wanted(*of)[..10], "{field}");
            assert_eq!(answer.figures.rows_matched, EVENTS as u64, "{field}");
            assert_eq!(engine.memory_used().0, 0, "{field}");
        }
        // Texts that are aggregated go to the disk with their keys.
        let last = "logs | summarize n = count(), g = max(gaps), l = max(mixed) by k = digits \
                    | sort by n desc, k asc | take 5";
        let (small, plenty) = (asked(&engine, &state, last).await, small_engine(&house, 64 << 20));
        let plenty = asked(&plenty, &state, last).await;
        let cells = |answer: &Answer| -> Vec<Value> {
            let fields = answer.tables[0].fields.iter();
            fields.flat_map(|field| (0..5).map(|row| value(field, row))).collect()
        };
        assert_eq!(cells(&small), cells(&plenty));
    });
}

#[test]
fn groups_that_are_equal_are_in_the_order_of_their_keys() {
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        for (field, of) in FIELDS {
            let mut wanted: Vec<(Value, i64)> =
                wanted(*of).into_iter().map(|(key, count, ..)| (key, count)).collect();
            // Without a word on it, what is missing comes first.
            wanted.sort_by_key(|(key, count)| (-count, !key.is_null()));
            let text = format!("logs | summarize n = count() by k = {field} | sort by n desc | take 700");
            for way in [Way::Cached, Way::Threads] {
                let answer = house.ask_text(&[("logs", &state)], &text, way).await.unwrap();
                let table = &answer.tables[0];
                let row = |row: usize| {
                    (value(&table.fields[0], row), value(&table.fields[1], row).as_i64().unwrap())
                };
                assert_eq!((0..table.rows).map(row).collect::<Vec<_>>(), wanted[..700], "{field}");
            }
        }
    });
}

/// Few groups are sorted in the query's own turn and many beside it, whether they have many rows or many bytes.
#[test]
fn few_groups_and_many_come_in_the_same_order() {
    block_on(async {
        let house = House::new().await;
        for (groups, bytes) in [(1, 1), (1_024, 1), (1_025, 1), (3_000, 1), (100, 1_000), (400, 1_000)] {
            let text = format!(
                "print i = range(1, {groups}) | mv-expand i | extend x = 10000 - tolong(i) \
                 | summarize n = count() by k = strcat(strrep('x', {bytes}), tostring(x))"
            );
            let answer = house.ask_text(&[], &text, Way::Threads).await.unwrap();
            let table = &answer.tables[0];
            let keys: Vec<Value> = (0..table.rows).map(|row| value(&table.fields[0], row)).collect();
            let wanted = (10_000 - groups..10_000).map(|x| json!(format!("{}{x}", "x".repeat(bytes))));
            assert_eq!(keys, wanted.collect::<Vec<Value>>(), "{groups} groups of {bytes} bytes");
        }
    });
}
