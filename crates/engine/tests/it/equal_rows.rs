//! Events that are equal in all that they are sorted by have one order, however many there are and whichever way they
//! are sorted: found first, the first of very many, all in memory, all by way of the disk.

use std::cmp::Reverse;
use std::fmt::Write;

use serde_json::Value;
use tidegauge_engine::{Answer, Error};

use crate::support::engines::{engine, tried};
use crate::support::house::{Filled, House, Placement, SECOND, START, Way, block_on};
use crate::support::reply::value;

/// More than are found first and read afterwards.
const EVENTS: usize = 110_000;
const OF_A_REQUEST: usize = 11_000;

/// Up to so many are found first.
const FOUND_MAX: usize = 100_000;

fn few(number: usize) -> usize {
    number * 7_919 % 5
}

/// Each time is that of very many events, of all requests.
fn time(number: usize) -> i64 {
    START - (number * 31 % 7) as i64 * SECOND
}

fn requests() -> Vec<String> {
    let request = |first: usize| {
        let mut lines = String::new();
        for number in first..first + OF_A_REQUEST {
            let (time, few) = (time(number), few(number));
            let text = format!("{number:06} {}", "so that all of them are not small ".repeat(3));
            let _ = writeln!(lines, r#"{{"_time":{time},"few":{few},"n":{number},"text":"{text}"}}"#);
        }
        lines
    };
    (0..EVENTS).step_by(OF_A_REQUEST).map(request).collect()
}

/// The events in an order: those that are equal in it are newest first, and of one time as they were sent.
fn in_order<K: Ord>(key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..EVENTS).collect();
    numbers.sort_by_key(|number| (key(*number), Reverse(time(*number)), *number));
    numbers
}

fn numbers(answer: &Answer) -> Vec<usize> {
    let table = &answer.tables[0];
    let field = table.fields.iter().find(|field| field.name == "n").unwrap();
    (0..table.rows).map(|row| value(field, row).as_u64().unwrap() as usize).collect()
}

/// Where two orders part, which is told in place of all of them.
fn assert_same(found: &[usize], wanted: &[usize], text: &str) {
    assert_eq!(found.len(), wanted.len(), "{text}");
    let parting = found.iter().zip(wanted).position(|(found, wanted)| found != wanted);
    let around =
        parting.map(|at| (at, &found[at..found.len().min(at + 5)], &wanted[at..wanted.len().min(at + 5)]));
    assert_eq!(around, None, "{text}");
}

async fn filled(house: &House) -> Filled {
    // The first requests are in segments of their own, the others in the buffer.
    house.filled(&requests(), Placement::Both).await
}

#[test]
fn equal_events_have_one_order_whichever_way_they_are_sorted() {
    block_on(async {
        let house = House::new().await;
        let filled = filled(&house).await;
        let orders = [
            ("few asc", in_order(few)),
            ("few desc, n % 3 asc", in_order(|number| (Reverse(few(number)), number % 3))),
            ("_time asc", in_order(time)),
            ("no_event_has_this desc", in_order(|_| ())),
        ];
        for (order, wanted) in &orders {
            let sorted = format!("logs | sort by {order}");
            // The first of them, all, those that are found first, one more, and rows that are made of all of them.
            for (stages, rows) in [
                ("take 17", 17),
                ("project n", EVENTS),
                ("take 100000 | where n >= 0 | project n", FOUND_MAX),
                ("take 100001 | where n >= 0 | project n", FOUND_MAX + 1),
                ("mv-expand one = range(1, 1) | project n", EVENTS),
            ] {
                let text = format!("{sorted} | {stages}");
                let answer = house.ask_text(&[("logs", &filled.state)], &text, Way::Threads).await;
                let answer = answer.unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
                assert_same(&numbers(&answer), &wanted[..rows], &text);
            }
        }
        // Lists are made in the order of the rows.
        let text = "logs | where n % 8 == 0 | sort by few asc | summarize l = make_list(n)";
        let answer = house.ask_text(&[("logs", &filled.state)], text, Way::Threads).await.unwrap();
        let wanted: Vec<usize> =
            orders[0].1.iter().copied().filter(|number| number.is_multiple_of(8)).collect();
        let Value::Array(list) = value(&answer.tables[0].fields[0], 0) else { panic!("no list") };
        let list: Vec<usize> = list.iter().map(|number| number.as_u64().unwrap() as usize).collect();
        assert_same(&list, &wanted, text);
    });
}

#[test]
fn equal_events_have_the_same_order_by_way_of_the_disk() {
    block_on(async {
        let house = House::new().await;
        let filled = filled(&house).await;
        let wanted = in_order(few);
        // Texts that a later stage reads go along with their rows.
        let text = "logs | sort by few asc | mv-expand one = range(1, 1) | where text != '' | project n";
        let mut by_the_disk = 0;
        // How much is enough to answer and too little for memory alone depends on which thread comes first.
        for mebibytes in [48, 40, 32, 24, 20, 16, 12] {
            let engine = engine(&house, |settings| {
                settings.memory_bytes = mebibytes << 20;
                settings.query_memory_bytes = mebibytes << 20;
                settings.spill_folder = house.folder().join(format!("spill-of-{mebibytes}"));
            });
            match tried(&engine, &filled.state, text).await {
                Ok(answer) => {
                    assert_same(&numbers(&answer), &wanted, &format!("{mebibytes} MiB"));
                    by_the_disk += usize::from(engine.spilled().written > 0);
                }
                Err(Error::Memory { .. } | Error::Spill) => {}
                Err(error) => panic!("{mebibytes} MiB: {error}"),
            }
            if by_the_disk == 2 {
                break;
            }
        }
        assert!(by_the_disk > 0, "nothing went by way of the disk");
    });
}
