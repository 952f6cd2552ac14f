//! The first rows in an order, of many more: no others are kept, whatever the stages behind make of their fields.

use std::fmt::Write;

use tidegauge_engine::{Answer, Error};

use crate::support::engines::{asked, engine, tried};
use crate::support::house::{House, Placement, START, block_on};
use crate::support::reply::value;

const EVENTS: usize = 24_000;
const OF_A_REQUEST: usize = 6_000;

/// Every number once, in no order.
fn number(event: usize) -> usize {
    event * 7_919 % EVENTS
}

fn requests() -> Vec<String> {
    let request = |first: usize| {
        let mut lines = String::new();
        for event in first..first + OF_A_REQUEST {
            let (number, text) = (number(event), "x".repeat(200));
            let _ = writeln!(
                lines,
                r#"{{"_time":{START},"key":"key-{number:06}","few":{},"text":"{text}{number}"}}"#,
                number % 7
            );
        }
        lines
    };
    (0..EVENTS).step_by(OF_A_REQUEST).map(request).collect()
}

fn keys(answer: &Answer) -> Vec<String> {
    let table = &answer.tables[0];
    let field = table.fields.iter().find(|field| field.name == "key").unwrap();
    (0..table.rows).map(|row| value(field, row).as_str().unwrap().to_owned()).collect()
}

fn expected(mut numbers: Vec<usize>, rows: usize) -> Vec<String> {
    numbers.truncate(rows);
    numbers.into_iter().map(|number| format!("key-{number:06}")).collect()
}

#[test]
fn the_first_of_many_events_are_found_whatever_their_number() {
    block_on(async {
        let house = House::new().await;
        let ascending: Vec<usize> = (0..EVENTS).collect();
        let descending: Vec<usize> = (0..EVENTS).rev().collect();
        let mut by_two: Vec<usize> = ascending.clone();
        by_two.sort_by_key(|number| (std::cmp::Reverse(number % 7), *number));
        let mut by_text: Vec<usize> = ascending.clone();
        by_text.sort_by_key(usize::to_string);
        let orders = [
            ("key asc", ascending),
            ("key desc", descending),
            ("few desc, key asc", by_two),
            // All of these together are more than may wait to be put in order.
            ("text asc", by_text),
        ];
        for placement in [Placement::Buffer, Placement::Segments] {
            let filled = house.filled(&requests(), placement).await;
            let engine = engine(&house, |_| {});
            for (order, numbers) in &orders {
                for rows in [1, 5_000, 30_000] {
                    let text = format!("logs | sort by {order} | take {rows}");
                    let answer = asked(&engine, &filled.state, &text).await;
                    assert!(keys(&answer) == expected(numbers.clone(), rows), "{text} of {placement:?}");
                }
            }
            house.forget(&filled);
        }
    });
}

#[test]
fn a_sort_keeps_no_more_rows_than_are_wanted_behind_a_projection() {
    block_on(async {
        let house = House::new().await;
        let filled = house.filled(&requests(), Placement::Segments).await;
        // All rows take several times as much, and have nowhere to go.
        let engine = engine(&house, |settings| settings.spill_bytes_max = 0);
        let rows = "logs | extend many = range(1, 50, 1) | mv-expand many | sort by key asc, text asc";
        let wanted = expected((0..EVENTS).collect(), 2);
        let wanted: Vec<String> =
            wanted.iter().flat_map(|key| std::iter::repeat_n(key.clone(), 50)).collect();
        for stages in [
            "take 100",
            "project key, text | take 100",
            "extend length = strlen(text) | project-away many | project-rename name = text | limit 100",
        ] {
            let answer = asked(&engine, &filled.state, &format!("{rows} | {stages}")).await;
            assert_eq!(keys(&answer), wanted, "{stages}");
        }
        // What passes only some of the rows needs all of them in order.
        let some = format!("{rows} | where text endswith '0' | take 100");
        let refused = tried(&engine, &filled.state, &some).await.unwrap_err();
        assert!(matches!(refused, Error::Memory { .. } | Error::Spill), "{refused}");
    });
}
