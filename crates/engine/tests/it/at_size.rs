//! Random queries in text over so many events that the fast ways take over: the engine gives the rows that the naive
//! interpreter of pipelines gives. A debug build takes minutes for each of them, so `make oracle` runs this, optimised;
//! `TIDEGAUGE_LARGE_PIPELINES=200 TIDEGAUGE_LARGE_SEED=7` looks longer. `make test` compares as many events with DuckDB.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::numbers::Numbers;
use crate::pipelines::table_of;
use crate::properties::{Batch, ndjson_of};
use crate::support::house::{HOUR, House, Placement, START, Way, block_on};
use crate::support::pipes::grow::{Pipeline, grow_large};
use crate::support::pipes::shown;
use crate::support::reply::float;

const EVENTS: u64 = 100_000;

/// More than a stretch of the buffer holds.
const BATCH_EVENTS: u64 = 25_000;

/// How many combinations of the wide keys are common, of how many values each, and how many keys there are.
const PROFILES: u64 = 1_500;
const WIDE_VALUES: u64 = 300;
const WIDE_KEYS: u64 = 8;

const EXTREMES: [i64; 6] = [i64::MAX, i64::MIN, 0, -1, 1 << 53, (1 << 53) + 1];

/// Beyond 64 bits with a sign: neighbours that have the same float, and one that is a float exactly.
const LONG: [u64; 4] = [1 << 63, (1 << 63) + 1, u64::MAX, u64::MAX - 1];

/// `id` tells events apart, `s` has many texts, `n` small integers, `r` halves, `x` extreme integers, `l` those and longer
/// ones and floats that are equal to some of them, `m` several types,
/// and `k0` to `k7` are keys whose values would make far more combinations than there are events.
fn event(rng: &mut Numbers, number: u64) -> (i64, BTreeMap<String, Json>) {
    let mut fields = BTreeMap::new();
    let mut set = |name: &str, value: Json| fields.insert(name.to_owned(), value);
    set("id", json!(number));
    set("s", json!(format!("s{}", rng.below(5_000))));
    set("b", if rng.below(9) == 0 { Json::Null } else { json!(rng.below(2) == 0) });
    set("n", json!(rng.below(300) as i64 - 3));
    set("r", float(rng.below(24) as f64 / 2.0 - 6.0));
    set("x", Json::from(EXTREMES[rng.below(EXTREMES.len() as u64) as usize]));
    let (long, extreme) = (LONG[rng.below(4) as usize], EXTREMES[rng.below(6) as usize]);
    set("l", [json!(long), json!(extreme), float(long as f64), json!(number)][rng.below(4) as usize].clone());
    set("hi", json!(rng.below(EVENTS)));
    let mixed = rng.below(20) as i64;
    match rng.below(4) {
        0 => set("m", json!(mixed)),
        1 => set("m", json!(format!("t{mixed}"))),
        2 => set("m", float(mixed as f64 + 0.5)),
        _ => set("m", Json::Null),
    };
    let profile = if rng.below(500) == 0 { PROFILES + number } else { rng.below(PROFILES) };
    for key in 0..WIDE_KEYS {
        let value = Numbers(profile * WIDE_KEYS + key).below(WIDE_VALUES);
        let is_text = key % 2 == 0;
        set(
            &format!("k{key}"),
            if is_text { json!(format!("value {value}")) } else { json!(value * 1_000_003) },
        );
    }
    let after = rng.below(40 * HOUR as u64) as i64;
    (START - 50 * HOUR + after, fields)
}

fn events(rng: &mut Numbers) -> Vec<Batch> {
    let batch = |first: u64, rng: &mut Numbers| {
        (first..first + BATCH_EVENTS).map(|number| event(rng, number)).collect()
    };
    (0..EVENTS / BATCH_EVENTS).map(|number| batch(number * BATCH_EVENTS, rng)).collect()
}

/// A few events for tables beside the large one.
fn few(rng: &mut Numbers) -> Vec<Batch> {
    vec![(0..20).map(|number| event(rng, number)).collect()]
}

#[expect(clippy::disallowed_methods, reason = "a test is told how long to look by who looks for a fault")]
fn told(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().map_or(otherwise, |value| value.parse().unwrap())
}

fn pipeline(world: &[(String, crate::support::pipes::table::Table)], rng: &mut Numbers) -> Pipeline {
    let stages: Vec<u64> = (0..1 + rng.below(4)).map(|_| rng.word()).collect();
    grow_large(world, &stages)
}

#[test]
#[ignore = "takes minutes in a debug build: make oracle runs it"]
fn large_pipelines_are_answered_as_the_naive_interpreter_does() {
    block_on(async {
        let seed = told("TIDEGAUGE_LARGE_SEED", 1);
        let mut rng = Numbers(seed);
        let (one, two) = (events(&mut rng), few(&mut rng));
        let house = House::new().await;
        let requests = |batches: &[Batch]| batches.iter().map(ndjson_of).collect::<Vec<String>>();
        let filled = [
            house.filled(&requests(&one), Placement::Both).await,
            house.filled(&requests(&two), Placement::Buffer).await,
        ];
        let datasets = [("one", &filled[0].state), ("two", &filled[1].state)];
        let world = [("one".to_owned(), table_of("one", &one)), ("two".to_owned(), table_of("two", &two))];
        for number in 0..told("TIDEGAUGE_LARGE_PIPELINES", 6) {
            let pipeline = pipeline(&world, &mut rng);
            for way in [Way::Threads, Way::Cached, Way::Cached] {
                let answer = house.ask_text(&datasets, &pipeline.text, way).await.unwrap_or_else(|errors| {
                    panic!("seed {seed}, {number}: {}", errors[0].render(&pipeline.text))
                });
                if let Err(why) = shown::compare(&pipeline.table, &answer.tables[0]) {
                    let why: String = why.chars().take(4_000).collect();
                    panic!("seed {seed}, {number}, {way:?}\n{}\n{why}", pipeline.text);
                }
            }
        }
    });
}
