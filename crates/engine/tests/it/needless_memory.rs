//! No query is charged for memory that it does not hold: neither for the combinations that its keys could have, nor for
//! one batch as often as there are stretches of it.

use std::sync::Arc;

use serde_json::json;
use tidegauge_engine::{Answer, Engine};
use tidegauge_store::DatasetState;

use crate::support::engines::{asked, engine};
use crate::support::house::{House, Placement, START, block_on};
use crate::support::reply::value;

/// Enough for a scan to be looked at for its number of groups.
const EVENTS: i64 = 70_000;

/// A few times what the keys and the states of all groups take.
const MEMORY_BYTES: usize = 48 << 20;

async fn dataset(house: &House) -> Arc<DatasetState> {
    let line = |number: i64| {
        let event = json!({
            "_time": START + number, "n8": number % 200, "uniq": format!("u-{number:012}-{}", number * 7),
            "hi": format!("h{:07}", number % 60_000), "opt": number % 1_000,
        });
        event.to_string() + "\n"
    };
    let numbers: Vec<i64> = (0..EVENTS).collect();
    let requests = numbers.chunks(35_000).map(|part| part.iter().map(|number| line(*number)).collect());
    house.filled(&requests.collect::<Vec<String>>(), Placement::Segments).await.state
}

/// An engine that has so much memory for its queries.
fn engine_within(house: &House, bytes: usize) -> Engine {
    engine(house, |settings| {
        settings.memory_bytes = bytes;
        settings.query_memory_bytes = bytes;
    })
}

fn number(answer: &Answer, field: &str, row: usize) -> i64 {
    let field = answer.tables[0].fields.iter().find(|found| found.name == field).unwrap();
    value(field, row).as_i64().unwrap()
}

const SUMMARIZE: &str =
    "logs | summarize zz = count(), a0 = max(opt) by n8, b = bin(n8, 10), uniq, s = substring(hi, 5, 2)";

/// Groups by many long keys, each in its bucket: as many as events.
const WIDE: &str = "logs | summarize zz = count() by _time = bin(_time, 1h), uniq, hi, n8, opt, a = strcat(uniq, 'a'), \
     b = strcat(hi, uniq), c = strcat(uniq, hi), d = strcat('d', uniq), e = strcat('e', uniq), f = strcat('f', uniq)";

/// Enough for these groups a few times; a sort that could spill took 100 MB.
const WIDE_BYTES: usize = 80 << 20;

#[test]
fn groups_by_many_keys_are_put_in_order_in_what_they_need() {
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        let engine = engine_within(&house, WIDE_BYTES);
        for wide in [WIDE, &WIDE.replace("_time = bin", "t = bin")] {
            let answer = asked(&engine, &state, &format!("{wide} | count")).await;
            assert_eq!(number(&answer, "Count", 0), EVENTS);
            let rest = "summarize first = min(uniq), last = max(f), zz = sum(zz)";
            let answer = asked(&engine, &state, &format!("{wide} | {rest}")).await;
            assert_eq!(number(&answer, "zz", 0), EVENTS);
        }
        assert_eq!(engine.memory_used().0, 0, "a query gives back what it held");
    });
}

#[test]
fn groups_by_several_keys_fit_into_what_they_need() {
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        let engine = engine_within(&house, MEMORY_BYTES);
        let answer = asked(&engine, &state, &format!("{SUMMARIZE} | count")).await;
        assert_eq!(number(&answer, "Count", 0), EVENTS);
        let answer =
            asked(&engine, &state, &format!("{SUMMARIZE} | sort by zz desc, n8 asc | take 25")).await;
        let rows: Vec<(i64, i64)> =
            (0..25).map(|row| (number(&answer, "zz", row), number(&answer, "n8", row))).collect();
        assert_eq!(rows, [(1, 0); 25]);
        // Sorted after something else was computed, where the order is not known to who groups.
        let rest = "extend y = zz + n8 | where y > 0 | sort by y asc, uniq asc | count";
        let answer = asked(&engine, &state, &format!("{SUMMARIZE} | {rest}")).await;
        assert_eq!(number(&answer, "Count", 0), EVENTS);
        assert_eq!(engine.memory_used().0, 0, "a query gives back what it held");
    });
}
