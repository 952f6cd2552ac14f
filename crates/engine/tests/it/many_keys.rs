//! Very many groups of several keys: the parted rows come to what a plain table of the events says, for keys of all
//! types beside each other, in memory and on the disk.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::Value;
use tidegauge_engine::{Answer, Options};

use crate::many::{EVENTS, Event, FIELDS, KEYS, Made, compared, dataset, event, small_engine};
use crate::support::engines::asked;
use crate::support::house::{House, START, Way, block_on};
use crate::support::reply::value;

/// A group: its keys, and count, sum and the greatest of `x`.
type Group = (Vec<Value>, i64, i64, i64);

/// The fields that are grouped by together. The key of the last two groups is `null` in parts, and by all.
const TOGETHER: &[&[&str]] = &[
    &["short", "number"],
    &["number", "float"],
    &["gaps", "digits"],
    &["gaps", "gaps"],
    &["long", "mixed", "capitals"],
    &["float", "middle", "gaps", "number", "short"],
];

fn made(name: &str) -> Made {
    *FIELDS.iter().find(|(field, _)| *field == name).unwrap()
}

/// The groups as the events say, most frequent first.
fn wanted(fields: &[&str]) -> Vec<Group> {
    let mut of_keys = vec![(0, 0, i64::MIN); KEYS as usize];
    for number in 0..EVENTS {
        let Event { key, x } = event(number);
        let (count, sum, greatest) = &mut of_keys[key as usize];
        (*count, *sum, *greatest) = (*count + 1, *sum + x, x.max(*greatest));
    }
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for (key, (count, sum, greatest)) in (0..).zip(of_keys).filter(|(_, (count, ..))| *count > 0) {
        let values: Vec<Value> = fields.iter().map(|field| made(field).1(key)).collect();
        let group = groups.entry(format!("{values:?}")).or_insert((values, 0, 0, i64::MIN));
        (group.1, group.2, group.3) = (group.1 + count, group.2 + sum, group.3.max(greatest));
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_by(|left, right| {
        let by_keys = || left.0.iter().zip(&right.0).map(|(left, right)| compared(left, right));
        right.1.cmp(&left.1).then_with(|| by_keys().fold(Ordering::Equal, Ordering::then))
    });
    groups
}

fn rows(answer: &Answer, keys: usize) -> Vec<Group> {
    let table = &answer.tables[0];
    let cell = |field: usize, row: usize| value(&table.fields[field], row);
    let number = |field: usize, row: usize| cell(keys + field, row).as_i64().unwrap();
    let of_row = |row: usize| {
        ((0..keys).map(|key| cell(key, row)).collect(), number(0, row), number(1, row), number(2, row))
    };
    (0..table.rows).map(of_row).collect()
}

fn text(fields: &[&str], rest: &str) -> String {
    let keys: Vec<String> =
        fields.iter().enumerate().map(|(place, field)| format!("k{place} = {field}")).collect();
    let order: Vec<String> = (0..fields.len()).map(|place| format!("k{place} asc nulls last")).collect();
    let (keys, order) = (keys.join(", "), order.join(", "));
    format!("logs | summarize n = count(), s = sum(x), m = max(x) by {keys} | sort by n desc, {order}{rest}")
}

#[test]
fn several_keys_come_to_the_same_groups() {
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        for fields in TOGETHER {
            let wanted = wanted(fields);
            for (rest, count) in [(" | take 10", 10), (" | take 3000", 3_000), ("", wanted.len())] {
                for way in [Way::Cached, Way::Threads] {
                    let options =
                        Options { rows_max: 50_000, rows_default: Some(50_000), ..Options::at(START) };
                    let (datasets, text) = ([("logs", &state)], text(fields, rest));
                    let answer = house.ask_with(&datasets, &text, way, options).await.unwrap();
                    assert_eq!(rows(&answer, fields.len()), wanted[..count], "{fields:?} {rest} {way:?}");
                    assert_eq!(answer.figures.rows_matched, EVENTS as u64, "{fields:?} {rest} {way:?}");
                }
            }
        }
    });
}

/// Longer texts wait on the disk with the rows that they are the keys of.
#[test]
fn rows_with_longer_keys_wait_on_the_disk_where_they_do_not_fit() {
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        let alone: [&[&str]; 3] = [&["long"], &["mixed"], &["middle"]];
        for fields in alone.iter().chain(TOGETHER) {
            let wanted = wanted(fields);
            // All keys of all rows together are more than the least of these, of each of the fields.
            for query_memory_bytes in [6 << 20, 12 << 20, 24 << 20] {
                let engine = small_engine(&house, query_memory_bytes);
                let answer = asked(&engine, &state, &text(fields, " | take 10")).await;
                assert_eq!(rows(&answer, fields.len()), wanted[..10], "{fields:?} {query_memory_bytes}");
                assert_eq!(answer.figures.rows_matched, EVENTS as u64, "{fields:?} {query_memory_bytes}");
                assert_eq!(engine.memory_used().0, 0, "a query gives back what it held");
            }
        }
    });
}

/// What is aggregated may be a key as well.
#[test]
fn keys_are_aggregated_too() {
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        let text = "logs | summarize n = count(), a = max(number), b = max(strlen(long)), c = max(middle) \
                    by number, long, middle | where a != number or c != middle or b != strlen(long) | count";
        let answer = house.ask_text(&[("logs", &state)], text, Way::Threads).await.unwrap();
        assert_eq!(value(&answer.tables[0].fields[0], 0), Value::from(0));
    });
}

/// Where all groups are wanted, rows that are in memory make room for them.
#[test]
fn all_groups_are_wanted_of_rows_that_do_not_fit() {
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        for fields in [["short", "number"], ["middle", "digits"]] {
            let wanted = wanted(&fields);
            // From none of the rows in memory to all of them.
            for query_memory_bytes in [8 << 20, 12 << 20, 16 << 20, 24 << 20, 64 << 20] {
                let engine = small_engine(&house, query_memory_bytes);
                let answer = asked(&engine, &state, &text(&fields, "")).await;
                let rows = rows(&answer, fields.len());
                assert_eq!(rows, wanted[..rows.len()], "{fields:?} {query_memory_bytes}");
                assert_eq!(answer.figures.groups, wanted.len() as u64, "{fields:?} {query_memory_bytes}");
            }
        }
    });
}
