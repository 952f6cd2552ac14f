//! One id among many: its rows are found however much room there is to keep the column, and so in whichever form it is
//! kept.

use std::sync::Arc;

use serde_json::{Value, json};
use tidegauge_engine::Engine;
use tidegauge_store::DatasetState;

use crate::support::engines::{asked, engine};
use crate::support::house::{House, Placement, START, block_on};
use crate::support::reply::value;

const EVENTS: i64 = 30_000;

/// How many events a block has.
const BLOCK_EVENTS: usize = 10_000;

/// An id that three events have, of which many end alike; one event in seven has none, one in eleven a short one.
fn id(number: i64) -> Value {
    let key = number * 7_919 % (EVENTS / 3);
    match number {
        _ if number % 7 == 0 => Value::Null,
        _ if number % 11 == 0 => json!(format!("{}", key % 100)),
        _ => json!(long(key)),
    }
}

/// Digits and letters without a pattern that templates could have.
fn long(key: i64) -> String {
    format!("{:016x}{:04}", key.wrapping_mul(0x1e37_79b9_7f4a_7c15), key % 37)
}

async fn dataset(house: &House) -> Arc<DatasetState> {
    let line = |number: &i64| json!({ "_time": START + number, "id": id(*number) }).to_string() + "\n";
    let numbers: Vec<i64> = (0..EVENTS).collect();
    let requests = numbers.chunks(BLOCK_EVENTS).map(|part| part.iter().map(line).collect());
    house.filled(&requests.collect::<Vec<String>>(), Placement::Segments).await.state
}

async fn count(engine: &Engine, state: &Arc<DatasetState>, condition: &str) -> Value {
    let answer = asked(engine, state, &format!("logs | where {condition} | count")).await;
    value(&answer.tables[0].fields[0], 0)
}

#[test]
fn an_id_is_found_in_whichever_form_its_column_is_kept() {
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        let wanted = |needle: &str| (0..EVENTS).filter(|number| id(*number) == json!(needle)).count();
        // Nothing, some blocks without views, all blocks as they are.
        for cache_bytes in [0, 3 << 18, 5 << 18, 16 << 20] {
            let engine = engine(&house, |settings| settings.cache_bytes = cache_bytes);
            for needle in [&*long(1), &*long(2_345), "7", "99", &long(1)[1..], "", "x"] {
                let expected = wanted(needle);
                let rest = EVENTS as usize - expected;
                for _ in 0..2 {
                    let is = format!("id == \"{needle}\"");
                    assert_eq!(count(&engine, &state, &is).await, json!(expected), "{is} {cache_bytes}");
                    let is_not = format!("id != \"{needle}\"");
                    assert_eq!(count(&engine, &state, &is_not).await, json!(rest), "{is_not} {cache_bytes}");
                    let among = format!("id in (\"{needle}\", \"nobody-has-this-one\")");
                    assert_eq!(
                        count(&engine, &state, &among).await,
                        json!(expected),
                        "{among} {cache_bytes}"
                    );
                }
            }
        }
    });
}
